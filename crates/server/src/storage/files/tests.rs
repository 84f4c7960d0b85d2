//! Journals that can't be written any more.

use std::fs::{self, File};

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_record::Recording;

use super::*;
use crate::{Host, MemoryStorage, MemoryTransport, Peer, RecordFileProblem, Room, Timestamp, udp};

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nuggets-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn setup() -> Setup {
    let map = shipped::find("main").unwrap().map();
    Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021)
}

/// A driver with a new journal.
fn host<S: Storage>(storage: S) -> Host<S> {
    Host::new(Room::new(&setup()).unwrap(), storage).with_journal(&setup(), 9)
}

/// The first bytes of a journal.
fn beginning() -> Vec<u8> {
    let mut host = host(MemoryStorage::default());
    host.store().unwrap();
    host.storage().journal.clone()
}

/// A journal with these bytes to which nothing can be appended: a file opened read-only fails like a full disk.
fn read_only(path: &Path, bytes: &[u8], on_error: OnJournalError) -> Files {
    fs::write(path, bytes).unwrap();
    let journal = Some(record_file(path, bytes.len()).reading_only());
    let policy = JournalPolicy { on_error, ..JournalPolicy::default() };
    Files { journal, policy, ..Files::default() }
}

/// An open journal of this length.
fn record_file(path: &Path, length: usize) -> RecordFile {
    let mut file = RecordFile::open(path).unwrap();
    file.cut(length as u64).unwrap();
    file
}

#[test]
fn a_journal_that_its_game_continued_without_can_not_be_resumed() {
    let folder = Folder::new("stale");
    let path = folder.0.join("journal");
    let bytes = beginning();
    let mut host = host(read_only(&path, &bytes, OnJournalError::Continue));
    let mut transport = MemoryTransport::default();
    host.handle_message(&mut transport, Peer(1), b"PLAY Ann");
    host.flush(&mut transport).unwrap();
    assert!(!path.exists());
    assert_eq!(fs::read(stale_path(&path)).unwrap(), bytes, "what was written is still there");
    assert!(transport.sent.len() > 3, "the game continues");
    host.close(&mut transport).unwrap();
    let error = JournalFile::open(&path).unwrap_err();
    assert!(matches!(error.problem, RecordFileProblem::Stale(_)), "{error}");
}

#[test]
fn a_journal_that_can_not_be_renamed_is_made_unreadable() {
    let folder = Folder::new("unreadable");
    let path = folder.0.join("journal");
    fs::create_dir_all(stale_path(&path)).unwrap();
    let bytes = beginning();
    fs::write(&path, &bytes).unwrap();
    assert!(Recording::read(&bytes).is_ok());
    let done = record_file(&path, bytes.len()).set_aside(&stale_path(&path));
    assert!(done.contains("made unreadable"), "{done}");
    assert!(Recording::read(&fs::read(&path).unwrap()).is_err());
}

#[test]
fn a_journal_that_can_neither_be_renamed_nor_written_must_be_removed() {
    let folder = Folder::new("remove");
    let path = folder.0.join("journal");
    fs::create_dir_all(stale_path(&path)).unwrap();
    let mut files = read_only(&path, &beginning(), OnJournalError::Continue);
    let done = files.journal.take().unwrap().set_aside(&stale_path(&path));
    assert!(done.contains("REMOVE IT"), "{done}");
}

#[test]
fn a_game_whose_end_was_sent_ends_well_though_the_journal_can_not_be_marked_complete() {
    let folder = Folder::new("delivered");
    let path = folder.0.join("journal");
    let mut finished = host(MemoryStorage::default());
    let mut transport = MemoryTransport::default();
    for number in 1..=26 {
        finished.handle_message(&mut transport, Peer(number), b"PLAY Ann");
        finished.handle_message(&mut transport, Peer(number), b"KEY Q");
    }
    finished.store().unwrap();
    let bytes = &finished.storage().journal;
    let reading = Recording::read(bytes).unwrap();
    let room = Room::resume(&reading, MemoryTransport::restore).unwrap();
    let files = read_only(&path, bytes, OnJournalError::Stop);
    let mut again = Host::new(room, files).with_resumed_journal(&reading);
    let socket = udp::bind(Some([127, 0, 0, 1].into()), 0).unwrap();
    let mut tables = vec![];
    let over = |room: &Room| tables.push(room.summary());
    let mut peers = udp::Peers::default();
    udp::serve(&socket, &mut again, &mut peers, &udp::Control::new().unwrap(), over).unwrap();
    assert_eq!(tables.len(), 1);
    assert!(again.room().is_closed());
}

#[test]
fn a_journal_that_stops_the_game_stays_where_it_is() {
    let folder = Folder::new("stays");
    let path = folder.0.join("journal");
    let mut host = host(read_only(&path, &beginning(), OnJournalError::Stop));
    assert!(host.store().is_err());
    assert!(path.exists() && !stale_path(&path).exists());
}

