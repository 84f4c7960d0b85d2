//! Faults in the pictures of `DISPLAY`.

use nuggets_game::{Game, Letter, Map, Player, Point, Tile, Viewer};
use nuggets_server::Peer;

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};

/// The rows of a picture, to be drawn on.
struct DisplayRows<'a> {
    map: &'a Map,
    rows: &'a mut [u8],
}

impl DisplayRows<'_> {
    fn at(&mut self, at: Point) -> &mut u8 {
        &mut self.rows[self.map.index(at) + usize::from(at.row)]
    }

    fn draw_on_free_spot(&mut self, at: Point, symbol: u8) {
        if matches!(self.at(at), b'.' | b'#') {
            *self.at(at) = symbol;
        }
    }

    /// Draws the map's own character.
    fn erase(&mut self, at: Point) {
        *self.at(at) = self.map.tile(at).map_or(b' ', Tile::as_byte);
    }

    fn replace(&mut self, is_replaced: impl Fn(u8) -> bool, symbol: u8) {
        for byte in self.rows.iter_mut().filter(|byte| is_replaced(**byte)) {
            *byte = symbol;
        }
    }
}

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut [Outbound]) {
    for datagram in sent.iter_mut().filter(|datagram| datagram.is("DISPLAY")) {
        let Some(viewer) = mutant.seats.viewer(datagram.to) else { continue };
        if let Some(sight) = &mutant.sight {
            let rows = sight.draw(mutant.room.game(), viewer);
            *datagram = Outbound::display(datagram.to, &rows);
        }
        if let Some(rows) = stale_rows(mutant, turn, datagram.to, viewer) {
            *datagram = Outbound::display(datagram.to, &rows);
        }
        if let Some(rows) = datagram.rows_mut() {
            let picture = DisplayRows { map: &mutant.map, rows };
            match viewer {
                Viewer::Player(letter) => draw_for_player(mutant, letter, picture),
                Viewer::Spectator => draw_for_spectator(mutant, picture),
            }
        }
    }
}

/// Returns the rows of the last picture, if the fault sends them again.
fn stale_rows(mutant: &Mutant, turn: &MessageTurn, to: Peer, viewer: Viewer) -> Option<Vec<u8>> {
    let Viewer::Player(letter) = viewer else { return first_spectators_rows(mutant, turn) };
    let last = mutant.last_displays.iter().find(|display| display.to == to);
    let mut rows = last?.clone().rows_mut()?.to_vec();
    match mutant.fault {
        Fault::StaleDisplay => {}
        Fault::SwapStaleView if turn.swapped.contains(&letter) => {
            let mut picture = DisplayRows { map: &mutant.map, rows: &mut rows };
            draw_swap(mutant.room.game(), turn, letter, &mut picture);
        }
        _ => return None,
    }
    Some(rows)
}

/// Returns the rows that the first spectator was sent last, if the fault sends them to a new spectator.
fn first_spectators_rows(mutant: &Mutant, turn: &MessageTurn) -> Option<Vec<u8>> {
    let is_sent = mutant.fault == Fault::ReplacingSpectatorSeesOldMap && turn.joined.is_some();
    let first = mutant.seats.replaced_spectators.first().filter(|_| is_sent)?;
    let last = mutant.last_displays.iter().find(|display| display.to == *first);
    Some(last?.clone().rows_mut()?.to_vec())
}

/// Draws the two players that changed places on an older picture.
fn draw_swap(game: &Game, turn: &MessageTurn, letter: Letter, picture: &mut DisplayRows<'_>) {
    let pairs = turn.before.players().iter().zip(game.players());
    let left = pairs.filter(|(was, is)| was.at() != is.at()).filter_map(|(was, _)| was.at());
    for at in left {
        *picture.at(at) = game.symbol_at(at);
    }
    if let Some(at) = game.player(letter).at() {
        *picture.at(at) = b'@';
    }
}

