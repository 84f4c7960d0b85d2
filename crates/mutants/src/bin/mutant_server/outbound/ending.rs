//! The end of the game as a fault has it.

use nuggets_protocol::Dialect;

use super::is_for_spectator;
use crate::datagram::{Datagram, leave_out};
use crate::fault::Fault;
use crate::mutant::{Mutant, Turn};
use crate::table;

pub(super) fn bend(mutant: &Mutant, turn: &Turn, sent: &mut Vec<Datagram>) {
    for datagram in sent.iter_mut().filter(|datagram| datagram.is_table()) {
        let head: &[u8] = match (mutant.dialect, mutant.fault) {
            (Dialect::V2019, _) => b"GAMEOVER\n",
            (Dialect::V2021, Fault::TableNoHead) => b"QUIT ",
            (Dialect::V2021, _) => b"QUIT GAME OVER:\n",
        };
        datagram.bytes = [head, &table::rows(mutant)].concat();
        if mutant.fault == Fault::TableTrailingNewline {
            datagram.bytes.push(b'\n');
        }
    }
    let is_for_spectator = |datagram: &Datagram| is_for_spectator(mutant, datagram);
    let is_last_word = |d: &Datagram| mutant.room.is_over() && (d.is("QUIT") || d.is("GAMEOVER"));
    match mutant.fault {
        Fault::TableNotToSpectator => leave_out(sent, |d| is_last_word(d) && is_for_spectator(d)),
        Fault::TableOnlyToTaker => {
            leave_out(sent, |d| is_last_word(d) && !is_for_spectator(d) && d.to != turn.from);
        }
        Fault::TableNotToPlayers => leave_out(sent, |d| is_last_word(d) && !is_for_spectator(d)),
        _ => {}
    }
}
