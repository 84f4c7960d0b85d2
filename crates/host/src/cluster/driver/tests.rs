//! A node with a game, and the brokers by hand.

mod accounts;
mod hand_over;

use std::collections::BTreeMap;

use nuggets_cluster::{
    EdgeMessage, EngineCall, EngineReply, EngineRequest, Heartbeat, LogRecord, LogStream, NodeId,
    OwnerMessage, Ownership, RecordBody, StoredMessage, Subject,
};
use nuggets_cluster::{RequestId, Seq};
use nuggets_game::{Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use tempfile::TempDir;

use super::*;
use crate::cluster::messages::{GameOrder, view_bytes};
use crate::cluster::owned_game::VerifiedPlayer;
use crate::workers::relay::{GameOutput, RelayInput, RelayOrder, ViewLines};
use crate::{Bots, GameMeta, PlayerId, Start, Visibility};

/// What the brokers have, by subject.
#[derive(Default)]
struct Brokers {
    stored: BTreeMap<String, Vec<StoredMessage>>,
    last: u64,
}

impl Brokers {
    fn answer(&mut self, call: EngineCall) -> EngineReply {
        match call {
            EngineCall::Publish { subject, expected, bytes } => {
                let stored = self.stored.entry(subject.to_string()).or_default();
                if stored.last().map_or(Seq(0), |last| last.seq) != expected {
                    return EngineReply::WrongSequence;
                }
                self.last += 1;
                stored.push(StoredMessage { seq: Seq(self.last), bytes });
                EngineReply::Stored(Seq(self.last))
            }
            EngineCall::Read { subject, after } => {
                let all = self.stored.get(&subject.to_string()).cloned().unwrap_or_default();
                let messages = all.into_iter().filter(|message| message.seq > after).collect();
                EngineReply::Messages { messages, is_end: true }
            }
        }
    }
}

/// One node with its brokers. Requests wait until they are answered.
struct Bench {
    _folder: TempDir,
    driver: Driver,
    brokers: Brokers,
    now: u64,
    requests: VecDeque<(Option<LogName>, EngineRequest)>,
    effects: Vec<Effect>,
}

fn node(name: &str) -> Instance {
    Instance { node: NodeId::new(name).unwrap(), incarnation: 1 }
}

fn game() -> GameId {
    GameId::from_random([1; 12])
}

/// Where the records of the game are.
fn game_subject() -> Subject {
    let log = log_of(game());
    let [home, _] = LogStream::of(&log);
    Subject::Log(log, home)
}

fn details() -> Details {
    let meta = GameMeta {
        id: game(),
        map_name: "main".into(),
        creator: PlayerId(1),
        creator_name: "Ann".into(),
        created_unix_ms: 0,
        bots: Bots::default(),
        visibility: Visibility::Public,
        start: Start::AtOnce,
        watch_delay_s: 0,
        rated: false,
        udp_port: None,
        has_started: false,
        next: None,
        finished: None,
    };
    let map = shipped::find("main").unwrap().map();
    let setup = Setup::new(map, Rules::default(), Seed::new(3), Dialect::V2021);
    Details { meta, setup }
}

fn opened() -> GameReport {
    let (rows, cols, max_players) = (1, 1, 26);
    let (gold, gold_left, has_started) = (250, 250, true);
    GameReport::Opened { rows, cols, max_players, gold, gold_left, has_started }
}

impl Bench {
    fn new(name: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let driver = Driver::new(Timestamp(0), node(name), folder.path().to_owned());
        let (brokers, requests) = (Brokers::default(), VecDeque::new());
        let mut bench =
            Self { _folder: folder, driver, brokers, now: 0, requests, effects: Vec::new() };
        bench.tick();
        bench
    }

    fn input(&mut self, input: Input) {
        for effect in self.driver.handle(Timestamp(self.now), input) {
            match effect {
                Effect::Request { journal, request } => self.requests.push_back((journal, request)),
                Effect::Heartbeat(heartbeat) => self.input_heartbeat(heartbeat),
                effect => self.effects.push(effect),
            }
        }
    }

    /// It hears itself.
    fn input_heartbeat(&mut self, heartbeat: Heartbeat) {
        let effects = self.driver.handle(Timestamp(self.now), Input::Heartbeat(heartbeat));
        self.effects.extend(effects);
    }

    fn tick(&mut self) {
        self.now += 20;
        self.input(Input::Tick);
    }

    /// The brokers answer everything.
    fn answer_all(&mut self) {
        while let Some((journal, EngineRequest { id, call })) = self.requests.pop_front() {
            let reply = self.brokers.answer(call);
            self.reply(journal, id, reply);
        }
    }

    fn reply(&mut self, journal: Option<LogName>, id: RequestId, reply: EngineReply) {
        self.input(Input::Reply { journal, id, reply });
    }

    fn output(&mut self, output: GameOutput) {
        let game = Some(game());
        self.input(Input::Output(GameOutput { game, epoch: 1, ..output }));
    }

    fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// A node with an open game.
    fn with_game(name: &str) -> (Self, oneshot::Receiver<Result<(), String>>) {
        let mut bench = Self::new(name);
        let (answer, created) = oneshot::channel();
        bench.input(Input::Create { details: Box::new(details()), answer });
        bench.answer_all();
        let opened = bench.take();
        let is_opened = |effect: &Effect| matches!(effect, Effect::OpenGame { epoch: 1, .. });
        assert!(opened.iter().any(is_opened), "{opened:?}");
        (bench, created)
    }
}

/// The orders to the game.
fn orders(effects: &[Effect]) -> Vec<RelayOrder> {
    let orders = effects.iter().filter_map(|effect| match effect {
        Effect::Order(_, order) => Some(order.clone()),
        _ => None,
    });
    orders.collect()
}

fn sent_to(effects: &[Effect], to: &Instance) -> Vec<NodeMessage> {
    let sent = effects.iter().filter_map(|effect| match effect {
        Effect::Send { to: other, message } if other == to => Some(message.clone()),
        _ => None,
    });
    sent.collect()
}

#[test]
fn a_game_is_created_when_its_head_is_in_the_log_and_not_before() {
    let (mut bench, mut created) = Bench::with_game("one");
    let (journal, reports) = (b"head".to_vec(), vec![opened()]);
    bench.output(GameOutput { journal, reports, ..GameOutput::default() });
    let effects = bench.take();
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Reports(..))), "{effects:?}");
    assert!(created.try_recv().is_err());
    bench.answer_all();
    let effects = bench.take();
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Reports(..))), "{effects:?}");
    assert_eq!(created.try_recv(), Ok(Ok(())));
    let stored = &bench.brokers.stored[&game_subject().to_string()];
    assert_eq!(stored.len(), 3, "a fence, that it was opened, and the head");
}

