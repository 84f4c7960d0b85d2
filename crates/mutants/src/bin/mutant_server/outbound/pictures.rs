//! What is drawn in a picture, as a fault has it.

use nuggets_game::{Game, Letter, Map, Player, Point, Viewer};
use nuggets_server::Peer;

use crate::datagram::Datagram;
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};

/// A picture that can be drawn on.
struct Drawing<'a> {
    map: &'a Map,
    rows: &'a mut [u8],
}

impl Drawing<'_> {
    fn at(&mut self, at: Point) -> &mut u8 {
        &mut self.rows[self.map.index(at) + usize::from(at.row)]
    }

    /// Puts something where only the ground is drawn.
    fn put_on_ground(&mut self, at: Point, drawn: u8) {
        if matches!(self.at(at), b'.' | b'#') {
            *self.at(at) = drawn;
        }
    }

    /// Draws what the map has there.
    fn erase(&mut self, at: Point) {
        let ground = self.map.tile(at).map(nuggets_game::Tile::as_char);
        *self.at(at) = ground.unwrap_or(b' ');
    }

    /// The same where a player is drawn.
    fn erase_player(&mut self, at: Point) {
        if self.at(at).is_ascii_uppercase() {
            self.erase(at);
        }
    }

    fn replace(&mut self, is_meant: impl Fn(u8) -> bool, drawn: u8) {
        self.rows.iter_mut().filter(|byte| is_meant(**byte)).for_each(|byte| *byte = drawn);
    }
}

pub(super) fn bend(mutant: &Mutant, turn: &Turn, sent: &mut [Datagram]) {
    for datagram in sent.iter_mut().filter(|datagram| datagram.is("DISPLAY")) {
        let Some(viewer) = mutant.seats.viewer(datagram.to) else { continue };
        if let Some(eyes) = &mutant.eyes {
            datagram.set_rows(&eyes.draw(mutant.room.game(), viewer));
        }
        if let Some(rows) = earlier_rows(mutant, turn, datagram.to, viewer) {
            datagram.set_rows(&rows);
        }
        if let Some(rows) = datagram.rows() {
            let drawing = Drawing { map: &mutant.map, rows };
            match viewer {
                Viewer::Player(letter) => draw_for_player(mutant, letter, drawing),
                Viewer::Spectator => draw_for_spectator(mutant, drawing),
            }
        }
    }
}

/// What somebody was shown the last time, if that is what it is shown now.
fn earlier_rows(mutant: &Mutant, turn: &Turn, to: Peer, viewer: Viewer) -> Option<Vec<u8>> {
    let Viewer::Player(letter) = viewer else { return None };
    let is_swapped = turn.swapped.contains(&letter);
    let earlier = mutant.pictures.iter().find(|picture| picture.to == to);
    let mut rows = earlier?.clone().rows()?.to_vec();
    match mutant.fault {
        Fault::StalePicture => {}
        Fault::SwapOldView if is_swapped => {
            let mut drawing = Drawing { map: &mutant.map, rows: &mut rows };
            change_places(mutant.room.game(), turn, letter, &mut drawing);
        }
        _ => return None,
    }
    Some(rows)
}

/// The two who changed places, on a picture from before.
fn change_places(game: &Game, turn: &Turn, letter: Letter, drawing: &mut Drawing<'_>) {
    let before = turn.before.players().iter().zip(game.players());
    let left = before.filter(|(was, is)| was.at() != is.at()).filter_map(|(was, _)| was.at());
    for at in left {
        *drawing.at(at) = game.symbol_at(at);
    }
    if let Some(at) = game.player(letter).at() {
        *drawing.at(at) = b'@';
    }
}

fn draw_for_player(mutant: &Mutant, letter: Letter, mut drawing: Drawing<'_>) {
    let player = mutant.room.game().player(letter);
    let sees = |at: Point| player.sees().contains(mutant.map.index(at));
    match mutant.fault {
        Fault::OwnAsLetter => drawing.replace(|byte| byte == b'@', letter.as_char()),
        Fault::OthersAsAt => drawing.replace(|byte| byte.is_ascii_uppercase(), b'@'),
        Fault::GoldUnseen => drawing.replace(|byte| byte == b'*', b'.'),
        Fault::PlayersUnseen => {
            let is_new = |other: &&Player| !mutant.moved.contains(&other.letter());
            let others = mutant.room.game().players().iter().filter(is_new);
            for at in others.filter_map(Player::at) {
                drawing.erase_player(at);
            }
        }
        Fault::OwnMissing => {
            if let Some(at) = player.at() {
                drawing.erase(at);
            }
        }
        Fault::SwapOnOneSpot => {
            draw_shared_spots(mutant, &mut drawing);
            let shared = mutant.ghosts.iter().find(|(ghost, _)| *ghost == letter);
            if let Some((_, at)) = shared {
                *drawing.at(*at) = b'@';
            }
        }
        _ => draw_the_gone(mutant, &mut drawing, sees),
    }
}

fn draw_for_spectator(mutant: &Mutant, mut drawing: Drawing<'_>) {
    let game = mutant.room.game();
    match mutant.fault {
        Fault::SpectatorFog => {
            let first = game.players().first().map(|player| Viewer::Player(player.letter()));
            match first {
                Some(viewer) => {
                    drawing.rows.copy_from_slice(game.view(viewer).to_string().as_bytes());
                }
                None => drawing.replace(|byte| byte != b'\n', b' '),
            }
        }
        Fault::SpectatorNoGold => drawing.replace(|byte| byte == b'*', b'.'),
        Fault::SpectatorSeesAt => drawing.replace(|byte| byte == b'A', b'@'),
        Fault::SwapOnOneSpot => draw_shared_spots(mutant, &mut drawing),
        _ => draw_the_gone(mutant, &mut drawing, |_| true),
    }
}

/// Whoever shares a spot is not where the room has it.
fn draw_shared_spots(mutant: &Mutant, drawing: &mut Drawing<'_>) {
    for (letter, _) in &mutant.ghosts {
        if let Some(at) = mutant.room.game().player(*letter).at() {
            drawing.erase(at);
        }
    }
}

/// Gold that was taken and players who have quit.
fn draw_the_gone(mutant: &Mutant, drawing: &mut Drawing<'_>, sees: impl Fn(Point) -> bool) {
    if mutant.fault == Fault::PileStays {
        for (at, _) in mutant.piles.iter().filter(|(at, _)| sees(*at)) {
            drawing.put_on_ground(*at, b'*');
        }
    }
    if matches!(mutant.fault, Fault::QuitterStays | Fault::QuitterWalks) {
        for (letter, at) in mutant.ghosts.iter().filter(|(_, at)| sees(*at)) {
            drawing.put_on_ground(*at, letter.as_char());
        }
    }
}
