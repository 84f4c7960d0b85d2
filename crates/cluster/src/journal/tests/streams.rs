//! A log in two streams: its owner writes in one, moves to the other if that does not answer, and fences both.

use super::*;

/// A journal with both streams. "game" is written in the first one, if both can be.
struct TwoStreams {
    desk: Desk,
}

const HOME: LogStream = LogStream::First;
const OTHER: LogStream = LogStream::Second;

fn fence(epoch: u64) -> Arc<[u8]> {
    let body = RecordBody::Fence { by: instance("b") };
    LogRecord { epoch: Epoch(epoch), index: 0, body }.encode().into()
}

impl TwoStreams {
    fn new(epoch: u64, copy: Vec<Arc<[u8]>>) -> Self {
        let now = Timestamp(1_000);
        let journal = Journal::open(now, log(), instance("b"), Epoch(epoch), copy);
        Self { desk: Desk { now, journal } }
    }

    /// Answers the next request, which must be a read of this stream.
    fn read(&mut self, stream: LogStream, after: u64, messages: &[StoredMessage]) {
        let request = self.desk.journal.poll_request().expect("a read");
        let subject = Subject::Log(log(), stream);
        assert_eq!(request.call, EngineCall::Read { subject, after: Seq(after) });
        self.desk.messages(request.id, messages);
    }

    /// The next request, which must be this publish.
    fn publish(&mut self, stream: LogStream, expected: u64, bytes: &Arc<[u8]>) -> RequestId {
        let request = self.desk.journal.poll_request().expect("a publish");
        let (subject, bytes) = (Subject::Log(log(), stream), Arc::clone(bytes));
        let expected = Seq(expected);
        assert_eq!(request.call, EngineCall::Publish { subject, expected, bytes });
        request.id
    }

    fn stored(&mut self, id: RequestId, seq: u64) {
        self.desk.reply(id, EngineReply::Stored(Seq(seq)));
    }

    /// An open journal in epoch 1: the last message of the home stream has the sequence 8, that of the other one 3.
    fn open() -> Self {
        let mut two = Self::new(1, vec![]);
        two.read(HOME, 0, &[]);
        two.read(OTHER, 0, &[]);
        for (stream, expected, bytes, seq) in
            [(HOME, 0, fence(1), 7), (OTHER, 0, fence(1), 3), (HOME, 7, opened(1, 1, "b"), 8)]
        {
            let id = two.publish(stream, expected, &bytes);
            assert!(!two.desk.journal.is_open(), "not before all of it is stored");
            two.stored(id, seq);
        }
        assert_eq!(two.desk.events().last(), Some(&JournalEvent::Opened));
        two
    }
}

#[test]
fn a_stream_that_does_not_answer_is_left_and_the_same_record_is_published_in_the_other() {
    let mut two = TwoStreams::open();
    two.desk.append(b"a");
    let record = batch(1, 2, b"a");
    let first = two.publish(HOME, 8, &record);
    two.desk.pass(RETRY_MS);
    assert_eq!(two.publish(HOME, 8, &record), first, "first it is only sent again");
    two.desk.pass(MOVE_AFTER_MS - RETRY_MS);
    let moved = two.publish(OTHER, 3, &record);
    two.desk.append(b"b");
    two.stored(first, 9);
    assert!(two.desk.is_quiet(), "what the other stream says does not matter any more");
    two.stored(moved, 4);
    assert_eq!(two.desk.events().last(), Some(&JournalEvent::Committed(Ticket(1))));
    two.publish(OTHER, 4, &batch(1, 3, b"b"));
    assert!(two.desk.journal.can_append(), "nobody was told that the game is paused");
}

#[test]
fn a_stream_without_a_leader_is_left_at_once_unless_the_other_has_just_said_the_same() {
    let mut two = TwoStreams::open();
    two.desk.append(b"a");
    let record = batch(1, 2, b"a");
    let first = two.publish(HOME, 8, &record);
    two.desk.reply(first, EngineReply::NoLeader);
    let second = two.publish(OTHER, 3, &record);
    two.desk.reply(second, EngineReply::NoLeader);
    two.desk.pass(RETRY_MS);
    assert_eq!(two.publish(OTHER, 3, &record), second, "the other one has none, either");
    two.desk.reply(second, EngineReply::NoLeader);
    two.publish(HOME, 8, &record);
}

#[test]
fn a_rejection_is_an_answer_so_the_stream_is_not_left() {
    let mut two = TwoStreams::open();
    two.desk.append(b"a");
    let record = batch(1, 2, b"a");
    let id = two.publish(HOME, 8, &record);
    two.desk.reply(id, EngineReply::WrongSequence);
    two.read(HOME, 8, &[]);
    two.desk.pass(MOVE_AFTER_MS);
    assert_eq!(two.publish(HOME, 8, &record), id);
}

#[test]
fn a_stream_that_was_left_is_tried_again_and_what_was_stored_late_is_skipped() {
    let mut two = TwoStreams::open();
    two.desk.append(b"a");
    let record = batch(1, 2, b"a");
    let id = two.publish(HOME, 8, &record);
    two.desk.reply(id, EngineReply::NoLeader);
    let id = two.publish(OTHER, 3, &record);
    two.stored(id, 4);
    two.desk.pass(RETURN_AFTER_MS);
    two.read(HOME, 7, &[stored(8, &opened(1, 1, "b"))]);
    two.desk.append(b"b");
    let id = two.publish(HOME, 8, &batch(1, 3, b"b"));
    two.desk.reply(id, EngineReply::WrongSequence);
    two.read(HOME, 8, &[stored(9, &record)]);
    let id = two.publish(HOME, 9, &batch(1, 3, b"b"));
    two.stored(id, 10);
    assert_eq!(two.desk.events().last(), Some(&JournalEvent::Committed(Ticket(2))));
}

