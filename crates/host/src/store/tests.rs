//! Tests of the store, with both backends where both have the feature: a folder with real files and a real PostgreSQL.

mod accounts;
mod games;
mod recovery;
mod reindex;

use std::fs;

use nuggets_game::{Event, Game, Letter, Map, Name, Rules, Seed, Setup, Stroke};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, PeerToken, RecordedEvent, RecordingEnd, Timestamp, Writer};
use nuggets_testkit::Postgres;
use tempfile::TempDir;

use super::*;
use crate::cluster::routes::{Epoch, RunId};
pub(super) use crate::test_games::id;
use crate::{Bots, Visibility, random, test_games};

/// An arbitrary time, in milliseconds since 1970.
pub(super) const NOW: u64 = 1_800_000_000_000;
const DAY: u64 = 24 * 3_600_000;

/// The fence of the node that runs all games of a test.
pub(super) const FENCE: Fence = Fence { run: RunId(7), epoch: Epoch(1) };

/// A store and its location.
pub(super) struct Place {
    backend: TestBackend,
    store: Option<Store>,
}

enum TestBackend {
    Folder(TempDir),
    Database(DatabaseUrl),
}

/// Creates a store of each kind.
fn both() -> [Place; 2] {
    [Place::new(), Place::in_database()]
}

impl Place {
    /// Creates a store in a new folder.
    fn new() -> Self {
        Self::with(TestBackend::Folder(TempDir::new().unwrap()))
    }

    /// Creates a store in a new database.
    pub(super) fn in_database() -> Self {
        let url = Postgres::shared().fresh_database();
        Self::with(TestBackend::Database(url.parse().unwrap()))
    }

    fn with(backend: TestBackend) -> Self {
        let mut place = Self { backend, store: None };
        place.reopen(NOW);
        place
    }

    pub(super) fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// Closes the store and opens it again, as a restarted host does.
    fn reopen(&mut self, now: u64) -> OpenedStore {
        self.store = None;
        let opened = self.open(now).unwrap();
        self.store = Some(opened.store.clone());
        opened
    }

    /// Opens another store at the same place.
    pub(super) fn open(&self, now: u64) -> Result<OpenedStore, StoreError> {
        match &self.backend {
            TestBackend::Folder(folder) => Store::open(folder.path(), now),
            TestBackend::Database(url) => open_database(url, now),
        }
    }

    /// Closes the store, opens it again and returns the error message.
    fn opening_error(&mut self) -> String {
        self.store = None;
        self.open(NOW).unwrap_err().to_string()
    }

    fn folder(&self) -> &Path {
        match &self.backend {
            TestBackend::Folder(folder) => folder.path(),
            TestBackend::Database(_) => panic!("a database has no folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(super) fn guest(&self, name: &str) -> PlayerId {
        self.store().create_guest(Some(name.into()), NOW).wait().unwrap().0.id
    }

    /// Stores a game with its journal, as the host does while it runs.
    pub(super) fn add(&self, game: &TestGame) {
        block_on(self.store().save_meta(game.meta.clone(), None)).unwrap();
        let (meta, journal) = (game.meta.clone(), game.journal());
        if let Some(path) = self.store().journal_file(meta.id) {
            fs::write(path, journal).unwrap();
        } else {
            let add = move |sql: &mut dyn Sql| add_running(sql, &meta, &journal);
            self.store().transaction(add).wait().unwrap();
        }
    }

    /// Adds a game and finishes it a minute after `NOW`.
    pub(super) fn finish(&self, game: &TestGame) -> FinishedGame {
        self.add(game);
        self.finish_as(game.meta.id, EndReason::Over, NOW + 60_000)
    }

    fn finish_as(&self, game: GameId, reason: EndReason, now: u64) -> FinishedGame {
        block_on(self.store().finish_game(game, reason, now, Some(FENCE))).unwrap()
    }

    /// Returns all rows of the tables that are built from journals.
    fn index(&self) -> Vec<String> {
        let tables = ["games", "results", "ratings", "history"];
        tables.iter().flat_map(|table| self.rows(table)).collect()
    }

    /// Returns all rows of a table, as text.
    pub(super) fn rows(&self, table: &str) -> Vec<String> {
        let statement = format!("SELECT * FROM {table} ORDER BY 1, 2");
        let read = move |sql: &mut dyn Sql| sql.query(&statement, &[]);
        let rows = self.store().transaction::<_, StoreError>(read).wait().unwrap();
        rows.iter().map(|row| format!("{table}: {:?}", row.0)).collect()
    }
}

/// Opens a database outside of the runtime of the test, as a host does.
pub(super) fn open_database(url: &DatabaseUrl, now: u64) -> Result<OpenedStore, StoreError> {
    let open = || Store::open_database(url, now);
    std::thread::scope(|scope| scope.spawn(open).join().unwrap())
}

/// Adds the rows of a game that the node of `FENCE` runs, with its journal in two commits.
fn add_running(sql: &mut dyn Sql, meta: &GameMeta, journal: &[u8]) -> Result<(), StoreError> {
    let (id, text) = (meta.id, serde_json::to_string(meta).unwrap());
    sql.execute(
        "INSERT INTO running VALUES ($1, 'node', $2, $3, FALSE) ON CONFLICT DO NOTHING",
        &[&id, &FENCE.run, &FENCE.epoch],
    )?;
    sql.execute("INSERT INTO lobby VALUES ($1, $2, '') ON CONFLICT DO NOTHING", &[&id, &text])?;
    let (first, second) = journal.split_at(journal.len() / 2);
    for (number, part) in [(1_i64, first), (2, second)] {
        sql.execute(
            "INSERT INTO journal VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            &[&id, &number, &FENCE.epoch, &part],
        )?;
    }
    Ok(())
}

/// A game that is played with random keys.
pub(crate) struct TestGame {
    meta: GameMeta,
    /// The names and tokens of the players.
    players: Vec<(String, String)>,
    seed: i64,
    end: TestEnd,
}

/// The end of the journal of a test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TestEnd {
    /// All gold was found, and the result was sent.
    Over,
    /// All gold was found, but the result was not sent.
    OverNotSent,
    /// It was ended by command after some keys.
    ByHand,
    /// It stops after some keys, without an end.
    Running,
}

impl TestGame {
    /// Creates a rated public game of these people and bots.
    pub(crate) fn new(number: u8, people: &[PlayerId], bots: u8) -> Self {
        let person = |id: &PlayerId| (format!("Person {}", id.0), format!("web:{}", id.0));
        let bot = |number: u8| (format!("Bot {number}"), format!("bot:{number}"));
        Self {
            meta: meta(number),
            players: people.iter().map(person).chain((1..=bots).map(bot)).collect(),
            seed: number.into(),
            end: TestEnd::Over,
        }
    }

