//! What goes wrong.

use nuggets_game::Rng;

use crate::network::Cut;

/// What goes wrong in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// `kill -9` of the node that owns a game.
    KillOwner,
    /// `kill -9` of a node that does not own it, but may have players of it.
    KillEdge,
    /// `kill -9` of a broker.
    KillBroker,
    /// The owner hangs until another node has its games.
    HangOwner,
    /// The owner is asked to stop, and hands over its games.
    StopService,
    /// Two brokers of three are gone until everybody was told that the game is paused.
    KillMajority,
    /// The owner reaches no broker until another node has its games.
    CutOwner(Cut),
}

impl Fault {
    /// A random fault, or one of this name.
    pub(super) fn draw(rng: &mut Rng, can_cut: bool, name: Option<&str>) -> Self {
        loop {
            let fault = Self::draw_any(rng, can_cut);
            if name.is_none_or(|name| format!("{fault:?}").starts_with(name)) {
                return fault;
            }
        }
    }

    fn draw_any(rng: &mut Rng, can_cut: bool) -> Self {
        let cuts = [Cut::Both, Cut::FromBrokers, Cut::ToBrokers];
        match rng.below(if can_cut { 14 } else { 10 }) {
            0..=2 => Self::KillOwner,
            3 | 4 => Self::KillEdge,
            5 | 6 => Self::KillBroker,
            7 => Self::HangOwner,
            8 => Self::StopService,
            9 => Self::KillMajority,
            _ => Self::CutOwner(cuts[rng.index(cuts.len())]),
        }
    }
}
