//! The log of accounts: who writes it, and what becomes of the commands of other nodes.

use nuggets_cluster::{LogRecord, RecordBody};

use super::*;
use crate::store::replica::KeptRecords;

impl Bench {
    /// A node that owns the log of accounts.
    fn with_accounts(name: &str) -> Self {
        let mut bench = Self::new(name);
        bench.tick();
        bench.answer_all();
        bench.open_accounts(1);
        bench
    }

    /// It is the owner in this epoch, and its tables are empty.
    fn open_accounts(&mut self, expected: u64) {
        let effects = self.take();
        let epoch = effects.iter().find_map(|effect| match effect {
            Effect::OpenAccounts(epoch) => Some(*epoch),
            _ => None,
        });
        assert_eq!(epoch, Some(Epoch(expected)), "{effects:?}");
        self.input(Input::KeptRecords(Epoch(expected + 1), KeptRecords::default()));
        assert!(self.requests.is_empty(), "asked for by another run of it: {:?}", self.requests);
        self.input(Input::KeptRecords(Epoch(expected), KeptRecords::default()));
        self.answer_all();
        self.take();
    }

    fn command_of(&mut self, from: &str, command: &[u8]) {
        let message = NodeMessage::AccountCommand(command.to_vec());
        self.input(Input::Message(node(from), message));
    }

    /// The epoch of each record of the log of accounts, and its commands.
    fn accounts(&self) -> Vec<(u64, Vec<u8>)> {
        let stored = &self.brokers.stored[&accounts_subject().to_string()];
        let records = stored.iter().map(|message| LogRecord::decode(&message.bytes).unwrap());
        let commands = |record: LogRecord| match record.body {
            RecordBody::Opened { .. } | RecordBody::Fence { .. } => (record.epoch.0, vec![]),
            RecordBody::Batch { bytes, .. } => (record.epoch.0, bytes),
        };
        records.map(commands).collect()
    }
}

fn says_that_accounts_have_changed(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Broadcast(NodeMessage::Accounts)))
}

#[test]
fn the_owner_of_the_accounts_appends_the_commands_of_all_nodes() {
    let mut bench = Bench::with_accounts("one");
    assert_eq!(bench.accounts(), [(1, vec![])]);
    bench.command_of("two", b"a\n");
    bench.input(Input::AccountCommand(b"b\n".to_vec()));
    bench.command_of("three", b"c\n");
    assert!(!says_that_accounts_have_changed(&bench.take()), "nothing is stored yet");
    bench.answer_all();
    assert!(says_that_accounts_have_changed(&bench.take()));
    let batches = [(1, vec![]), (1, b"a\n".to_vec()), (1, b"b\nc\n".to_vec())];
    assert_eq!(bench.accounts(), batches, "what came during one append shares the next");
}

#[test]
fn a_node_that_does_not_own_the_accounts_sends_its_commands_to_the_owner() {
    let mut one = Bench::with_accounts("one");
    let mut two = Bench::new("two");
    two.brokers = std::mem::take(&mut one.brokers);
    two.input(Input::AccountCommand(b"early\n".to_vec()));
    two.tick();
    two.answer_all();
    assert!(sent_to(&two.take(), &node("one")).is_empty(), "its node sends it again");
    two.input(Input::AccountCommand(b"a\n".to_vec()));
    let sent = sent_to(&two.take(), &node("one"));
    let [NodeMessage::AccountCommand(command)] = &sent[..] else { panic!("{sent:?}") };
    assert_eq!(command, b"a\n");
    two.command_of("one", b"b\n");
    two.answer_all();
    assert_eq!(two.accounts(), [(1, vec![])], "only the owner appends");
}

#[test]
fn a_former_owner_of_the_accounts_appends_nothing_more() {
    let mut bench = Bench::with_accounts("one");
    let record =
        LogRecord { epoch: Epoch(2), index: 2, body: RecordBody::Opened { by: node("two") } };
    let subject = accounts_subject();
    let expected = bench.brokers.stored[&subject.to_string()].last().unwrap().seq;
    let bytes = record.encode().into();
    bench.brokers.answer(EngineCall::Publish { subject, expected, bytes });
    bench.command_of("two", b"late\n");
    bench.answer_all();
    assert_eq!(bench.accounts(), [(1, vec![]), (2, vec![])]);
    let effects = bench.take();
    assert!(!says_that_accounts_have_changed(&effects), "{effects:?}");
    // The ownership record still names it: it opens the log again, in an epoch that was never used.
    bench.effects = effects;
    bench.open_accounts(3);
    bench.command_of("two", b"again\n");
    bench.answer_all();
    let (opened, batch) = ((3, vec![]), (3, b"again\n".to_vec()));
    assert_eq!(bench.accounts()[2..], [opened, batch]);
}

#[test]
fn accounts_are_handed_over_when_everything_is_stored() {
    let mut bench = Bench::with_accounts("one");
    let condition = nuggets_cluster::Condition::Ready;
    let two = Heartbeat { from: node("two"), load: 0, condition };
    bench.input(Input::Heartbeat(two));
    bench.command_of("two", b"a\n");
    bench.input(Input::Drain);
    let append = bench.requests.pop_front().expect("the append of the command");
    for _ in 0..20 {
        bench.now += 10;
        bench.tick();
    }
    bench.command_of("two", b"b\n");
    assert!(bench.requests.iter().all(|(log, _)| log.is_some()), "the owner stays the owner");
    bench.requests.push_front(append);
    bench.answer_all();
    assert_eq!(bench.accounts(), [(1, vec![]), (1, b"a\n".to_vec())]);
    let record = bench.driver.node.ownership(&accounts_log()).unwrap();
    assert_eq!((&record.owner, record.epoch), (&node("two"), Epoch(2)));
    assert!(bench.driver.accounts.is_none());
}
