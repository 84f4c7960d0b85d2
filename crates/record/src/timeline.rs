//! The events of a recorded game that are shown to a viewer: joins, gold, ends. Steps are left out.

use std::fmt;

use nuggets_game::{Event, Letter, Name};

use crate::{BadRecord, RecordedEvent, RecordingEnd, Replay, Timestamp};

/// The notable events of a recording, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    entries: Vec<TimelineEntry>,
}

/// An event and its place in the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// The position of a [`Replay`] right after the event.
    pub position: usize,
    /// The time of the event.
    pub at: Timestamp,
    /// The event itself.
    pub event: TimelineEvent,
}

/// The kinds of events. The text of an event is its `Display`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimelineEvent {
    /// A player joins.
    Joins(Letter, Name),
    /// A player collects a pile.
    Takes {
        /// The player.
        player: Letter,
        /// The nuggets of the pile.
        nuggets: u32,
        /// Nuggets in no purse after that.
        left: u32,
    },
    /// A player takes another's purse.
    Steals {
        /// The player who gets the nuggets.
        thief: Letter,
        /// The player who loses them.
        victim: Letter,
        /// The nuggets of the purse.
        nuggets: u32,
    },
    /// The purse of a player who quit or starved becomes a pile.
    Drops {
        /// The player.
        player: Letter,
        /// The nuggets of the pile.
        nuggets: u32,
        /// Nuggets in no purse after that.
        left: u32,
    },
    /// A player eats.
    Eats(Letter),
    /// A player quits.
    Leaves(Letter),
    /// A player has no steps left.
    Starves(Letter),
    /// The game is over.
    Over,
    /// The host has ended the game.
    EndedByHost,
    /// The game was ended because no more gold was found.
    Stalemate,
    /// The server was shut down.
    Closed,
    /// A server resumed the game.
    Resumed,
}

impl Timeline {
    /// Replays a recording from its current position to its end and collects the events.
    pub fn of(replay: &mut Replay) -> Result<Self, BadRecord> {
        let mut entries = vec![];
        let mut left = replay.game().remaining();
        loop {
            let position = replay.position() + 1;
            let Some(step) = replay.step()? else { return Ok(Self { entries }) };
            let at = step.entry.at;
            let mut push = |event| entries.push(TimelineEntry { position, at, event });
            for event in step.events {
                timeline_event(*event, &step.entry.what, &mut left).map(&mut push);
            }
            match step.entry.what {
                RecordedEvent::Resumed => push(TimelineEvent::Resumed),
                RecordedEvent::End(RecordingEnd::Closed) => push(TimelineEvent::Closed),
                RecordedEvent::End(RecordingEnd::ByHost) => push(TimelineEvent::EndedByHost),
                RecordedEvent::End(RecordingEnd::Stalemate) => push(TimelineEvent::Stalemate),
                _ => {}
            }
        }
    }

    /// All events, in order.
    pub fn entries(&self) -> &[TimelineEntry] {
        &self.entries
    }

    /// The events up to this position of a [`Replay`].
    pub fn until(&self, position: usize) -> &[TimelineEntry] {
        &self.entries[..self.entries.partition_point(|entry| entry.position <= position)]
    }

    /// The events in which a player gets gold, with the player and the nuggets.
    pub fn gold(&self) -> impl DoubleEndedIterator<Item = (&TimelineEntry, Letter, u32)> {
        self.entries.iter().filter_map(|entry| {
            let (player, nuggets) = entry.event.gold()?;
            Some((entry, player, nuggets))
        })
    }
}

impl TimelineEvent {
    /// The player who gets gold, and the number of nuggets.
    fn gold(&self) -> Option<(Letter, u32)> {
        match self {
            Self::Takes { player, nuggets, .. } => Some((*player, *nuggets)),
            Self::Steals { thief, nuggets, .. } => Some((*thief, *nuggets)),
            _ => None,
        }
    }
}

fn timeline_event(event: Event, what: &RecordedEvent, left: &mut u32) -> Option<TimelineEvent> {
    Some(match event {
        Event::Joined { player, .. } => match what {
            RecordedEvent::Join { name, .. } => TimelineEvent::Joins(player, name.clone()),
            _ => return None,
        },
        Event::Collected { player, nuggets, .. } => {
            *left -= nuggets;
            TimelineEvent::Takes { player, nuggets, left: *left }
        }
        Event::Dropped { player, nuggets, .. } => {
            *left += nuggets;
            TimelineEvent::Drops { player, nuggets, left: *left }
        }
        Event::Stole { thief, victim, nuggets } => TimelineEvent::Steals { thief, victim, nuggets },
        Event::Ate { player, .. } => TimelineEvent::Eats(player),
        Event::Left { player, .. } => TimelineEvent::Leaves(player),
        Event::Starved { player, .. } => TimelineEvent::Starves(player),
        Event::Over(_) => TimelineEvent::Over,
        Event::Moved { .. } | Event::Swapped { .. } | Event::Rejected(_) => return None,
    })
}

impl fmt::Display for TimelineEvent {
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
            Self::EndedByHost => f.write_str("the host ended the game"),
            Self::Stalemate => f.write_str("the game ended: no more gold"),
            Self::Closed => f.write_str("the server was shut down"),
            Self::Resumed => f.write_str("a server resumed the game"),
        }
    }
}

#[cfg(test)]
mod tests {
    use nuggets_game::Point;

    use super::*;

    #[test]
    fn a_theft_is_gold_of_the_thief_and_dropped_gold_is_left_again() {
        let [ann, bob] = [0, 1].map(|index| Letter::nth(index).unwrap());
        let mut left = 10;
        let stole = Event::Stole { thief: ann, victim: bob, nuggets: 3 };
        let stole = timeline_event(stole, &RecordedEvent::Unwatch, &mut left).unwrap();
        assert_eq!((stole.gold(), left), (Some((ann, 3)), 10));
        let dropped = Event::Dropped { player: bob, nuggets: 4, at: Point::new(1, 1) };
        let dropped = timeline_event(dropped, &RecordedEvent::Unwatch, &mut left).unwrap();
        assert_eq!((dropped.gold(), left), (None, 14));
    }
}
