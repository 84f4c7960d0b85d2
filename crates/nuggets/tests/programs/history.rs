//! The history in a journal, compared with what clients were sent.

use std::collections::VecDeque;

use nuggets_game::{Canvas, Changes, Game, Letter, Player, Viewer};
use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};
use nuggets_record::{RecordedEvent, Recording, verify};

/// What one client was shown and has not been found in the history yet, in order.
#[derive(Default)]
pub(crate) struct Shown {
    letter: Option<Letter>,
    pictures: VecDeque<Vec<u8>>,
    /// Purse and remaining.
    gold: VecDeque<(u32, u32)>,
    last_purse: u32,
    pub(crate) has_picture: bool,
    pub(crate) has_end: bool,
}

/// A game as far as its journal was read.
pub(crate) struct History {
    bytes: Vec<u8>,
    done: usize,
    game: Game,
    players: Vec<Canvas>,
    spectator: Canvas,
    changes: Changes,
    /// How many pictures were found in it.
    pub(crate) found: usize,
}

impl Shown {
    pub(crate) fn letter(&self) -> Option<Letter> {
        self.letter
    }

    pub(crate) fn add(&mut self, message: &ServerMessage, bytes: &[u8]) {
        match message {
            ServerMessage::Ok(letter) => {
                let mut letters = (0..).map_while(Letter::nth);
                let letter = letters.find(|one| one.to_string() == letter.to_string());
                assert!(self.letter.is_none() || self.letter == letter, "another letter");
                self.letter = letter;
            }
            ServerMessage::Gold { purse, remaining, .. } => {
                assert!(*purse >= self.last_purse, "a purse of {} is now {purse}", self.last_purse);
                self.last_purse = *purse;
                self.gold.push_back((*purse, *remaining));
            }
            ServerMessage::Display(_) => {
                self.has_picture = true;
                self.pictures.push_back(bytes.to_vec());
            }
            ServerMessage::Quit(_) => self.has_end = true,
            _ => {}
        }
    }
}

impl History {
    /// The history in a journal that has just been begun.
    pub(crate) fn begin(journal: &[u8]) -> Self {
        let reading = Recording::read(journal).unwrap();
        let game = reading.recording.header.game().unwrap();
        let spectator = Canvas::new(&game, Viewer::Spectator, DISPLAY_HEAD);
        let players = vec![];
        let changes = Changes::default();
        Self { bytes: vec![], done: 0, game, players, spectator, changes, found: 0 }
    }

    /// Continues with the journal as it is now. It must be the same game, continued, and everything
    /// that was ever sent must be in it, in the same order.
    pub(crate) fn extend(&mut self, journal: &[u8], clients: &mut [&mut Shown]) {
        assert!(journal.starts_with(&self.bytes), "the journal has changed");
        let reading = Recording::read(journal).unwrap();
        self.bytes = journal[..reading.good_bytes].to_vec();
        let verified = verify(&reading.recording).unwrap();
        self.find(clients);
        for entry in reading.recording.entries().skip(self.done) {
            self.step(&entry.what);
            self.find(clients);
        }
        self.done = reading.recording.entries().len();
        assert_eq!(self.game.state_hash(), verified.game.state_hash());
        for shown in clients {
            assert!(
                shown.pictures.is_empty() && shown.gold.is_empty(),
                "{:?} was sent what is not in the journal: {:?} {:?}",
                shown.letter,
                shown.gold,
                shown.pictures.front().map(|picture| String::from_utf8_lossy(picture))
            );
        }
    }

    fn step(&mut self, what: &RecordedEvent) {
        let Some(input) = what.input() else { return };
        let mut events = vec![];
        self.game.apply(input, &mut events);
        self.changes.read(&events);
        for canvas in self.players.iter_mut().chain([&mut self.spectator]) {
            canvas.update(&self.game, &self.changes);
        }
        if let RecordedEvent::Join { .. } = what {
            let viewer = Viewer::Player(Letter::nth(self.players.len()).unwrap());
            self.players.push(Canvas::new(&self.game, viewer, DISPLAY_HEAD));
        }
    }

    /// Removes what the clients were sent of the current state.
    fn find(&mut self, clients: &mut [&mut Shown]) {
        for shown in clients {
            let (canvas, purse) = match shown.letter {
                None => (&self.spectator, 0),
                Some(letter) if letter.index() < self.players.len() => {
                    (&self.players[letter.index()], self.game.player(letter).purse())
                }
                Some(_) => continue,
            };
            while shown.pictures.front().is_some_and(|picture| picture == canvas.bytes()) {
                shown.pictures.pop_front();
                self.found += 1;
            }
            while shown.gold.front() == Some(&(purse, self.game.remaining())) {
                shown.gold.pop_front();
            }
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.game.end().is_some()
    }

    pub(crate) fn purses(&self) -> u32 {
        self.game.players().iter().map(Player::purse).sum()
    }

    pub(crate) fn table(&self) -> String {
        self.game.table().to_string()
    }
}