#[test]
fn a_key_of_another_node_is_applied_once_and_answered_when_it_is_stored() {
    let (mut bench, _created) = Bench::with_game("one");
    let (edge, log) = (node("two"), log_of(game()));
    let connection = nuggets_cluster::ConnectionId { edge: edge.clone(), number: 1 };
    let attach = || EdgeMessage::Attach {
        log: log_of(game()),
        connection: nuggets_cluster::ConnectionId { edge: node("two"), number: 1 },
        hello: b"token".to_vec(),
    };
    let from = |message| Input::Message(node("two"), NodeMessage::Edge(message));
    bench.input(from(attach()));
    bench.input(from(attach()));
    let verify = bench.take();
    let count = verify.iter().filter(|it| matches!(it, Effect::Verify { .. })).count();
    assert_eq!(count, 1, "it is checked once");
    let (person, name) = (PlayerId(7), "Ann".into());
    let player = VerifiedPlayer { person, name, is_creator: false, attempt: None };
    let verified = Ok(player);
    bench.input(Input::Verified {
        log: log.clone(),
        epoch: 1,
        connection: connection.clone(),
        verified,
    });
    let asked = orders(&bench.take());
    let [RelayOrder { tag, what: RelayInput::Attach(attach) }] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(attach.person, PlayerId(7));
    let attached = Some(Err(crate::AttachError::Over));
    bench.output(GameOutput { tag: Some(*tag), attached, ..GameOutput::default() });
    let refused = sent_to(&bench.take(), &edge);
    let is_refused =
        |it: &NodeMessage| matches!(it, NodeMessage::Owner(OwnerMessage::Rejected { .. }));
    assert!(refused.iter().any(is_refused), "{refused:?}");
    let frames =
        EdgeMessage::Frames { log, connection, first: 1, answered: 0, frames: vec![b"h".to_vec()] };
    bench.input(from(frames));
    let effects = bench.take();
    assert!(orders(&effects).iter().all(|it| !matches!(it.what, RelayInput::Key(..))));
    let is_unknown =
        |it: &NodeMessage| matches!(it, NodeMessage::Owner(OwnerMessage::NotAttached { .. }));
    assert!(sent_to(&effects, &edge).iter().any(is_unknown), "no keys without a token");
}

