//! Partings as a fault has them.

use nuggets_game::{Player, Viewer};
use nuggets_protocol::{DISPLAY_HEAD, Farewell};
use nuggets_server::Peer;

use crate::datagram::{Datagram, leave_out, reword};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};

pub(super) fn bend(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    if sent.iter().any(|datagram| datagram.is("DISPLAY")) {
        show_the_gone(mutant, sent);
    }
    if !turn.is_quit() {
        return;
    }
    let words = |kind| mutant.dialect.farewell(kind).to_bytes();
    let is_player = mutant.seats.letter(turn.from).is_some();
    let is_theirs = |d: &Datagram| d.to == turn.from;
    let to_player = |d: &Datagram| is_theirs(d) && is_player && d.bytes == words(Farewell::Player);
    let to_watcher =
        |d: &Datagram| is_theirs(d) && !is_player && d.bytes == words(Farewell::Spectator);
    match mutant.fault {
        Fault::QuitUnanswered => leave_out(sent, to_player),
        Fault::FarewellOtherWords => reword(sent, to_player, b"QUIT Goodbye."),
        Fault::WatcherQuitUnanswered => leave_out(sent, to_watcher),
        Fault::WatcherFarewellOtherWords => reword(sent, to_watcher, b"QUIT Goodbye."),
        Fault::QuitNotShown => leave_out(sent, |datagram| datagram.is("DISPLAY")),
        _ => {}
    }
}

/// With every round of pictures there is one for those who have quit.
fn show_the_gone(mutant: &Mutant, sent: &mut Vec<Datagram>) {
    let game = mutant.room.game();
    let seats = &mutant.seats;
    let gone: Vec<(Peer, Viewer)> = match mutant.fault {
        Fault::QuitterStillShown => {
            let gone = game.players().iter().filter(|player| player.at().is_none());
            let letters = gone.map(Player::letter);
            letters.map(|letter| (seats.players[letter.index()], Viewer::Player(letter))).collect()
        }
        Fault::WatcherStillShown => {
            seats.stopped.iter().map(|peer| (*peer, Viewer::Spectator)).collect()
        }
        _ => vec![],
    };
    sent.extend(gone.into_iter().map(|(to, viewer)| {
        let picture = game.view(viewer).to_string();
        Datagram::new(to, [DISPLAY_HEAD, picture.as_bytes()].concat())
    }));
}
