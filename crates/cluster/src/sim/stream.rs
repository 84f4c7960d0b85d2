//! A stream that three brokers replicate by majority, as JetStream does: a leader, terms, followers that lag, and disks that
//! lose their end. Much simpler than Raft, because the simulation sees all brokers at once, but with the same promises.

use std::sync::Arc;

use super::links::Links;
use super::rng::SimRng;
use crate::{EngineReply, LogName, RequestId, Seq, StoredMessage, Subject};

/// How many there are.
pub(super) const BROKERS: usize = 3;
const MAJORITY: usize = 2;
/// A leader without a majority steps down after this time. Until then its rejections are outdated.
const STEP_DOWN_MS: u64 = 300;
/// Messages in one reply to a read.
const MAX_READ: usize = 24;

/// Who gets the reply to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReplyTo {
    pub(super) node: usize,
    /// Which run of the process of that node.
    pub(super) incarnation: u64,
    /// The log whose journal asked; `None` for the node.
    pub(super) journal: Option<LogName>,
    pub(super) id: RequestId,
}

#[derive(Clone, Debug)]
pub(super) struct StoredEntry {
    term: u64,
    stored_at: u64,
    /// `None` for the entry with which a leader begins.
    pub(super) subject: Option<Subject>,
    pub(super) bytes: Arc<[u8]>,
}

#[derive(Debug, Default)]
struct Broker {
    is_down: bool,
    is_leader: bool,
    /// It has lost the end of its log, knows that, and does not vote until a leader has completed it.
    is_amnesiac: bool,
    term: u64,
    log: Vec<StoredEntry>,
    /// How many entries it knows to be committed.
    commit: usize,
    without_majority_since: Option<u64>,
    /// Acknowledgements that are owed, by the position of the entry.
    waiters: Vec<(usize, ReplyTo)>,
}

impl Broker {
    /// What it knows to be committed behind a sequence.
    fn committed_after(&self, after: Seq) -> impl Iterator<Item = (Seq, &StoredEntry)> {
        let skipped = usize::try_from(after.0).unwrap_or(usize::MAX).min(self.commit);
        (skipped as u64 + 1..).map(Seq).zip(&self.log[skipped..self.commit])
    }
}

/// One stream, at all brokers.
#[derive(Debug)]
pub(super) struct Stream {
    all: [Broker; BROKERS],
    election_at: Option<u64>,
    now: u64,
    /// How long it takes until a leader is elected.
    election_ms: (u64, u64),
    /// What is committed, as the world outside knows it.
    committed: Vec<StoredEntry>,
}

impl Stream {
    pub(super) fn new(election_ms: (u64, u64)) -> Self {
        let brokers = std::array::from_fn(|_| Broker::default());
        Self { all: brokers, election_at: None, now: 0, election_ms, committed: vec![] }
    }

    pub(super) fn set_election_ms(&mut self, election_ms: (u64, u64)) {
        self.election_ms = election_ms;
        self.election_at = None;
    }

    pub(super) fn is_down(&self, broker: usize) -> bool {
        self.all[broker].is_down
    }

    /// Everything that is committed, behind the first `skipped` entries.
    pub(super) fn committed_after(&self, skipped: usize) -> &[StoredEntry] {
        &self.committed[skipped..]
    }

    /// Stops a broker. With `loses`, it loses the last entries of its disk.
    pub(super) fn crash(&mut self, broker: usize, loses: usize) {
        let broker = &mut self.all[broker];
        broker.is_down = true;
        broker.is_leader = false;
        broker.waiters.clear();
        if loses > 0 {
            broker.log.truncate(broker.log.len().saturating_sub(loses));
            broker.commit = broker.commit.min(broker.log.len());
            broker.is_amnesiac = true;
        }
    }

    pub(super) fn restart(&mut self, broker: usize) {
        self.all[broker].is_down = false;
    }

    /// True if a broker has lost the end of its disk, and has not got it back.
    pub(super) fn is_damaged(&self) -> bool {
        self.all.iter().any(|broker| broker.is_amnesiac)
    }

    /// Elects this broker, if it can be. True if it leads.
    pub(super) fn elect_broker(&mut self, links: &Links, broker: usize) -> bool {
        if !self.all[broker].is_leader && self.voters(links, broker).count() >= MAJORITY {
            self.become_leader(links, broker);
        }
        self.all[broker].is_leader
    }