#[test]
fn a_stream_that_was_left_is_checked_until_it_answers() {
    for (is_lost, messages) in [(false, vec![stored(8, &opened(1, 1, "b"))]), (true, vec![])] {
        let mut two = TwoStreams::open();
        two.desk.append(b"a");
        let id = two.publish(HOME, 8, &batch(1, 2, b"a"));
        two.desk.reply(id, EngineReply::NoLeader);
        let id = two.publish(OTHER, 3, &batch(1, 2, b"a"));
        two.stored(id, 4);
        two.desk.events();
        two.desk.pass(CHECK_MS);
        assert!(two.desk.journal.poll_request().is_some(), "it does not answer yet");
        two.desk.pass(CHECK_MS);
        two.read(HOME, 7, &messages);
        if !is_lost {
            two.desk.pass(10 * CHECK_MS);
            assert!(two.desk.is_quiet(), "once is enough");
        }
        two.desk.append(b"b");
        let (stream, expected) = if is_lost { (HOME, 8) } else { (OTHER, 4) };
        two.publish(stream, expected, &batch(1, 3, b"b"));
    }
}

#[test]
fn an_owner_that_moves_to_a_fenced_stream_stops() {
    let mut two = TwoStreams::open();
    two.desk.append(b"a");
    let id = two.publish(HOME, 8, &batch(1, 2, b"a"));
    two.desk.reply(id, EngineReply::NoLeader);
    let id = two.publish(OTHER, 3, &batch(1, 2, b"a"));
    two.desk.reply(id, EngineReply::WrongSequence);
    two.desk.events();
    two.read(OTHER, 3, &[stored(5, &fence(2))]);
    let end = JournalEnd::Superseded { epoch: Epoch(2) };
    assert_eq!(two.desk.events(), [JournalEvent::Closed(end)]);
}

#[test]
fn a_new_owner_puts_the_records_of_both_streams_together() {
    let mut two = TwoStreams::new(2, vec![]);
    let records = [opened(1, 1, "a"), batch(1, 2, b"a"), batch(1, 3, b"b"), batch(1, 4, b"c")];
    two.read(HOME, 0, &[stored(2, &records[0]), stored(3, &records[1]), stored(9, &records[3])]);
    two.read(OTHER, 0, &[stored(4, &records[1]), stored(5, &records[2])]);
    let replayed: Vec<u64> = two
        .desk
        .events()
        .into_iter()
        .filter_map(|event| match event {
            JournalEvent::Replay(record) => Some(record.index),
            _ => None,
        })
        .collect();
    assert_eq!(replayed, [1, 2, 3, 4]);
    let id = two.publish(HOME, 9, &fence(2));
    two.stored(id, 10);
    // The earlier owner has moved, and was faster.
    let id = two.publish(OTHER, 5, &fence(2));
    two.desk.reply(id, EngineReply::WrongSequence);
    two.read(OTHER, 5, &[stored(6, &batch(1, 5, b"d"))]);
    let id = two.publish(OTHER, 6, &fence(2));
    two.stored(id, 7);
    two.publish(HOME, 10, &opened(2, 6, "b"));
}

#[test]
fn a_stream_that_has_lost_records_which_the_other_continues_is_completed_or_reported() {
    let records = [opened(1, 1, "b"), batch(1, 2, b"a"), batch(1, 3, b"b")];
    for copy in [records.to_vec(), vec![]] {
        let mut two = TwoStreams::new(2, copy.clone());
        two.read(HOME, 0, &[stored(2, &records[0])]);
        two.read(OTHER, 0, &[stored(4, &records[2])]);
        for (stream, expected, seq) in [(HOME, 2, 3), (OTHER, 4, 5)] {
            let id = two.publish(stream, expected, &fence(2));
            two.stored(id, seq);
        }
        if copy.is_empty() {
            let end = JournalEnd::Contradiction { index: 2 };
            assert_eq!(two.desk.events().last(), Some(&JournalEvent::Closed(end)));
        } else {
            let id = two.publish(HOME, 3, &records[1]);
            two.stored(id, 6);
            two.publish(HOME, 6, &opened(2, 4, "b"));
        }
    }
}

#[test]
fn a_followed_log_is_opened_from_where_it_was_read() {
    let now = Timestamp(1_000);
    let journal = Journal::follow(now, log(), instance("b"), vec![]);
    let mut two = TwoStreams { desk: Desk { now, journal } };
    two.read(HOME, 0, &[stored(3, &opened(1, 1, "a")), stored(7, &batch(1, 3, b"x"))]);
    two.read(OTHER, 0, &[]);
    assert!(!two.desk.journal.is_caught_up(), "a record is missing");
    two.desk.journal.follow_on(two.desk.now);
    two.read(HOME, 7, &[]);
    two.read(OTHER, 0, &[stored(5, &batch(1, 2, b"x"))]);
    assert!(two.desk.journal.is_caught_up());
    assert_eq!(two.desk.events().len(), 6, "three records, each stored and replayed");
    assert!(two.desk.is_quiet(), "nothing is published");
    two.desk.journal.claim(two.desk.now, Epoch(2));
    two.read(HOME, 7, &[stored(8, &batch(1, 4, b"y"))]);
    two.read(OTHER, 5, &[]);
    two.publish(HOME, 8, &fence(2));
}
