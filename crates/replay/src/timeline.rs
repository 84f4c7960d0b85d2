//! What happened in a recorded game that is worth telling, in order: who came, who took what.

use std::fmt;

use nuggets_game::{Event, Letter, Name};
use nuggets_record::{BadRecord, Ending, Millis, Replay, What};

/// The story of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    moments: Vec<Moment>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// It has happened when so many entries of the recording are behind.
    pub position: usize,
    /// When.
    pub at: Millis,
    /// What.
    pub what: Happening,
}

/// What can happen. Steps are not worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// Somebody joins.
    Joins(Letter, Name),
    /// Somebody takes a pile.
    Takes {
        /// Who.
        player: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// How many nobody has taken then.
        left: u32,
    },
    /// Somebody takes another's purse.
    Steals {
        /// Who.
        thief: Letter,
        /// From whom.
        victim: Letter,
        /// How many nuggets.
        nuggets: u32,
    },
    /// The purse of somebody who is gone becomes a pile.
    Drops {
        /// Who.
        player: Letter,
        /// How many nuggets.
        nuggets: u32,
        /// How many nobody has taken then.
        left: u32,
    },
    /// Somebody eats.
    Eats(Letter),
    /// Somebody quits.
    Leaves(Letter),
    /// Somebody has no steps left.
    Starves(Letter),
    /// The game is over.
    Over,
    /// The server was shut down.
    Closed,
    /// A server took the game up again.
    Resumed,
}

impl Timeline {
    /// Plays a recording from where it stands to its end, and tells what happened.
    pub fn of(replay: &mut Replay) -> Result<Self, BadRecord> {
        let (mut moments, mut left) = (vec![], replay.game().remaining());
        loop {
            let position = replay.position() + 1;
            let Some(step) = replay.step()? else { return Ok(Self { moments }) };
            let at = step.entry.at;
            let mut tell = |what| moments.push(Moment { position, at, what });
            for event in step.events {
                happening(*event, &step.entry.what, &mut left).map(&mut tell);
            }
            match step.entry.what {
                What::Resumed => tell(Happening::Resumed),
                What::End(Ending::Closed) => tell(Happening::Closed),
                _ => {}
            }
        }
    }

    /// Everything, in order.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// What has happened when so many entries are behind.
    pub fn until(&self, position: usize) -> &[Moment] {
        &self.moments[..self.moments.partition_point(|moment| moment.position <= position)]
    }

    /// Whenever somebody got gold: who and how much.
    pub(crate) fn gold(&self) -> impl DoubleEndedIterator<Item = (&Moment, Letter, u32)> {
        self.moments.iter().filter_map(|moment| {
            let (player, nuggets) = moment.what.gold()?;
            Some((moment, player, nuggets))
        })
    }
}

impl Happening {
    /// Who gets how much gold.
    fn gold(&self) -> Option<(Letter, u32)> {
        match self {
            Self::Takes { player, nuggets, .. } => Some((*player, *nuggets)),
            Self::Steals { thief, nuggets, .. } => Some((*thief, *nuggets)),
            _ => None,
        }
    }
}

fn happening(event: Event, what: &What, left: &mut u32) -> Option<Happening> {
    Some(match event {
        Event::Joined { player, .. } => match what {
            What::Join { name, .. } => Happening::Joins(player, name.clone()),
            _ => return None,
        },
        Event::Collected { player, nuggets, .. } => {
            *left -= nuggets;
            Happening::Takes { player, nuggets, left: *left }
        }
        Event::Dropped { player, nuggets, .. } => {
            *left += nuggets;
            Happening::Drops { player, nuggets, left: *left }
        }
        Event::Stole { thief, victim, nuggets } => Happening::Steals { thief, victim, nuggets },
        Event::Ate { player, .. } => Happening::Eats(player),
        Event::Left { player, .. } => Happening::Leaves(player),
        Event::Starved { player, .. } => Happening::Starves(player),
        Event::Over(_) => Happening::Over,
        Event::Moved { .. } | Event::Swapped { .. } | Event::Refused(_) => return None,
    })
}

impl fmt::Display for Happening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A name may hold tabs, which no cell can show.
            Self::Joins(player, name) => {
                write!(f, "{player} joins: {}", name.as_str().replace('\t', " "))
            }
            Self::Takes { player, nuggets, left } => {
                write!(f, "{player} takes {nuggets} ({left} left)")
            }
            Self::Steals { thief, victim, nuggets } => {
                write!(f, "{thief} takes {nuggets} from {victim}")
            }
            Self::Drops { player, nuggets, left } => {
                write!(f, "{player} drops {nuggets} ({left} left)")
            }
            Self::Eats(player) => write!(f, "{player} eats"),
            Self::Leaves(player) => write!(f, "{player} quits"),
            Self::Starves(player) => write!(f, "{player} starves"),
            Self::Over => f.write_str("the game is over"),
            Self::Closed => f.write_str("the server was shut down"),
            Self::Resumed => f.write_str("a server took the game up again"),
        }
    }
}