    /// All brokers lose power, and each what it has stored in the last time, without knowing it.
    pub(super) fn lose_power(&mut self, rng: &mut SimRng, most_ms: u64) {
        for number in 0..BROKERS {
            self.crash(number, 0);
            let broker = &mut self.all[number];
            let until = self.now.saturating_sub(rng.below(most_ms));
            let kept = broker.log.partition_point(|entry| entry.stored_at < until);
            broker.log.truncate(kept);
            broker.commit = broker.commit.min(kept);
        }
        self.committed.clear();
    }

    /// A publish arrives at a broker, which passes it to the leader.
    pub(super) fn publish(
        &mut self,
        links: &Links,
        at: usize,
        publish: SimPublish,
    ) -> Option<(ReplyTo, EngineReply)> {
        let Some(leader) = self.leader_for(links, at) else {
            return Some((publish.reply_to, EngineReply::NoLeader));
        };
        let broker = &mut self.all[leader];
        let is_same = |entry: &StoredEntry| entry.subject.as_ref() == Some(&publish.subject);
        let last = broker.log.iter().rposition(is_same).map_or(0, |position| position as u64 + 1);
        if publish.expected.is_some_and(|expected| expected.0 != last) {
            return Some((publish.reply_to, EngineReply::WrongSequence));
        }
        let SimPublish { subject, bytes, reply_to, .. } = publish;
        let (term, stored_at) = (broker.term, self.now);
        broker.log.push(StoredEntry { term, stored_at, subject: Some(subject), bytes });
        broker.waiters.push((broker.log.len(), reply_to));
        None
    }

    /// What a broker knows to be committed, which may be outdated.
    pub(super) fn read(&self, at: usize, subject: &Subject, after: Seq) -> EngineReply {
        let broker = &self.all[at];
        let mut found = broker
            .committed_after(after)
            .filter(|(_, entry)| entry.subject.as_ref() == Some(subject))
            .map(|(seq, entry)| StoredMessage { seq, bytes: Arc::clone(&entry.bytes) });
        let messages = found.by_ref().take(MAX_READ).collect();
        EngineReply::Messages { messages, is_end: found.next().is_none() }
    }

    /// The ownership records behind a position, and the position of the end; `None` if the stream is shorter than that.
    pub(super) fn watch(
        &self,
        at: usize,
        after: Seq,
    ) -> Option<(Vec<(LogName, StoredMessage)>, Seq)> {
        let broker = &self.all[at];
        let end = Seq(broker.commit as u64);
        if after > end {
            return None;
        }
        let news = broker.committed_after(after);
        let news = news.filter_map(|(seq, entry)| match &entry.subject {
            Some(Subject::Ownership(log)) => {
                Some((log.clone(), StoredMessage { seq, bytes: Arc::clone(&entry.bytes) }))
            }
            _ => None,
        });
        Some((news.collect(), end))
    }

    fn leader_for(&self, links: &Links, at: usize) -> Option<usize> {
        let leaders = (0..BROKERS).filter(|leader| {
            let broker = &self.all[*leader];
            broker.is_leader && !broker.is_down && links.are_brokers_connected(at, *leader)
        });
        leaders.max_by_key(|leader| self.all[*leader].term)
    }

    /// Time passes: leaders step down or are elected, entries are replicated and acknowledged.
    pub(super) fn tick(
        &mut self,
        now: u64,
        links: &Links,
        rng: &mut SimRng,
    ) -> Vec<(ReplyTo, EngineReply)> {
        self.now = now;
        self.step_down(now, links);
        self.elect(now, links, rng);
        self.replicate(links, rng);
        let mut acks = vec![];
        for leader in 0..BROKERS {
            self.commit(leader, &mut acks);
        }
        acks
    }

    fn reachable(&self, links: &Links, from: usize) -> impl Iterator<Item = usize> {
        (0..BROKERS).filter(move |to| {
            let is_up = !self.all[*to].is_down && !self.all[from].is_down;
            is_up && links.are_brokers_connected(from, *to)
        })
    }

    fn step_down(&mut self, now: u64, links: &Links) {
        for leader in 0..BROKERS {
            let has_majority = self.reachable(links, leader).count() >= MAJORITY;
            let broker = &mut self.all[leader];
            if has_majority || !broker.is_leader {
                broker.without_majority_since = None;
            } else if now - *broker.without_majority_since.get_or_insert(now) >= STEP_DOWN_MS {
                broker.is_leader = false;
                broker.waiters.clear();
            }
        }
    }

