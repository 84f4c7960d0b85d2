//! What becomes of a journal that can't be written any more.

use std::fs::OpenOptions;
use std::sync::atomic::AtomicBool;

use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_record::Recording;

use super::*;
use crate::{Host, Memory, MemoryTransport, Peer, RecordFileProblem, Room, udp};

/// A folder that is gone when the test is over.
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
    let mut host = host(Memory::default());
    host.store().unwrap();
    host.storage().journal.clone()
}

/// A journal of these bytes that nothing more can be appended to: a file that is open for reading only fails like a full disk.
fn read_only(path: &Path, bytes: &[u8], on_error: OnJournalError) -> Files {
    fs::write(path, bytes).unwrap();
    let journal = Some(append_file(File::open(path).unwrap(), path, bytes.len()));
    let policy = JournalPolicy { on_error, ..JournalPolicy::default() };
    Files { journal, policy, ..Files::default() }
}

fn append_file(file: File, path: &Path, length: usize) -> AppendFile {
    AppendFile { file, path: path.to_owned(), length: length as u64, needs_sync: false }
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
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let done = append_file(file, &path, bytes.len()).mark_stale();
    assert!(done.contains("made unreadable"), "{done}");
    assert!(Recording::read(&fs::read(&path).unwrap()).is_err());
}

#[test]
fn a_journal_that_can_neither_be_renamed_nor_written_must_be_removed() {
    let folder = Folder::new("remove");
    let path = folder.0.join("journal");
    fs::create_dir_all(stale_path(&path)).unwrap();
    let mut files = read_only(&path, &beginning(), OnJournalError::Continue);
    let done = files.journal.take().unwrap().mark_stale();
    assert!(done.contains("REMOVE IT"), "{done}");
}

#[test]
fn a_game_whose_end_was_sent_ends_well_though_the_journal_can_not_be_marked_complete() {
    let folder = Folder::new("delivered");
    let path = folder.0.join("journal");
    let mut finished = host(Memory::default());
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
    udp::serve(&socket, &mut again, &mut peers, &AtomicBool::new(false), over).unwrap();
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

/// A pipe takes whatever is written, but can't be synced.
#[test]
fn only_a_durable_journal_is_synced_and_that_before_anything_is_sent() {
    let folder = Folder::new("durable");
    let path = folder.0.join("journal");
    for durable in [false, true] {
        let (_reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let journal = Some(append_file(file, &path, 0));
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

/// What is appended needs a sync, and every sync does it, not only the first.
#[test]
fn with_durable_every_write_to_the_journal_is_synced() {
    let folder = Folder::new("durable");
    for durable in [true, false] {
        let path = folder.0.join(format!("journal-{durable}"));
        let file = File::create(&path).unwrap();
        let policy = JournalPolicy { durable, ..JournalPolicy::default() };
        let mut files =
            Files { journal: Some(append_file(file, &path, 0)), policy, ..Files::default() };
        for round in 0..5 {
            assert_eq!(files.append(RecordKind::Journal, b"x").unwrap(), Stored::Yes);
            assert!(files.journal.as_ref().unwrap().needs_sync, "round {round}");
            assert_eq!(files.sync().unwrap(), Stored::Yes);
            assert_eq!(files.journal.as_ref().unwrap().needs_sync, !durable, "round {round}");
        }
    }
}
