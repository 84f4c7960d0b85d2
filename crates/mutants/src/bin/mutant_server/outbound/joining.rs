//! Welcomes and refusals as a fault has them.

use nuggets_game::Viewer;
use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};

use super::is_for_spectator;
use crate::datagram::{Datagram, Gold, leave_out, reword};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};

pub(super) fn bend(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    match turn.welcomed {
        Some(Viewer::Player(_)) => welcome_player(mutant, turn, sent),
        Some(Viewer::Spectator) => welcome_spectator(mutant, turn, sent),
        None if turn.heard.starts_with(b"PLAY ") => refuse(mutant, turn, sent),
        None => {}
    }
}

fn welcome_player(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    let is_new = turn.is_join(mutant.room.game());
    let to_them = |datagram: &Datagram, word| datagram.to == turn.from && datagram.is(word);
    match mutant.fault {
        Fault::OkMissing => leave_out(sent, |datagram| datagram.is("OK")),
        Fault::OkAfterGrid => put_behind(sent, "OK", "GRID"),
        Fault::GridSwapped => swap_grid(mutant, sent),
        Fault::GridMissing => leave_out(sent, |datagram| datagram.is("GRID")),
        Fault::GridAfterGold => put_behind(sent, "GRID", "GOLD"),
        Fault::GoldMissingAtJoin => leave_out(sent, |datagram| datagram.is("GOLD")),
        Fault::GoldWrongAtJoin => reword(sent, |datagram| datagram.is("GOLD"), b"GOLD 0 0 0"),
        Fault::GoldLateFull if is_new => tell_all_is_left(mutant, sent),
        Fault::DisplayMissingAtJoin => leave_out(sent, |datagram| to_them(datagram, "DISPLAY")),
        Fault::NewcomerNotShown => leave_out(sent, |datagram| {
            datagram.to != turn.from && !is_for_spectator(mutant, datagram)
        }),
        Fault::NewcomerNotShownToSpectator => {
            leave_out(sent, |datagram| is_for_spectator(mutant, datagram));
        }
        Fault::RepeatedPlayIgnored if !is_new => sent.clear(),
        Fault::RepeatedPlayRefused if !is_new => {
            let why = mutant.dialect.complaint("You have joined already.");
            *sent = vec![Datagram::new(turn.from, why.to_bytes())];
        }
        _ => {}
    }
}

fn welcome_spectator(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    match mutant.fault {
        Fault::GridSwapped => swap_grid(mutant, sent),
        Fault::GridMissingForSpectator => leave_out(sent, |datagram| datagram.is("GRID")),
        Fault::GridAfterGold => put_behind(sent, "GRID", "GOLD"),
        Fault::GoldMissingAtWatch => leave_out(sent, |datagram| datagram.is("GOLD")),
        Fault::DisplayMissingAtWatch => leave_out(sent, |datagram| datagram.is("DISPLAY")),
        Fault::ReplacedNotTold => leave_out(sent, |datagram| datagram.to != turn.from),
        Fault::ReplacedOtherWords => {
            reword(sent, |datagram| datagram.to != turn.from, b"QUIT Somebody else is watching.");
        }
        _ => {}
    }
}

fn refuse(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    let full = mutant.dialect.game_full().to_bytes();
    let nameless = mutant.dialect.nameless().to_bytes();
    match mutant.fault {
        Fault::TwentySeventhIgnored => leave_out(sent, |datagram| datagram.bytes == full),
        Fault::TwentySeventhOtherWords => {
            reword(sent, |datagram| datagram.bytes == full, b"QUIT No more room.");
        }
        Fault::TwentySeventhTaken if sent.iter().any(|datagram| datagram.bytes == full) => {
            *sent = welcome_one_more(mutant).map(|bytes| Datagram::new(turn.from, bytes)).to_vec();
        }
        Fault::NamelessIgnored => leave_out(sent, |datagram| datagram.bytes == nameless),
        Fault::NamelessOtherWords => {
            reword(sent, |datagram| datagram.bytes == nameless, b"QUIT What is your name?");
        }
        Fault::BlankNameOtherWords if turn.heard != b"PLAY " => {
            reword(sent, |datagram| datagram.bytes == nameless, b"QUIT Blanks are no name.");
        }
        _ => {}
    }
}

/// What comes of counting letters on.
fn welcome_one_more(mutant: &Mutant) -> [Vec<u8>; 4] {
    let game = mutant.room.game();
    let (rows, cols) = (mutant.map.rows(), mutant.map.cols());
    let gold = ServerMessage::Gold { found: 0, purse: 0, remaining: game.remaining() };
    let picture = game.view(Viewer::Spectator).to_string();
    [
        b"OK [".to_vec(),
        ServerMessage::Grid { rows, cols }.to_bytes(),
        gold.to_bytes(),
        [DISPLAY_HEAD, picture.as_bytes()].concat(),
    ]
}

fn tell_all_is_left(mutant: &Mutant, sent: &mut [Datagram]) {
    let remaining = mutant.piles.iter().map(|(_, size)| size).sum();
    for datagram in sent {
        if let Some(gold) = datagram.gold() {
            datagram.set_gold(Gold { remaining, ..gold });
        }
    }
}

fn swap_grid(mutant: &Mutant, sent: &mut [Datagram]) {
    let (rows, cols) = (mutant.map.rows(), mutant.map.cols());
    for datagram in sent.iter_mut().filter(|datagram| datagram.is("GRID")) {
        datagram.bytes = ServerMessage::Grid { rows: cols, cols: rows }.to_bytes();
    }
}

/// The message with the first word comes right after the one with the second.
fn put_behind(sent: &mut [Datagram], first: &str, second: &str) {
    let place = |word| sent.iter().position(|datagram| datagram.is(word));
    if let (Some(first), Some(second)) = (place(first), place(second))
        && first < second
    {
        sent[first..=second].rotate_left(1);
    }
}
