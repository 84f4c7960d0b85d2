//! The notable events of a recorded game: joins, gold, swaps, ends. Steps are left out.

use std::fmt;

use nuggets_game::{Event, Letter, Name, Point};

use crate::{BadRecord, RecordedEvent, RecordingEnd, Replay, ReplayStep, Timestamp};

/// The notable events of a recording, in order, except for swaps, which a crowd makes all the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    entries: Vec<TimelineEntry>,
}

/// An event and its place in the recording. Its `Display` is the text for a viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// The position of a [`Replay`] right after the event.
    pub position: usize,
    /// The time of the event.
    pub at: Timestamp,
    /// The kind of event.
    pub kind: EventKind,
    /// The player it happened to, or who did it.
    pub who: Option<Letter>,
    /// The other player: who was robbed, or swapped.
    pub other: Option<Letter>,
    /// The number of nuggets involved.
    pub nuggets: u32,
    /// The gridpoint of the event.
    pub spot: Option<Point>,
    /// The name of a player who joins.
    pub name: Option<Name>,
    /// Nuggets in no purse after the event.
    pub left: u32,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A player joins.
    Join,
    /// A player collects a pile.
    Gold,
    /// A player takes another's purse.
    Steal,
    /// A player steps onto another.
    Swap,
    /// The purse of a player who quit or starved becomes a pile.
    Drop,
    /// A player eats.
    Eat,
    /// A player quits.
    Leave,
    /// A player has no steps left.
    Starve,
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
        while let Some(step) = replay.step()? {
            let notable = step.notable_events(&mut left).into_iter();
            entries.extend(notable.filter(|entry| entry.kind != EventKind::Swap));
        }
        Ok(Self { entries })
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
        let is_gold =
            |entry: &&TimelineEntry| matches!(entry.kind, EventKind::Gold | EventKind::Steal);
        let gold = self.entries.iter().filter(is_gold);
        gold.filter_map(|entry| Some((entry, entry.who?, entry.nuggets)))
    }
}

impl ReplayStep<'_> {
    /// The notable events of this step, in order. `left` is the number of nuggets in no purse before the step, and
    /// becomes the number after it.
    pub fn notable_events(&self, left: &mut u32) -> Vec<TimelineEntry> {
        let happened = self.events.iter().filter_map(|event| self.notable_event(*event, left));
        let mut notable: Vec<TimelineEntry> = happened.collect();
        let kind = match self.entry.what {
            RecordedEvent::Resumed => Some(EventKind::Resumed),
            RecordedEvent::End(RecordingEnd::Closed) => Some(EventKind::Closed),
            RecordedEvent::End(RecordingEnd::ByHost) => Some(EventKind::EndedByHost),
            RecordedEvent::End(RecordingEnd::Stalemate) => Some(EventKind::Stalemate),
            _ => None,
        };
        notable.extend(kind.map(|kind| self.event(kind, *left)));
        notable
    }

    fn notable_event(&self, event: Event, left: &mut u32) -> Option<TimelineEntry> {
        match event {
            Event::Collected { nuggets, .. } => *left -= nuggets,
            Event::Dropped { nuggets, .. } => *left += nuggets,
            _ => {}
        }
        let left = *left;
        let of = |kind, who, spot| TimelineEntry {
            who: Some(who),
            spot: Some(spot),
            ..self.event(kind, left)
        };
        Some(match event {
            Event::Joined { player, at } => {
                let RecordedEvent::Join { name, .. } = &self.entry.what else { return None };
                TimelineEntry { name: Some(name.clone()), ..of(EventKind::Join, player, at) }
            }
            Event::Left { player, at } => of(EventKind::Leave, player, at),
            Event::Starved { player, at } => of(EventKind::Starve, player, at),
            Event::Ate { player, at } => of(EventKind::Eat, player, at),
            Event::Collected { player, nuggets, at } => {
                TimelineEntry { nuggets, ..of(EventKind::Gold, player, at) }
            }
            Event::Dropped { player, nuggets, at } => {
                TimelineEntry { nuggets, ..of(EventKind::Drop, player, at) }
            }
            Event::Swapped { mover, other, to, .. } => {
                TimelineEntry { other: Some(other), ..of(EventKind::Swap, mover, to) }
            }
            Event::Stole { thief, victim, nuggets } => {
                let (who, other) = (Some(thief), Some(victim));
                TimelineEntry { who, other, nuggets, ..self.event(EventKind::Steal, left) }
            }
            Event::Over(_) => self.event(EventKind::Over, left),
            Event::Moved { .. } | Event::Rejected(_) => return None,
        })
    }

    fn event(&self, kind: EventKind, left: u32) -> TimelineEntry {
        TimelineEntry {
            position: self.position,
            at: self.entry.at,
            kind,
            who: None,
            other: None,
            nuggets: 0,
            spot: None,
            name: None,
            left,
        }
    }
}

impl fmt::Display for TimelineEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(who) = self.who {
            write!(f, "{who} ")?;
        }
        let Self { nuggets, left, .. } = self;
        match self.kind {
            EventKind::Join => {
                // A name may hold tabs, which no cell can show.
                let name = self.name.as_ref().map_or("", Name::as_str);
                write!(f, "joins: {}", name.replace('\t', " "))
            }
            EventKind::Gold => write!(f, "takes {nuggets} ({left} left)"),
            EventKind::Steal => {
                write!(f, "takes {nuggets} from {}", self.other.map_or('?', Letter::as_char))
            }
            EventKind::Swap => {
                write!(f, "swaps with {}", self.other.map_or('?', Letter::as_char))
            }
            EventKind::Drop => write!(f, "drops {nuggets} ({left} left)"),
            EventKind::Eat => f.write_str("eats"),
            EventKind::Leave => f.write_str("quits"),
            EventKind::Starve => f.write_str("starves"),
            EventKind::Over => f.write_str("the game is over"),
            EventKind::EndedByHost => f.write_str("the host ended the game"),
            EventKind::Stalemate => f.write_str("the game ended: no more gold"),
            EventKind::Closed => f.write_str("the server was shut down"),
            EventKind::Resumed => f.write_str("a server resumed the game"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;

    #[test]
    fn a_theft_is_gold_of_the_thief_and_dropped_gold_is_left_again() {
        let [ann, bob] = [0, 1].map(|index| Letter::nth(index).unwrap());
        let events = [
            Event::Stole { thief: ann, victim: bob, nuggets: 3 },
            Event::Dropped { player: bob, nuggets: 4, at: Point::new(1, 1) },
        ];
        let entry = Entry::new(Timestamp(0), RecordedEvent::Unwatch);
        let mut left = 10;
        let step = ReplayStep { position: 1, entry: &entry, events: &events };
        let timeline = Timeline { entries: step.notable_events(&mut left) };
        assert_eq!(timeline.entries.iter().map(|entry| entry.left).collect::<Vec<_>>(), [10, 14]);
        let gold: Vec<_> = timeline.gold().map(|(_, who, nuggets)| (who, nuggets)).collect();
        assert_eq!((gold, left), (vec![(ann, 3)], 14));
    }
}
