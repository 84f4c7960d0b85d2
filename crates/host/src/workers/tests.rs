//! Tests of games on threads: effects reach connections, and a panic in one game affects no other.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use futures_util::FutureExt;
use nuggets_server::{
    Files, Guard, JournalFile, JournalPolicy, Limits, MemoryStorage, RecordKind, Stored,
};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::game_cell::{MAX_ORDERS_PER_CLIENT, TURN};
use super::*;
use crate::hosted_game::{AttachError, AttachRole};
use crate::mailbox::{Mail, Mailbox};
use crate::test_games::{attach, id, meta, setup};
use crate::wire::{DirectLine, StreamLine};
use crate::{ConnectionId, Start};

fn game(number: u8, storage: impl Storage + Send + 'static) -> OpenGame<GameStorage> {
    OpenGame::new(meta(number), setup(), Box::new(storage))
}

fn start() -> (Workers, UnboundedReceiver<ReportOf>) {
    let (reports, received) = unbounded_channel();
    (Workers::start(1, reports), received)
}

/// A connection with a reader and its mailbox.
struct Connection {
    reader: WaitingReader,
    mailbox: Arc<Mailbox>,
}

/// A reader that waits for new lines.
struct WaitingReader {
    reader: StreamReader,
    news: Arc<Notify>,
    _subscription: Subscription,
}

impl WaitingReader {
    fn new(workers: &Workers, reader: StreamReader) -> Self {
        let news = Arc::new(Notify::new());
        let notified = Arc::clone(&news);
        let subscription = workers.listen(&reader, Arc::new(move || notified.notify_one()));
        Self { reader, news, _subscription: subscription }
    }

    async fn next(&mut self) -> String {
        loop {
            if let Some(text) = self.reader.read() {
                return text.as_str().to_owned();
            }
            self.news.notified().await;
        }
    }

    fn restart(&mut self) {
        self.reader.restart();
    }
}

async fn connect(
    workers: &Workers,
    game: GameId,
    person: u64,
    role: AttachRole,
) -> Result<Connection, AttachError> {
    let mailbox = Arc::new(Mailbox::new(4));
    let cell = workers.find(game).ok_or(AttachError::NoSuchGame)?;
    let attached = cell.attach(attach(person, person, role), Arc::clone(&mailbox)).await?;
    let reader = attached.stream.reader(workers.clock(), attached.audience, None);
    Ok(Connection { reader: WaitingReader::new(workers, reader), mailbox })
}

/// Reads until a line satisfies the predicate.
async fn read_until(
    reader: &mut WaitingReader,
    wanted: impl Fn(&StreamLine) -> bool,
) -> StreamLine {
    loop {
        let text = reader.next().await;
        let lines = text.lines().map(|line| serde_json::from_str::<StreamLine>(line).unwrap());
        if let Some(found) = lines.into_iter().find(&wanted) {
            return found;
        }
    }
}

async fn next_report(
    reports: &mut UnboundedReceiver<ReportOf>,
    wanted: impl Fn(&ReportOf) -> bool,
) -> ReportOf {
    loop {
        let report = reports.recv().await.unwrap();
        if wanted(&report) {
            return report;
        }
    }
}

fn press(workers: &Workers, game: GameId, connection: ConnectionId, key: char) {
    workers.send(game, GameCommand::Key(connection, key));
}

#[tokio::test]
async fn a_key_reaches_the_player_and_the_watcher() {
    let (workers, _reports) = start();
    workers.open_game(game(1, MemoryStorage::default()), None);
    let mut ann = connect(&workers, id(1), 1, AttachRole::Play).await.unwrap();
    let mut wall = connect(&workers, id(1), 2, AttachRole::Watch(None)).await.unwrap();
    for reader in [&mut ann.reader, &mut wall.reader] {
        read_until(reader, |line| line.whole.is_some()).await;
    }
    "lhkj".chars().for_each(|key| press(&workers, id(1), ConnectionId(1), key));
    for reader in [&mut ann.reader, &mut wall.reader] {
        read_until(reader, |line| !line.set.is_empty()).await;
    }
    press(&workers, id(1), ConnectionId(1), 'x');
    let rejected = Mail::Line(DirectLine::Error("unknown keystroke".into()));
    assert_eq!(ann.mailbox.next().await, rejected);
    ann.reader.restart();
    read_until(&mut ann.reader, |line| line.whole.is_some()).await;
}

