//! Three brokers with all streams: who owns which log, and the two streams of records. Each stream has a leader of its own.

use super::links::Links;
use super::rng::SimRng;
use super::stream::{ReplyTo, SimPublish, StoredEntry, Stream};
use crate::{EngineReply, LogName, LogStream, Seq, StoredMessage, Subject};

pub(super) use super::stream::BROKERS;

/// All streams: ownership, and the two of records.
pub(super) const STREAMS: usize = 3;
/// How long an election takes.
const FAST_ELECTION_MS: (u64, u64) = (100, 500);
/// The same for JetStream.
const SLOW_ELECTION_MS: (u64, u64) = (4_000, 9_000);

/// All brokers.
#[derive(Debug)]
pub(super) struct Brokers {
    streams: [Stream; STREAMS],
}

/// The stream of a subject.
fn number_of(subject: &Subject) -> usize {
    match subject {
        Subject::Ownership(_) => 0,
        Subject::Log(_, LogStream::First) => 1,
        Subject::Log(_, LogStream::Second) => 2,
    }
}

impl Brokers {
    pub(super) fn new() -> Self {
        Self { streams: std::array::from_fn(|_| Stream::new(FAST_ELECTION_MS)) }
    }

    pub(super) fn is_down(&self, broker: usize) -> bool {
        self.streams[0].is_down(broker)
    }

    /// Elections take as long as those of JetStream, or less, so that a run is short.
    pub(super) fn set_slow_elections(&mut self, is_slow: bool) {
        for stream in &mut self.streams {
            stream.set_election_ms(if is_slow { SLOW_ELECTION_MS } else { FAST_ELECTION_MS });
        }
    }

    /// Everything that is committed in each stream, behind the first `skipped` entries of it.
    pub(super) fn committed_after(&self, skipped: &mut [usize; STREAMS]) -> Vec<StoredEntry> {
        let mut news = vec![];
        for (stream, skipped) in self.streams.iter().zip(skipped) {
            let committed = stream.committed_after(*skipped);
            *skipped += committed.len();
            news.extend_from_slice(committed);
        }
        news
    }

    /// Stops a broker. With `loses`, it loses the last entries of its disk; only one broker at a time may.
    pub(super) fn crash(&mut self, broker: usize, loses: usize) {
        let may_lose = !self.streams.iter().any(Stream::is_damaged);
        for stream in &mut self.streams {
            stream.crash(broker, if may_lose { loses } else { 0 });
        }
    }

    pub(super) fn restart(&mut self, broker: usize) {
        for stream in &mut self.streams {
            stream.restart(broker);
        }
    }

    /// All brokers lose power, and each what it has stored in the last time, without knowing it.
    pub(super) fn lose_power(&mut self, rng: &mut SimRng, most_ms: u64) {
        for stream in &mut self.streams {
            stream.lose_power(rng, most_ms);
        }
    }

    /// Gives the two streams of records different leaders, as nodes do. True if it is so.
    pub(super) fn spread_leaders(&mut self, links: &Links) -> bool {
        let mut is_spread = true;
        for (stream, leader) in self.streams.iter_mut().zip([0, 0, 1]) {
            is_spread &= stream.elect_broker(links, leader);
        }
        is_spread
    }

    /// A publish arrives at a broker.
    pub(super) fn publish(
        &mut self,
        links: &Links,
        at: usize,
        publish: SimPublish,
    ) -> Option<(ReplyTo, EngineReply)> {
        self.streams[number_of(&publish.subject)].publish(links, at, publish)
    }

    /// What a broker knows to be committed, which may be outdated.
    pub(super) fn read(&self, at: usize, subject: &Subject, after: Seq) -> EngineReply {
        self.streams[number_of(subject)].read(at, subject, after)
    }

    /// The ownership records behind a position, and the position of the end; `None` if the stream is shorter than that.
    pub(super) fn watch(
        &self,
        at: usize,
        after: Seq,
    ) -> Option<(Vec<(LogName, StoredMessage)>, Seq)> {
        self.streams[0].watch(at, after)
    }

    /// Time passes.
    pub(super) fn tick(
        &mut self,
        now: u64,
        links: &Links,
        rng: &mut SimRng,
    ) -> Vec<(ReplyTo, EngineReply)> {
        self.streams.iter_mut().flat_map(|stream| stream.tick(now, links, rng)).collect()
    }
}
