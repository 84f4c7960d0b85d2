//! Nodes in virtual time, with an engine that answers at once: heartbeats, take-over, hand-over.

use std::sync::Arc;

use super::*;
use crate::{DEAD_AFTER_MS, EngineCall, NodeId, StoredMessage, Subject};

fn log() -> LogName {
    LogName::new("game").unwrap()
}

/// Nodes that hear each other, unless they are silenced, and one ownership subject.
struct Cluster {
    now: Timestamp,
    nodes: Vec<Node>,
    /// Nodes whose messages do not arrive.
    mute: Vec<usize>,
    /// Nodes that nothing arrives at.
    deaf: Vec<usize>,
    record: Option<StoredMessage>,
    seq: u64,
    events: Vec<(usize, NodeEvent)>,
}

impl Cluster {
    fn new(names: &[&str]) -> Self {
        let now = Timestamp(0);
        let node = |name: &&str| {
            let node = NodeId::new(name).unwrap();
            Node::new(now, Instance { node, incarnation: 1 })
        };
        let nodes = names.iter().map(node).collect();
        let (mute, deaf, events) = (vec![], vec![], vec![]);
        let mut cluster = Self { now, nodes, mute, deaf, record: None, seq: 0, events };
        cluster.run(500);
        cluster
    }

    fn run(&mut self, ms: u64) {
        for _ in 0..ms / 10 {
            self.now = self.now.after(10);
            for number in 0..self.nodes.len() {
                self.nodes[number].handle_timeout(self.now);
            }
            self.settle();
        }
    }

    fn settle(&mut self) {
        for number in 0..self.nodes.len() {
            while let Some(heartbeat) = self.nodes[number].poll_heartbeat() {
                self.broadcast(number, &heartbeat);
            }
            while let Some(request) = self.nodes[number].poll_request() {
                self.answer(number, request);
            }
        }
        for (number, node) in self.nodes.iter_mut().enumerate() {
            while let Some(event) = node.poll_event() {
                self.events.push((number, event));
            }
        }
    }

    fn broadcast(&mut self, from: usize, heartbeat: &Heartbeat) {
        for to in 0..self.nodes.len() {
            if !self.mute.contains(&from) && !self.deaf.contains(&to) {
                self.nodes[to].handle_heartbeat(self.now, heartbeat.clone());
            }
        }
    }

    fn answer(&mut self, from: usize, request: EngineRequest) {
        if self.mute.contains(&from) {
            return;
        }
        let last = self.record.as_ref().map_or(Seq(0), |record| record.seq);
        let reply = match request.call {
            EngineCall::Publish { subject, expected, bytes } => {
                assert_eq!(subject, Subject::Ownership(log()));
                if expected == last { self.store(bytes) } else { EngineReply::WrongSequence }
            }
            EngineCall::Read { .. } => {
                let messages = self.record.iter().cloned().collect();
                EngineReply::Messages { messages, is_end: true }
            }
        };
        if !self.deaf.contains(&from) {
            self.nodes[from].handle_reply(self.now, request.id, reply);
        }
    }

    fn store(&mut self, bytes: Arc<[u8]>) -> EngineReply {
        self.seq += 3;
        let record = StoredMessage { seq: Seq(self.seq), bytes };
        for number in (0..self.nodes.len()).filter(|number| !self.deaf.contains(number)) {
            let node = &mut self.nodes[number];
            node.handle_ownership(self.now, &log(), record.seq, &record.bytes);
        }
        self.record = Some(record);
        EngineReply::Stored(Seq(self.seq))
    }

    fn create(&mut self, number: usize) {
        self.nodes[number].create(self.now, &log(), vec![]).unwrap();
        self.settle();
        assert_eq!(self.opened(), [(number, Epoch(1))]);
    }

    /// Who was told to open the log since the last time.
    fn opened(&mut self) -> Vec<(usize, Epoch)> {
        let events = std::mem::take(&mut self.events);
        let opened = events.into_iter().filter_map(|(number, event)| match event {
            NodeEvent::Open { epoch, .. } => Some((number, epoch)),
            _ => None,
        });
        opened.collect()
    }
}

