//! The journals of games as the database has them, and what must be true of them: one writer per epoch, no gap, nothing
//! ever changes, and nothing was shown that they don't have.

use std::collections::BTreeMap;

use nuggets_sim::host::{Seat, ViewLetter, WatchedJournal};
use nuggets_time::Timestamp;

use crate::players::Player;

/// All that is played happens at this time: only the order counts.
const AT: Timestamp = Timestamp(0);

/// The journals of the games of a test.
#[derive(Default)]
pub(crate) struct Journals {
    games: BTreeMap<String, WatchedJournal>,
    /// The process that has each epoch of each game.
    writers: BTreeMap<(String, u64), String>,
}

impl Journals {
    pub(crate) fn of(games: &[String]) -> Self {
        let games = games.iter().map(|id| (id.clone(), WatchedJournal::default())).collect();
        Self { games, ..Self::default() }
    }

    /// The recording of one finished game.
    pub(crate) fn of_finished(game: &str, hex: &str) -> Self {
        let mut journals = Self::of(&[game.to_owned()]);
        journals.game(game).add(0, 0, &from_hex(hex)).unwrap();
        journals
    }

    /// Reads what the database has got since the last time.
    pub(crate) fn read(&mut self, query: impl Fn(&str) -> String) {
        self.read_owners(&query);
        for (id, journal) in &mut self.games {
            let rows = query(&format!(
                "SELECT number, epoch, encode(bytes, 'hex') FROM journal
                 WHERE game = '{id}' AND number >= {} ORDER BY number",
                journal.rows()
            ));
            for row in rows.lines() {
                let fields: Vec<&str> = row.split('|').collect();
                let (number, epoch) = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
                let added = journal.add(number, epoch, &from_hex(fields[2]));
                added.unwrap_or_else(|why| panic!("journal of {id}: {why}"));
            }
        }
    }

    /// An epoch belongs to one process of one node.
    fn read_owners(&mut self, query: impl Fn(&str) -> String) {
        for row in query("SELECT game, epoch, node, run FROM running").lines() {
            let mut fields = row.splitn(3, '|');
            let (game, epoch) = (fields.next().unwrap(), fields.next().unwrap());
            let writer = fields.next().unwrap();
            let key = (game.to_owned(), epoch.parse().unwrap());
            let known = self.writers.entry(key).or_insert_with(|| writer.to_owned());
            assert_eq!(known, writer, "two writers of game {game} in epoch {epoch}");
        }
    }

    /// The last epoch of a game that has an owner.
    pub(crate) fn last_epoch(&self, game: &str) -> u64 {
        let of_game = self.writers.keys().filter(|(id, _)| id == game);
        of_game.map(|(_, epoch)| *epoch).max().unwrap_or(0)
    }

    /// Reads everything again: it is what was read row by row.
    pub(crate) fn check_unchanged(&mut self, query: impl Fn(&str) -> String) {
        let games: Vec<String> = self.games.keys().cloned().collect();
        let mut again = Self::of(&games);
        again.read(query);
        for (id, journal) in &self.games {
            let bytes = again.games[id].bytes();
            assert!(bytes.starts_with(journal.bytes()), "the journal of {id} was changed");
        }
    }

    fn game(&mut self, id: &str) -> &mut WatchedJournal {
        self.games.get_mut(id).expect("a game that is followed")
    }

    /// Finds what clients were shown, in order, in the journals that were read.
    pub(crate) fn find_shown(&mut self, players: &mut [Player]) {
        for player in players {
            let journal = self.game(&player.game);
            let found = journal.play(AT).and_then(|truth| truth.find(&mut player.shown, AT));
            found.unwrap_or_else(|why| panic!("{:?} of game {}: {why}", player.name, player.game));
        }
    }

    /// The players of a game, with the keys that have moved them.
    pub(crate) fn seats(&mut self, game: &str) -> &mut [Seat] {
        &mut self.game(game).play(AT).unwrap().seats
    }

    /// The picture of this view of a game at the end of its journal.
    pub(crate) fn current(&self, id: &str, view: ViewLetter) -> Option<String> {
        self.games.get(id)?.truth.current(view).map(|picture| picture.rows.clone())
    }

    /// The number of rows of all journals, and of the pictures that were found in them.
    pub(crate) fn size(&self) -> (u64, u64) {
        let journals = self.games.values();
        journals.fold((0, 0), |(rows, found), it| (rows + it.rows(), found + it.truth.found))
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}
