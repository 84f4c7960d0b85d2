//! Messages in another order than they should have, and messages that should not be sent at all.

use nuggets_game::{Player, Viewer};
use nuggets_protocol::{QuitKind, ServerMessage};
use nuggets_server::Peer;

use crate::datagram::{GoldNumbers, Outbound, send_twice};
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};

pub(super) fn apply(mutant: &Mutant, turn: &MessageTurn, sent: &mut Vec<Outbound>) {
    let is_player = matches!(turn.joined, Some(Viewer::Player(_)));
    let is_move = turn.stroke().is_some();
    let is_blocked = is_move && sent.is_empty() && mutant.active(turn.from).is_some();
    let error = |why| Outbound::new(turn.from, mutant.dialect.error_reply(why).to_bytes());
    match mutant.fault {
        Fault::OkAfterGrid if is_player => move_behind(sent, "OK", "GRID"),
        Fault::GridAfterGold if turn.joined.is_some() => move_behind(sent, "GRID", "GOLD"),
        // A final table stays after both.
        Fault::GoldAfterDisplay if turn.joined.is_none() => {
            sent.sort_by_key(|datagram| match datagram.word() {
                b"DISPLAY" => 0,
                b"GOLD" => 1,
                _ => 2,
            });
        }
        Fault::GoldTwice if turn.joined.is_none() => {
            send_twice(sent, |d| d.is("GOLD") && d.to == turn.from);
        }
        Fault::DisplayTwice => send_twice(sent, |d| d.is("DISPLAY")),
        Fault::GoldEveryMove if is_move && turn.collected.is_empty() => {
            send_gold_before_displays(mutant, sent);
        }
        Fault::RepeatedPlayRejected if is_player && !turn.adds_player(mutant.room.game()) => {
            *sent = vec![error("You have joined already.")];
        }
        Fault::TwentySeventhAccepted => {
            let full = mutant.dialect.quit(QuitKind::GameFull).to_bytes();
            if sent.iter().any(|datagram| datagram.bytes == full) {
                *sent = accept_one_more(mutant, turn);
            }
        }
        Fault::BlockedMoveSendsDisplay if is_blocked => {
            let is_here = |to| mutant.seats.is_spectator(to) || mutant.active(to).is_some();
            sent.extend(mutant.last_displays.iter().filter(|last| is_here(last.to)).cloned());
        }
        Fault::BlockedMoveSendsError if is_blocked => sent.push(error("There is a wall.")),
        _ => send_displays_to_quitters(mutant, sent),
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

fn send_gold_before_displays(mutant: &Mutant, sent: &mut Vec<Outbound>) {
    let game = mutant.room.game();
    let gold = |display: &Outbound| {
        let purse = match mutant.seats.viewer(display.to) {
            Some(Viewer::Player(letter)) => game.player(letter).purse(),
            _ => 0,
        };
        let mut datagram = Outbound::new(display.to, []);
        datagram.set_gold(GoldNumbers { found: 0, purse, remaining: game.remaining() });
        datagram
    };
    let added: Vec<Outbound> = sent.iter().filter(|d| d.is("DISPLAY")).map(gold).collect();
    sent.splice(0..0, added);
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

/// Adds a `DISPLAY` to a round for each player or spectator that has left.
fn send_displays_to_quitters(mutant: &Mutant, sent: &mut Vec<Outbound>) {
    if !sent.iter().any(|datagram| datagram.is("DISPLAY")) {
        return;
    }
    let game = mutant.room.game();
    let seats = &mutant.seats;
    let spectators = |peers: &[Peer]| peers.iter().map(|it| (*it, Viewer::Spectator)).collect();
    let gone: Vec<(Peer, Viewer)> = match mutant.fault {
        Fault::QuitterStillSentDisplay => {
            let gone = game.players().iter().filter(|player| player.at().is_none());
            let letters = gone.map(Player::letter);
            letters.map(|letter| (seats.players[letter.index()], Viewer::Player(letter))).collect()
        }
        Fault::SpectatorStillSentDisplay => spectators(&seats.former_spectators),
        Fault::ReplacedStillSentDisplay => spectators(&seats.replaced_spectators),
        _ => return,
    };
    let display = |(to, viewer)| Outbound::display(to, game.view(viewer).to_string().as_bytes());
    sent.extend(gone.into_iter().map(display));
}
