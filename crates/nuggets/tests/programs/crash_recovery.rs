//! Crash recovery: the server is killed while 26 bots play and a spectator watches, and restarted with
//! the same arguments. No client loses anything that it was ever sent.
//!
//! `NUGGETS_KILLS=200 cargo test -p nuggets --test programs killed` kills it 200 times; by default
//! only a few times.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;
use std::time::Duration;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_game::{Player, Rng, Seed};
use nuggets_protocol::{ClientMessage, ServerMessage};
use nuggets_record::{Recording, verify};
use nuggets_sim::host::{Screen, Truth};
use nuggets_testkit::{LIMIT, ServerProcess, now};
use nuggets_time::Timestamp;

use crate::starting::start_server_command;
use crate::temp_file::TempFile;

/// A few kills are spread over a whole game; many need several games.
const MAX_KILLS_PER_GAME: usize = 25;
const DEFAULT_KILLS: usize = 6;

/// A client like the original ones: it never joins again, and ignores a closed port.
struct TestClient {
    socket: UdpSocket,
    brain: Option<Box<dyn Brain + Send>>,
    name: String,
    scene: Scene,
    screen: Screen,
    /// True if a message has come since it last sent one.
    has_news: bool,
    /// The number of turns without a new message.
    waited_turns: u32,
}