/// A pipe accepts all writes, but can't be synced.
#[test]
fn only_a_durable_journal_is_synced_and_that_before_anything_is_sent() {
    let folder = Folder::new("durable");
    let path = folder.0.join("journal");
    for durable in [false, true] {
        let (_reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let journal = Some(record_file(&path, 0).with_file(file));
        let policy = JournalPolicy { durable, ..JournalPolicy::default() };
        let files = Files { journal, policy, ..Files::default() };
        assert_eq!(files.is_slow(), durable);
        let mut host = host(files);
        let mut transport = MemoryTransport::default();
        host.handle_message(&mut transport, Peer(1), b"PLAY Ann");
        assert_eq!(host.flush(&mut transport).is_err(), durable, "a pipe can't be synced");
        assert_eq!(transport.sent.len(), if durable { 1 } else { 4 }, "durable: {durable}");
    }
}

/// Every write is synced, not only the first. A pipe can't be synced, so the attempt fails.
#[test]
fn with_durable_every_write_to_the_journal_is_synced() {
    let folder = Folder::new("every-write");
    let path = folder.0.join("journal");
    let policy = JournalPolicy { durable: true, ..JournalPolicy::default() };
    let mut files = Files { policy, ..Files::default() };
    for round in 0..5 {
        let (_reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        files.journal = Some(record_file(&path, 0).with_file(file));
        assert_eq!(files.append(RecordKind::Journal, b"x").unwrap(), Stored::Yes);
        assert!(files.sync().is_err(), "round {round}");
    }
}

type Interfere = fn(&Path);

/// Interferences of an operator or another program with a file in use, and the text that the log must contain.
const INTERFERENCES: [(Interfere, &str); 4] = [
    (|path| fs::remove_file(path).unwrap(), "deleted or moved away"),
    (|path| fs::rename(path, path.with_extension("elsewhere")).unwrap(), "deleted or moved away"),
    (
        |path| {
            fs::write(path.with_extension("other"), b"dear diary").unwrap();
            fs::rename(path.with_extension("other"), path).unwrap();
        },
        "another file was put in its place",
    ),
    (|path| File::create(path).map(drop).unwrap(), "it has 0 bytes"),
];

/// A driver with a journal file and one player, at time 0.
fn playing(path: &Path, on_error: OnJournalError) -> (Host<Files>, MemoryTransport) {
    let policy = JournalPolicy { on_error, ..JournalPolicy::default() };
    let files = Files::default().with_journal(JournalFile::open(path).unwrap(), policy);
    let mut host = host(files).with_manual_clock();
    let mut transport = MemoryTransport::default();
    host.handle_message(&mut transport, Peer(1), b"PLAY Ann");
    host.flush(&mut transport).unwrap();
    transport.sent.clear();
    (host, transport)
}

#[test]
fn a_journal_that_is_deleted_moved_replaced_or_truncated_stops_the_game_and_is_set_aside() {
    for (index, (interfere, words)) in INTERFERENCES.into_iter().enumerate() {
        let folder = Folder::new(&format!("interference-{index}"));
        let path = folder.0.join("journal");
        let (mut host, mut transport) = playing(&path, OnJournalError::Stop);
        let written = fs::read(&path).unwrap();
        interfere(&path);
        host.handle_message(&mut transport, Peer(2), b"PLAY Bob");
        let why = host.flush(&mut transport).unwrap_err().to_string();
        assert!(why.contains(words) && why.contains("journal.stale"), "{why}");
        let last = b"QUIT The server is shutting down.".to_vec();
        assert!(transport.sent.iter().all(|(_, payload)| *payload == last), "Bob is not shown");
        let kept = fs::read(stale_path(&path)).unwrap();
        assert!(kept == if words == "it has 0 bytes" { &b""[..] } else { &written }, "{words}");
        let error = JournalFile::open(&path).unwrap_err();
        assert!(matches!(error.problem, RecordFileProblem::Stale(_)), "{error}");
    }
}

#[test]
fn a_game_may_continue_without_a_journal_that_was_taken_away() {
    for (index, (interfere, _)) in INTERFERENCES.into_iter().enumerate() {
        let folder = Folder::new(&format!("taken-away-{index}"));
        let path = folder.0.join("journal");
        let (mut host, mut transport) = playing(&path, OnJournalError::Continue);
        interfere(&path);
        host.handle_message(&mut transport, Peer(2), b"PLAY Bob");
        host.flush(&mut transport).unwrap();
        assert!(transport.sent.iter().any(|(_, payload)| payload == b"OK B"));
        assert!(stale_path(&path).exists());
    }
}

#[test]
fn a_journal_that_is_deleted_while_nothing_happens_is_noticed_in_time() {
    let folder = Folder::new("quiet");
    let path = folder.0.join("journal");
    let (mut host, mut transport) = playing(&path, OnJournalError::Stop);
    assert_eq!(host.poll_timeout(), Some(Timestamp(CHECK_INTERVAL_MS)));
    host.set_time(Timestamp(CHECK_INTERVAL_MS));
    assert!(host.handle_timeouts(&mut transport));
    host.flush(&mut transport).unwrap();
    assert_eq!(host.poll_timeout(), Some(Timestamp(2 * CHECK_INTERVAL_MS)), "all is well");
    fs::remove_file(&path).unwrap();
    host.set_time(Timestamp(2 * CHECK_INTERVAL_MS));
    assert!(host.handle_timeouts(&mut transport));
    assert!(host.flush(&mut transport).is_err());
    assert!(host.room().is_closed());
}

#[test]
fn a_reserved_path_is_not_opened_again_even_if_the_file_was_moved_away() {
    let folder = Folder::new("reserved");
    let path = folder.0.join("journal");
    let journal = JournalFile::open_and_reserve(&path).unwrap();
    fs::rename(&path, folder.0.join("elsewhere")).unwrap();
    let error = JournalFile::open_and_reserve(&path).unwrap_err();
    assert!(matches!(error.problem, RecordFileProblem::LockedJournal), "{error}");
    assert!(!path.exists());
    drop(journal);
    drop(JournalFile::open_and_reserve(&path).unwrap());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "no lock file is left");
}

#[test]
fn a_new_file_into_which_nothing_was_written_is_removed() {
    let folder = Folder::new("unwritten");
    let path = folder.0.join("journal");
    drop(JournalFile::open(&path).unwrap());
    assert!(!path.exists());
    fs::write(&path, "").unwrap();
    drop(JournalFile::open(&path).unwrap());
    assert!(path.exists(), "it was there before");
}