    fn with_end(self, end: TestEnd) -> Self {
        Self { end, ..self }
    }

    fn setup(&self) -> Setup {
        let floor = format!("|{}|\n", ".".repeat(18)).repeat(6);
        let wall = format!("+{}+\n", "-".repeat(18));
        let map = Map::parse(format!("{wall}{floor}{wall}").as_bytes()).unwrap().map;
        let rules = Rules { nuggets: 60, ..Rules::default() };
        Setup::new(map, rules, Seed::new(self.seed), Dialect::V2021)
    }

    pub(crate) fn journal(&self) -> Vec<u8> {
        let header = Header { setup: self.setup(), port: 0 };
        let mut game = header.game().unwrap();
        let (mut writer, mut bytes) = Writer::new(&header, &game);
        let mut now = 0;
        let mut add = |game: &mut Game, what: RecordedEvent| {
            let mut events = vec![];
            if let Some(input) = what.input() {
                game.apply(input, &mut events);
            }
            if !matches!(events[..], [Event::Rejected(_)]) {
                now += 250;
                writer.append(&Entry::new(Timestamp(now), what), game, &mut bytes);
            }
        };
        for (name, token) in &self.players {
            let name = Name::new(name.as_bytes()).unwrap();
            add(&mut game, RecordedEvent::Join { name, peer: PeerToken::new(token.as_bytes()) });
        }
        let mut random = nuggets_game::Rng::new(Seed::new(self.seed));
        let is_whole = matches!(self.end, TestEnd::Over | TestEnd::OverNotSent);
        for turn in 0.. {
            if game.end().is_some() || (!is_whole && turn == 40) {
                break;
            }
            let letter = Letter::nth(random.index(self.players.len())).unwrap();
            let key = b"hlkjyubnHLKJYUBN"[random.index(16)];
            add(&mut game, RecordedEvent::Press(letter, Stroke::from_key(key).unwrap()));
        }
        match self.end {
            TestEnd::Over => {
                add(&mut game, RecordedEvent::End(RecordingEnd::Over));
                add(&mut game, RecordedEvent::EndDelivered);
            }
            TestEnd::OverNotSent => add(&mut game, RecordedEvent::End(RecordingEnd::Over)),
            TestEnd::ByHand => add(&mut game, RecordedEvent::End(RecordingEnd::Closed)),
            TestEnd::Running => {}
        }
        bytes
    }
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn meta(number: u8) -> GameMeta {
    GameMeta {
        created_unix_ms: NOW + u64::from(number),
        bots: Bots { count: 2, brain: "scout".into(), pace_ms: 250 },
        rated: true,
        has_started: true,
        ..test_games::meta(number)
    }
}

#[test]
fn two_hosts_never_use_one_folder() {
    let place = Place::new();
    let error = Store::open(place.folder(), NOW).unwrap_err();
    assert!(matches!(error, StoreError::InUse(_)), "{error}");
    let error = Store::reindex(place.folder(), NOW).unwrap_err();
    assert!(matches!(error, StoreError::InUse(_)), "{error}");
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_look_into_a_new_folder() {
    use std::os::unix::fs::PermissionsExt;

    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("new/data");
    let _opened = Store::open(&folder, NOW).unwrap();
    for folder in [&folder, &folder.join("games")] {
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn a_dropped_store_has_done_everything_and_frees_the_folder() {
    for mut place in both() {
        let replies: Vec<_> = (0..50).map(|_| place.store().create_guest(None, NOW)).collect();
        drop(replies);
        place.reopen(NOW);
        assert_eq!(place.rows("players").len(), 50);
    }
}

#[test]
fn bans_survive_a_restart() {
    for mut place in both() {
        let bans = [
            Ban::Person(PlayerId(7)),
            Ban::Source("10.1.2.3".parse().unwrap()),
            Ban::Source("2001:db8::/64".parse().unwrap()),
        ];
        for ban in bans.into_iter().chain(bans) {
            place.store().save_ban(ban).wait().unwrap();
        }
        place.store().remove_ban(bans[1]).wait().unwrap();
        assert_eq!(place.reopen(NOW).bans, [bans[0], bans[2]]);
    }
}