#[test]
fn a_node_that_hears_nobody_creates_nothing() {
    let me = Instance { node: NodeId::new("a").unwrap(), incarnation: 1 };
    let mut node = Node::new(Timestamp(0), me);
    assert_eq!(node.create(Timestamp(0), &log(), vec![]), Err(CreateError::NotReady));
    assert_eq!(node.condition(Timestamp(0)), Condition::CutOff);
}

#[test]
fn the_least_loaded_node_takes_over_from_one_that_is_silent() {
    let mut cluster = Cluster::new(&["a", "b", "c"]);
    cluster.create(0);
    cluster.mute.push(0);
    cluster.run(DEAD_AFTER_MS - 300);
    assert_eq!(cluster.opened(), []);
    cluster.run(800);
    assert_eq!(cluster.opened(), [(1, Epoch(2))]);
}

#[test]
fn a_node_that_is_heard_but_hears_nothing_is_replaced() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    cluster.deaf.push(0);
    cluster.run(2_500);
    assert_eq!(cluster.opened(), [(1, Epoch(2))]);
}

#[test]
fn a_node_that_does_not_hear_itself_judges_nobody() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    cluster.deaf.push(1);
    cluster.run(5_000);
    assert_eq!(cluster.opened(), []);
    cluster.deaf.clear();
    cluster.run(3_000);
    assert_eq!(cluster.opened(), [], "nor at once when it hears again");
}

#[test]
fn an_interruption_for_all_replaces_nobody() {
    let mut cluster = Cluster::new(&["a", "b", "c"]);
    cluster.create(0);
    cluster.deaf = vec![0, 1, 2];
    cluster.run(5_000);
    cluster.deaf.clear();
    cluster.run(3_000);
    assert_eq!(cluster.opened(), []);
}

#[test]
fn a_node_that_was_paused_judges_nobody_at_once() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    cluster.now = cluster.now.after(10_000);
    cluster.nodes[1].handle_timeout(cluster.now);
    cluster.settle();
    assert_eq!(cluster.opened(), []);
    cluster.run(3_000);
    assert_eq!(cluster.opened(), []);
}

#[test]
fn a_restarted_node_takes_its_logs_back_because_it_has_the_copy() {
    let mut cluster = Cluster::new(&["z", "b"]);
    cluster.create(0);
    let me = Instance { incarnation: 2, ..cluster.nodes[0].me().clone() };
    cluster.nodes[0] = Node::new(cluster.now, me);
    let record = cluster.record.clone().unwrap();
    cluster.nodes[0].handle_ownership(cluster.now, &log(), record.seq, &record.bytes);
    cluster.run(1_000);
    assert_eq!(cluster.opened(), [(0, Epoch(2))]);
}

#[test]
fn a_node_that_comes_back_gives_up_what_it_no_longer_owns() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    (cluster.mute, cluster.deaf) = (vec![0], vec![0]);
    cluster.run(3_000);
    assert_eq!(cluster.opened(), [(1, Epoch(2))]);
    (cluster.mute, cluster.deaf) = (vec![], vec![]);
    let record = cluster.record.clone().unwrap();
    cluster.nodes[0].handle_ownership(cluster.now, &log(), record.seq, &record.bytes);
    cluster.settle();
    assert!(cluster.events.contains(&(0, NodeEvent::Close { log: log() })));
    assert_eq!((cluster.nodes[0].held(), cluster.nodes[1].held()), (0, 1));
}

