//! A journal that can't be written.

use std::io;

use nuggets_server::{RecordKind, Stored};

use super::*;
use crate::test_games::Deleted;
use crate::wire::Stage;

/// A disk with space for this many more writes.
#[derive(Debug)]
struct FullSoon(u32);

impl Storage for FullSoon {
    fn append(&mut self, _: RecordKind, _: &[u8]) -> io::Result<Stored> {
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(Stored::Yes)
    }
}

fn open<S: Storage>(storage: S) -> HostedGame<S> {
    HostedGame::open(Timestamp(0), OpenGame::new(meta(), setup(), storage)).unwrap()
}

#[test]
fn a_journal_that_is_deleted_stops_a_game_in_which_nothing_happens() {
    let mut game = open(Deleted);
    assert_eq!(game.poll_timeout(), Some(Timestamp(5_000)));
    game.handle(Timestamp(4_999), GameCommand::Timeout);
    assert!(!game.has_failed);
    game.handle(Timestamp(5_000), GameCommand::Timeout);
    assert!(game.has_failed);
    let mut reports = std::iter::from_fn(|| game.poll_report());
    assert!(reports.any(|report| matches!(report, GameReport::Failed { .. })));
}

#[test]
fn a_game_whose_journal_is_not_written_stops_before_anybody_sees_more() {
    let mut game = open(FullSoon(4));
    let attach = |person| Box::new(test_games::attach(person, person, AttachRole::Play));
    game.handle(Timestamp(1), GameCommand::Attach(attach(1)));
    let ann = game.poll_answer().unwrap().unwrap();
    let mut stored = Vec::new();
    for key in "lhlhlhlhkj".chars() {
        if !game.has_failed {
            stored = ann.stream.lock().current().rows();
        }
        game.handle(Timestamp(2), GameCommand::Key(ConnectionId(1), key));
    }
    let current = ann.stream.lock().current().clone();
    assert_eq!(current.rows(), stored, "what is not stored is not shown");
    assert_eq!(current.facts().stage, Some(Stage::Over));
    let read = ann.stream.read(Position { seq: Some(1) }, Timestamp(3), ann.audience).unwrap();
    assert!(read.text.contains("can't store this game any more"), "{}", read.text);
    let reports: Vec<GameReport> = std::iter::from_fn(|| game.poll_report()).collect();
    let failed = |report: &&GameReport| matches!(report, GameReport::Failed { .. });
    assert_eq!(reports.iter().filter(failed).count(), 1);
    assert!(!reports.contains(&GameReport::Over));
    game.handle(Timestamp(4), GameCommand::Attach(attach(2)));
    assert_eq!(game.poll_answer().unwrap().err(), Some(AttachError::Failed));
}
