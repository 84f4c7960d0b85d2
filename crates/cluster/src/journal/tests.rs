//! The journal as (reply in, exact requests and events out), with one stream. How it uses two is in `streams`.

mod streams;

use super::*;
use crate::{ConnectionId, NodeId, RecordBody, StoredMessage};

fn instance(name: &str) -> Instance {
    Instance { node: NodeId::new(name).unwrap(), incarnation: 1 }
}

fn log() -> LogName {
    LogName::new("game").unwrap()
}

fn opened(epoch: u64, index: u64, by: &str) -> Arc<[u8]> {
    let body = RecordBody::Opened { by: instance(by) };
    LogRecord { epoch: Epoch(epoch), index, body }.encode().into()
}

fn batch(epoch: u64, index: u64, bytes: &[u8]) -> Arc<[u8]> {
    let body = RecordBody::Batch { bytes: bytes.to_vec(), marks: vec![] };
    LogRecord { epoch: Epoch(epoch), index, body }.encode().into()
}

fn stored(seq: u64, bytes: &Arc<[u8]>) -> StoredMessage {
    StoredMessage { seq: Seq(seq), bytes: Arc::clone(bytes) }
}

/// A journal with its engine, which answers when the test says so.
struct Desk {
    now: Timestamp,
    journal: Journal,
}

impl Desk {
    fn new(epoch: u64, copy: Vec<Arc<[u8]>>) -> Self {
        let (now, who) = (Timestamp(1_000), (instance("b"), Epoch(epoch)));
        let base = LogPosition::default();
        Self { now, journal: Journal::open_behind(now, log(), who, base, copy) }
    }

    /// An open journal whose last record has this sequence.
    fn open(seq: u64) -> Self {
        let mut desk = Self::new(1, vec![]);
        let (id, _) = desk.read();
        desk.reply(id, EngineReply::Messages { messages: vec![], is_end: true });
        let (id, expected, _) = desk.publish();
        assert_eq!(expected, Seq(0));
        desk.reply(id, EngineReply::Stored(Seq(seq)));
        assert_eq!(desk.events(), [JournalEvent::Store(opened(1, 1, "b")), JournalEvent::Opened]);
        desk
    }

    fn reply(&mut self, id: RequestId, reply: EngineReply) {
        self.journal.handle_reply(self.now, id, reply);
    }

    fn messages(&mut self, id: RequestId, messages: &[StoredMessage]) {
        self.reply(id, EngineReply::Messages { messages: messages.to_vec(), is_end: true });
    }

    fn pass(&mut self, ms: u64) {
        self.now = self.now.after(ms);
        self.journal.handle_timeout(self.now);
    }

    fn append(&mut self, bytes: &[u8]) -> Ticket {
        self.journal.append(self.now, bytes.to_vec(), None)
    }

    fn publish(&mut self) -> (RequestId, Seq, Arc<[u8]>) {
        match self.journal.poll_request() {
            Some(EngineRequest { id, call: EngineCall::Publish { expected, bytes, .. } }) => {
                (id, expected, bytes)
            }
            other => panic!("not a publish: {other:?}"),
        }
    }

    fn read(&mut self) -> (RequestId, Seq) {
        match self.journal.poll_request() {
            Some(EngineRequest { id, call: EngineCall::Read { after, .. } }) => (id, after),
            other => panic!("not a read: {other:?}"),
        }
    }

    fn events(&mut self) -> Vec<JournalEvent> {
        std::iter::from_fn(|| self.journal.poll_event()).collect()
    }

    fn is_quiet(&mut self) -> bool {
        self.journal.poll_request().is_none() && self.journal.poll_event().is_none()
    }
}

