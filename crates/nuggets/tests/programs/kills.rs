//! The server is killed while 26 bots play and somebody watches, and started again with the same
//! arguments: nobody loses anything that it was ever shown.
//!
//! `NUGGETS_KILLS=200 cargo test -p nuggets --test programs kill` kills it 200 times; without that a
//! few times only.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;
use std::time::Duration;

use nuggets_atlas::Scene;
use nuggets_bots::{Brain, BrainKind};
use nuggets_game::{Chance, Seed};
use nuggets_protocol::{ClientMessage, ServerMessage};
use nuggets_record::Recording;
use rustix::process::Signal;

use crate::history::{History, Shown};
use crate::host::{Host, LIMIT, now};
use crate::kept_file::KeptFile;

/// A few kills are spread over a whole game; many need several games.
const KILLS_IN_A_GAME: usize = 25;
const FEW: usize = 6;

/// Somebody like the original clients: it never asks twice for what it has got, and a closed port
/// is nothing to it.
struct Somebody {
    socket: UdpSocket,
    brain: Option<Box<dyn Brain + Send>>,
    name: String,
    scene: Scene,
    shown: Shown,
    /// It has heard something since it spoke last.
    has_news: bool,
    /// How often it had its turn and no news.
    patience: u32,
}

impl Somebody {
    fn new(name: String, brain: Option<BrainKind>) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_nonblocking(true).unwrap();
        Self {
            socket,
            brain: brain.map(|kind| kind.build(0)),
            name,
            scene: Scene::default(),
            shown: Shown::default(),
            has_news: true,
            patience: 0,
        }
    }

    /// Takes in whatever has come.
    fn hear(&mut self) {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.socket.recv(&mut buffer) {
                Ok(length) => self.take(&buffer[..length]),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let message = ServerMessage::parse(bytes).unwrap();
        self.scene.take(&message).unwrap();
        self.shown.take(&message, bytes);
        self.has_news = true;
    }

    fn is_seated(&self) -> bool {
        if self.brain.is_some() { self.shown.letter().is_some() } else { self.shown.has_picture }
    }

    /// Its turn; true if it said something. Nobody goes before all are there.
    fn act(&mut self, port: u16, all_are_seated: bool) -> bool {
        self.hear();
        if self.is_seated() && !all_are_seated {
            return false;
        }
        self.patience += 1;
        // A key may have been lost with the server, or have moved nobody.
        let speaks = (self.has_news || self.patience > 50) && !self.shown.is_told_the_end;
        let says = if speaks { self.choose() } else { None };
        let Some(says) = says else { return false };
        (self.has_news, self.patience) = (false, 0);
        self.socket.send_to(&says, (Ipv4Addr::LOCALHOST, port)).unwrap();
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

/// A game whose server is killed now and then.
struct Killed {
    args: Vec<String>,
    journal: KeptFile,
    host: Host,
    everybody: Vec<Somebody>,
    history: History,
    turn: usize,
}

impl Killed {
    fn start(seed: usize, options: &[&str]) -> Self {
        let journal = KeptFile::new(&format!("kill-{seed}-{}", options.len()));
        let seed = seed.to_string();
        let args = ["main", &seed, "--journal", journal.path(), "--linger", "300", "--log", "warn"];
        let args: Vec<String> = args.iter().chain(options).map(ToString::to_string).collect();
        let host = start(&args);
        let history = History::begin(&std::fs::read(journal.path()).unwrap());
        let kinds = [BrainKind::Scout, BrainKind::Miner];
        let bots = (0..26).map(|n| Somebody::new(format!("bot {n}"), Some(kinds[n % 2])));
        let everybody = bots.chain([Somebody::new("watcher".into(), None)]).collect();
        Self { args, journal, host, everybody, history, turn: 0 }
    }

    /// Plays until so many things were said, or the server has ended.
    fn play(&mut self, things: usize) {
        let (started, mut said, mut silent) = (now(), 0, 0);
        while said < things && (silent == 0 || self.host.is_running()) {
            assert!(started.elapsed() < 5 * LIMIT, "the game does not go on");
            self.turn += 1;
            let whose = self.turn % self.everybody.len();
            let all = self.everybody.iter().all(Somebody::is_seated);
            let spoke = self.everybody[whose].act(self.host.port, all);
            said += usize::from(spoke);
            silent = if spoke { 0 } else { silent + 1 };
            if silent > self.everybody.len() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// The journal must hold everything that anybody was ever shown.
    fn look_back(&mut self) {
        let journal = std::fs::read(self.journal.path()).unwrap();
        for somebody in &mut self.everybody {
            somebody.hear();
        }
        let mut shown: Vec<&mut Shown> =
            self.everybody.iter_mut().map(|one| &mut one.shown).collect();
        self.history.extend(&journal, &mut shown);
    }

    /// Kills the server and starts it again, also when it was telling the end; false if that was told
    /// and nothing was left to do.
    fn kill(&mut self) -> bool {
        self.host.signal(Signal::KILL);
        self.host.wait();
        self.look_back();
        if self.is_told() {
            let refused =
                Command::new(env!("CARGO_BIN_EXE_server")).args(&self.args).output().unwrap();
            let why = String::from_utf8(refused.stderr).unwrap();
            assert!(why.contains("the game in it is over"), "{why}");
            assert_eq!(refused.status.code(), Some(1));
            self.check_all_are_told();
            return false;
        }
        let port = self.host.port;
        for somebody in &mut self.everybody {
            somebody.act(port, true);
        }
        self.host = start(&self.args);
        assert_eq!(self.host.port, port);
        true
    }

    fn is_told(&self) -> bool {
        let journal = std::fs::read(self.journal.path()).unwrap();
        Recording::read(&journal).unwrap().recording.is_told()
    }

    fn check_all_are_told(&self) {
        let told = self.everybody.iter().filter(|one| one.shown.is_told_the_end).count();
        assert_eq!(told, self.everybody.len(), "everybody is told the end");
    }

    /// Plays to the end. How many pictures were found in the history.
    fn end(mut self) -> usize {
        self.play(usize::MAX);
        self.look_back();
        self.check_all_are_told();
        assert!(self.history.is_over());
        assert_eq!(self.history.purses(), 250);
        let table = self.history.table();
        let ended = self.host.end();
        assert!(ended.status.success(), "{}", ended.stderr);
        assert_eq!(ended.stdout, format!("GAME OVER:\n{table}\n"));
        self.history.found
    }
}

fn start(args: &[String]) -> Host {
    Host::start_command(Command::new(env!("CARGO_BIN_EXE_server")).args(args))
}

/// Kills servers at so many moments, which the seed chooses.
fn kill_at_random_moments(kills: usize, seed: i64, options: &[&str]) {
    let mut chance = Chance::new(Seed::new(seed));
    let (mut left, mut games, mut found) = (kills, 0, 0);
    while left > 0 {
        games += 1;
        let mut game = Killed::start(games, options);
        let mut in_this = left.min(KILLS_IN_A_GAME);
        let mut goes_on = true;
        while in_this > 0 && goes_on {
            game.play(chance.index(60));
            std::thread::sleep(Duration::from_micros(chance.below(2_000).into()));
            if !game.host.is_running() {
                break;
            }
            goes_on = game.kill();
            (in_this, left) = (in_this - 1, left - 1);
        }
        found += if goes_on { game.end() } else { game.history.found };
    }
    #[allow(clippy::print_stdout, reason = "the long form is run by hand, for this line")]
    {
        println!(
            "{kills} kills in {games} games {options:?}: {found} pictures found in the journals"
        );
    }
    assert!(found > 1000 * games, "only {found} pictures in {games} games");
}

fn kills() -> usize {
    std::env::var("NUGGETS_KILLS").map_or(FEW, |count| count.parse().expect("a number of kills"))
}

#[test]
fn a_server_killed_at_any_moment_loses_nothing_that_was_shown() {
    kill_at_random_moments(kills(), 1, &[]);
}

#[test]
fn a_durable_server_killed_at_any_moment_loses_nothing_that_was_shown() {
    kill_at_random_moments((kills() / 4).max(4), 2, &["--durable", "--dialect", "2019"]);
}
