//! The trait for brains, and the brains that come with the game.

use std::fmt;
use std::str::FromStr;

use nuggets_atlas::{Scene, Stroke};
use thiserror::Error;

use crate::{Miner, Scout, Wanderer};

/// Decides keys from the messages of the server.
///
/// The same brain with the same seed and the same scenes chooses the same keys on every platform.
///
/// ```
/// use nuggets_atlas::{Direction, Scene, Stroke};
/// use nuggets_bots::Brain;
///
/// /// Always sprints right.
/// struct Stubborn;
///
/// impl Brain for Stubborn {
///     fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
///         scene.picture()?.you()?;
///         Some(Stroke::Sprint(Direction::Right))
///     }
/// }
///
/// assert_eq!(Stubborn.next_key(&Scene::default()), None, "there is no picture yet");
/// ```
pub trait Brain {
    /// Returns the key to press now; `None` if there is nothing to do.
    ///
    /// If the scene is the same as before, the last key was lost or had no effect.
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke>;

    /// Called with each new picture, whether a key is due or not: other players may move us in
    /// between, and what is visible then is worth remembering.
    fn observe(&mut self, _scene: &Scene) {}

    /// Called with the text of each error reply, such as house rules or a complaint about a key.
    fn handle_error_reply(&mut self, _text: &str) {}

    /// True if the last key was a step that is expected to possibly have no effect.
    fn is_probing(&self) -> bool {
        false
    }

    /// True if exactly the chosen keys are pressed. Otherwise the bot helps when keys remain without an answer, and on
    /// servers without sprints.
    fn is_literal(&self) -> bool {
        false
    }
}

/// The brains that come with the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BrainKind {
    /// Walks at random.
    Wanderer,
    /// Takes the nearest visible gold, or else explores.
    Scout,
    /// Plans paths by their worth per key.
    #[default]
    Miner,
}

/// The error for a word that names no brain.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no such brain: choose wanderer, scout or miner")]
pub struct UnknownBrain;

impl BrainKind {
    /// All brains, the simplest first.
    pub const ALL: [Self; 3] = [Self::Wanderer, Self::Scout, Self::Miner];

    /// The word that names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Wanderer => "wanderer",
            Self::Scout => "scout",
            Self::Miner => "miner",
        }
    }

    /// A one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Self::Wanderer => "walks at random",
            Self::Scout => "takes the nearest gold in sight, or else explores",
            Self::Miner => "plans: sprints, remembers gold, weighs it against the way and rivals",
        }
    }

    /// A brain of this kind. Only the wanderer uses the seed.
    pub fn build(self, seed: u64) -> Box<dyn Brain + Send> {
        match self {
            Self::Wanderer => Box::new(Wanderer::new(seed)),
            Self::Scout => Box::new(Scout::default()),
            Self::Miner => Box::new(Miner::default()),
        }
    }
}

impl FromStr for BrainKind {
    type Err = UnknownBrain;

    fn from_str(word: &str) -> Result<Self, UnknownBrain> {
        Self::ALL.into_iter().find(|kind| kind.to_string() == word).ok_or(UnknownBrain)
    }
}

impl fmt::Display for BrainKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brains_are_named_by_their_words() {
        for kind in BrainKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(UnknownBrain.to_string().contains(&kind.to_string()));
        }
        assert_eq!("Miner".parse::<BrainKind>(), Err(UnknownBrain));
    }

    #[test]
    fn without_a_picture_no_brain_does_anything() {
        for kind in BrainKind::ALL {
            assert_eq!(kind.build(1).next_key(&Scene::default()), None, "{kind}");
        }
    }
}
