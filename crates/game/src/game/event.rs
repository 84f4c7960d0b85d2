//! The inputs of a game, and the events that they cause.

use crate::{Letter, Name, Point, Stroke};

/// An input to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A new player asks to join.
    Join(Name),
    /// A player presses a movement key.
    Press(Letter, Stroke),
    /// A player quits.
    Leave(Letter),
}

/// An effect of an input. The events of one input are listed in the order in which they happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A new player stands on the map.
    Joined {
        /// The new player.
        player: Letter,
        /// The room spot it starts on.
        at: Point,
    },
    /// A player took one step onto a spot without another player.
    Moved {
        /// The player that moved.
        player: Letter,
        /// The spot it left.
        from: Point,
        /// The spot it entered.
        to: Point,
    },
    /// A player stepped onto another, and the two changed places.
    Swapped {
        /// The player that stepped.
        mover: Letter,
        /// The player that was stepped onto.
        other: Letter,
        /// The spot that the mover left; the other player stands there now.
        from: Point,
        /// The spot that the other player left; the mover stands there now.
        to: Point,
    },
    /// A player picked up a whole pile of gold.
    Collected {
        /// The player that picked it up.
        player: Letter,
        /// The size of the pile.
        nuggets: u32,
        /// The spot of the pile.
        at: Point,
    },
    /// A player took another's whole purse, which was not empty. It follows the swap.
    Stole {
        /// The player whose purse grew.
        thief: Letter,
        /// The player whose purse is empty now.
        victim: Letter,
        /// The nuggets that changed hands.
        nuggets: u32,
    },
    /// A player ate food and has a whole lifetime of steps again.
    Ate {
        /// The player that ate.
        player: Letter,
        /// The spot of the food.
        at: Point,
    },
    /// A player quit and is no longer on the map.
    Left {
        /// The player that quit.
        player: Letter,
        /// The spot it stood on.
        at: Point,
    },
    /// A player ran out of steps and is no longer on the map.
    Starved {
        /// The player that is out.
        player: Letter,
        /// The spot it stood on.
        at: Point,
    },
    /// The gold of a player that is no longer on the map became a pile.
    Dropped {
        /// The player whose gold it was.
        player: Letter,
        /// The size of the pile.
        nuggets: u32,
        /// The spot of the pile.
        at: Point,
    },
    /// The game ended.
    Over(End),
    /// The input changed nothing.
    Rejected(Rejection),
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The last nugget was picked up.
    AllCollected,
    /// All players who could ever join have joined and quit.
    NobodyLeft,
    /// The last player quit, and the rules end the game then.
    Emptied,
}

/// Why an input changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// All letters are taken.
    Full,
    /// No room spot is free.
    NoSpot,
    /// That player is not on the map.
    NotPlaying,
    /// The next gridpoint in that direction is not a spot.
    Blocked,
    /// The game has ended.
    Over,
}
