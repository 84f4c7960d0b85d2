//! Faults when a player or spectator quits, and at the end of the game.

use nuggets_game::{Player, Viewer};
use nuggets_protocol::{Dialect, QuitKind};
use nuggets_server::Peer;

use crate::datagram::{Outbound, remove, reword};
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};
use crate::table;

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    if sent.iter().any(|datagram| datagram.is("DISPLAY")) {
        send_displays_to_quitters(mutant, sent);
    }
    if turn.message == b"KEY Q" {
        change_farewell(mutant, turn, sent);
    }
    for datagram in sent.iter_mut().filter(|datagram| datagram.is_table()) {
        datagram.bytes = final_table(mutant);
    }
    if mutant.room.is_over() {
        change_table_recipients(mutant, turn, sent);
    }
}

fn change_farewell(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let text = |kind| mutant.dialect.quit(kind).to_bytes();
    let is_player = mutant.seats.letter(turn.from).is_some();
    let to_sender = |d: &Outbound, kind| d.to == turn.from && d.bytes == text(kind);
    let to_player = |d: &Outbound| is_player && to_sender(d, QuitKind::Player);
    let to_spectator = |d: &Outbound| !is_player && to_sender(d, QuitKind::Spectator);
    match mutant.fault {
        Fault::QuitUnanswered => remove(sent, to_player),
        Fault::FarewellReworded => reword(sent, to_player, b"QUIT Goodbye."),
        Fault::SpectatorQuitUnanswered => remove(sent, to_spectator),
        Fault::SpectatorFarewellReworded => reword(sent, to_spectator, b"QUIT Goodbye."),
        Fault::QuitNotSentToOthers => remove(sent, |d| d.is("DISPLAY")),
        _ => {}
    }
}

/// Adds a `DISPLAY` to a round for each player that has quit.
fn send_displays_to_quitters(mutant: &Mutant, sent: &mut Vec<Outbound>) {
    let game = mutant.room.game();
    let seats = &mutant.seats;
    let gone: Vec<(Peer, Viewer)> = match mutant.fault {
        Fault::QuitterStillSentDisplay => {
            let gone = game.players().iter().filter(|player| player.at().is_none());
            let letters = gone.map(Player::letter);
            letters.map(|letter| (seats.players[letter.index()], Viewer::Player(letter))).collect()
        }
        Fault::SpectatorStillSentDisplay => {
            seats.former_spectators.iter().map(|peer| (*peer, Viewer::Spectator)).collect()
        }
        _ => return,
    };
    let display = |(to, viewer)| Outbound::display(to, game.view(viewer).to_string().as_bytes());
    sent.extend(gone.into_iter().map(display));
}

fn final_table(mutant: &Mutant) -> Vec<u8> {
    let heading: &[u8] = match (mutant.dialect, mutant.fault) {
        (Dialect::V2019, _) => b"GAMEOVER\n",
        (Dialect::V2021, Fault::TableNoHeading) => b"QUIT ",
        (Dialect::V2021, Fault::TableHeadingNoColon) => b"QUIT GAME OVER\n",
        (Dialect::V2021, _) => b"QUIT GAME OVER:\n",
    };
    let has_newline = (mutant.dialect == Dialect::V2019) != (mutant.fault == Fault::TableOtherEnd);
    let newline: &[u8] = if has_newline { b"\n" } else { b"" };
    [heading, &table::rows(mutant), newline].concat()
}

fn change_table_recipients(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let is_end = |d: &Outbound| d.is("QUIT") || d.is("GAMEOVER");
    let is_spectators = |d: &Outbound| mutant.seats.is_spectator(d.to);
    match mutant.fault {
        Fault::TableNotToSpectator => remove(sent, |d| is_end(d) && is_spectators(d)),
        Fault::TableNotToPlayers => remove(sent, |d| is_end(d) && !is_spectators(d)),
        Fault::TableOnlyToCollector => {
            remove(sent, |d| is_end(d) && !is_spectators(d) && d.to != turn.from);
        }
        _ => {}
    }
}
