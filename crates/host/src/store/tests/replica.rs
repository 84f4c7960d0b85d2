//! The tables of several nodes, made from one log of commands.

use super::*;
use crate::store::command::{Draws, StoreCommand};
use crate::store::replica::{BatchAnswers, LoggedCommand};

impl Place {
    fn node() -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open_replica(folder.path()).unwrap().store;
        assert_eq!(store.applied().wait().unwrap(), 0);
        Self { folder, store: Some(store) }
    }

    fn apply(&self, commands: &[LoggedCommand]) -> BatchAnswers {
        self.store().apply_logged(commands.to_vec()).wait().unwrap()
    }

    fn tables(&self) -> Vec<String> {
        let tables = ["players", "sessions", "bans", "games", "results", "ratings", "history"];
        tables.iter().flat_map(|table| self.rows(table)).collect()
    }
}

/// What people and games do, with everything that can be rejected.
fn commands() -> Vec<LoggedCommand> {
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
    let logged = |(seq, command)| LoggedCommand { seq, id: format!("id {seq}"), command };
    (1..).step_by(2).zip(commands).map(logged).collect()
}

#[test]
fn the_same_log_gives_the_same_tables_in_any_portions() {
    let (one, other) = (Place::node(), Place::node());
    let commands = commands();
    let answers = one.apply(&commands);
    let rejected: Vec<&str> = answers
        .iter()
        .filter_map(|(id, answer)| answer.as_ref().err().map(|_| id.as_str()))
        .collect();
    assert_eq!(rejected, ["id 13", "id 15"], "Ann's name is claimed");
    for command in &commands {
        other.apply(std::slice::from_ref(command));
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
    let commands = commands();
    node.apply(&commands);
    let before = node.tables();
    assert_eq!(node.apply(&commands).len(), 0, "read again");
    let again = LoggedCommand { seq: 1_000, ..commands[0].clone() };
    assert_eq!(node.apply(&[again]).len(), 0, "published again");
    assert_eq!(node.tables(), before);
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
