//! What can be done to a game, and what comes of it.

use crate::{Letter, Name, Point, Stroke};

/// What can be done to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Somebody wants to play.
    Join(Name),
    /// A player presses a movement key.
    Press(Letter, Stroke),
    /// A player quits.
    Leave(Letter),
}

/// What came of an input, in the order in which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A new player stands on the map.
    Joined {
        /// Who.
        player: Letter,
        /// Where.
        at: Point,
    },
    /// A player took one step onto a free spot, or onto gold.
    Moved {
        /// Who.
        player: Letter,
        /// From where.
        from: Point,
        /// Onto where.
        to: Point,
    },
    /// A player stepped onto another; the two changed places.
    Swapped {
        /// Who stepped.
        mover: Letter,
        /// Who was stepped onto.
        other: Letter,
        /// Where the mover was and the other is.
        from: Point,
        /// Where the mover is and the other was.
        to: Point,
    },
    /// A player took a whole pile.
    Collected {
        /// Who.
        player: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// Where it lay.
        at: Point,
    },
    /// A player took another's whole purse. The swap comes first.
    Stole {
        /// Who took it.
        thief: Letter,
        /// Whose it was.
        victim: Letter,
        /// How many nuggets.
        nuggets: u32,
    },
    /// A player ate and has a whole lifetime of steps again.
    Ate {
        /// Who.
        player: Letter,
        /// Where the food lay.
        at: Point,
    },
    /// A player quit and is no longer on the map.
    Left {
        /// Who.
        player: Letter,
        /// Where it stood.
        at: Point,
    },
    /// A player has no steps left and is no longer on the map.
    Starved {
        /// Who.
        player: Letter,
        /// Where it stood.
        at: Point,
    },
    /// The purse of a player who is gone is a pile now, where it stood.
    Dropped {
        /// Whose it was.
        player: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// Where it lies.
        at: Point,
    },
    /// The game has ended.
    Over(End),
    /// Nothing has changed, for this reason.
    Refused(Refusal),
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The last nugget was taken.
    AllCollected,
    /// Everybody who could ever join has joined and quit.
    NobodyLeft,
    /// The last player quit, and the rules say that this is the end.
    Emptied,
}

/// Why an input changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// All letters are taken.
    Full,
    /// No room spot is free of players and gold.
    NoSpot,
    /// That player isn't on the map.
    NotPlaying,
    /// The next gridpoint that way is no spot.
    Blocked,
    /// The game has ended.
    Over,
}
