//! A storage that stores later: nothing is shown before its commit.

use std::io;

use nuggets_server::{RecordKind, Stored};

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
        let from = OpenGame {
            meta: meta(),
            setup: setup(),
            journal: None,
            storage: Later { next: Commit(1), is_ready: true },
            nonce: NONCE,
            sight: None,
            guard: None,
            claimed_names: Arc::default(),
        };
        Self { game: HostedGame::open(now, from).unwrap(), now }
    }

    /// Later records go into this commit.
    fn begin_commit(&mut self, commit: u64) {
        let storage = self.game.host.storage_mut().as_mut();
        storage.unwrap().next = Commit(commit);
    }

    fn join(&mut self, connection: u64) -> Attached {
        let attach = Attach {
            connection: ConnectionId(connection),
            person: PlayerId(connection),
            name: format!("P{connection}"),
            role: AttachRole::Play,
            is_creator: false,
            client: None,
        };
        self.game.attach(self.now, &attach).unwrap()
    }

    /// A key that moves the player.
    fn press(&mut self, connection: u64, key: char) {
        self.now = self.now.after(1000);
        self.game.key(self.now, ConnectionId(connection), key);
    }

    fn read(&self, attached: &Attached, from: Position) -> Option<String> {
        attached.stream.read(from, self.now, Audience::Player).map(|read| read.text)
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
    assert_eq!(world.game.prove(), Some(Commit(1)));
    world.game.handle_stored(world.now, Commit(1));
    assert!(matches!(world.game.poll_report(), Some(GameReport::Opened { .. })));
    let before = end_of(&ann);
    let shown = world.read(&ann, Position::default()).unwrap();

    world.begin_commit(2);
    for key in ['H', 'L', 'J', 'K'] {
        world.press(1, key);
    }
    assert_eq!(world.read(&ann, before), None);
    assert_eq!(world.read(&ann, Position::default()), Some(shown), "so is a whole picture");
    world.game.handle_stored(world.now, Commit(1));
    assert_eq!(world.read(&ann, before), None, "that was another commit");
    world.game.handle_stored(world.now, Commit(2));
    assert!(world.read(&ann, before).is_some());
}

#[test]
fn lines_of_two_commits_give_the_picture_of_the_room() {
    let mut world = LateWorld::new();
    let ann = world.join(1);
    world.game.handle_stored(world.now, Commit(1));
    for commit in 2..30 {
        world.begin_commit(commit);
        let key = char::from(b"HLJKYUBN"[usize::try_from(commit).unwrap() % 8]);
        world.press(1, key);
        if commit % 3 == 0 {
            world.game.handle_stored(world.now, Commit(commit - 1));
        }
    }
    world.game.handle_stored(world.now, Commit(29));
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
    world.game.handle_stored(world.now, Commit(1));
    while world.game.poll_report().is_some() {}
    world.begin_commit(2);
    for key in ['H', 'L'] {
        world.press(1, key);
    }
    world.press(1, 'é');
    assert_eq!(world.game.poll_direct(), None);
    world.game.handle_stored(world.now, Commit(2));
    assert!(world.game.poll_direct().is_some());
}

#[test]
fn a_game_is_as_ready_as_its_storage() {
    let mut world = LateWorld::new();
    assert!(world.game.is_ready());
    world.game.host.storage_mut().as_mut().unwrap().is_ready = false;
    assert!(!world.game.is_ready());
}