#[tokio::test]
async fn orders_that_many_threads_bring_at_once_are_all_carried_out() {
    const THREADS: usize = 4;
    const KEYS: usize = THREADS * MAX_ORDERS_PER_CLIENT;
    let (workers, _reports) = start();
    let mut waiting = game(1, MemoryStorage::default());
    waiting.meta.start = Start::ByCreator;
    workers.open_game(waiting, None);
    let mailbox = Arc::new(Mailbox::new(KEYS));
    for person in 1..=THREADS {
        let attach = attach(person as u64, person as u64, AttachRole::Play);
        workers.find(id(1)).unwrap().attach(attach, Arc::clone(&mailbox)).await.unwrap();
    }
    let press_all = |person| {
        let press = |_| press(&workers, id(1), ConnectionId(person as u64), 'h');
        (0..MAX_ORDERS_PER_CLIENT).for_each(press);
    };
    std::thread::scope(|scope| {
        for person in 1..=THREADS {
            scope.spawn(move || press_all(person));
        }
    });
    for _ in 0..KEYS {
        let answer = DirectLine::Error("The game has not started yet.".into());
        assert_eq!(mailbox.next().await, Mail::Line(answer));
    }
}

/// Opens a game whose thread is the receiver of these tasks.
fn open_cell(workers: &Workers, number: u8, tasks: &Sender<Task>) -> Arc<GameCell> {
    let cell = GameCell::new(id(number), Arc::clone(&workers.shared), tasks.clone());
    let cell = Arc::new(cell);
    cell.open(game(number, MemoryStorage::default()), None);
    cell
}

#[test]
fn a_game_with_many_slow_commands_delays_another_by_one_turn() {
    const KEYS: u64 = 1000;
    let (workers, _reports) = start();
    let (tasks, received) = std::sync::mpsc::channel();
    let [busy, other] = [1, 2].map(|number| open_cell(&workers, number, &tasks));
    let key = |client| GameCommand::Key(ConnectionId(client), 'h');
    (0..KEYS).for_each(|client| busy.push(key(client), None));
    // Each command takes a quarter of a turn.
    let time = Cell::new(Duration::ZERO);
    let elapsed = || time.replace(time.get() + TURN / 4);
    busy.run_turn(&elapsed);
    other.push(key(0), None);
    other.leave_to_thread();
    other.leave_to_thread();
    let mut ran = Vec::new();
    for task in received.try_iter() {
        if let Task::Run(cell) = task {
            cell.run_scheduled(&elapsed);
            ran.push((cell.id, time.get()));
        }
    }
    let others: Vec<_> = ran.iter().filter(|(game, _)| *game == other.id).collect();
    assert!(matches!(others[..], [(_, at)] if *at <= 3 * TURN), "{others:?}");
    assert_eq!((busy.waiting(), other.waiting()), (0, 0));
}

#[test]
fn a_client_that_sends_too_many_keys_fills_no_more_than_its_share_of_the_queue() {
    let (workers, _reports) = start();
    let (tasks, _received) = std::sync::mpsc::channel();
    let cell = open_cell(&workers, 1, &tasks);
    let from = "203.0.113.9:4000".parse().unwrap();
    for _ in 0..2 * MAX_ORDERS_PER_CLIENT {
        cell.push(GameCommand::Key(ConnectionId(1), 'h'), None);
        cell.push(GameCommand::Datagram(from, b"KEY h".as_slice().into()), None);
    }
    cell.push(GameCommand::Key(ConnectionId(2), 'h'), None);
    cell.push(GameCommand::Start, None);
    assert_eq!(cell.waiting(), 2 * MAX_ORDERS_PER_CLIENT + 2);
}

/// A stalling disk: writes to the journal block as long as the lock is held.
#[derive(Debug)]
struct StallingDisk(Arc<Mutex<()>>);

impl Storage for StallingDisk {
    fn append(&mut self, _: RecordKind, _: &[u8]) -> io::Result<Stored> {
        drop(self.0.lock().unwrap());
        Ok(Stored::Yes)
    }
}

#[tokio::test]
async fn a_disk_that_stalls_holds_up_one_caller_and_leaves_the_others_free() {
    const GAMES: u8 = 4;
    const LIMIT_MS: u64 = 60_000;
    let (workers, _reports) = start();
    let disk = Arc::new(Mutex::new(()));
    let mut players = Vec::new();
    for number in 1..=GAMES {
        workers.open_game(game(number, StallingDisk(Arc::clone(&disk))), None);
        players.push(connect(&workers, id(number), number.into(), AttachRole::Play).await.unwrap());
    }
    for player in &mut players {
        read_until(&mut player.reader, |line| line.whole.is_some()).await;
    }
    std::thread::scope(|scope| {
        let stalled = disk.lock().unwrap();
        let press = |number: u8| {
            "HJKLYUBN"
                .chars()
                .for_each(|key| press(&workers, id(number), ConnectionId(number.into()), key));
        };
        let callers: Vec<_> =
            (1..=GAMES).map(|number| scope.spawn(move || press(number))).collect();
        let limit = workers.clock().now().after(LIMIT_MS);
        while callers.iter().filter(|caller| !caller.is_finished()).count() > 1 {
            assert!(workers.clock().now() < limit, "more than one caller waits for the disk");
            std::thread::yield_now();
        }
        drop(stalled);
    });
    for player in &mut players {
        read_until(&mut player.reader, |line| !line.set.is_empty()).await;
    }
}