#[test]
fn a_picture_waits_for_the_log_and_goes_to_the_edges_that_asked() {
    let (mut bench, _created) = Bench::with_game("one");
    bench.answer_all();
    let edge = node("two");
    let subscribe =
        EdgeMessage::Subscribe { log: log_of(game()), view: view_bytes(None), needs_whole: true };
    bench.input(Input::Message(edge.clone(), NodeMessage::Edge(subscribe)));
    let asked = orders(&bench.take());
    let [RelayOrder { tag, what: RelayInput::Show(None) }] = &asked[..] else {
        panic!("{asked:?}");
    };
    let lines =
        vec![ViewLines { view: None, is_whole: true, text: r#"{"seq":1,"whole":["ab"]}"#.into() }];
    let journal = b"a move".to_vec();
    bench.output(GameOutput { tag: Some(*tag), lines, journal, ..GameOutput::default() });
    assert!(sent_to(&bench.take(), &edge).is_empty(), "it is not stored yet");
    bench.answer_all();
    let sent = sent_to(&bench.take(), &edge);
    let [NodeMessage::Picture(_, None, picture)] = &sent[..] else { panic!("{sent:?}") };
    assert!(picture.is_whole && picture.index == 2, "{picture:?}");
}

#[test]
fn an_owner_that_was_replaced_shows_nothing_more() {
    let (mut bench, _created) = Bench::with_game("one");
    let by = node("two");
    let body = RecordBody::Opened { by };
    let record = LogRecord { epoch: Epoch(2), index: 2, body };
    let subject = game_subject();
    let expected = bench.brokers.stored[&subject.to_string()].last().unwrap().seq;
    let bytes = record.encode().into();
    bench.brokers.answer(EngineCall::Publish { subject, expected, bytes });
    let (journal, reports) = (b"a move".to_vec(), vec![GameReport::GoldLeft(3)]);
    bench.output(GameOutput { journal, reports, ..GameOutput::default() });
    bench.answer_all();
    let effects = bench.take();
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Reports(..))), "{effects:?}");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::CloseGame(_))), "{effects:?}");
}

/// If the node died before, another one would have to store them.
#[test]
fn the_log_of_a_game_is_finished_when_its_results_are_stored() {
    for is_stored_first in [false, true] {
        let (mut bench, _created) = Bench::with_game("one");
        let closed = |bench: &mut Bench| {
            let reports = vec![GameReport::Over { results: vec![] }, GameReport::Closed];
            bench.output(GameOutput { journal: b"end".to_vec(), reports, ..GameOutput::default() });
        };
        let stored = |bench: &mut Bench| bench.input(Input::ResultsStored(game()));
        let state = |bench: &mut Bench| {
            bench.answer_all();
            bench.driver.node.ownership(&log_of(game())).unwrap().state
        };
        if is_stored_first {
            stored(&mut bench);
        } else {
            closed(&mut bench);
        }
        assert_eq!(state(&mut bench), LogState::Running);
        if is_stored_first {
            closed(&mut bench);
        } else {
            stored(&mut bench);
        }
        assert_eq!(state(&mut bench), LogState::Finished);
    }
}

