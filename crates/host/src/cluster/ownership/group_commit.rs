//! The group commit: while one statement is under way, the records of all games of this node gather, and the next statement
//! takes them all. At most one is in flight, and an unanswered one is sent again with backoff, byte for byte,
//! until it is answered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nuggets_time::Timestamp;

use super::JournalRows;
use crate::GameId;
use crate::cluster::routes::Epoch;

/// The bytes of one statement, so that it stays small enough for its time limit.
const MAX_BATCH_BYTES: usize = 1 << 20;
/// The time between the beginnings of two batches, so that records gather under load. An idle node commits at once.
const GATHER_MS: u64 = 2;
/// The wait before an unanswered batch is sent again; it doubles up to the limit.
const FIRST_RETRY_MS: u64 = 20;
const MAX_RETRY_MS: u64 = 500;
/// The wait if the rows of all games were locked by others.
const LOCKED_RETRY_MS: u64 = 5;

/// Counts the batches of this process. Output waits for the batch that stores what it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchNumber(pub u64);

/// One statement: renews the lease, proves that games are still ours, and appends to their journals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Its number.
    pub number: BatchNumber,
    /// True if it renews the lease of the node.
    pub is_renewal: bool,
    /// At most one for each game.
    pub entries: Vec<BatchEntry>,
}

/// The part of a batch that is about one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEntry {
    /// The game.
    pub game: GameId,
    /// The epoch in which it is ours.
    pub epoch: Epoch,
    /// The number of the row in the journal of the game, from 0.
    pub row: u64,
    /// The epoch in which the row before was written; without meaning for row 0. A row with the number of ours may be another's
    /// after the database has lost records.
    pub predecessor: Epoch,
    /// Empty if the entry only proves that the epoch is still ours.
    pub bytes: Vec<u8>,
}

/// The result for one game of a batch. None affects another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// Stored, now or by an earlier try, and the epoch is ours.
    Yes,
    /// Another transaction had locked the row of the game: it goes into the next batch.
    Skipped,
    /// Another node owns the game.
    Superseded,
    /// The game is ours, but records that were acknowledged are gone, or others are in their place.
    Lost,
}

/// The answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchAnswer {
    /// False if the node has no lease any more: another process has its name.
    pub has_lease: bool,
    /// The result for each game.
    pub games: Vec<(GameId, Appended)>,
}

/// One row of the database's answer to a batch, about one game.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column")]
pub struct CommitRow {
    /// The row of the game was locked, so it is ours.
    pub is_locked: bool,
    /// The records were added.
    pub is_added: bool,
    /// It was ours when the statement began.
    pub was_ours: bool,
    /// A row with this number was there before: whether it is the same.
    pub is_same: Option<bool>,
    /// The row before is there, and was written in the epoch that we know.
    pub has_predecessor: bool,
}

impl CommitRow {
    /// The result for an entry. One without records proves that nothing follows the last row that we know: a journal that was
    /// read from an old primary lacks rows.
    pub fn result(self, entry: &BatchEntry) -> Appended {
        let has_predecessor = entry.row == 0 || self.has_predecessor;
        match self {
            Self { is_locked: false, was_ours: true, .. } => Appended::Skipped,
            Self { is_locked: false, .. } => Appended::Superseded,
            _ if entry.bytes.is_empty() && (self.is_same.is_some() || !has_predecessor) => {
                Appended::Lost
            }
            _ if entry.bytes.is_empty() => Appended::Yes,
            Self { is_added: true, .. } | Self { is_same: Some(true), .. } => Appended::Yes,
            Self { is_same: Some(false), .. } => Appended::Lost,
            // An earlier try was committed after this statement began: the next one sees it.
            _ if has_predecessor => Appended::Skipped,
            _ => Appended::Lost,
        }
    }
}