#[tokio::test]
async fn nobody_attaches_to_a_game_that_is_not_there() {
    let (workers, mut reports) = start();
    let refused = connect(&workers, id(7), 1, AttachRole::Play).await.err();
    assert_eq!(refused, Some(AttachError::NoSuchGame));
    workers.open_game(game(1, MemoryStorage::default()), None);
    connect(&workers, id(1), 1, AttachRole::Play).await.unwrap();
    workers.send(id(1), GameCommand::End);
    next_report(&mut reports, |of| of.report == GameReport::Over).await;
    let refused = connect(&workers, id(1), 2, AttachRole::Play).await.err();
    assert_eq!(refused, Some(AttachError::Over));
}

#[tokio::test]
async fn a_connection_that_is_closed_while_it_attaches_is_not_counted() {
    let (workers, mut reports) = start();
    let disk = Arc::new(Mutex::new(()));
    {
        // No command is answered while the game can't be opened.
        let _stalled = disk.lock().unwrap();
        workers.open_game(game(1, StallingDisk(Arc::clone(&disk))), None);
        let cell = workers.find(id(1)).unwrap();
        let attached = cell.attach(attach(1, 1, AttachRole::Play), Arc::new(Mailbox::new(1)));
        assert!(attached.now_or_never().is_none());
    }
    let joined = |of: &ReportOf| matches!(of.report, GameReport::Joined(_));
    next_report(&mut reports, joined).await;
    let mut wall = connect(&workers, id(1), 2, AttachRole::Watch(None)).await.unwrap();
    read_until(&mut wall.reader, |line| line.whole.is_some()).await;
    let connected = |of: &ReportOf| of.report == GameReport::Connected { players: 0, watchers: 1 };
    next_report(&mut reports, connected).await;
}

/// A storage that panics at this append, counted from 1.
#[derive(Debug)]
struct Defect(u32);

impl Storage for Defect {
    fn append(&mut self, _: RecordKind, _: &[u8]) -> io::Result<Stored> {
        self.0 -= 1;
        assert!(self.0 > 0, "injected");
        Ok(Stored::Yes)
    }
}

#[tokio::test]
async fn a_panic_in_one_game_ends_it_with_an_apology_and_the_neighbour_goes_on() {
    let (workers, mut reports) = start();
    workers.open_game(game(1, Defect(5)), None);
    workers.open_game(game(2, MemoryStorage::default()), None);
    let mut ann = connect(&workers, id(1), 1, AttachRole::Play).await.unwrap();
    let mut bob = connect(&workers, id(2), 2, AttachRole::Play).await.unwrap();
    // A client's first whole picture omits earlier notices, so both clients read theirs first.
    for reader in [&mut ann.reader, &mut bob.reader] {
        read_until(reader, |line| line.whole.is_some()).await;
    }
    "lhkjlhkjlhkj".chars().for_each(|key| press(&workers, id(1), ConnectionId(1), key));
    let last = read_until(&mut ann.reader, |line| line.notice.is_some()).await;
    assert!(last.notice.unwrap().contains("We are sorry"));
    assert_eq!(last.stage, Some(crate::wire::Stage::Over));
    let failed = next_report(&mut reports, |of| matches!(of.report, GameReport::Failed { .. }));
    let ReportOf { game, report } = failed.await;
    assert_eq!((game, report), (id(1), GameReport::Failed { why: "injected".into() }));
    let refused = connect(&workers, id(1), 3, AttachRole::Play).await.err();
    assert_eq!(refused, Some(AttachError::NoSuchGame));

    "lhkj".chars().for_each(|key| press(&workers, id(2), ConnectionId(2), key));
    read_until(&mut bob.reader, |line| !line.set.is_empty()).await;
}

#[tokio::test]
async fn a_game_that_panics_while_it_is_opened_is_reported() {
    let (workers, mut reports) = start();
    workers.open_game(game(1, Defect(1)), None);
    workers.open_game(game(2, MemoryStorage::default()), None);
    next_report(&mut reports, |of| matches!(of.report, GameReport::Failed { .. })).await;
    connect(&workers, id(2), 2, AttachRole::Play).await.unwrap();
}

