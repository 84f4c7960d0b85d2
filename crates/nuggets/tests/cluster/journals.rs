//! The journals of games as the database has them, and what must be true of them: one writer per epoch, no gap, nothing
//! ever changes, and nothing was shown that they don't have.

use std::collections::BTreeMap;

use nuggets_record::{RecordedEvent, Recording};
use nuggets_sim::host::{Shown, Truth, ViewLetter};
use nuggets_time::Timestamp;

/// All that is played happens at this time: only the order counts.
const AT: Timestamp = Timestamp(0);

/// The journals of the games of a test.
pub(crate) struct Journals {
    games: BTreeMap<String, Journal>,
    /// The process that has each epoch of each game.
    writers: BTreeMap<(String, u64), String>,
}

/// One journal, checked as it was read.
#[derive(Default)]
pub(crate) struct Journal {
    /// The number of the next row.
    next: u64,
    pub(crate) epoch: u64,
    bytes: Vec<u8>,
    truth: Option<Truth>,
}

impl Journals {
    pub(crate) fn of(games: &[String]) -> Self {
        let games = games.iter().map(|id| (id.clone(), Journal::default())).collect();
        Self { games, writers: BTreeMap::new() }
    }

    /// Reads what the database has got since the last time.
    pub(crate) fn read(&mut self, query: impl Fn(&str) -> String) {
        self.read_owners(&query);
        for (id, journal) in &mut self.games {
            let rows = query(&format!(
                "SELECT number, epoch, encode(bytes, 'hex') FROM journal
                 WHERE game = '{id}' AND number >= {} ORDER BY number",
                journal.next
            ));
            for row in rows.lines() {
                journal.add(row).unwrap_or_else(|why| panic!("journal of {id}: {why}"));
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
            let bytes = &again.games[id].bytes;
            assert!(bytes.starts_with(&journal.bytes), "the journal of {id} was changed");
        }
    }

    pub(crate) fn game(&mut self, id: &str) -> &mut Journal {
        self.games.get_mut(id).expect("a game that is followed")
    }

    /// The picture of this view of a game at the end of its journal.
    pub(crate) fn current(&self, id: &str, view: ViewLetter) -> Option<String> {
        let truth = self.games.get(id)?.truth.as_ref()?;
        truth.current(view).map(|picture| picture.rows.clone())
    }

    /// The number of rows and bytes.
    pub(crate) fn size(&self) -> (u64, usize) {
        let journals = self.games.values();
        journals.fold((0, 0), |(rows, bytes), it| (rows + it.next, bytes + it.bytes.len()))
    }

    /// The number of pictures that were found.
    pub(crate) fn found(&self) -> u64 {
        self.games.values().filter_map(|it| it.truth.as_ref()).map(|truth| truth.found).sum()
    }
}

impl Journal {
    /// The recording of a finished game.
    pub(crate) fn finished(bytes: &str) -> Self {
        let mut journal = Self { bytes: from_hex(bytes).unwrap(), ..Self::default() };
        journal.play();
        journal
    }

    /// A row: number, epoch and bytes.
    fn add(&mut self, row: &str) -> Result<(), String> {
        let mut fields = row.split('|');
        let mut number = || fields.next().and_then(|it| it.parse::<u64>().ok()).ok_or(row);
        let (number, epoch) = (number()?, number()?);
        if number != self.next {
            return Err(format!("row {number} instead of {}", self.next));
        }
        if epoch < self.epoch {
            return Err(format!("row {number} of epoch {epoch} after epoch {}", self.epoch));
        }
        self.next += 1;
        self.epoch = epoch;
        self.bytes.extend(from_hex(fields.next().unwrap_or_default())?);
        Ok(())
    }

    /// The keys that moved this player, in order.
    pub(crate) fn keys_of(&self, player: char) -> Vec<char> {
        let pressed = |what: &RecordedEvent| match what {
            RecordedEvent::Press(letter, stroke) if char::from(letter.as_byte()) == player => {
                Some(char::from(stroke.key()))
            }
            _ => None,
        };
        let journal = Recording::read(&self.bytes).unwrap();
        journal.recording.entries().filter_map(|entry| pressed(&entry.what)).collect()
    }

    /// The number of people and bots that have joined.
    pub(crate) fn players(&self) -> usize {
        let joined = |what: &RecordedEvent| matches!(what, RecordedEvent::Join { .. });
        let journal = Recording::read(&self.bytes).unwrap();
        journal.recording.entries().filter(|entry| joined(&entry.what)).count()
    }

    /// Plays on what was read since the last time.
    pub(crate) fn play(&mut self) {
        let Self { truth, bytes, .. } = self;
        let good_bytes = Recording::read(bytes).unwrap().good_bytes;
        assert_eq!(good_bytes, bytes.len(), "the rows are not a whole journal");
        match truth {
            Some(truth) => truth.extend(AT, bytes).unwrap(),
            None => *truth = Some(Truth::begin(AT, bytes).unwrap()),
        }
    }

    /// Finds what a client was shown, in order.
    pub(crate) fn find(&mut self, shown: &mut Shown) {
        let truth = self.truth.as_mut().expect("played");
        let client = if shown.is_classic { "a UDP client" } else { "a WebSocket" };
        truth.find(shown, AT).unwrap_or_else(|why| panic!("{client}: {why}"));
    }
}

fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let digits = |at: usize| text.get(at..at + 2).and_then(|it| u8::from_str_radix(it, 16).ok());
    (0..text.len()).step_by(2).map(|at| digits(at).ok_or_else(|| text.to_owned())).collect()
}

#[test]
fn a_gap_and_an_old_epoch_are_noticed() {
    let check = |rows: &[&str]| {
        let mut journal = Journal::default();
        rows.iter().try_for_each(|row| journal.add(row))
    };
    assert_eq!(check(&["0|1|00ff", "1|1|07", "2|3|07"]), Ok(()));
    for wrong in [&["0|1|00", "2|1|00"][..], &["0|2|00", "1|1|00"], &["1|1|00"], &["0|1|0x"]] {
        assert!(check(wrong).is_err(), "{wrong:?}");
    }
}