/// The records of one game that are not known to be stored.
#[derive(Debug, Default)]
struct Records {
    epoch: Epoch,
    /// The number of rows that are stored, and the epoch of the last one.
    rows: u64,
    last_epoch: Epoch,
    gathered: Vec<u8>,
    /// The batch that the last caller was promised.
    promised: BatchNumber,
    /// Part of a batch that was sent: the same bytes are sent until they are answered.
    sent: Option<SentBatch>,
}

#[derive(Debug)]
struct SentBatch {
    bytes: Vec<u8>,
    promised: BatchNumber,
}

/// The records of all games of a node.
#[derive(Debug)]
pub(super) struct GroupCommit {
    games: BTreeMap<GameId, Records>,
    /// Games that the next batch must contain.
    waiting: BTreeSet<GameId>,
    /// The number of the next batch that is formed.
    next: BatchNumber,
    in_flight: Option<InFlight>,
    /// No batch is formed earlier.
    not_before: Timestamp,
}

#[derive(Debug)]
struct InFlight {
    batch: Arc<Batch>,
    sent_at: Timestamp,
    /// None while a statement is under way; else when to send it again.
    retry_at: Option<Timestamp>,
    retry_ms: u64,
}

/// The end of a batch.
#[derive(Debug)]
pub(super) struct Answered {
    /// The time at which it was first sent.
    pub(super) began: Timestamp,
    pub(super) is_renewal: bool,
    /// The games that were not skipped.
    pub(super) settled: Vec<AppendResult>,
}

/// The end of one game's part of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AppendResult {
    pub(super) game: GameId,
    pub(super) epoch: Epoch,
    pub(super) what: Appended,
    /// Everything up to this batch is stored, if it was appended.
    pub(super) stored: BatchNumber,
}

impl Default for GroupCommit {
    fn default() -> Self {
        Self {
            games: BTreeMap::new(),
            waiting: BTreeSet::new(),
            next: BatchNumber(1),
            in_flight: None,
            not_before: Timestamp(0),
        }
    }
}

impl GroupCommit {
    /// A game whose journal is this is appended to from now on.
    pub(super) fn open(&mut self, game: GameId, epoch: Epoch, journal: &JournalRows) {
        let JournalRows { rows, last_epoch, .. } = *journal;
        self.games.insert(game, Records { epoch, rows, last_epoch, ..Records::default() });
    }

    /// A game is not ours any more: what was not stored is dropped.
    pub(super) fn close(&mut self, game: GameId) {
        self.games.remove(&game);
        self.waiting.remove(&game);
    }

    /// Adds records, or only asks for a proof that the epoch is ours. Returns the batch to wait for; none if the game is
    /// not open in this epoch.
    pub(super) fn append(
        &mut self,
        game: GameId,
        epoch: Epoch,
        bytes: &[u8],
    ) -> Option<BatchNumber> {
        let records = self.games.get_mut(&game).filter(|records| records.epoch == epoch)?;
        records.gathered.extend_from_slice(bytes);
        records.promised = self.next;
        self.waiting.insert(game);
        Some(self.next)
    }

    /// True if everything of the game is stored.
    pub(super) fn is_stored(&self, game: GameId) -> bool {
        !self.waiting.contains(&game)
            && self.games.get(&game).is_none_or(|records| records.sent.is_none())
    }