#[test]
fn what_comes_during_an_acknowledgement_shares_the_next_record() {
    let mut desk = Desk::open(7);
    assert_eq!(desk.append(b"a"), Ticket(1));
    let (id, expected, bytes) = desk.publish();
    assert_eq!((expected, bytes), (Seq(7), batch(1, 2, b"a")));
    desk.append(b"b");
    assert_eq!(desk.append(b"c"), Ticket(3));
    assert!(desk.is_quiet(), "one publish at a time");
    desk.reply(id, EngineReply::Stored(Seq(9)));
    let committed = JournalEvent::Committed(Ticket(1));
    assert_eq!(desk.events(), [JournalEvent::Store(batch(1, 2, b"a")), committed]);
    let (_, expected, bytes) = desk.publish();
    assert_eq!((expected, bytes), (Seq(9), batch(1, 3, b"bc")));
    assert!(!desk.journal.is_idle());
}

#[test]
fn the_marks_of_a_batch_are_the_last_of_each_connection() {
    let mut desk = Desk::open(7);
    desk.append(b"first");
    let (id, ..) = desk.publish();
    let connection = ConnectionId { edge: instance("a"), number: 1 };
    let mark = |number| Mark { connection: connection.clone(), number, attempt: None };
    for number in [4, 5] {
        desk.journal.append(desk.now, vec![], Some(mark(number)));
    }
    desk.reply(id, EngineReply::Stored(Seq(8)));
    let (_, _, bytes) = desk.publish();
    let body = LogRecord::decode(&bytes).unwrap().body;
    assert_eq!(body, RecordBody::Batch { bytes: vec![], marks: vec![mark(5)] });
}

#[test]
fn without_an_answer_the_same_message_is_sent_with_the_same_sequence() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let first = desk.publish();
    desk.pass(RETRY_MS - 1);
    assert!(desk.is_quiet());
    desk.pass(1);
    assert_eq!(desk.publish(), first);
    desk.reply(first.0, EngineReply::Stored(Seq(8)));
    desk.reply(first.0, EngineReply::Stored(Seq(8)));
    assert_eq!(desk.events().len(), 2, "the second answer says nothing new");
}

#[test]
fn a_rejected_record_that_is_in_the_log_is_committed() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let (id, ..) = desk.publish();
    desk.reply(id, EngineReply::WrongSequence);
    let (read, after) = desk.read();
    assert_eq!(after, Seq(7));
    desk.messages(read, &[stored(12, &batch(1, 2, b"a"))]);
    assert_eq!(desk.events().last(), Some(&JournalEvent::Committed(Ticket(1))));
    desk.append(b"b");
    assert_eq!(desk.publish().1, Seq(12));
}

#[test]
fn an_owner_that_lost_its_log_stops_and_commits_nothing() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let (id, ..) = desk.publish();
    desk.reply(id, EngineReply::WrongSequence);
    let (read, _) = desk.read();
    desk.messages(read, &[stored(8, &opened(2, 2, "c"))]);
    let end = JournalEnd::Superseded { epoch: Epoch(2) };
    assert_eq!(desk.events(), [JournalEvent::Closed(end)]);
    desk.reply(id, EngineReply::Stored(Seq(9)));
    assert!(desk.is_quiet() && !desk.journal.can_append());
}

#[test]
fn an_outdated_read_changes_nothing() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let first = desk.publish();
    desk.reply(first.0, EngineReply::WrongSequence);
    let (read, _) = desk.read();
    desk.messages(read, &[]);
    assert!(desk.is_quiet());
    desk.pass(RETRY_MS);
    assert_eq!(desk.publish(), first);
}

#[test]
fn a_log_that_stays_too_short_is_opened_again() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let (id, ..) = desk.publish();
    let mut events = vec![];
    for _ in 0..=SHORTER_AFTER_MS / RETRY_MS + 1 {
        desk.reply(id, EngineReply::WrongSequence);
        if let Some(request) = desk.journal.poll_request() {
            desk.messages(request.id, &[]);
        }
        desk.pass(RETRY_MS);
        desk.journal.poll_request();
        events.extend(desk.events());
    }
    assert_eq!(events.last(), Some(&JournalEvent::Closed(JournalEnd::Shorter)));
}

