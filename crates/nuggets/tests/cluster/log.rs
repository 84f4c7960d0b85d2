//! The logs of the games as the brokers have them, and what must be true of them: one writer per epoch, no gap, no key
//! twice, and nothing was shown that they don't have.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use nuggets_cluster::nats::{LOG_STREAMS, Nats, NatsOptions, NodeStatus, ask_status};
use nuggets_cluster::{ConnectionId, Epoch, LogMerge, LogRecord, RecordBody, Seq, StoredMessage};
use nuggets_host::sim::{Shown, Truth, View};
use nuggets_record::{Recording, What};
use nuggets_time::Timestamp;
use tokio::runtime::Runtime;

use crate::{LIMIT, now};

/// What a log's subject begins with.
const SUBJECT: &str = "nuggets.log.";
/// How long nodes have to say how they are.
const STATUS_WAIT: Duration = Duration::from_millis(300);

/// A reader of the logs of some games.
pub(crate) struct Logs {
    runtime: Runtime,
    nats: Nats,
    /// The last sequence of each stream that was read.
    read: [Seq; LOG_STREAMS.len()],
    games: BTreeMap<String, GameLog>,
}

/// One log, checked as it was read.
#[derive(Default)]
pub(crate) struct GameLog {
    /// The records of both streams.
    merge: LogMerge,
    /// The number of its last record.
    index: u64,
    epoch: Option<Epoch>,
    /// When each `Opened` record was read, with its epoch and node.
    pub(crate) opened: Vec<(Instant, Epoch, String)>,
    /// All bytes of its batches: the journal of a game.
    journal: Vec<u8>,
    /// The place in the journal behind each batch, and how many keys its marks stand for.
    batches: Vec<(usize, u64)>,
    checked_batches: usize,
    marks: BTreeMap<ConnectionId, u64>,
    truth: Option<Truth>,
}

