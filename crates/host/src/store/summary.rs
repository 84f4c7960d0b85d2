//! The result of a game, computed from its journal. Pure: the same for a game that has just ended and for an old one.

use nuggets_game::{Name, Player};
use nuggets_record::{BadRecord, Reading, RecordedEvent, Recording, RecordingEnd, verify};

use super::{Rated, ResultRow, StoreError};
use crate::GameMeta;
use crate::hosted_game::Identity;

/// A game that has ended, with its result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EndedGame {
    pub(super) meta: GameMeta,
    pub(super) rows: u16,
    pub(super) cols: u16,
    /// The number of nuggets in the whole game.
    pub(super) gold: u32,
    /// True if the game is over by the rules.
    pub(super) is_over: bool,
    pub(super) duration_ms: u64,
    /// The players, in the order of letters.
    pub(super) seats: Vec<ResultRow>,
}

impl EndedGame {
    /// Replays the journal, which can take a while. `place` names the journal in errors.
    pub(super) fn new(place: &str, meta: GameMeta, journal: &Reading) -> Result<Self, StoreError> {
        let journal = &journal.recording;
        let failed =
            |why: BadRecord| StoreError::Journal { place: place.to_owned(), why: why.to_string() };
        let game = verify(journal).map_err(failed)?.game;
        let players = game.players();
        let seat = |(player, (name, who)): (&Player, (&Name, Option<Rated>))| {
            let richer = players.iter().filter(|other| other.purse() > player.purse()).count();
            ResultRow {
                letter: player.letter().as_byte().into(),
                name: name.to_string(),
                who,
                purse: player.purse(),
                place: u32::try_from(richer).unwrap_or(u32::MAX).saturating_add(1),
                rating: None,
            }
        };
        let setup = &journal.header.setup;
        Ok(Self {
            rows: setup.map.rows(),
            cols: setup.map.cols(),
            gold: setup.rules.nuggets,
            is_over: journal.end() == Some(RecordingEnd::Over),
            duration_ms: journal.duration().0,
            seats: players.iter().zip(joined(&meta, journal)).map(seat).collect(),
            meta,
        })
    }
}

/// Returns the name and the identity of each player who joined, in the order of letters.
pub(super) fn joined<'a>(
    meta: &'a GameMeta,
    journal: &'a Recording,
) -> impl Iterator<Item = (&'a Name, Option<Rated>)> {
    journal.entries().filter_map(|entry| match &entry.what {
        RecordedEvent::Join { name, peer } => {
            let who = peer.as_ref().and_then(Identity::of_token);
            Some((name, who.and_then(|who| who.rated(&meta.bots.brain))))
        }
        _ => None,
    })
}
