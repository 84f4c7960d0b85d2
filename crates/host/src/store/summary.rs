//! The result of a game, computed from its journal. Pure: the same for a game that has just ended and for an old one.

use nuggets_game::{Name, Player};
use nuggets_record::{BadRecord, PeerToken, RecordedEvent, Recording, RecordingEnd, verify};

use super::Rated;
use crate::GameMeta;
use crate::hosted_game::Identity;

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GameSummary {
    pub(super) rows: u16,
    pub(super) cols: u16,
    /// The number of nuggets in the whole game.
    pub(super) gold: u32,
    /// True if the game is over by the rules.
    pub(super) is_over: bool,
    pub(super) duration_ms: u64,
    /// The players, in the order of letters.
    pub(super) seats: Vec<SeatSummary>,
}

/// One player at the end of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SeatSummary {
    pub(super) letter: char,
    pub(super) name: String,
    pub(super) who: Option<Rated>,
    pub(super) purse: u32,
}

impl GameSummary {
    /// Computes the result by replaying the journal.
    pub(super) fn new(meta: &GameMeta, journal: &Recording) -> Result<Self, BadRecord> {
        let game = verify(journal)?.game;
        let seat = |(player, (name, who)): (&Player, (&Name, Option<Rated>))| SeatSummary {
            letter: player.letter().as_byte().into(),
            name: name.to_string(),
            who,
            purse: player.purse(),
        };
        let setup = &journal.header.setup;
        Ok(Self {
            rows: setup.map.rows(),
            cols: setup.map.cols(),
            gold: setup.rules.nuggets,
            is_over: journal.end() == Some(RecordingEnd::Over),
            duration_ms: journal.duration().0,
            seats: game.players().iter().zip(joined(meta, journal)).map(seat).collect(),
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
            Some((name, peer.as_ref().and_then(|token| identity(meta, token))))
        }
        _ => None,
    })
}

fn identity(meta: &GameMeta, token: &PeerToken) -> Option<Rated> {
    match Identity::of_token(token)? {
        Identity::Person(id) => Some(Rated::Player(id)),
        Identity::Bot(_) => Some(Rated::Bot(meta.bots.brain.clone())),
        Identity::Udp(_) | Identity::View(_) => None,
    }
}