#[test]
fn an_order_is_sent_again_until_it_is_carried_out() {
    let (mut bench, _created) = Bench::with_game("one");
    bench.input(Input::Order(game(), GameOrder::Start));
    bench.tick();
    let asked = orders(&bench.take());
    let [RelayOrder { tag, what: RelayInput::Start }] = &asked[..] else { panic!("{asked:?}") };
    let tag = *tag;
    for _ in 0..30 {
        bench.tick();
    }
    assert!(!orders(&bench.take()).is_empty(), "there was no answer");
    bench.output(GameOutput { tag: Some(tag), ..GameOutput::default() });
    bench.take();
    for _ in 0..30 {
        bench.tick();
    }
    assert!(orders(&bench.take()).is_empty());
}

/// Writes a record of another node.
fn write_record(bench: &mut Bench, index: u64, body: RecordBody) {
    let subject = game_subject();
    let stored = bench.brokers.stored.get(&subject.to_string());
    let expected = stored.and_then(|all| all.last()).map_or(Seq(0), |last| last.seq);
    let bytes = LogRecord { epoch: Epoch(1), index, body }.encode().into();
    bench.brokers.answer(EngineCall::Publish { subject, expected, bytes });
}

#[test]
fn a_game_is_read_before_it_is_handed_over_and_opened_from_there() {
    let mut bench = Bench::new("two");
    let (log, one) = (log_of(game()), node("one"));
    let batch = |bytes: &[u8]| RecordBody::Batch { bytes: bytes.to_vec(), marks: vec![] };
    write_record(&mut bench, 1, RecordBody::Opened { by: one.clone() });
    write_record(&mut bench, 2, batch(b"head"));
    let owned_by = |owner: &Instance, epoch| {
        let (owner, details) = (owner.clone(), details().encode().unwrap());
        let state = LogState::Running;
        Ownership { epoch: Epoch(epoch), owner, state, details }.encode()
    };
    bench.input(Input::Ownership(log.clone(), Seq(1), owned_by(&one, 1)));
    let prepare = NodeMessage::Words(Words::Prepare { game: game() });
    bench.input(Input::Message(one.clone(), prepare));
    let is_prepared = |it: &NodeMessage| matches!(it, NodeMessage::Words(Words::Prepared { .. }));
    assert!(!sent_to(&bench.take(), &one).iter().any(is_prepared), "nothing is read yet");
    bench.answer_all();
    assert!(sent_to(&bench.take(), &one).iter().any(is_prepared));
    // An edge may hear of the new owner before that does.
    let view =
        EdgeMessage::Subscribe { log: log.clone(), view: view_bytes(None), needs_whole: true };
    bench.input(Input::Message(node("three"), NodeMessage::Edge(view)));
    assert!(sent_to(&bench.take(), &node("three")).is_empty());
    write_record(&mut bench, 3, batch(b" and end"));
    bench.input(Input::Ownership(log, Seq(2), owned_by(&node("two"), 2)));
    let is_rest = |(_, request): &(Option<LogName>, EngineRequest)| {
        matches!(request.call, EngineCall::Read { after: Seq(2), .. })
    };
    assert!(bench.requests.iter().any(is_rest), "{:?}", bench.requests);
    bench.answer_all();
    let effects = bench.take();
    let is_opened = |effect: &Effect| matches!(effect, Effect::OpenGame { epoch: 2, journal, .. } if journal == b"head and end");
    assert!(effects.iter().any(is_opened), "{effects:?}");
    let is_show = |order: &RelayOrder| matches!(order.what, RelayInput::Show(None));
    assert!(orders(&effects).iter().any(is_show), "what the edge has asked for");
}