#[test]
fn a_node_drains_to_the_least_loaded_one() {
    let mut cluster = Cluster::new(&["a", "b", "c"]);
    cluster.create(0);
    cluster.nodes[0].drain();
    cluster.run(300);
    let successor = cluster.nodes[1].me().clone();
    let prepare = NodeEvent::Prepare { log: log(), successor: successor.clone() };
    assert!(cluster.events.contains(&(0, prepare)));
    let stop = (0, NodeEvent::Stop { log: log() });
    let other = cluster.nodes[2].me().clone();
    cluster.nodes[0].handle_prepared(cluster.now, &log(), &other);
    cluster.run(300);
    assert!(!cluster.events.contains(&stop), "the successor reads the log first");
    cluster.nodes[0].handle_prepared(cluster.now, &log(), &successor);
    cluster.run(300);
    assert!(cluster.events.contains(&stop));
    assert!(!cluster.nodes[0].is_drained());
    cluster.nodes[0].hand_over(cluster.now, &log());
    cluster.settle();
    cluster.settle();
    assert!(cluster.events.contains(&(0, NodeEvent::Close { log: log() })));
    assert_eq!(cluster.opened(), [(1, Epoch(2))]);
    assert!(cluster.nodes[0].is_drained());
    cluster.mute.push(1);
    cluster.run(3_000);
    assert_eq!(cluster.opened(), [(2, Epoch(3))], "a draining node takes nothing over");
}

#[test]
fn a_closed_log_that_is_still_owned_is_opened_in_a_later_epoch_than_it_has() {
    let mut cluster = Cluster::new(&["a"]);
    cluster.create(0);
    let end = JournalEnd::Superseded { epoch: Epoch(7) };
    cluster.nodes[0].handle_closed(cluster.now, &log(), &end);
    cluster.settle();
    cluster.settle();
    assert_eq!(cluster.opened(), [(0, Epoch(8))]);
}

#[test]
fn a_contradiction_is_recorded_and_nobody_opens_the_log() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    let end = JournalEnd::Contradiction { index: 2 };
    cluster.nodes[0].handle_closed(cluster.now, &log(), &end);
    cluster.settle();
    cluster.mute.push(0);
    cluster.run(5_000);
    assert_eq!(cluster.opened(), []);
    let failed = cluster.nodes[1].ownership(&log()).unwrap().clone();
    assert_eq!(failed.state, LogState::Failed);
    // A person has decided.
    cluster.mute.clear();
    cluster.run(1_000);
    let epoch = failed.epoch.next();
    let record = Ownership { epoch, state: LogState::Running, ..failed };
    cluster.store(record.encode().into());
    cluster.settle();
    assert_eq!(cluster.opened(), [(0, epoch)]);
}

#[test]
fn a_finished_log_is_closed_and_taken_over_by_nobody() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    cluster.nodes[0].finish(cluster.now, &log());
    cluster.settle();
    assert_eq!(cluster.nodes[0].held(), 0);
    let record = cluster.record.clone();
    cluster.mute.push(0);
    cluster.run(5_000);
    assert_eq!(cluster.opened(), []);
    assert_eq!(cluster.record, record, "its record is not changed");
}

#[test]
fn a_name_is_given_once() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    let created = cluster.nodes[1].create(cluster.now, &log(), vec![]);
    assert_eq!(created, Err(CreateError::Exists));
}

#[test]
fn a_change_that_comes_during_another_is_not_lost() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    let now = cluster.now;
    cluster.nodes[0].set_details(now, &log(), b"one".to_vec());
    cluster.nodes[0].set_details(now, &log(), b"two".to_vec());
    cluster.settle();
    cluster.settle();
    let record = cluster.nodes[1].ownership(&log()).unwrap();
    assert_eq!((record.state, &record.details[..]), (LogState::Running, &b"two"[..]));
    cluster.nodes[0].set_details(now, &log(), b"three".to_vec());
    cluster.nodes[0].finish(now, &log());
    cluster.settle();
    cluster.settle();
    let record = cluster.nodes[1].ownership(&log()).unwrap();
    assert_eq!(
        (record.state, record.details.len()),
        (LogState::Finished, 0),
        "the details are not needed any more"
    );
}