#[test]
fn a_game_is_paused_without_acknowledgements_and_goes_on_with_them() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let (id, ..) = desk.publish();
    desk.pass(PAUSE_AFTER_MS);
    assert_eq!(desk.events(), [JournalEvent::Paused]);
    assert!(!desk.journal.can_append());
    desk.reply(id, EngineReply::Stored(Seq(8)));
    assert_eq!(desk.events()[1..], [JournalEvent::Committed(Ticket(1)), JournalEvent::Resumed]);
    assert!(desk.journal.can_append());
}

#[test]
fn a_new_owner_replays_the_log_and_fences_the_old_one() {
    let mut desk = Desk::new(2, vec![]);
    let (read, _) = desk.read();
    let log = [stored(3, &opened(1, 1, "a")), stored(5, &batch(1, 2, b"a"))];
    desk.reply(read, EngineReply::Messages { messages: log.to_vec(), is_end: false });
    let (read, after) = desk.read();
    assert_eq!(after, Seq(5));
    desk.messages(read, &[]);
    let (fence, expected, bytes) = desk.publish();
    assert_eq!((expected, bytes), (Seq(5), opened(2, 3, "b")));
    assert!(!desk.journal.can_append());
    // The old owner was faster.
    desk.reply(fence, EngineReply::WrongSequence);
    let (read, _) = desk.read();
    desk.events();
    desk.messages(read, &[stored(6, &batch(1, 3, b"b"))]);
    let replayed = LogRecord::decode(&batch(1, 3, b"b")).unwrap();
    let news = [JournalEvent::Store(batch(1, 3, b"b")), JournalEvent::Replay(replayed)];
    assert_eq!(desk.events(), news);
    let (fence, expected, bytes) = desk.publish();
    assert_eq!((expected, bytes), (Seq(6), opened(2, 4, "b")));
    desk.reply(fence, EngineReply::Stored(Seq(7)));
    assert_eq!(desk.events().last(), Some(&JournalEvent::Opened));
}

#[test]
fn a_log_that_ends_before_the_copy_is_completed_with_the_same_bytes() {
    let copy = vec![opened(1, 1, "b"), batch(1, 2, b"a"), batch(1, 3, b"b")];
    let mut desk = Desk::new(2, copy.clone());
    let (read, _) = desk.read();
    desk.messages(read, &[stored(4, &copy[0])]);
    for (expected, seq, record) in [(4, 8, &copy[1]), (8, 9, &copy[2])] {
        let (id, at, bytes) = desk.publish();
        assert_eq!((at, &bytes), (Seq(expected), record));
        desk.reply(id, EngineReply::Stored(Seq(seq)));
    }
    let (_, expected, bytes) = desk.publish();
    assert_eq!((expected, bytes), (Seq(9), opened(2, 4, "b")));
    let is_replay = |event: &JournalEvent| matches!(event, JournalEvent::Replay(_));
    let events = desk.events();
    assert!(events.len() == 3 && events.iter().all(is_replay), "the copy has them: {events:?}");
}

#[test]
fn a_log_that_differs_from_the_copy_is_reported_and_left_alone() {
    let mut desk = Desk::new(3, vec![opened(1, 1, "b"), batch(1, 2, b"a")]);
    let (read, _) = desk.read();
    desk.messages(read, &[stored(4, &opened(1, 1, "b")), stored(5, &opened(2, 2, "c"))]);
    let end = JournalEnd::Contradiction { index: 2 };
    assert_eq!(desk.events().last(), Some(&JournalEvent::Closed(end)));
    assert!(desk.journal.poll_request().is_none());
}

#[test]
fn a_gap_or_no_record_is_a_contradiction() {
    for second in [batch(1, 3, b"a"), Arc::from(*b"?"), batch(0, 2, b"a")] {
        let mut desk = Desk::new(3, vec![]);
        let (read, _) = desk.read();
        desk.messages(read, &[stored(4, &opened(1, 1, "a")), stored(5, &second)]);
        let end = JournalEnd::Contradiction { index: 2 };
        assert_eq!(desk.events().last(), Some(&JournalEvent::Closed(end)));
    }
}