    fn elect(&mut self, now: u64, links: &Links, rng: &mut SimRng) {
        let has_leader = (0..BROKERS).any(|leader| {
            self.all[leader].is_leader && self.reachable(links, leader).count() >= MAJORITY
        });
        let candidates: Vec<usize> = (0..BROKERS)
            .filter(|candidate| self.voters(links, *candidate).count() >= MAJORITY)
            .collect();
        if has_leader || candidates.is_empty() {
            self.election_at = None;
            return;
        }
        let (least, most) = self.election_ms;
        let at = *self.election_at.get_or_insert_with(|| now + rng.between(least, most));
        if at > now {
            return;
        }
        self.election_at = None;
        let elected = candidates[rng.index(candidates.len())];
        self.become_leader(links, elected);
    }

    fn become_leader(&mut self, links: &Links, elected: usize) {
        let term = self.all.iter().map(|broker| broker.term).max().unwrap_or(0) + 1;
        let voters: Vec<usize> = self.voters(links, elected).collect();
        for voter in voters {
            let broker = &mut self.all[voter];
            broker.term = term;
            broker.is_leader = voter == elected;
            broker.waiters.clear();
        }
        let log = &mut self.all[elected].log;
        let stored_at = self.now;
        log.push(StoredEntry { term, stored_at, subject: None, bytes: Arc::from([]) });
    }

    /// Who votes for a candidate: brokers that have no later entry than it.
    fn voters(&self, links: &Links, candidate: usize) -> impl Iterator<Item = usize> {
        let end = |broker: &Broker| (broker.log.last().map(|entry| entry.term), broker.log.len());
        let candidate_end = end(&self.all[candidate]);
        let is_candidate_amnesiac = self.all[candidate].is_amnesiac;
        self.reachable(links, candidate).filter(move |voter| {
            let voter = &self.all[*voter];
            !is_candidate_amnesiac && !voter.is_amnesiac && end(voter) <= candidate_end
        })
    }

    fn replicate(&mut self, links: &Links, rng: &mut SimRng) {
        for leader in 0..BROKERS {
            if !self.all[leader].is_leader {
                continue;
            }
            let followers: Vec<usize> = self.reachable(links, leader).collect();
            for follower in followers.into_iter().filter(|follower| *follower != leader) {
                let is_behind = self.all[follower].term > self.all[leader].term;
                if !is_behind && rng.is_in_thousand(850) {
                    self.copy_log(leader, follower);
                }
            }
        }
    }

    fn copy_log(&mut self, leader: usize, follower: usize) {
        let [from, to] = self.all.get_disjoint_mut([leader, follower]).expect("two brokers");
        let shorter = from.log.len().min(to.log.len());
        // The same position and term mean the same entries up to there.
        let same = (0..shorter).rev().find(|at| from.log[*at].term == to.log[*at].term);
        to.log.truncate(same.map_or(0, |at| at + 1));
        to.log.extend_from_slice(&from.log[to.log.len()..]);
        to.term = from.term;
        to.commit = from.commit.min(to.log.len());
        to.is_leader = false;
        to.is_amnesiac = false;
    }

    fn commit(&mut self, leader: usize, acks: &mut Vec<(ReplyTo, EngineReply)>) {
        let broker = &self.all[leader];
        if !broker.is_leader || broker.is_down {
            return;
        }
        let is_stored = |other: &Broker, at: usize| {
            !other.is_amnesiac && other.log.get(at).map(|entry| entry.term) == Some(broker.term)
        };
        let stored_by = |at: usize| self.all.iter().filter(|it| is_stored(it, at)).count();
        // Only an entry of its own term proves that no other leader can drop it.
        let commit = (broker.commit..broker.log.len()).rev().find(|at| stored_by(*at) >= MAJORITY);
        let Some(commit) = commit.map(|at| at + 1) else { return };
        let log = &broker.log[..commit];
        let mut common = log.iter().zip(&self.committed);
        let is_kept =
            log.len() >= self.committed.len() && common.all(|(one, other)| one.term == other.term);
        assert!(is_kept, "the model of the engine has lost what it had committed");
        self.committed.extend_from_slice(&log[self.committed.len()..]);
        let broker = &mut self.all[leader];
        broker.commit = commit;
        broker.waiters.retain(|(position, reply_to)| {
            let is_waiting = *position > commit;
            if !is_waiting {
                acks.push((reply_to.clone(), EngineReply::Stored(Seq(*position as u64))));
            }
            is_waiting
        });
    }
}

/// A publish on its way.
#[derive(Clone, Debug)]
pub(super) struct SimPublish {
    pub(super) reply_to: ReplyTo,
    pub(super) subject: Subject,
    /// `None` publishes without a comparison: only with sabotage.
    pub(super) expected: Option<Seq>,
    pub(super) bytes: Arc<[u8]>,
}
