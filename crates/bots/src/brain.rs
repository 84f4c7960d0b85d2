//! What a brain is, and which brains there are.

use std::fmt;
use std::str::FromStr;

use nuggets_atlas::{Scene, Stroke};
use thiserror::Error;

use crate::{Miner, Scout, Wanderer};

/// Somebody who decides by what the server has told.
///
/// The same brain with the same seed, shown the same scenes, presses the same keys on any platform.
///
/// ```
/// use nuggets_atlas::{Direction, Scene, Stroke};
/// use nuggets_bots::Brain;
///
/// /// Goes right, whatever there is.
/// struct Stubborn;
///
/// impl Brain for Stubborn {
///     fn next_key(&mut self, scene: &Scene) -> Option<Stroke> {
///         scene.picture()?.you()?;
///         Some(Stroke::Sprint(Direction::Right))
///     }
/// }
///
/// assert_eq!(Stubborn.next_key(&Scene::default()), None, "it is nowhere yet");
/// ```
pub trait Brain {
    /// The key to press now; none when there is nothing to do.
    ///
    /// A scene may be shown again: then the last key was lost, or had no effect.
    fn next_key(&mut self, scene: &Scene) -> Option<Stroke>;

    /// A glance at a scene with a new picture, whether a key is due or not. Others may move us
    /// before it is: what was seen in between is worth remembering.
    fn look(&mut self, _scene: &Scene) {}
}

/// The brains that come with the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BrainKind {
    /// Walks at random.
    Wanderer,
    /// Takes the nearest gold in sight, or else explores.
    Scout,
    /// Plans.
    #[default]
    Miner,
}

/// A word that names no brain.
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

    /// One line for somebody who chooses.
    pub fn about(self) -> &'static str {
        match self {
            Self::Wanderer => "walks at random",
            Self::Scout => "takes the nearest gold in sight, or else explores",
            Self::Miner => "plans: sprints, remembers gold, weighs it against the way and rivals",
        }
    }

    /// A brain of this kind. Only the wanderer's chance depends on the seed.
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
