//! Messages that a fault does not send.

use nuggets_game::Viewer;
use nuggets_protocol::QuitKind;

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};

/// True if the fault is that this message is not sent.
pub(super) fn is_dropped(mutant: &Mutant, turn: &MessageTurn, d: &Outbound) -> bool {
    let to_sender = d.to == turn.from;
    let to_spectator = mutant.seats.is_spectator(d.to);
    let to_other_player = !to_sender && !to_spectator;
    let is_move = turn.stroke().is_some() && d.is("DISPLAY");
    let is_gold = turn.joined.is_none() && d.is("GOLD");
    let is_end = mutant.room.is_over() && (d.is("QUIT") || d.is("GAMEOVER"));
    let is_quit = |kind| d.bytes == mutant.dialect.quit(kind).to_bytes();
    match mutant.fault {
        Fault::QuitUnanswered => turn.is_farewell(mutant, d, QuitKind::Player),
        Fault::SpectatorQuitUnanswered => turn.is_farewell(mutant, d, QuitKind::Spectator),
        Fault::QuitNotSentToOthers => turn.message == b"KEY Q" && d.is("DISPLAY"),
        Fault::TwentySeventhIgnored => is_quit(QuitKind::GameFull),
        Fault::NamelessIgnored => turn.is_play() && is_quit(QuitKind::BlankName),
        Fault::NoErrorReplies => d.is_error_reply() && !is_quit(QuitKind::BlankName),
        Fault::FirstMoveNotSentToSpectator => {
            let mover = mutant.active(turn.from);
            is_move && to_spectator && mover.is_some_and(|it| !mutant.moved.contains(&it))
        }
        Fault::MovesNotSentToOthers => is_move && to_other_player,
        Fault::MovesNotSentToMover => is_move && to_sender,
        Fault::SwapNotSentToOther => {
            let letter = mutant.seats.letter(d.to);
            is_move && letter.is_some_and(|letter| turn.swapped.contains(&letter))
        }
        Fault::GoldOnlyAtJoin => is_gold,
        Fault::GoldOnlyToCollector => is_gold && !to_sender,
        Fault::GoldNotSentToSpectator => is_gold && to_spectator,
        Fault::TableNotToSpectator => is_end && to_spectator,
        Fault::TableNotToPlayers => is_end && !to_spectator,
        Fault::TableOnlyToCollector => is_end && to_other_player,
        fault => match turn.joined {
            Some(Viewer::Player(_)) => match fault {
                Fault::OkMissing => d.is("OK"),
                Fault::GridMissing => d.is("GRID"),
                Fault::GoldMissingAtJoin => d.is("GOLD"),
                Fault::DisplayMissingAtJoin => to_sender && d.is("DISPLAY"),
                Fault::JoinNotSentToPlayers => to_other_player,
                Fault::JoinNotSentToSpectator => to_spectator,
                Fault::RepeatedPlayIgnored => !turn.adds_player(mutant.room.game()),
                _ => false,
            },
            Some(Viewer::Spectator) => match fault {
                Fault::GridMissingForSpectator => d.is("GRID"),
                Fault::GoldMissingForSpectator => d.is("GOLD"),
                Fault::DisplayMissingForSpectator => d.is("DISPLAY"),
                Fault::ReplacedNotNotified => !to_sender,
                _ => false,
            },
            None => false,
        },
    }
}
