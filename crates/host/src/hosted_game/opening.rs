//! Opening a game: a new one, or one resumed from its journal with the same seats and bots.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use nuggets_game::{Game, Setup, Sight, TooFewSpots};
use nuggets_record::{Reading, RecordingEnd};
use nuggets_server::{
    Guard, Host, Hosting, Reliability, ResumeError, Room, RoomOptions, StartRule, Storage,
};
use nuggets_time::Timestamp;
use thiserror::Error;

use super::attach::Attachments;
use super::bots::BotSeat;
use super::identities::{Identities, Identity};
use super::pending_output::PendingOutput;
use super::recipients::{Recipients, ViewStreams};
use super::status::Reported;
use super::{GameTime, HostedGame};
use crate::setup::MAX_WATCH_DELAY_S;
use crate::wire::StreamLine;
use crate::{ClaimedNames, GameMeta, Start};

/// The guard of all UDP ports of the host.
pub type SharedGuard = Arc<Mutex<Guard>>;

/// Rate limit of keys per second and player: more than a person presses.
const KEYS_PER_S: u32 = 60;

/// The parts that a game is opened from.
#[derive(Debug)]
pub struct OpenGame<S> {
    /// The metadata that is stored beside the journal.
    pub meta: GameMeta,
    /// The recipe of the game.
    pub setup: Setup,
    /// The journal to resume from; `None` for a new game.
    pub journal: Option<Reading>,
    /// The storage of the journal.
    pub storage: S,
    /// A number that differs each time a game is opened, even by the same process: a node may get a game back.
    pub nonce: u64,
    /// The visibility table of the map, shared with other games; `None` to compute one for this game.
    pub sight: Option<Arc<Sight>>,
    /// The guard of the game's UDP port.
    pub guard: Option<SharedGuard>,
    /// Claimed names, which UDP clients must not use because they can't authenticate.
    pub claimed_names: Arc<ClaimedNames>,
}

impl<S> OpenGame<S> {
    /// A new game without a UDP port that shares nothing with others.
    pub fn new(meta: GameMeta, setup: Setup, storage: S) -> Self {
        Self {
            meta,
            setup,
            journal: None,
            storage,
            nonce: 0,
            sight: None,
            guard: None,
            claimed_names: Arc::default(),
        }
    }
}

/// Why a game can't be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The map is too small for the rules.
    #[error(transparent)]
    TooFewSpots(#[from] TooFewSpots),
    /// The journal can't be resumed.
    #[error("the journal can't be resumed: {0}")]
    Resume(#[from] ResumeError),
}

/// True if the journal leaves nothing to resume: the end was sent to all peers, or the journal ends with a reason other than
/// `RecordingEnd::Over`, such as `ByHost`.
pub fn is_finished(journal: &Reading) -> bool {
    let recording = &journal.recording;
    let is_over = recording.end() == Some(RecordingEnd::Over);
    recording.is_end_delivered() || recording.end().is_some() && !is_over
}

impl<S: Storage> HostedGame<S> {
    /// Opens a new game, or one resumed from its journal.
    pub fn open(now: Timestamp, from: OpenGame<S>) -> Result<Self, OpenError> {
        let OpenGame { mut meta, setup, journal, storage, nonce, sight, guard, claimed_names } =
            from;
        meta.watch_delay_s = meta.watch_delay_s.min(MAX_WATCH_DELAY_S);
        let mut identities = Identities::default();
        let room = open_room(&setup, journal.as_ref(), sight, &mut identities)?;
        let room = room.with_hosting(Hosting { start: start_rule(&meta), ..Hosting::default() });
        let host = open_host(room, &meta, &setup, journal.as_ref(), storage);
        let room_at_open = host.room().now();
        let bots = BotSeat::all(room_at_open, &meta.bots, setup.seed);
        let views = ViewStreams::new(meta.id, nonce, u64::from(meta.watch_delay_s) * 1000);
        let mut game = Self {
            meta,
            host,
            recipients: Recipients {
                identities,
                views,
                bots,
                replies: Vec::new(),
                output: VecDeque::new(),
            },
            guard,
            claimed_names,
            attachments: Attachments::default(),
            away: BTreeMap::new(),
            time: GameTime { opened_at: now, room_at_open },
            reported: Reported::default(),
            pressing: None,
            news: StreamLine::default(),
            notice: None,
            over_at: None,
            close_views_at: None,
            has_failed: false,
            pending: PendingOutput::default(),
        };
        game.begin(now);
        Ok(game)
    }

    /// Reports the opened game and starts its bots. With a watch delay, opens the stream of the whole map: otherwise the first
    /// watcher would have to wait for the delay.
    fn begin(&mut self, now: Timestamp) {
        self.drive(|host, link| host.admit_resumed(link));
        self.report_opened();
        let seated = self.seated_identities();
        let people = seated.into_iter().filter(|who| !matches!(who, Identity::Bot(_)));
        self.away.extend(people.map(|who| (who, now)));
        self.start_bots();
        if self.meta.watch_delay_s > 0 {
            self.begin_view(now, None);
        }
        self.process_output(now);
    }
}

/// Creates the room of a new game, or resumes it from the journal.
fn open_room(
    setup: &Setup,
    journal: Option<&Reading>,
    sight: Option<Arc<Sight>>,
    identities: &mut Identities,
) -> Result<Room, OpenError> {
    let sight = sight.unwrap_or_else(|| setup.sight());
    let room = if let Some(journal) = journal {
        let mut room = Room::resume(journal, |token| identities.restore(token))?;
        room.share_sight(sight);
        room
    } else {
        let game = Game::with_sight(sight, setup.rules, setup.seed)?;
        Room::with_game(game, setup.dialect)
    };
    Ok(room.with_options(RoomOptions {
        changed_only: true,
        reliability: Reliability::default(),
        keys_per_s: Some(KEYS_PER_S),
    }))
}

/// Returns the start rule of the room, which counts bots, too.
fn start_rule(meta: &GameMeta) -> StartRule {
    let new = StartRule::default();
    match meta.start {
        _ if meta.has_started => new,
        Start::AtOnce => new,
        Start::WithPlayers(people) => {
            StartRule { players: usize::from(people) + usize::from(meta.bots.count), ..new }
        }
        Start::ByCreator => StartRule { by_host: true, ..new },
    }
}

/// Creates the driver of a room, which continues the given journal or begins a new one.
fn open_host<S: Storage>(
    room: Room,
    meta: &GameMeta,
    setup: &Setup,
    journal: Option<&Reading>,
    storage: S,
) -> Host<Option<S>> {
    let host = Host::new(room, Some(storage)).with_manual_clock();
    match journal {
        Some(journal) => host.with_resumed_journal(journal),
        None => host.with_journal(setup, meta.udp_port.unwrap_or(0)),
    }
}