    /// True if no record waits and no batch is under way. Then no deadline is near, so the next record must be announced.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_none() && self.waiting.is_empty()
    }

    /// The number of games that wait to be stored.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Asks for a proof for every game.
    pub(super) fn prove_all(&mut self) {
        for (game, records) in &mut self.games {
            records.promised = self.next;
            self.waiting.insert(*game);
        }
    }

    /// The time at which there is something to send; none while a statement is under way.
    pub(super) fn due(&self, now: Timestamp, renew_at: Timestamp) -> Option<Timestamp> {
        match &self.in_flight {
            Some(in_flight) => in_flight.retry_at,
            None if self.waiting.is_empty() => Some(renew_at),
            None => Some(now.max(self.not_before)),
        }
    }

    /// The statement to send now, if it is time: the one in flight again, or a new one.
    pub(super) fn poll(&mut self, now: Timestamp, renew_at: Timestamp) -> Option<Arc<Batch>> {
        self.due(now, renew_at).filter(|due| *due <= now)?;
        if self.in_flight.is_none() {
            let batch = Arc::new(self.form(now >= renew_at));
            self.not_before = now.after(GATHER_MS);
            self.in_flight =
                Some(InFlight { batch, sent_at: now, retry_at: None, retry_ms: FIRST_RETRY_MS });
        }
        let in_flight = self.in_flight.as_mut()?;
        in_flight.retry_at = None;
        Some(Arc::clone(&in_flight.batch))
    }

    fn form(&mut self, is_renewal: bool) -> Batch {
        let number = self.next;
        self.next = BatchNumber(number.0 + 1);
        let (mut entries, mut bytes) = (Vec::new(), 0);
        while bytes < MAX_BATCH_BYTES
            && let Some(game) = self.waiting.pop_first()
        {
            let Some(records) = self.games.get_mut(&game) else { continue };
            let entry = records.entry(game);
            bytes += entry.bytes.len();
            entries.push(entry);
        }
        Batch { number, is_renewal, entries }
    }

    /// The outcome is not known: the same batch is sent again.
    pub(super) fn handle_unanswered(&mut self, now: Timestamp) {
        if let Some(in_flight) = &mut self.in_flight {
            in_flight.retry_at = Some(now.after(in_flight.retry_ms));
            in_flight.retry_ms = (in_flight.retry_ms * 2).min(MAX_RETRY_MS);
        }
    }

    /// The batch in flight is answered.
    pub(super) fn handle_answer(
        &mut self,
        now: Timestamp,
        answer: &BatchAnswer,
    ) -> Option<Answered> {
        let in_flight = self.in_flight.take()?;
        let results: BTreeMap<GameId, Appended> = answer.games.iter().copied().collect();
        let entries = in_flight.batch.entries.iter();
        let settle = |entry: &BatchEntry| {
            let what = results.get(&entry.game).copied().unwrap_or(Appended::Skipped);
            self.finish_entry(entry, what)
        };
        let settled: Vec<AppendResult> = entries.filter_map(settle).collect();
        if settled.is_empty() && !in_flight.batch.entries.is_empty() {
            self.not_before = now.after(LOCKED_RETRY_MS);
        }
        let is_renewal = in_flight.batch.is_renewal;
        Some(Answered { began: in_flight.sent_at, is_renewal, settled })
    }

    fn finish_entry(&mut self, entry: &BatchEntry, what: Appended) -> Option<AppendResult> {
        let (game, epoch) = (entry.game, entry.epoch);
        // A game that was closed meanwhile, and perhaps opened again, has nothing to do with this batch.
        let records = self.games.get_mut(&game).filter(|records| records.epoch == epoch)?;
        if what == Appended::Skipped {
            self.waiting.insert(game);
            return None;
        }
        let sent = records.sent.take()?;
        if what == Appended::Yes && !sent.bytes.is_empty() {
            records.rows += 1;
            records.last_epoch = epoch;
        }
        if !records.gathered.is_empty() || records.promised > sent.promised {
            self.waiting.insert(game);
        }
        Some(AppendResult { game, epoch, what, stored: sent.promised })
    }
}

impl Records {
    /// The entry for the next batch: what was sent and not stored, or else what has gathered.
    fn entry(&mut self, game: GameId) -> BatchEntry {
        // A proof that was skipped has stored nothing, so records may take its place.
        let sent = self.sent.take().filter(|sent| !sent.bytes.is_empty());
        let (gathered, promised) = (&mut self.gathered, self.promised);
        let sent = sent.unwrap_or_else(|| SentBatch { bytes: std::mem::take(gathered), promised });
        let sent = self.sent.insert(sent);
        BatchEntry {
            game,
            epoch: self.epoch,
            row: self.rows,
            predecessor: self.last_epoch,
            bytes: sent.bytes.clone(),
        }
    }
}
