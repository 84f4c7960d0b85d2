//! What becomes of a journal that can't be written any more.

use std::fs::OpenOptions;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nuggets_game::{Game, Rules, Seed, Sight, shipped};
use nuggets_protocol::Dialect;
use nuggets_record::Recording;

use super::*;
use crate::{Millis, sight_rule};

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

fn room() -> Room {
    let sight = Sight::new(shipped::find("main").unwrap().map(), sight_rule(Dialect::V2021));
    let game = Game::new(Arc::new(sight), Rules::default(), Seed::new(3)).unwrap();
    Room::new(game, Dialect::V2021).recorded(RecordKind::Journal, Seed::new(3), 9)
}

/// A journal with a beginning, behind which nothing more can be written.
fn broken(path: &Path, on_error: OnJournalError) -> (Room, Files) {
    let (mut room, mut bytes) = (room(), vec![]);
    while let Some((_, more)) = room.poll_record() {
        bytes.extend_from_slice(more);
    }
    fs::write(path, &bytes).unwrap();
    let length = bytes.len() as u64;
    // A file that is open for reading only fails like a disk.
    let files =
        Files::default().with_journal(File::open(path).unwrap(), path, length, false, on_error);
    let ann = SocketAddr::from(([127, 0, 0, 1], 4000));
    room.handle_message(Millis(5), ann.into(), b"PLAY Ann");
    (room, files)
}

#[test]
fn a_journal_that_the_game_goes_on_without_is_not_there_to_be_taken_up() {
    let folder = Folder::new("left-behind");
    let path = folder.0.join("journal");
    let (mut room, mut files) = broken(&path, OnJournalError::GoOn);
    files.keep(&mut room).unwrap();
    assert!(!path.exists());
    let stale = fs::read(stale_path(&path)).unwrap();
    assert!(Recording::read(&stale).is_ok(), "what was written is still there");
    room.shut_down();
    files.keep(&mut room).unwrap();
}

#[test]
fn a_journal_that_can_not_be_renamed_is_made_unreadable() {
    let folder = Folder::new("unreadable");
    let path = folder.0.join("journal");
    fs::create_dir_all(stale_path(&path)).unwrap();
    let (_, bytes) = (broken(&path, OnJournalError::GoOn), fs::read(&path).unwrap());
    assert!(Recording::read(&bytes).is_ok());
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let said = Kept::new(file, &path, bytes.len() as u64).leave_behind();
    assert!(said.contains("made unreadable"), "{said}");
    assert!(Recording::read(&fs::read(&path).unwrap()).is_err());
}

#[test]
fn a_journal_that_can_neither_be_renamed_nor_written_is_shouted_about() {
    let folder = Folder::new("shouted");
    let path = folder.0.join("journal");
    fs::create_dir_all(stale_path(&path)).unwrap();
    let (_, mut files) = broken(&path, OnJournalError::GoOn);
    let said = files.journal.take().unwrap().leave_behind();
    assert!(said.contains("REMOVE IT"), "{said}");
}

#[test]
fn a_game_that_has_been_told_to_its_end_ends_well_though_its_journal_is_not_told_so() {
    let folder = Folder::new("told");
    let path = folder.0.join("journal");
    let (mut finished, mut bytes) = (room(), vec![]);
    for port in 1..=26 {
        for says in ["PLAY Ann", "KEY Q"] {
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            finished.handle_message(Millis(5), address.into(), says.as_bytes());
        }
    }
    while let Some((_, more)) = finished.poll_record() {
        bytes.extend_from_slice(more);
    }
    fs::write(&path, &bytes).unwrap();
    let mut again = Room::resume(&Recording::read(&bytes).unwrap()).unwrap();
    let file = File::open(&path).unwrap();
    let (length, stop) = (bytes.len() as u64, OnJournalError::Stop);
    let mut files = Files::default().with_journal(file, &path, length, false, stop);
    let socket = crate::udp::bind(Some([127, 0, 0, 1].into()), 0).unwrap();
    let mut tables = vec![];
    let over = |room: &Room| tables.push(room.summary());
    crate::udp::serve(&socket, &mut again, &mut files, &AtomicBool::new(false), over).unwrap();
    assert!(tables.len() == 1 && again.is_closed());
}

#[test]
fn a_journal_that_stops_the_game_stays_where_it_is() {
    let folder = Folder::new("stays");
    let path = folder.0.join("journal");
    let (mut room, mut files) = broken(&path, OnJournalError::Stop);
    assert!(files.keep(&mut room).is_err());
    assert!(path.exists() && !stale_path(&path).exists());
}

/// A pipe takes whatever is written, but can't promise to keep it: who asks is told so.
#[test]
fn only_a_durable_journal_asks_the_disk_and_it_does_so_before_anything_is_sent() {
    let folder = Folder::new("durable");
    let path = folder.0.join("journal");
    for (durable, is_kept) in [(false, true), (true, false)] {
        let (_reader, writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(writer));
        let stop = OnJournalError::Stop;
        let mut files = Files::default().with_journal(file, &path, 0, durable, stop);
        let mut room = room();
        assert_eq!(files.keep(&mut room).is_ok(), is_kept, "durable: {durable}");
        assert!(room.poll_record().is_none(), "all was written");
    }
}