#[tokio::test]
async fn games_are_let_go_without_an_end_and_resumed_from_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.journal");
    let open = || {
        let mut file = JournalFile::open(&path).unwrap();
        let journal = file.take_reading();
        let storage = Files::default().with_journal(file, JournalPolicy::default());
        OpenGame { journal, ..game(1, storage) }
    };
    let mut pictures = Vec::new();
    for _ in 0..3 {
        let (workers, mut reports) = start();
        workers.open_game(open(), None);
        let mut wall = connect(&workers, id(1), 9, AttachRole::Watch(None)).await.unwrap();
        let mut ann = connect(&workers, id(1), 1, AttachRole::Play).await.unwrap();
        let joined = next_report(&mut reports, |of| matches!(of.report, GameReport::Joined(_)));
        let GameReport::Joined(seated) = joined.await.report else { panic!() };
        assert_eq!(seated.letter.to_string(), "A");
        let first = read_until(&mut wall.reader, |line| line.whole.is_some()).await;
        pictures.extend(first.whole.filter(|_| !pictures.is_empty()));
        read_until(&mut ann.reader, |line| line.whole.is_some()).await;
        "lhkj".chars().for_each(|key| press(&workers, id(1), ConnectionId(1), key));
        read_until(&mut ann.reader, |line| !line.set.is_empty()).await;
        workers.end_of_commands(id(1)).await;
        wall.reader.restart();
        pictures.extend(read_until(&mut wall.reader, |line| line.whole.is_some()).await.whole);
        workers.send_to_all(&GameCommand::Notice("The server restarts.".into()));
        workers.close_all();
        let last = read_until(&mut ann.reader, |line| line.notice.is_some()).await;
        assert_eq!(last.notice.as_deref(), Some("The server restarts."));
        assert!(JournalFile::open(&path).is_ok(), "the file is not locked any more");
    }
    assert_eq!((pictures.len(), &pictures[0], &pictures[2]), (5, &pictures[1], &pictures[3]));
}

impl Workers {
    /// Waits until all commands before this one have been handled.
    async fn end_of_commands(&self, game: GameId) {
        let refused = connect(self, game, 77, AttachRole::Watch(Some('Z'))).await.err();
        assert_eq!(refused, Some(AttachError::NoSuchPlayer));
    }
}

#[tokio::test]
async fn a_game_that_panics_says_goodbye_to_classic_clients_and_frees_their_seats() {
    let (workers, mut reports) = start();
    let (datagrams, mut received) = unbounded_channel();
    let send: UdpSender =
        Arc::new(move |to, bytes: &[u8]| drop(datagrams.send((to, bytes.to_vec()))));
    let limits = Limits { seats_per_source: Some(1), ..Limits::default() };
    let guard = Some(Arc::new(Mutex::new(Guard::new(limits, [7; 16]).with_rooms(2))));
    let udp = Some(UdpPort { send, guard, claimed_names: Arc::default() });
    workers.open_game(game(1, Defect(5)), udp.clone());
    workers.open_game(game(2, MemoryStorage::default()), udp);
    workers.end_of_commands(id(2)).await;
    let [zed, yan] = [4000, 4001].map(|port| SocketAddr::from(([203, 0, 113, 5], port)));
    workers.send(id(1), GameCommand::Datagram(zed, (*b"PLAY Zed").into()));
    assert_eq!(received.recv().await, Some((zed, b"OK A".to_vec())));
    workers.send(id(2), GameCommand::Datagram(yan, (*b"PLAY Yan").into()));
    // Another thread may be about to execute it: Zed must still have the seat then.
    workers.end_of_commands(id(2)).await;
    for key in b"lhkjlhkjlhkj" {
        workers.send(id(1), GameCommand::Datagram(zed, [b'K', b'E', b'Y', b' ', *key].into()));
    }
    next_report(&mut reports, |of| matches!(of.report, GameReport::Failed { .. })).await;
    workers.end_of_commands(id(2)).await;
    let answers: Vec<_> = std::iter::from_fn(|| received.try_recv().ok()).collect();
    let is_goodbye = |to, bytes: &[u8]| to == zed && bytes.starts_with(b"QUIT ");
    assert!(answers.iter().any(|(to, bytes)| is_goodbye(*to, bytes)), "{answers:?}");
    assert!(!answers.contains(&(yan, b"OK A".to_vec())), "one seat for each source");
    workers.send(id(2), GameCommand::Datagram(yan, (*b"PLAY Yan").into()));
    assert_eq!(received.recv().await, Some((yan, b"OK A".to_vec())), "the seat is free again");
}
