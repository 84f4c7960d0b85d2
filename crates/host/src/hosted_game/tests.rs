//! Games in virtual time: the output to people, watchers, bots and UDP clients.

mod dialogue;
mod failing;
mod over;
mod pending_output;
mod properties;
mod resuming;
mod starting;
mod udp_clients;

use std::net::SocketAddr;

use nuggets_game::{Letter, Rules, Setup};
use nuggets_server::MemoryStorage;

use super::*;
use crate::test_games::{self, setup};
use crate::view_stream::{Position, Snapshot};
use crate::wire::StreamLine;
use crate::{Bots, PlayerId, Start};

fn meta() -> GameMeta {
    test_games::meta(1)
}

fn bots(count: u8) -> Bots {
    Bots { count, ..Bots::default() }
}

impl<S: Storage> HostedGame<S> {
    /// Takes the first piece of output that is wanted.
    fn take_output<T>(&mut self, wanted: impl Fn(&GameOutput) -> Option<T>) -> Option<T> {
        let output = &mut self.recipients.output;
        let at = output.iter().position(|output| wanted(output).is_some())?;
        output.remove(at).as_ref().and_then(wanted)
    }

    fn poll_report(&mut self) -> Option<GameReport> {
        self.take_output(|output| match output {
            GameOutput::Report(report) => Some(report.clone()),
            _ => None,
        })
    }

    fn poll_answer(&mut self) -> Option<Result<Attached, AttachError>> {
        self.take_output(|output| match output {
            GameOutput::Answer(_, attached) => Some((**attached).clone()),
            _ => None,
        })
    }

    fn poll_direct(&mut self) -> Option<(ConnectionId, DirectLine)> {
        self.take_output(|output| match output {
            GameOutput::Direct(to, line) => Some((*to, line.clone())),
            _ => None,
        })
    }

    fn poll_datagram(&mut self) -> Option<(SocketAddr, Vec<u8>)> {
        self.take_output(|output| match output {
            GameOutput::Datagram(to, bytes) => Some((*to, bytes.clone())),
            _ => None,
        })
    }
}

/// A game with a clock and its reports.
struct World {
    game: HostedGame<MemoryStorage>,
    now: Timestamp,
    reports: Vec<GameReport>,
}

/// A client: a connection with its place in a stream and everything that it was sent.
struct Client {
    id: ConnectionId,
    attached: Attached,
    position: Position,
    shown: Snapshot,
    last: Vec<StreamLine>,
    /// The bytes of all texts.
    bytes: usize,
}

impl World {
    fn new(meta: GameMeta) -> Self {
        Self::open(meta, setup(), None)
    }

    fn open(meta: GameMeta, setup: Setup, journal: Option<Vec<u8>>) -> Self {
        let now = Timestamp(5_000);
        let reading = journal.as_ref().map(|bytes| nuggets_record::Recording::read(bytes).unwrap());
        let storage =
            MemoryStorage { journal: journal.unwrap_or_default(), ..MemoryStorage::default() };
        let from = OpenGame { journal: reading, ..OpenGame::new(meta, setup, storage) };
        let game = HostedGame::open(now, from).unwrap();
        let mut world = Self { game, now, reports: Vec::new() };
        world.drain();
        world
    }

    fn handle(&mut self, command: GameCommand) {
        self.game.handle(self.now, command);
        self.drain();
    }

    fn ask(&mut self, attach: Attach) -> Result<Attached, AttachError> {
        self.handle(GameCommand::Attach(Box::new(attach)));
        self.game.poll_answer().unwrap()
    }

    fn drain(&mut self) {
        while let Some(report) = self.game.poll_report() {
            self.reports.push(report);
        }
    }

    /// Advances the time, and handles each timeout when it is due.
    fn wait(&mut self, ms: u64) {
        let until = self.now.after(ms);
        while let Some(due) = self.game.poll_timeout().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.handle(GameCommand::Timeout);
        }
        self.now = until;
    }

    fn attach(
        &mut self,
        connection: u64,
        person: u64,
        role: AttachRole,
    ) -> Result<Client, AttachError> {
        let is_creator = person == 1;
        let attach = Attach { is_creator, ..test_games::attach(connection, person, role) };
        let id = attach.connection;
        self.ask(attach).map(|attached| Client {
            id,
            attached,
            position: Position::default(),
            shown: Snapshot::default(),
            last: Vec::new(),
            bytes: 0,
        })
    }

    fn play(&mut self, connection: u64, person: u64) -> Client {
        self.attach(connection, person, AttachRole::Play).unwrap()
    }

    fn watch(&mut self, connection: u64, view: Option<char>) -> Client {
        self.attach(connection, 1000 + connection, AttachRole::Watch(view)).unwrap()
    }

    fn key(&mut self, client: &Client, key: char) {
        self.handle(GameCommand::Key(client.id, key));
    }

    /// Returns the picture of this view as the room itself draws it.
    fn picture(&self, view: Option<char>) -> Vec<String> {
        let letter = view.map(|view| Letter::from_byte(u8::try_from(view).unwrap()).unwrap());
        let text = self.game.host.room().game().view(identities::viewer(letter)).to_string();
        text.lines().map(str::to_owned).collect()
    }

    fn direct(&mut self) -> Vec<(u64, String)> {
        let lines = std::iter::from_fn(|| self.game.poll_direct());
        let text = |line| match line {
            DirectLine::Error(words) => words,
            other => panic!("{other:?}"),
        };
        lines.map(|(connection, line)| (connection.0, text(line))).collect()
    }

    /// The letters that were reported as joined.
    fn joined(&self) -> Vec<String> {
        let letter = |report: &GameReport| match report {
            GameReport::Joined(seated) => Some(seated.letter.to_string()),
            _ => None,
        };
        self.reports.iter().filter_map(letter).collect()
    }

    /// The letters that were reported as left.
    fn left(&self) -> Vec<String> {
        let letter = |report: &GameReport| match report {
            GameReport::Left(letter) => Some(letter.to_string()),
            _ => None,
        };
        self.reports.iter().filter_map(letter).collect()
    }

    fn journal(&self) -> Vec<u8> {
        self.game.host.storage().as_ref().unwrap().journal.clone()
    }
}

impl Client {
    /// Reads all new lines. Each must follow the previous one, or be a whole picture.
    fn read(&mut self, now: Timestamp) -> &[StreamLine] {
        self.last.clear();
        if let Some(read) = self.attached.stream.read(self.position, now, self.attached.audience) {
            self.bytes += read.text.len();
            for line in read.text.lines() {
                let line: StreamLine = serde_json::from_str(line).unwrap();
                if line.whole.is_none() {
                    assert_eq!(Some(line.seq - 1), self.position.seq, "lines follow each other");
                }
                self.shown.apply(&line);
                self.position.seq = Some(line.seq);
                self.last.push(line);
            }
            assert_eq!(self.position, read.position);
        }
        &self.last
    }

    fn rows(&mut self, now: Timestamp) -> Vec<String> {
        self.read(now);
        self.shown.rows()
    }
}
