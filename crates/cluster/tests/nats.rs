//! The engine against a real broker: what the state machines expect of it is what JetStream does. The broker is the one
//! that `cargo xtask broker-configs` installs, or `NATS_SERVER`.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nuggets_cluster::nats::{
    LOG_STREAMS, Nats, NatsError, NatsOptions, NodeStatus, OWNERSHIP_STREAM, OWNERSHIP_SUBJECTS,
    ReopenError, STATUS_SUBJECT, ask_status,
};
use nuggets_cluster::{
    EngineCall, EngineReply, Epoch, Instance, LogName, LogState, LogStream, NodeId, Ownership, Seq,
    Subject,
};
use tempfile::TempDir;

/// One broker, which ends with the test.
struct Broker {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program() -> PathBuf {
    let chosen = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/pypi/bin/nats-server");
    let program = chosen.unwrap_or_else(|| Path::new(installed).to_owned());
    assert!(program.exists(), "no {}: `cargo xtask broker-configs` installs it", program.display());
    program
}

impl Broker {
    fn start(arguments: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program());
        command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(folder.path());
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let broker = Self { child: command.spawn().unwrap(), port, _folder: folder };
        let is_up = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        for _ in 0..6_000 {
            if is_up() {
                return broker;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the broker does not start");
    }

    fn options(&self) -> NatsOptions {
        let mut options = NatsOptions::new(vec![format!("nats://127.0.0.1:{}", self.port)]);
        options.replicas = 1;
        options
    }

    async fn connect(&self) -> Nats {
        let nats = Nats::connect(&self.options(), "test").await.unwrap();
        nats.ensure_streams(1).await.unwrap();
        nats
    }
}

fn log(name: &str) -> Subject {
    Subject::Log(LogName::new(name).unwrap(), LogStream::First)
}

async fn publish(nats: &Nats, subject: Subject, expected: Seq, text: &str) -> Option<EngineReply> {
    let bytes: Arc<[u8]> = text.as_bytes().into();
    nats.call(EngineCall::Publish { subject, expected, bytes }).await
}

async fn read(nats: &Nats, subject: Subject, after: Seq) -> (Vec<String>, Seq, bool) {
    let reply = nats.call(EngineCall::Read { subject, after }).await;
    let Some(EngineReply::Messages { messages, is_end }) = reply else { panic!("{reply:?}") };
    let last = messages.last().map_or(after, |message| message.seq);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (messages.iter().map(|message| text(&message.bytes)).collect(), last, is_end)
}

#[tokio::test]
async fn a_publish_is_stored_only_behind_the_expected_message_of_its_subject() {
    let broker = Broker::start(&["-js"]);
    let nats = broker.connect().await;
    let Some(EngineReply::Stored(first)) = publish(&nats, log("a"), Seq(0), "1").await else {
        panic!("the first publish is not stored");
    };
    let Some(EngineReply::Stored(other)) = publish(&nats, log("b"), Seq(0), "x").await else {
        panic!("another subject has its own sequence");
    };
    assert!(other > first);
    let again = publish(&nats, log("a"), Seq(0), "1").await;
    assert_eq!(again, Some(EngineReply::WrongSequence), "there is a message");
    let Some(EngineReply::Stored(second)) = publish(&nats, log("a"), first, "2").await else {
        panic!("the second publish is not stored");
    };
    let late = publish(&nats, log("a"), first, "3").await;
    assert_eq!(late, Some(EngineReply::WrongSequence));
    let all = vec!["1".to_owned(), "2".to_owned()];
    assert_eq!(read(&nats, log("a"), Seq(0)).await, (all, second, true));
    assert_eq!(read(&nats, log("a"), second).await, (vec![], second, true));
    assert_eq!(read(&nats, log("nothing"), Seq(0)).await, (vec![], Seq(0), true));
}

#[tokio::test]
async fn a_publish_that_no_stream_accepts_is_answered_at_once() {
    let broker = Broker::start(&["-js"]);
    let nats = Nats::connect(&broker.options(), "test").await.unwrap();
    assert_eq!(publish(&nats, log("a"), Seq(0), "1").await, Some(EngineReply::NoLeader));
}

#[tokio::test]
async fn a_long_log_is_read_in_order_and_without_gaps() {
    let broker = Broker::start(&["-js"]);
    let nats = broker.connect().await;
    let (mut expected, mut last) = (Vec::new(), Seq(0));
    for number in 0..2_500 {
        let text = number.to_string();
        let stored = publish(&nats, log("long"), last, &text).await;
        let Some(EngineReply::Stored(seq)) = stored else { panic!("{stored:?}") };
        last = seq;
        expected.push(text);
    }
    let (mut found, mut after, mut batches) = (Vec::new(), Seq(0), 0);
    loop {
        let (texts, last, is_end) = read(&nats, log("long"), after).await;
        found.extend(texts);
        batches += 1;
        after = last;
        if is_end {
            break;
        }
    }
    assert_eq!(found, expected);
    assert!(batches > 1, "they do not fit into one answer");
}

#[tokio::test]
async fn of_an_ownership_subject_the_last_message_is_kept() {
    let broker = Broker::start(&["-js"]);
    let nats = broker.connect().await;
    let own = || Subject::Ownership(LogName::new("a").unwrap());
    let Some(EngineReply::Stored(first)) = publish(&nats, own(), Seq(0), "one").await else {
        panic!("not stored");
    };
    assert!(matches!(publish(&nats, own(), first, "two").await, Some(EngineReply::Stored(_))));
    let batch = nats.read_batch(OWNERSHIP_STREAM, OWNERSHIP_SUBJECTS, Seq(0)).await.unwrap();
    let [(subject, message)] = &batch.messages[..] else { panic!("{batch:?}") };
    assert_eq!((subject.as_str(), &message.bytes[..]), ("nuggets.own.a", &b"two"[..]));
    assert_eq!(nats.last_seq(OWNERSHIP_STREAM).await, Some(message.seq.0));
}

#[tokio::test]
async fn a_failed_log_is_opened_again_when_a_person_says_so_and_no_other() {
    let broker = Broker::start(&["-js"]);
    let nats = broker.connect().await;
    let log = LogName::new("a").unwrap();
    assert_eq!(nats.reopen(&log).await, Err(ReopenError::Unknown(log.clone())));
    let owner = Instance { node: NodeId::new("one").unwrap(), incarnation: 7 };
    let record = |epoch, state| {
        let (owner, details) = (owner.clone(), b"row".to_vec());
        Ownership { epoch: Epoch(epoch), owner, state, details }
    };
    let subject = || Subject::Ownership(log.clone());
    let (expected, bytes) = (Seq(0), record(4, LogState::Failed).encode().into());
    nats.call(EngineCall::Publish { subject: subject(), expected, bytes }).await.unwrap();
    assert_eq!(nats.reopen(&log).await, Ok(()));
    let read = nats.call(EngineCall::Read { subject: subject(), after: Seq(0) }).await;
    let Some(EngineReply::Messages { messages, .. }) = read else { panic!("{read:?}") };
    let [message] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(Ownership::decode(&message.bytes), Ok(record(5, LogState::Running)));
    let again = nats.reopen(&log).await;
    assert_eq!(again, Err(ReopenError::NotFailed { log: log.clone(), state: "running" }));
}

#[tokio::test]
async fn whoever_asks_is_told_the_status_by_all() {
    let broker = Broker::start(&["-js"]);
    let nats = broker.connect().await;
    let status = NodeStatus { node: "one".into(), load: 3, ..NodeStatus::default() };
    let mut asked = nats.subscribe(STATUS_SUBJECT).await.unwrap();
    let (answering, answer) = (nats.clone(), serde_json::to_vec(&status).unwrap());
    tokio::spawn(async move {
        while let Some(message) = asked.next().await {
            answering.send(message.reply.unwrap(), answer.clone()).await;
        }
    });
    let mut found = Vec::new();
    for _ in 0..60 {
        found = ask_status(&nats, Duration::from_secs(1)).await.unwrap();
        if !found.is_empty() {
            break;
        }
    }
    assert_eq!(found, [status]);
}

#[tokio::test]
async fn brokers_that_can_t_be_used_are_named_with_what_to_do() {
    let error = |options: NatsOptions| async move {
        let nats = Nats::connect(&options, "test").await?;
        nats.ensure_streams(options.replicas).await
    };
    let plain = Broker::start(&[]);
    let why = error(plain.options()).await.unwrap_err();
    assert!(matches!(why, NatsError::NoJetStream(_)), "{why}");
    let locked = Broker::start(&["-js", "--user", "ann", "--pass", "secret"]);
    let why = error(locked.options()).await.unwrap_err().to_string();
    assert!(why.contains("--cluster-creds"), "{why}");
    let mut options = locked.options();
    options.urls = vec![format!("nats://ann:secret@127.0.0.1:{}", locked.port)];
    error(options.clone()).await.unwrap();
    options.replicas = 3;
    let why = error(options).await.unwrap_err().to_string();
    assert!(why.contains("num_replicas is 1, and must be 3"), "{why}");
    let one = Broker::start(&["-js"]);
    let why = error(NatsOptions { replicas: 3, ..one.options() }).await.unwrap_err().to_string();
    assert!(why.contains("--cluster-replicas 1"), "{why}");
    let nobody = NatsOptions::new(vec!["nats://127.0.0.1:9".into()]);
    let why = error(nobody).await.unwrap_err().to_string();
    assert!(why.contains("Is a nats-server running there?"), "{why}");
}

/// The number of messages that have reached a broker, as it says itself.
fn messages_in(monitoring: u16) -> Option<u64> {
    use std::io::{Read, Write};
    let mut stream = TcpStream::connect(("127.0.0.1", monitoring)).ok()?;
    stream.write_all(b"GET /varz HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let varz: serde_json::Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
    varz["in_msgs"].as_u64()
}

/// Three brokers that know each other, to be started one by one.
struct Three {
    routes: Vec<String>,
    monitoring: Vec<u16>,
}

impl Three {
    fn new() -> Self {
        let free: Vec<TcpListener> =
            (0..6).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = free.iter().map(|it| it.local_addr().unwrap().port()).collect();
        let (routes, monitoring) = ports.split_at(3);
        let routes = routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        Self { routes, monitoring: monitoring.to_vec() }
    }

    fn start(&self, number: usize) -> Broker {
        let (name, monitoring) = (format!("broker{number}"), self.monitoring[number].to_string());
        let (own, all) = (&self.routes[number], self.routes.join(","));
        let mut arguments = vec!["-js", "-n", &name, "-m", &monitoring];
        arguments.extend(["--cluster_name", "c", "--cluster", own, "--routes", &all]);
        Broker::start(&arguments)
    }
}

/// One of three brokers knows no leader and answers nothing; the others come when it has been asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_started_before_the_brokers_have_a_leader_waits_for_it() {
    let three = Three::new();
    let first = three.start(0);
    let nats = Nats::connect(&first.options(), "test").await.unwrap();
    let before = messages_in(three.monitoring[0]).unwrap();
    let node = tokio::spawn(async move { nats.ensure_streams(3).await });
    while messages_in(three.monitoring[0]).is_none_or(|count| count == before) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let _others = [three.start(1), three.start(2)];
    node.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_streams_of_logs_get_different_leaders_and_one_broker_leads_nothing() {
    let three = Three::new();
    let brokers = [three.start(0), three.start(1), three.start(2)];
    let nats = Nats::connect(&brokers[0].options(), "test").await.unwrap();
    nats.ensure_streams(3).await.unwrap();
    let client = async_nats::connect(format!("127.0.0.1:{}", brokers[0].port)).await.unwrap();
    let ask = |api: String| {
        let client = client.clone();
        async move {
            let answer = client.request(format!("$JS.API.STREAM.{api}"), "".into()).await.ok()?;
            serde_json::from_slice::<serde_json::Value>(&answer.payload).ok()
        }
    };
    let leaders = || async {
        let mut leaders = Vec::new();
        for stream in [LOG_STREAMS[0], LOG_STREAMS[1], OWNERSHIP_STREAM] {
            let info = ask(format!("INFO.{stream}")).await;
            leaders.push(info?["cluster"]["leader"].as_str()?.to_owned());
        }
        Some(leaders)
    };
    // Whatever leaders there are, they become good ones.
    for _ in 0..3 {
        for stream in LOG_STREAMS {
            ask(format!("LEADER.STEPDOWN.{stream}")).await;
        }
        let mut tries = 0;
        loop {
            let found = leaders().await;
            let is_good = |it: &Vec<String>| it[0] != it[1] && it[..2].contains(&it[2]);
            if found.as_ref().is_some_and(is_good) {
                break;
            }
            tries += 1;
            assert!(tries < 600, "{found:?}");
            nats.spread_leaders().await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test]
async fn the_log_of_one_game_can_be_purged_and_nothing_else() {
    let broker = Broker::start(&["-js"]);
    let nats = broker.connect().await;
    for name in ["old", "new"] {
        assert!(matches!(
            publish(&nats, log(name), Seq(0), "x").await,
            Some(EngineReply::Stored(_))
        ));
    }
    let client = async_nats::connect(format!("127.0.0.1:{}", broker.port)).await.unwrap();
    let ask = |api: String, with: &'static str| {
        let client = client.clone();
        async move {
            let answer =
                client.request(format!("$JS.API.STREAM.{api}"), with.into()).await.unwrap();
            serde_json::from_slice::<serde_json::Value>(&answer.payload).unwrap()
        }
    };
    let purged =
        ask(format!("PURGE.{}", LOG_STREAMS[0]), r#"{"filter":"nuggets.log.1.old"}"#).await;
    assert_eq!(purged["purged"], 1, "{purged}");
    assert_eq!(read(&nats, log("old"), Seq(0)).await.0.len(), 0);
    assert_eq!(read(&nats, log("new"), Seq(0)).await.0.len(), 1);
    let refused = ask(format!("PURGE.{OWNERSHIP_STREAM}"), "").await;
    assert!(refused["error"].is_object(), "{refused}");
    let refused = ask(format!("MSG.DELETE.{}", LOG_STREAMS[0]), r#"{"seq":2}"#).await;
    assert!(refused["error"].is_object(), "{refused}");
}

/// A server that says it is of another version, and nothing else.
#[tokio::test]
async fn a_broker_that_is_too_old_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let info = r#"INFO {"server_id":"x","server_name":"x","version":"2.9.10","go":"","host":"127.0.0.1","port":4222,"max_payload":1048576,"proto":1,"headers":true}"#;
            let _ = write!(stream, "{info}\r\n");
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            for line in lines.map_while(Result::ok).filter(|line| line.starts_with("PING")) {
                drop(line);
                let _ = write!(stream, "PONG\r\n");
            }
        }
    });
    let options = NatsOptions::new(vec![format!("nats://127.0.0.1:{port}")]);
    let why = Nats::connect(&options, "test").await.unwrap_err().to_string();
    assert!(why.contains("version 2.9.10, and 2.11 or later is needed"), "{why}");
}