#[test]
fn details_have_a_limit() {
    let mut cluster = Cluster::new(&["a"]);
    let long = vec![0; MAX_DETAILS_BYTES + 1];
    let created = cluster.nodes[0].create(cluster.now, &log(), long.clone());
    assert_eq!(created, Err(CreateError::TooLarge));
    cluster.create(0);
    cluster.nodes[0].set_details(cluster.now, &log(), long);
    cluster.settle();
    assert_eq!(cluster.nodes[0].ownership(&log()).unwrap().details, b"");
}

/// Delivers an ownership record to a node, as the engine would.
fn deliver(node: &mut Node, now: Timestamp, number: u64, state: LogState) {
    let owner = Instance { node: NodeId::new("other").unwrap(), incarnation: 1 };
    let record = Ownership { epoch: Epoch(1), owner, state, details: vec![] };
    let log = LogName::new(&format!("log{number}")).unwrap();
    node.handle_ownership(now, &log, Seq(number), &record.encode());
    while node.poll_event().is_some() {}
}

#[test]
fn of_finished_logs_only_the_last_ones_are_remembered() {
    let mut cluster = Cluster::new(&["a"]);
    let (node, now) = (&mut cluster.nodes[0], cluster.now);
    deliver(node, now, 1, LogState::Running);
    for number in 2..2_500 {
        deliver(node, now, number, LogState::Finished);
    }
    assert_eq!(node.logs().count(), MAX_FINISHED + 1);
    let is_known =
        |number: u64| node.ownership(&LogName::new(&format!("log{number}")).unwrap()).is_some();
    assert!(is_known(1) && !is_known(2) && is_known(2_499), "the one that runs, and the newest");
}

#[test]
fn finished_logs_do_not_count_against_the_limit_and_others_do() {
    let mut cluster = Cluster::new(&["a"]);
    let (node, now) = (&mut cluster.nodes[0], cluster.now);
    for number in 1..=MAX_FINISHED as u64 {
        deliver(node, now, number, LogState::Finished);
    }
    for number in 1_000_001..1_000_000 + MAX_LOGS as u64 {
        deliver(node, now, number, LogState::Running);
    }
    assert_eq!(node.create(now, &log(), vec![]), Ok(()));
    let other = LogName::new("other").unwrap();
    assert_eq!(node.create(now, &other, vec![]), Err(CreateError::TooMany));
}

#[test]
fn an_older_record_changes_nothing() {
    let mut cluster = Cluster::new(&["a", "b"]);
    cluster.create(0);
    let first = cluster.record.clone().unwrap();
    cluster.nodes[0].set_details(cluster.now, &log(), b"new".to_vec());
    cluster.settle();
    cluster.nodes[1].handle_ownership(cluster.now, &log(), first.seq, &first.bytes);
    assert_eq!(cluster.nodes[1].ownership(&log()).unwrap().details, b"new");
}

#[test]
fn a_record_that_is_delivered_again_opens_nothing_twice() {
    let mut cluster = Cluster::new(&["a"]);
    cluster.create(0);
    let record = cluster.record.clone().unwrap();
    cluster.nodes[0].handle_watch_restart();
    cluster.nodes[0].handle_ownership(cluster.now, &log(), record.seq, &record.bytes);
    cluster.settle();
    assert_eq!(cluster.opened(), []);
    assert_eq!(cluster.nodes[0].held(), 1);
}

#[test]
fn logs_are_handed_over_one_by_one() {
    let mut cluster = Cluster::new(&["a", "b"]);
    let (me, now) = (cluster.nodes[0].me().clone(), cluster.now);
    let (state, details) = (LogState::Running, vec![]);
    let record = Ownership { epoch: Epoch(1), owner: me, state, details }.encode();
    for (name, seq) in [("one", 1), ("two", 2)] {
        cluster.nodes[0].handle_ownership(now, &LogName::new(name).unwrap(), Seq(seq), &record);
    }
    cluster.nodes[0].drain();
    // The successor does not answer: it is not waited for longer than this.
    cluster.run(7_000);
    let is_stop = |event: &&(usize, NodeEvent)| matches!(event.1, NodeEvent::Stop { .. });
    assert_eq!(cluster.events.iter().filter(is_stop).count(), 1, "the second waits for the first");
}