impl TestClient {
    fn new(name: String, brain: Option<BrainKind>) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_nonblocking(true).unwrap();
        Self {
            socket,
            brain: brain.map(|kind| kind.build(0)),
            name,
            scene: Scene::default(),
            screen: Screen::default(),
            has_news: true,
            waited_turns: 0,
        }
    }

    /// Handles all messages that have come.
    fn receive(&mut self) {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.socket.recv(&mut buffer) {
                Ok(length) => self.handle_message(&buffer[..length]),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn handle_message(&mut self, bytes: &[u8]) {
        let message = ServerMessage::parse(bytes).unwrap();
        self.scene.handle_message(&message).unwrap();
        self.screen.handle_datagram(bytes).unwrap();
        self.has_news = true;
    }

    fn is_seated(&self) -> bool {
        let has_picture = !self.screen.picture().rows.is_empty();
        if self.brain.is_some() { self.screen.shown.view.is_some() } else { has_picture }
    }

    /// Its turn; true if it has sent a message. It waits until all clients have joined.
    fn act(&mut self, port: u16, all_are_seated: bool) -> bool {
        self.receive();
        if self.is_seated() && !all_are_seated {
            return false;
        }
        self.waited_turns += 1;
        // A key may have been lost with the server, or had no effect.
        let sends_now = (self.has_news || self.waited_turns > 50) && !self.screen.is_over;
        let Some(message) = sends_now.then(|| self.choose()).flatten() else { return false };
        (self.has_news, self.waited_turns) = (false, 0);
        self.socket.send_to(&message, (Ipv4Addr::LOCALHOST, port)).unwrap();
        true
    }

    fn choose(&mut self) -> Option<Vec<u8>> {
        let is_seated = self.is_seated();
        match &mut self.brain {
            None if is_seated => None,
            None => Some(b"SPECTATE".to_vec()),
            Some(_) if !is_seated => Some(format!("PLAY {}", self.name).into_bytes()),
            Some(brain) => {
                let key = brain.next_key(&self.scene)?;
                Some(ClientMessage::Key(key.key()).to_bytes())
            }
        }
    }
}

/// A game whose server is killed repeatedly.
struct Killed {
    args: Vec<String>,
    journal: TempFile,
    host: ServerProcess,
    clients: Vec<TestClient>,
    /// The journal so far, and the history that the model of the rules computes from it.
    written: Vec<u8>,
    truth: Truth,
    turn: usize,
}

impl Killed {
    fn start(seed: usize, options: &[&str]) -> Self {
        let journal = TempFile::new(&format!("kill-{seed}-{}", options.len()));
        let seed = seed.to_string();
        let args = ["main", &seed, "--journal", journal.path(), "--linger", "300", "--log", "warn"];
        let args: Vec<String> = args.iter().chain(options).map(ToString::to_string).collect();
        let host = start(&args);
        let written = std::fs::read(journal.path()).unwrap();
        let mut truth = Truth::default();
        truth.extend(Timestamp(0), &written).unwrap();
        let kinds = [BrainKind::Scout, BrainKind::Miner];
        let bots = (0..26).map(|n| TestClient::new(format!("bot {n}"), Some(kinds[n % 2])));
        let clients = bots.chain([TestClient::new("watcher".into(), None)]).collect();
        Self { args, journal, host, clients, written, truth, turn: 0 }
    }

    /// Plays until the clients have sent this many messages, or the server has ended.
    fn play(&mut self, messages: usize) {
        let started = now();
        let mut sent = 0;
        let mut idle_turns = 0;
        while sent < messages && (idle_turns == 0 || self.host.is_running()) {
            assert!(started.elapsed() < 5 * LIMIT, "the game does not proceed");
            self.turn += 1;
            let index = self.turn % self.clients.len();
            let all = self.clients.iter().all(TestClient::is_seated);
            let has_sent = self.clients[index].act(self.host.port(), all);
            sent += usize::from(has_sent);
            idle_turns = if has_sent { 0 } else { idle_turns + 1 };
            if idle_turns > self.clients.len() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// The journal must contain everything that any client was ever sent, in the same order.
    fn compare_with_journal(&mut self) {
        let journal = std::fs::read(self.journal.path()).unwrap();
        assert!(journal.starts_with(&self.written), "the journal has changed");
        let reading = Recording::read(&journal).unwrap();
        verify(&reading.recording).unwrap();
        self.written = journal[..reading.good_bytes].to_vec();
        self.truth.extend(Timestamp(0), &self.written).unwrap();
        for client in &mut self.clients {
            client.receive();
            self.truth.find(&mut client.screen.shown, Timestamp(0)).unwrap();
        }
    }

    /// Kills the server and restarts it, also while it sends the end; false if the end was delivered
    /// and the journal is rejected.
    fn kill(&mut self) -> bool {
        self.host.kill();
        self.compare_with_journal();
        if self.is_end_delivered() {
            let rejected =
                Command::new(env!("CARGO_BIN_EXE_server")).args(&self.args).output().unwrap();
            let why = String::from_utf8(rejected.stderr).unwrap();
            assert!(why.contains("the game in it is over"), "{why}");
            assert_eq!(rejected.status.code(), Some(1));
            self.check_all_have_the_end();
            return false;
        }
        let port = self.host.port();
        for client in &mut self.clients {
            client.act(port, true);
        }
        self.host = start(&self.args);
        assert_eq!(self.host.port(), port);
        true
    }

    fn is_end_delivered(&self) -> bool {
        let journal = std::fs::read(self.journal.path()).unwrap();
        Recording::read(&journal).unwrap().recording.is_end_delivered()
    }

    fn check_all_have_the_end(&self) {
        let informed = self.clients.iter().filter(|one| one.screen.is_over).count();
        assert_eq!(informed, self.clients.len(), "every client has received the end");
    }

    /// Plays to the end; returns how many pictures were found in the history.
    fn end(mut self) -> u64 {
        self.play(usize::MAX);
        self.compare_with_journal();
        self.check_all_have_the_end();
        let game = self.truth.game();
        assert!(game.end().is_some());
        assert_eq!(game.players().iter().map(Player::purse).sum::<u32>(), 250);
        let table = game.table().to_string();
        let ended = self.host.end();
        assert!(ended.status.success(), "{}", ended.stderr);
        assert_eq!(ended.stdout, format!("GAME OVER:\n{table}\n"));
        self.truth.found
    }
}

fn start(args: &[String]) -> ServerProcess {
    start_server_command(Command::new(env!("CARGO_BIN_EXE_server")).args(args))
}

/// Kills servers this many times, at random times of this seed.
fn kill_at_random_times(kills: usize, seed: i64, options: &[&str]) {
    let mut rng = Rng::new(Seed::new(seed));
    let mut left = kills;
    let mut games = 0;
    let mut found = 0;
    while left > 0 {
        games += 1;
        let mut game = Killed::start(games, options);
        let mut in_this = left.min(MAX_KILLS_PER_GAME);
        let mut is_resumed = true;
        while in_this > 0 && is_resumed {
            game.play(rng.index(60));
            std::thread::sleep(Duration::from_micros(rng.below(2_000).into()));
            if !game.host.is_running() {
                break;
            }
            is_resumed = game.kill();
            (in_this, left) = (in_this - 1, left - 1);
        }
        found += if is_resumed { game.end() } else { game.truth.found };
    }
    #[expect(clippy::print_stdout, reason = "the result of the long form, which is run by hand")]
    {
        println!(
            "{kills} kills in {games} games {options:?}: {found} pictures found in the journals"
        );
    }
    assert!(found > 1000 * games as u64, "only {found} pictures in {games} games");
}

fn kills() -> usize {
    std::env::var("NUGGETS_KILLS")
        .map_or(DEFAULT_KILLS, |count| count.parse().expect("a number of kills"))
}

#[test]
fn a_server_killed_at_any_time_loses_nothing_that_was_sent() {
    kill_at_random_times(kills(), 1, &[]);
}

#[test]
fn a_durable_server_killed_at_any_time_loses_nothing_that_was_sent() {
    kill_at_random_times((kills() / 4).max(4), 2, &["--durable", "--dialect", "2019"]);
}