impl Logs {
    /// Connects to the brokers, to read the logs of these games.
    pub(crate) fn connect(urls: &str, games: &[String]) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let options = NatsOptions::new(urls.split(',').map(str::to_owned).collect());
        let nats = runtime.block_on(Nats::connect(&options, "test")).unwrap();
        let games = games.iter().map(|id| (id.clone(), GameLog::default())).collect();
        Self { runtime, nats, read: [Seq(0); LOG_STREAMS.len()], games }
    }

    /// Asks all nodes how they are.
    pub(crate) fn status(&self) -> Vec<NodeStatus> {
        self.runtime.block_on(ask_status(&self.nats, STATUS_WAIT)).unwrap_or_default()
    }

    /// Waits until all brokers have everything, and nodes have seen to it that leaders are spread: then any one broker may die,
    /// and the next fault is not measured together with the last one.
    pub(crate) fn wait_until_settled(&self) {
        let started = now();
        while !self.runtime.block_on(self.nats.is_settled()) {
            assert!(started.elapsed() < LIMIT, "the brokers do not settle");
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Reads everything that the brokers have now.
    pub(crate) fn read_all(&mut self) {
        let started = now();
        let last_of = |stream| loop {
            if let Some(last) = self.runtime.block_on(self.nats.last_seq(stream)) {
                break Seq(last);
            }
            assert!(started.elapsed() < LIMIT, "the brokers don't say how much they have");
        };
        let last = LOG_STREAMS.map(last_of);
        while self.read.iter().zip(last).any(|(read, last)| *read < last) {
            let read = self.read;
            assert!(started.elapsed() < LIMIT, "the brokers have {last:?}, read is {read:?}");
            self.read_some();
        }
        for (name, log) in &self.games {
            assert!(!log.merge.has_gap(), "log {name}: a record is missing");
        }
    }

    /// Reads what any broker has now. It may lack the latest.
    pub(crate) fn read_some(&mut self) {
        let mut is_end = true;
        for (number, stream) in LOG_STREAMS.into_iter().enumerate() {
            let subjects = format!("{SUBJECT}{}.*", number + 1);
            let read = self.nats.read_batch(stream, &subjects, self.read[number]);
            let Ok(batch) = self.runtime.block_on(read) else { continue };
            is_end &= batch.is_end;
            for (subject, message) in batch.messages {
                assert!(message.seq > self.read[number], "the stream goes back");
                self.read[number] = message.seq;
                let name = subject.rsplit('.').next().unwrap();
                // The other ones are no games.
                let Some(log) = self.games.get_mut(name) else { continue };
                log.add_stored(&message).unwrap_or_else(|why| panic!("log {name}: {why}"));
            }
        }
        if is_end {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The log of a game.
    pub(crate) fn game(&mut self, id: &str) -> &mut GameLog {
        self.games.get_mut(id).expect("a game that is followed")
    }

    /// What this view of a game shows at the end of its log.
    pub(crate) fn current(&self, id: &str, view: View) -> Option<String> {
        let truth = self.games.get(id)?.truth.as_ref()?;
        truth.current(view).map(|picture| picture.rows.clone())
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> u64 {
        self.games.values().map(|log| log.index).sum()
    }
}

impl GameLog {
    /// A message of one of the streams.
    fn add_stored(&mut self, message: &StoredMessage) -> Result<(), String> {
        let record = LogRecord::decode(&message.bytes).map_err(|why| why.to_string())?;
        if !matches!(record.body, RecordBody::Fence { .. }) {
            self.merge.add(record, &message.bytes).map_err(|why| why.to_string())?;
        }
        let seen = now();
        while let Some((record, _)) = self.merge.poll().map_err(|why| why.to_string())? {
            self.add(record, seen)?;
        }
        Ok(())
    }

    fn add(&mut self, record: LogRecord, seen: Instant) -> Result<(), String> {
        let LogRecord { epoch, index, body } = record;
        if index != self.index + 1 {
            return Err(format!("record {index} follows {}", self.index));
        }
        self.index = index;
        match body {
            RecordBody::Opened { by } => {
                if self.epoch.is_some_and(|before| epoch <= before) {
                    return Err(format!("{epoch:?} is opened after {:?}", self.epoch));
                }
                self.epoch = Some(epoch);
                self.opened.push((seen, epoch, by.node.as_str().to_owned()));
            }
            RecordBody::Batch { bytes, marks } => {
                if self.epoch != Some(epoch) {
                    return Err(format!("a record of {epoch:?} in {:?}", self.epoch));
                }
                self.journal.extend(bytes);
                let mut applied = 0;
                for mark in marks {
                    let last = self.marks.entry(mark.connection).or_default();
                    if mark.number <= *last {
                        return Err(format!("frame {} is applied after {last}", mark.number));
                    }
                    applied += mark.number - *last;
                    *last = mark.number;
                }
                self.batches.push((self.journal.len(), applied));
            }
            RecordBody::Fence { .. } => return Err("a fence is no part of the log".into()),
        }
        Ok(())
    }

    /// The keys that moved this player, in order.
    pub(crate) fn keys_of(&self, player: char) -> Vec<char> {
        let pressed = |what: &What| match what {
            What::Press(letter, stroke) if char::from(letter.as_byte()) == player => {
                Some(char::from(stroke.key()))
            }
            _ => None,
        };
        let journal = Recording::read(&self.journal).unwrap();
        journal.recording.entries().filter_map(|entry| pressed(&entry.what)).collect()
    }

    /// Plays on what was read since the last time, and checks that no batch has more moves than frames. The players
    /// over UDP send no frames: they talk to the owner itself.
    pub(crate) fn play(&mut self, over_udp: &[char]) {
        let at = Timestamp(0);
        self.check_batches(over_udp);
        let Self { truth, journal, .. } = self;
        match truth {
            Some(truth) => truth.extend(at, journal).unwrap(),
            None => *truth = Some(Truth::begin(at, journal).unwrap()),
        }
    }

    fn check_batches(&mut self, over_udp: &[char]) {
        let reading = Recording::read(&self.journal).unwrap();
        assert_eq!(reading.good_bytes, self.journal.len(), "the log has no whole journal");
        let mut start = match self.checked_batches {
            0 => 0,
            checked => self.batches[checked - 1].0,
        };
        let records = &reading.recording.records;
        for (end, keys) in &self.batches[self.checked_batches..] {
            let first = records.partition_point(|record| record.offset < start);
            let last = records.partition_point(|record| record.offset < *end);
            let is_move = |what: &What| match what {
                What::Press(letter, _) => !over_udp.contains(&char::from(letter.as_byte())),
                _ => false,
            };
            let moves = records[first..last].iter().filter(|it| is_move(&it.entry.what)).count();
            assert!(moves as u64 <= *keys, "{moves} moves in a batch of {keys} frames");
            start = *end;
        }
        self.checked_batches = self.batches.len();
    }

    /// Finds what a client was shown, in order.
    pub(crate) fn find(&mut self, shown: &mut Shown) {
        let truth = self.truth.as_mut().expect("played");
        let client = if shown.is_classic { "a UDP client" } else { "a WebSocket" };
        truth.find(shown, Timestamp(0)).unwrap_or_else(|why| panic!("{client}: {why}"));
    }

    /// How many pictures were found.
    pub(crate) fn found(&self) -> u64 {
        self.truth.as_ref().map_or(0, |truth| truth.found)
    }
}

#[cfg(test)]
mod tests {
    use nuggets_cluster::{Instance, Mark, NodeId};

    use super::*;

    fn opened(index: u64, epoch: u64) -> LogRecord {
        let by = Instance { node: NodeId::new("one").unwrap(), incarnation: 1 };
        LogRecord { epoch: Epoch(epoch), index, body: RecordBody::Opened { by } }
    }

    fn batch(index: u64, epoch: u64, number: u64) -> LogRecord {
        let by = Instance { node: NodeId::new("one").unwrap(), incarnation: 1 };
        let connection = ConnectionId { edge: by, number: 1 };
        let marks = vec![Mark { connection, number, attempt: None }];
        let body = RecordBody::Batch { bytes: vec![], marks };
        LogRecord { epoch: Epoch(epoch), index, body }
    }

    fn check(records: Vec<LogRecord>) -> Result<(), String> {
        let mut log = GameLog::default();
        records.into_iter().try_for_each(|record| log.add(record, now()))
    }

    #[test]
    fn a_gap_two_writers_and_a_repeated_frame_are_noticed() {
        assert_eq!(check(vec![opened(1, 1), batch(2, 1, 5), opened(3, 2), batch(4, 2, 6)]), Ok(()));
        for wrong in [
            vec![opened(1, 1), batch(3, 1, 5)],
            vec![opened(1, 1), opened(2, 1)],
            vec![opened(1, 2), opened(2, 1)],
            vec![opened(1, 1), opened(2, 2), batch(3, 1, 5)],
            vec![opened(1, 1), batch(2, 1, 5), batch(3, 1, 5)],
            vec![batch(1, 1, 5)],
        ] {
            assert!(check(wrong.clone()).is_err(), "{wrong:?}");
        }
    }
}
