//! A storage with delayed commits: nothing is shown before its commit.

use std::io;

use nuggets_server::{Commit, RecordKind, Stored};

use super::*;
use crate::view_stream::Audience;

/// Everything goes into the commit with this number.
#[derive(Debug)]
struct Later {
    next: Commit,
    is_ready: bool,
}

impl Storage for Later {
    fn append(&mut self, _: RecordKind, _: &[u8]) -> io::Result<Stored> {
        Ok(Stored::With(self.next))
    }

    fn prove(&mut self) -> io::Result<Stored> {
        Ok(Stored::With(self.next))
    }

    fn is_ready(&self) -> bool {
        self.is_ready
    }
}

struct LateWorld {
    game: HostedGame<Later>,
    now: Timestamp,
}

impl LateWorld {
    fn new() -> Self {
        let now = Timestamp(0);
        let storage = Later { next: Commit(1), is_ready: true };
        let from = OpenGame::new(meta(), setup(), storage);
        Self { game: HostedGame::open(now, from).unwrap(), now }
    }

    /// Later records go into this commit.
    fn begin_commit(&mut self, commit: u64) {
        let storage = self.game.host.storage_mut().as_mut();
        storage.unwrap().next = Commit(commit);
    }

    fn handle(&mut self, command: GameCommand) {
        self.game.handle(self.now, command);
    }

    fn set_ready(&mut self, is_ready: bool) {
        self.game.host.storage_mut().as_mut().unwrap().is_ready = is_ready;
    }

    /// Joins; the answer follows the first commit.
    fn join(&mut self, connection: u64) -> Attached {
        let attach = test_games::attach(connection, connection, AttachRole::Play);
        self.handle(GameCommand::Attach(Box::new(attach)));
        assert!(self.game.poll_answer().is_none(), "an answer shows the game, too");
        self.handle(GameCommand::Stored(Commit(1)));
        self.game.poll_answer().unwrap().unwrap()
    }

    /// A key that moves the player.
    fn press(&mut self, connection: u64, key: char) {
        self.now = self.now.after(1000);
        self.handle(GameCommand::Key(ConnectionId(connection), key));
    }

    fn read(&self, attached: &Attached, from: Position) -> Option<String> {
        attached.stream.read(from, self.now, Audience::Player).map(|read| read.text.to_string())
    }
}

fn end_of(attached: &Attached) -> Position {
    Position { seq: Some(attached.stream.seq()) }
}

#[test]
fn nothing_of_a_key_is_shown_before_its_commit_and_everything_after_it() {
    let mut world = LateWorld::new();
    assert_eq!(world.game.poll_report(), None, "even that it is open waits");
    let ann = world.join(1);
    assert!(matches!(world.game.poll_report(), Some(GameReport::Opened { .. })));
    let before = end_of(&ann);
    let shown = world.read(&ann, Position::default()).unwrap();

    world.begin_commit(2);
    for key in ['H', 'L', 'J', 'K'] {
        world.press(1, key);
    }
    assert_eq!(world.read(&ann, before), None);
    assert_eq!(world.read(&ann, Position::default()), Some(shown), "so is a whole picture");
    world.handle(GameCommand::Stored(Commit(1)));
    assert_eq!(world.read(&ann, before), None, "that was another commit");
    world.handle(GameCommand::Stored(Commit(2)));
    assert!(world.read(&ann, before).is_some());
}

#[test]
fn lines_of_two_commits_give_the_picture_of_the_room() {
    let mut world = LateWorld::new();
    let ann = world.join(1);
    for commit in 2..30 {
        world.begin_commit(commit);
        let key = char::from(b"HLJKYUBN"[usize::try_from(commit).unwrap() % 8]);
        world.press(1, key);
        if commit % 3 == 0 {
            world.handle(GameCommand::Stored(Commit(commit - 1)));
        }
    }
    world.handle(GameCommand::Stored(Commit(29)));
    let mut picture = Vec::new();
    let letter = Letter::nth(0).unwrap();
    let room = world.game.host.room().game();
    room.view(nuggets_game::Viewer::Player(letter)).write_to(&mut picture);
    assert!(ann.stream.lock().current().changes(&picture).is_empty());
}

#[test]
fn a_rejected_key_is_answered_after_the_commit_that_stores_what_came_before_it() {
    let mut world = LateWorld::new();
    world.join(1);
    while world.game.poll_report().is_some() {}
    world.begin_commit(2);
    for key in ['H', 'L'] {
        world.press(1, key);
    }
    world.press(1, 'é');
    assert_eq!(world.game.poll_direct(), None);
    world.handle(GameCommand::Stored(Commit(2)));
    assert!(world.game.poll_direct().is_some());
}

#[test]
fn commands_wait_in_their_order_until_a_commit_shows_that_the_game_is_ready() {
    let mut world = LateWorld::new();
    world.join(1);
    let picture = |world: &LateWorld| {
        let viewer = identities::viewer(Letter::nth(0));
        world.game.host.room().game().view(viewer).to_string()
    };
    let before = picture(&world);
    world.game.close_views_at = Some(world.now.after(60_000));
    assert!(world.game.is_ready() && world.game.poll_timeout().is_some());
    world.set_ready(false);
    "HLJK".chars().for_each(|key| world.press(1, key));
    world.handle(GameCommand::Timeout);
    assert_eq!(picture(&world), before);
    assert_eq!(world.game.poll_timeout(), None, "nothing is due before the commit");
    world.set_ready(true);
    assert!(!world.game.is_ready(), "a later command must not overtake these");
    world.handle(GameCommand::Stored(Commit(1)));
    assert_ne!(picture(&world), before);
    assert!(world.game.is_ready() && world.game.poll_timeout().is_some());
}

#[test]
fn output_that_is_released_does_not_wait_for_the_commit_of_commands_that_waited() {
    let mut world = LateWorld::new();
    world.join(1);
    while world.game.poll_report().is_some() {}
    world.begin_commit(2);
    "HL".chars().for_each(|key| world.press(1, key));
    world.press(1, 'é');
    world.set_ready(false);
    "JKé".chars().for_each(|key| world.press(1, key));
    world.set_ready(true);
    world.begin_commit(3);
    world.handle(GameCommand::Stored(Commit(2)));
    assert!(world.game.poll_direct().is_some());
    assert!(world.game.poll_direct().is_none(), "the second one waits for the third commit");
    world.handle(GameCommand::Stored(Commit(3)));
    assert!(world.game.poll_direct().is_some());
}
