//! Tests of connections whose client does not read: messages are written in parts, and nothing is lost.

use std::sync::Arc;

use nuggets_testkit::{HttpClient, LIMIT, SocketRead, WebSocketPeer, parse_lines};
use serde_json::{Value, json};
use socket2::{Domain, SockRef, Socket, Type};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::mailbox::Mailbox;
use crate::test_games::attach;
use crate::web::listen;
use crate::{AttachError, AttachRole, GameCommand, GameId, HostOptions, RunningHost};

/// More than the smallest buffers that the system allows on both sides of a connection together.
const LARGE_BYTES: usize = 100_000;

/// A host whose connections have the smallest buffers that the system allows, and one game.
struct SmallBuffers {
    host: RunningHost,
    game: GameId,
    runtime: Runtime,
    _folder: TempDir,
}

impl SmallBuffers {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let listener = listen::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        // Accepted connections inherit the buffer size.
        SockRef::from(&listener).set_send_buffer_size(1).unwrap();
        let options = HostOptions::new(folder.path().into());
        let host = runtime.block_on(RunningHost::start_on(listener, options, None)).unwrap();
        let mut creator = HttpClient::new(host.address());
        let game = creator.create_game(&json!({"map":{"built_in":"main"}})).parse().unwrap();
        Self { host, game, runtime, _folder: folder }
    }

    fn join(&self) -> Client {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_recv_buffer_size(1).unwrap();
        socket.connect(&self.host.address().into()).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        let path = format!("/g/{}/ws", self.game);
        let socket = WebSocketPeer::connect(socket.into(), &path, &[]).unwrap();
        let mut client = Client { socket, seq: None, messages: 0 };
        client.socket.send(r#"{"join":{"name":"Ann"}}"#);
        client.read_until(|line| line.get("whole").is_some());
        client
    }

    /// Broadcasts a message, and returns when it is published.
    fn publish(&self, words: &str) {
        let workers = &self.host.site().service.workers;
        workers.send(self.game, GameCommand::Notice(words.to_owned()));
        // Commands are executed in order, so the message is published when this command is answered.
        let attach = attach(u64::MAX, 77, AttachRole::Watch(Some('Z')));
        let cell = workers.find(self.game).unwrap();
        let refused = self.runtime.block_on(cell.attach(attach, Arc::new(Mailbox::new(1))));
        assert_eq!(refused.err(), Some(AttachError::NoSuchPlayer));
    }
}

/// A client that reads only on request.
struct Client {
    socket: WebSocketPeer,
    /// The number of the last line.
    seq: Option<u64>,
    messages: usize,
}

impl Client {
    /// Reads until a line is as wanted. Each line of the stream must follow the one before, or be whole.
    fn read_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let SocketRead::Text(text) = self.socket.read() else { panic!("the host is gone") };
            self.messages += 1;
            let lines = parse_lines(&text);
            for line in &lines {
                self.check_number(line);
            }
            if let Some(found) = lines.into_iter().find(&wanted) {
                return found;
            }
        }
    }

    fn check_number(&mut self, line: &Value) {
        let Some(seq) = line.get("seq").and_then(Value::as_u64) else { return };
        let follows = self.seq.is_some_and(|before| seq == before + 1);
        assert!(follows || line.get("whole").is_some(), "{seq} after {:?}", self.seq);
        self.seq = Some(seq);
    }
}

#[test]
fn a_message_that_is_written_in_parts_arrives_whole_and_what_comes_after_it_too() {
    let world = SmallBuffers::start();
    let mut ann = world.join();
    for turn in 0..10 {
        let large = format!("{turn} {}", "x".repeat(LARGE_BYTES));
        world.publish(&large);
        // The thread of the game finds a connection with a partly written message.
        for number in 0..5 {
            world.publish(&format!("{turn}.{number}"));
        }
        // The host does not read it before its own message is written.
        ann.socket.send(&json!({ "ping": turn }).to_string());
        let before = ann.messages;
        let first = ann.read_until(|line| line.get("notice").is_some());
        assert!(first["notice"] == json!(large), "turn {turn}: another message came first");
        let last = format!("{turn}.4");
        ann.read_until(|line| line.get("notice") == Some(&json!(last)));
        ann.read_until(|line| line.get("pong") == Some(&json!(turn)));
        assert!(ann.messages - before <= 4, "what waited for a slow reader is one message");
    }
}

#[test]
fn keys_of_a_client_that_does_not_read_are_handled_when_it_reads() {
    let world = SmallBuffers::start();
    let mut ann = world.join();
    world.publish(&"x".repeat(LARGE_BYTES));
    for key in "HJKLYUBN".chars() {
        ann.socket.send(&json!({ "key": key }).to_string());
    }
    ann.read_until(|line| line.get("notice").is_some());
    ann.read_until(|line| line.get("set").is_some());
}
