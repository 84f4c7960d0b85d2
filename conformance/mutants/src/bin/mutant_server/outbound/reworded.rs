//! Messages with other text than they should have.

use nuggets_game::Viewer;
use nuggets_protocol::{ClientMessage, Dialect, QuitKind, ServerMessage};

use crate::datagram::Outbound;
use crate::fault::Fault;
use crate::mutant::{MessageTurn, Mutant};
use crate::table;

/// Returns the text to send in place of this message, if it differs.
pub(super) fn reworded(mutant: &Mutant, turn: &MessageTurn, d: &Outbound) -> Option<Vec<u8>> {
    let is_quit = |kind| d.bytes == mutant.dialect.quit(kind).to_bytes();
    let is_nameless = || turn.is_play() && is_quit(QuitKind::BlankName);
    let is_farewell = |kind| turn.is_farewell(mutant, d, kind);
    let text: &[u8] = match mutant.fault {
        Fault::GoldWrongAtJoin
            if matches!(turn.joined, Some(Viewer::Player(_))) && d.is("GOLD") =>
        {
            b"GOLD 0 0 0"
        }
        Fault::GridSwapped if d.is("GRID") => {
            let (rows, cols) = (mutant.map.cols(), mutant.map.rows());
            return Some(ServerMessage::Grid { rows, cols }.to_bytes());
        }
        Fault::ReplacementReworded
            if turn.joined == Some(Viewer::Spectator) && d.to != turn.from =>
        {
            b"QUIT Somebody else is watching."
        }
        Fault::TwentySeventhReworded if is_quit(QuitKind::GameFull) => b"QUIT No more room.",
        Fault::NamelessReworded if is_nameless() => b"QUIT What is your name?",
        Fault::BlankNameReworded if is_nameless() && turn.message != b"PLAY " => {
            b"QUIT Blanks are no name."
        }
        Fault::FarewellReworded if is_farewell(QuitKind::Player) => b"QUIT Goodbye.",
        Fault::SpectatorFarewellReworded if is_farewell(QuitKind::Spectator) => b"QUIT Goodbye.",
        Fault::MalformedQuits if ClientMessage::parse(&turn.message).is_err() => {
            b"QUIT Malformed message."
        }
        Fault::ErrorWordMissing if d.is_error_reply() && !is_quit(QuitKind::BlankName) => {
            &d.bytes[d.word().len() + 1..]
        }
        _ if d.is_table() => return Some(final_table(mutant)),
        _ => return None,
    };
    Some(text.to_vec())
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
