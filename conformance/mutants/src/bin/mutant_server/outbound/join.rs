//! Faults in the answers to `PLAY` and `SPECTATE`.

use nuggets_game::Viewer;
use nuggets_protocol::{QuitKind, ServerMessage};

use crate::datagram::{GoldNumbers, Outbound, remove, reword};
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    match turn.joined {
        Some(Viewer::Player(_)) => change_player_welcome(mutant, turn, sent),
        Some(Viewer::Spectator) => change_spectator_welcome(mutant, turn, sent),
        None if turn.message.starts_with(b"PLAY ") => change_rejection(mutant, turn, sent),
        None => {}
    }
}

fn change_player_welcome(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let is_new = turn.adds_player(mutant.room.game());
    let is_to_spectator = |datagram: &Outbound| mutant.seats.is_spectator(datagram.to);
    match mutant.fault {
        Fault::OkMissing => remove(sent, |d| d.is("OK")),
        Fault::OkAfterGrid => move_behind(sent, "OK", "GRID"),
        Fault::GridSwapped => swap_grid(mutant, sent),
        Fault::GridMissing => remove(sent, |d| d.is("GRID")),
        Fault::GridAfterGold => move_behind(sent, "GRID", "GOLD"),
        Fault::GoldMissingAtJoin => remove(sent, |d| d.is("GOLD")),
        Fault::GoldWrongAtJoin => reword(sent, |d| d.is("GOLD"), b"GOLD 0 0 0"),
        Fault::GoldFullForLateJoin if is_new => {
            for datagram in sent {
                if let Some(gold) = datagram.gold() {
                    datagram.set_gold(GoldNumbers { remaining: mutant.total_gold(), ..gold });
                }
            }
        }
        Fault::DisplayMissingAtJoin => remove(sent, |d| d.to == turn.from && d.is("DISPLAY")),
        Fault::JoinNotSentToPlayers => remove(sent, |d| d.to != turn.from && !is_to_spectator(d)),
        Fault::JoinNotSentToSpectator => remove(sent, is_to_spectator),
        Fault::RepeatedPlayIgnored if !is_new => sent.clear(),
        Fault::RepeatedPlayRejected if !is_new => {
            let error = mutant.dialect.error_reply("You have joined already.");
            *sent = vec![Outbound::new(turn.from, error.to_bytes())];
        }
        _ => {}
    }
}

fn change_spectator_welcome(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    match mutant.fault {
        Fault::GridSwapped => swap_grid(mutant, sent),
        Fault::GridMissingForSpectator => remove(sent, |d| d.is("GRID")),
        Fault::GridAfterGold => move_behind(sent, "GRID", "GOLD"),
        Fault::GoldMissingForSpectator => remove(sent, |d| d.is("GOLD")),
        Fault::DisplayMissingForSpectator => remove(sent, |d| d.is("DISPLAY")),
        Fault::ReplacedNotNotified => remove(sent, |d| d.to != turn.from),
        Fault::ReplacementReworded => {
            reword(sent, |d| d.to != turn.from, b"QUIT Somebody else is watching.");
        }
        _ => {}
    }
}

fn change_rejection(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let full = mutant.dialect.quit(QuitKind::GameFull).to_bytes();
    let is_full = |datagram: &Outbound| datagram.bytes == full;
    let nameless = mutant.dialect.quit(QuitKind::BlankName).to_bytes();
    let is_nameless = |datagram: &Outbound| datagram.bytes == nameless;
    match mutant.fault {
        Fault::TwentySeventhIgnored => remove(sent, is_full),
        Fault::TwentySeventhReworded => reword(sent, is_full, b"QUIT No more room."),
        Fault::TwentySeventhAccepted if sent.iter().any(is_full) => {
            *sent = accept_one_more(mutant, turn);
        }
        Fault::NamelessIgnored => remove(sent, is_nameless),
        Fault::NamelessReworded => reword(sent, is_nameless, b"QUIT What is your name?"),
        Fault::BlankNameReworded if turn.message != b"PLAY " => {
            reword(sent, is_nameless, b"QUIT Blanks are no name.");
        }
        _ => {}
    }
}

/// The welcome of a player whose letter is the character after `Z`.
fn accept_one_more(mutant: &Mutant, turn: &MessageTurn) -> Vec<Outbound> {
    let game = mutant.room.game();
    let grid = ServerMessage::Grid { rows: mutant.map.rows(), cols: mutant.map.cols() };
    let gold = ServerMessage::Gold { found: 0, purse: 0, remaining: game.remaining() };
    let picture = game.view(Viewer::Spectator).to_string();
    vec![
        Outbound::new(turn.from, b"OK ["),
        Outbound::new(turn.from, grid.to_bytes()),
        Outbound::new(turn.from, gold.to_bytes()),
        Outbound::display(turn.from, picture.as_bytes()),
    ]
}

fn swap_grid(mutant: &Mutant, sent: &mut [Outbound]) {
    let swapped = ServerMessage::Grid { rows: mutant.map.cols(), cols: mutant.map.rows() };
    for datagram in sent.iter_mut().filter(|datagram| datagram.is("GRID")) {
        datagram.bytes = swapped.to_bytes();
    }
}

/// Moves the first message of one type directly after the first of another.
fn move_behind(sent: &mut [Outbound], word: &str, other: &str) {
    let position = |word| sent.iter().position(|datagram| datagram.is(word));
    if let (Some(from), Some(to)) = (position(word), position(other))
        && from < to
    {
        sent[from..=to].rotate_left(1);
    }
}
