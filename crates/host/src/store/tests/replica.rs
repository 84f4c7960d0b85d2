//! The tables of several nodes, made from one log of commands.

use super::*;
use crate::store::command::{Draws, StoreCommand};
use crate::store::replica::{BatchAnswers, LoggedCommand, LoggedRecord};
use nuggets_cluster::{Epoch, LogPosition, Seq};
use std::sync::Arc;

impl Place {
    fn node() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open_replica(folder.path()).unwrap().store;
        assert_eq!(store.applied().wait().unwrap(), LogPosition::default());
        Self { folder, store: Some(store) }
    }

    fn apply(&self, records: &[LoggedRecord]) -> BatchAnswers {
        self.store().apply_logged(records.to_vec()).wait().unwrap()
    }

    fn tables(&self) -> Vec<String> {
        let tables = ["players", "sessions", "bans", "games", "results", "ratings", "history"];
        tables.iter().flat_map(|table| self.rows(table)).collect()
    }
}

/// A record with the sequence of a stream in which every other message is of another log.
fn record(index: u64, commands: Vec<LoggedCommand>) -> LoggedRecord {
    let position = LogPosition { seq: Seq(2 * index - 1), index, epoch: Epoch(1) };
    LoggedRecord { position, bytes: Arc::from(format!("record {index}").as_bytes()), commands }
}

/// What people and games do, with everything that can be rejected: two commands in each record.
fn records() -> Vec<LoggedRecord> {
    let draws = |number: u8| Draws::new([number; 32]);
    let guest = |name: Option<&str>, number: u8| StoreCommand::Guest {
        name: name.map(str::to_owned),
        session: [number; 32],
        draws: draws(number),
        now_ms: NOW,
    };
    let place = Place::new();
    let (ann, bob) = (PlayerId(1), PlayerId(2));
    let game = TestGame::new(1, &[ann, bob], 2);
    place.add(&game);
    let files = &place.store().files;
    let ended = files.ended_game(game.meta.clone(), &files.read_journal(game.meta.id).unwrap());
    let finish = StoreCommand::Finish {
        game: Box::new(ended.unwrap()),
        reason: EndReason::Over,
        now_ms: NOW,
    };
    let claim =
        |player| StoreCommand::Claim { player, password_hash: "hash".into(), draws: draws(9) };
    let rename =
        |player, name: &str| StoreCommand::Rename { player, name: name.into(), draws: draws(8) };
    let commands = [
        guest(Some("Ann"), 1),
        guest(Some("Bob"), 2),
        guest(None, 3),
        guest(None, 4),
        guest(Some("ann"), 5),
        claim(ann),
        guest(Some("Ann"), 6),
        rename(bob, "Ann"),
        rename(bob, "Bea"),
        StoreCommand::Touch { session: [3; 32], now_ms: NOW + 2 * DAY },
        StoreCommand::LogOut { session: [4; 32] },
        StoreCommand::Ban(Ban::Person(bob)),
        finish.clone(),
        finish,
    ];
    let logged = |(number, command)| LoggedCommand { id: format!("id {number}"), command };
    let commands: Vec<LoggedCommand> = (1..).zip(commands).map(logged).collect();
    (1..).zip(commands.chunks(2)).map(|(index, pair)| record(index, pair.to_vec())).collect()
}

#[test]
fn the_same_log_gives_the_same_tables_in_any_portions() {
    let (one, other) = (Place::node(), Place::node());
    let records = records();
    let answers = one.apply(&records);
    let rejected: Vec<&str> = answers
        .iter()
        .filter_map(|(id, answer)| answer.as_ref().err().map(|_| id.as_str()))
        .collect();
    assert_eq!(rejected, ["id 7", "id 8"], "Ann's name is claimed");
    for record in &records {
        other.apply(std::slice::from_ref(record));
    }
    assert_eq!(one.tables(), other.tables());
    assert_eq!(one.rows("games").len(), 1, "a game is finished once");
    let ann = format!("{:?}", b"Ann");
    let is_ann = |row: &&String| row.contains(&ann);
    assert_eq!(one.rows("players").iter().filter(is_ann).count(), 1, "others were renamed");
    assert!(one.store().load_meta(meta(1).id).wait().unwrap().unwrap().finished.is_some());
}

#[test]
fn a_command_that_was_sent_or_read_twice_is_applied_once() {
    let node = Place::node();
    let records = records();
    node.apply(&records);
    let before = node.tables();
    assert_eq!(node.apply(&records).len(), 0, "read again");
    let again = record(records.len() as u64 + 1, records[0].commands.clone());
    assert_eq!(node.apply(&[again]).len(), 0, "appended again");
    assert_eq!(node.tables(), before);
}

/// A record that is not the next one, or another one than before, is of another log than the one that was applied.
#[test]
fn records_that_contradict_what_was_applied_change_nothing() {
    let node = Place::node();
    let records = records();
    node.apply(&records[..3]);
    let before = (node.tables(), node.store().applied().wait().unwrap());
    let other = LoggedRecord { bytes: Arc::from(*b"other"), ..records[2].clone() };
    let mut earlier_epoch = records[3].clone();
    earlier_epoch.position.epoch = Epoch(0);
    for (wrong, index) in [(records[4].clone(), 5), (other, 3), (earlier_epoch, 4)] {
        let error = node.store().apply_logged(vec![wrong]).wait().unwrap_err();
        let is_it = matches!(error, StoreError::OtherAccounts { index: at } if at == index);
        assert!(is_it, "{error}");
    }
    // All or none: the first of these would be right.
    let error = node.store().apply_logged(vec![records[3].clone(), records[5].clone()]).wait();
    assert!(error.is_err());
    assert_eq!((node.tables(), node.store().applied().wait().unwrap()), before);
    // The brokers had lost a record, and have it again with another sequence.
    let mut again = records[2].clone();
    again.position.seq = Seq(77);
    node.apply(&[again]);
    assert_eq!(node.store().applied().wait().unwrap().seq, Seq(77));
}

#[test]
fn the_last_records_are_kept_with_the_position_of_the_one_before_them() {
    let node = Place::node();
    let kept = |count: u64| {
        let kept = node.store().kept_records().wait().unwrap();
        assert_eq!(kept.records.last(), Some(&record(count, vec![]).bytes));
        (kept.base, kept.records.len())
    };
    let records: Vec<LoggedRecord> = (1..=300).map(|index| record(index, vec![])).collect();
    node.apply(&records[..256]);
    assert_eq!(kept(256), (LogPosition::default(), 256), "all of them");
    node.apply(&records[256..]);
    assert_eq!(kept(300), (records[43].position, 256));
}

#[test]
fn the_folders_of_a_host_and_of_a_node_are_not_mixed_up() {
    let mut host = Place::new();
    host.guest("Ann");
    host.store = None;
    let store = Store::open_replica(host.folder.path()).unwrap().store;
    let error = store.applied().wait().unwrap_err().to_string();
    assert!(error.contains("Give a node an empty folder with --data"), "{error}");
    let mut node = Place::node();
    let error = node.opening_error();
    assert!(error.contains("Start it with --cluster and --node"), "{error}");
}
