//! The folder of a host, with real files.

mod accounts;
mod games;
mod recovery;
mod reindex;

use std::fs;

use nuggets_game::{Event, Game, Letter, Map, Name, Rules, Seed, Setup, Stroke};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, PeerToken, RecordingEnd, Timestamp, What, Writer};
use tempfile::TempDir;

use super::*;
use crate::{Bots, Start, Visibility};

/// Some day, in milliseconds since 1970.
const NOW: u64 = 1_800_000_000_000;
const DAY: u64 = 24 * 3_600_000;

/// A folder and the store in it.
struct Place {
    folder: TempDir,
    store: Option<Store>,
}

impl Place {
    fn new() -> Self {
        let mut place = Self { folder: TempDir::new().unwrap(), store: None };
        place.reopen(NOW);
        place
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    /// Ends the store and opens it again, as a restarted host does.
    fn reopen(&mut self, now: u64) -> OpenedStore {
        self.store = None;
        let opened = Store::open(self.folder.path(), now).unwrap();
        self.store = Some(opened.store.clone());
        opened
    }

    /// What opening says after the files were changed.
    fn opening_error(&mut self) -> String {
        self.store = None;
        Store::open(self.folder.path(), NOW).unwrap_err().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn guest(&self, name: &str) -> PlayerId {
        self.store().create_guest(Some(name.into()), NOW).wait().unwrap().0.id
    }

    /// Stores a game with its journal, as the host does while it runs.
    fn add(&self, game: &TestGame) {
        self.store().save_meta(game.meta.clone()).wait().unwrap();
        fs::write(self.store().journal_path(game.meta.id), game.journal()).unwrap();
    }

    /// Adds a game and finishes it a minute after `NOW`.
    fn finish(&self, game: &TestGame) -> FinishedGame {
        self.add(game);
        self.finish_as(game.meta.id, EndReason::Over, NOW + 60_000)
    }

    fn finish_as(&self, game: GameId, reason: EndReason, now: u64) -> FinishedGame {
        block_on(self.store().finish_game(game, reason, now)).unwrap()
    }

    /// All rows of the tables that are made from journals.
    fn index(&self) -> Vec<String> {
        let tables = ["games", "results", "ratings", "history"];
        tables.iter().flat_map(|table| self.rows(table)).collect()
    }

    /// All rows of a table, as text.
    fn rows(&self, table: &str) -> Vec<String> {
        let connection = rusqlite::Connection::open(self.path("nuggets.sqlite")).unwrap();
        let mut statement =
            connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let values: Vec<String> =
                (0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap())).collect();
            Ok(format!("{table}: {}", values.join(" ")))
        };
        statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
    }
}

/// A game that random keys play.
struct TestGame {
    meta: GameMeta,
    /// Names and tokens.
    players: Vec<(String, String)>,
    seed: i64,
    end: TestEnd,
}

/// How the journal of a test ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TestEnd {
    /// All gold was found, and the end was sent.
    Over,
    /// All gold was found, but the result was not sent.
    OverNotSent,
    /// Ended by hand after some keys.
    ByHand,
    /// It just stops after some keys.
    Running,
}

impl TestGame {
    /// A rated public game of these people and bots.
    fn new(number: u8, people: &[PlayerId], bots: u8) -> Self {
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

    fn journal(&self) -> Vec<u8> {
        let header = Header { setup: self.setup(), port: 0 };
        let mut game = header.game().unwrap();
        let (mut writer, mut bytes) = Writer::new(&header, &game);
        let mut now = 0;
        let mut add = |game: &mut Game, what: What| {
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
            add(&mut game, What::Join { name, peer: PeerToken::new(token.as_bytes()) });
        }
        let mut random = nuggets_game::Rng::new(Seed::new(self.seed));
        let is_whole = matches!(self.end, TestEnd::Over | TestEnd::OverNotSent);
        for turn in 0.. {
            if game.end().is_some() || (!is_whole && turn == 40) {
                break;
            }
            let letter = Letter::nth(random.index(self.players.len())).unwrap();
            let key = b"hlkjyubnHLKJYUBN"[random.index(16)];
            add(&mut game, What::Press(letter, Stroke::from_key(key).unwrap()));
        }
        match self.end {
            TestEnd::Over => {
                add(&mut game, What::End(RecordingEnd::Over));
                add(&mut game, What::EndDelivered);
            }
            TestEnd::OverNotSent => add(&mut game, What::End(RecordingEnd::Over)),
            TestEnd::ByHand => add(&mut game, What::End(RecordingEnd::Closed)),
            TestEnd::Running => {}
        }
        bytes
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn id(number: u8) -> GameId {
    GameId::from_random([number; 12])
}

fn meta(number: u8) -> GameMeta {
    GameMeta {
        id: id(number),
        map_name: "main".into(),
        creator: PlayerId(1),
        creator_name: "Ann".into(),
        created_unix_ms: NOW + u64::from(number),
        bots: Bots { count: 2, brain: "scout".into(), pace_ms: 250 },
        visibility: Visibility::Public,
        start: Start::AtOnce,
        watch_delay_s: 0,
        rated: true,
        udp_port: None,
        has_started: true,
        next: None,
        finished: None,
    }
}

#[test]
fn two_hosts_never_use_one_folder() {
    let place = Place::new();
    let error = Store::open(place.folder.path(), NOW).unwrap_err();
    assert!(matches!(error, StoreError::InUse(_)), "{error}");
    let error = Store::reindex(place.folder.path(), NOW).unwrap_err();
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
    let mut place = Place::new();
    let replies: Vec<_> = (0..50).map(|_| place.store().create_guest(None, NOW)).collect();
    drop(replies);
    place.reopen(NOW);
    assert_eq!(place.rows("players").len(), 50);
}

#[tokio::test]
async fn answers_can_be_awaited() {
    let place = Place::new();
    let (account, token) = place.store().create_guest(None, NOW).await.unwrap();
    assert_eq!(place.store().session(token, NOW).await.unwrap(), Some(account));
}

#[test]
fn bans_survive_a_restart() {
    let mut place = Place::new();
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