fn draw_for_player(mutant: &Mutant, letter: Letter, mut picture: DisplayRows<'_>) {
    let player = mutant.room.game().player(letter);
    let sees = |at: Point| player.sees().contains(mutant.map.index(at));
    match mutant.fault {
        Fault::SelfAsLetter => picture.replace(|byte| byte == b'@', letter.as_byte()),
        Fault::OthersAsAtSign => picture.replace(|byte| byte.is_ascii_uppercase(), b'@'),
        Fault::GoldInvisible => picture.replace(|byte| byte == b'*', b'.'),
        Fault::SomeGoldInvisible => {
            for (at, _) in mutant.piles.iter().step_by(3) {
                if *picture.at(*at) == b'*' {
                    picture.erase(*at);
                }
            }
        }
        Fault::UnmovedPlayersInvisible => {
            let is_unmoved = |other: &&Player| !mutant.moved.contains(&other.letter());
            let unmoved = mutant.room.game().players().iter().filter(is_unmoved);
            for at in unmoved.filter_map(Player::at) {
                if picture.at(at).is_ascii_uppercase() {
                    picture.erase(at);
                }
            }
        }
        Fault::MovedPlayersGetLastLetter => draw_last_letter(mutant, &mut picture),
        Fault::SelfMissing => {
            if let Some(at) = player.at() {
                picture.erase(at);
            }
        }
        Fault::SwapOnOneSpot => {
            erase_misplaced(mutant, &mut picture);
            let shared = mutant.misplaced.iter().find(|(misplaced, _)| *misplaced == letter);
            if let Some((_, at)) = shared {
                *picture.at(*at) = b'@';
            }
        }
        _ => draw_removed(mutant, &mut picture, sees),
    }
}

fn draw_for_spectator(mutant: &Mutant, mut picture: DisplayRows<'_>) {
    let game = mutant.room.game();
    match mutant.fault {
        Fault::SpectatorSeesOnlyPlayerA => match game.players().first() {
            Some(first) => {
                let view = game.view(Viewer::Player(first.letter())).to_string();
                picture.rows.copy_from_slice(view.as_bytes());
            }
            None => picture.replace(|byte| byte != b'\n', b' '),
        },
        Fault::SpectatorNoGold => picture.replace(|byte| byte == b'*', b'.'),
        Fault::SpectatorSeesAtSign => picture.replace(|byte| byte == b'A', b'@'),
        Fault::SwapOnOneSpot => erase_misplaced(mutant, &mut picture),
        Fault::MovedPlayersGetLastLetter => draw_last_letter(mutant, &mut picture),
        _ => draw_removed(mutant, &mut picture, |_| true),
    }
}

/// Draws every player that has moved with the letter of the last that joined.
fn draw_last_letter(mutant: &Mutant, picture: &mut DisplayRows<'_>) {
    let has_moved = |byte: u8| mutant.moved.iter().any(|letter| letter.as_byte() == byte);
    if let Some(last) = mutant.room.game().players().last() {
        picture.replace(has_moved, last.letter().as_byte());
    }
}

/// Erases misplaced players where the room has them.
fn erase_misplaced(mutant: &Mutant, picture: &mut DisplayRows<'_>) {
    for (letter, _) in &mutant.misplaced {
        if let Some(at) = mutant.room.game().player(*letter).at() {
            picture.erase(at);
        }
    }
}

/// Draws collected gold and players that have quit, if the fault keeps them.
fn draw_removed(mutant: &Mutant, picture: &mut DisplayRows<'_>, sees: impl Fn(Point) -> bool) {
    match mutant.fault {
        Fault::CollectedPileStays => {
            for (at, _) in mutant.piles.iter().filter(|(at, _)| sees(*at)) {
                picture.draw_on_free_spot(*at, b'*');
            }
        }
        Fault::QuitterStaysOnMap | Fault::QuitterReappears => {
            for (letter, at) in mutant.misplaced.iter().filter(|(_, at)| sees(*at)) {
                picture.draw_on_free_spot(*at, letter.as_byte());
            }
        }
        _ => {}
    }
}