#[test]
fn an_epoch_that_stands_in_the_log_already_is_not_opened_again() {
    let mut desk = Desk::new(2, vec![]);
    let (read, _) = desk.read();
    desk.messages(read, &[stored(4, &opened(2, 1, "c"))]);
    let end = JournalEnd::Superseded { epoch: Epoch(2) };
    assert_eq!(desk.events().last(), Some(&JournalEvent::Closed(end)));
}

#[test]
fn a_batch_has_a_limit_and_so_has_what_waits() {
    let mut desk = Desk::open(7);
    desk.append(b"a");
    let (id, ..) = desk.publish();
    while desk.journal.can_append() {
        desk.append(&vec![0; MAX_BATCH_BYTES / 2]);
    }
    assert!(desk.journal.pending.bytes <= MAX_PENDING_BYTES + MAX_BATCH_BYTES);
    desk.reply(id, EngineReply::Stored(Seq(8)));
    let (_, _, bytes) = desk.publish();
    assert!(bytes.len() <= MAX_BATCH_BYTES + 100, "{}", bytes.len());
    assert!(desk.journal.can_append());
}

/// A journal that is opened behind record 40, which has this epoch and the sequence 90.
fn behind(base_epoch: u64, epoch: u64, copy: Vec<Arc<[u8]>>) -> Desk {
    let now = Timestamp(1_000);
    let base = LogPosition { seq: Seq(90), index: 40, epoch: Epoch(base_epoch) };
    let who = (instance("b"), Epoch(epoch));
    Desk { now, journal: Journal::open_behind(now, log(), who, base, copy) }
}

#[test]
fn of_a_log_that_is_known_only_the_rest_is_read_compared_and_completed() {
    let copy = vec![batch(3, 41, b"a"), batch(3, 42, b"b")];
    let mut desk = behind(3, 4, copy.clone());
    let (read, after) = desk.read();
    assert_eq!(after, Seq(90));
    desk.messages(read, &[stored(95, &copy[0])]);
    let (id, expected, bytes) = desk.publish();
    assert_eq!((expected, &bytes), (Seq(95), &copy[1]), "it was lost");
    desk.reply(id, EngineReply::Stored(Seq(97)));
    let (id, expected, bytes) = desk.publish();
    assert_eq!((expected, bytes), (Seq(97), opened(4, 43, "b")));
    desk.reply(id, EngineReply::Stored(Seq(98)));
    assert_eq!(desk.events().last(), Some(&JournalEvent::Opened));
    let mut desk = behind(3, 5, copy);
    let (read, _) = desk.read();
    desk.messages(read, &[stored(95, &opened(4, 41, "c"))]);
    let end = JournalEnd::Contradiction { index: 41 };
    assert_eq!(desk.events().last(), Some(&JournalEvent::Closed(end)));
}

#[test]
fn an_epoch_that_is_older_than_what_is_known_is_not_opened() {
    let mut desk = behind(5, 5, vec![]);
    let end = JournalEnd::Superseded { epoch: Epoch(5) };
    assert_eq!(desk.events(), [JournalEvent::Closed(end)]);
    assert!(desk.journal.poll_request().is_none());
}

#[test]
fn a_log_that_has_lost_what_was_known_of_it_is_a_contradiction() {
    let mut desk = behind(3, 4, vec![batch(3, 41, b"a")]);
    let (read, _) = desk.read();
    desk.messages(read, &[]);
    let (id, ..) = desk.publish();
    let mut events = vec![];
    for _ in 0..=SHORTER_AFTER_MS / RETRY_MS + 1 {
        desk.reply(id, EngineReply::WrongSequence);
        if let Some(request) = desk.journal.poll_request() {
            desk.messages(request.id, &[]);
        }
        desk.pass(RETRY_MS);
        desk.journal.poll_request();
        events.extend(desk.events());
    }
    let end = JournalEnd::Contradiction { index: 40 };
    assert_eq!(events.last(), Some(&JournalEvent::Closed(end)));
}
