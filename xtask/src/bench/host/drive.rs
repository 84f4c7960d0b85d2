//! Drives the games of a host at a steady pace, and lets the bare loop send the same messages again.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use nuggets_game::{Rng, Seed};
use nuggets_testkit::{now, wait_until};
use rustix::thread::gettid;

use super::crowd::Crowd;
use super::player::{BenchPlayer, last_seq};
use crate::bench::PLAYERS;
use crate::bench::process::MeasuredServer;
use crate::tools::{run, tool};

/// How long an answer may take before the run fails.
const LIMIT: Duration = Duration::from_secs(30);
/// How long the last answers may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);
/// What the host still does after the last key, such as to tell the lobby, is part of its time.
const SETTLE: Duration = Duration::from_millis(100);
/// A round of the watchers takes at most 0.5 s.
const SETTLE_WATCHERS: Duration = Duration::from_millis(1300);
/// How long the last lines to watchers may take after that.
const WATCHERS_LIMIT: Duration = Duration::from_secs(10);
/// Of a thousand keys so many must move somebody: two players may bar each other's way at the same moment.
const MIN_EFFECT: u64 = 990;
/// Messages to watchers are sent again in portions.
const PORTION: Duration = Duration::from_millis(10);

/// How many keys all players together press, evenly spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) keys_per_s: u32,
    pub(crate) keys: u32,
}

/// How many games of 26 there are, and how many watch the first of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadSize {
    pub(crate) games: usize,
    pub(crate) watchers: usize,
}

/// Messages that are sent together, because of one key or to some watchers.
#[derive(Debug)]
pub(crate) struct Order {
    /// Since the start of the round.
    at: Duration,
    /// The connection that asks for it.
    from: usize,
    /// The number and the bytes of each receiver.
    pub(crate) to: Vec<(usize, usize)>,
}

/// What was measured while a server ran at some pace.
#[derive(Debug, Default)]
pub(crate) struct BenchRound {
    pub(crate) keys: u32,
    pub(crate) cpu_ns: u64,
    /// From each key to the picture that shows it.
    pub(crate) latencies: Vec<Duration>,
    /// How long each message to a watcher was overdue: the age of the oldest key that it shows.
    pub(crate) behind: Vec<Duration>,
    /// What was sent because of each key.
    pub(crate) keys_sent: Vec<Order>,
    /// What was sent to watchers.
    pub(crate) watchers_sent: Vec<Order>,
}

/// A message that a watcher has received.
struct WatcherMessage {
    at: Instant,
    watcher: usize,
    bytes: usize,
    seq: u64,
}

/// A host with its players and watchers.
pub(crate) struct HostWorld {
    pub(crate) process: Arc<MeasuredServer>,
    /// Where games are created: the host itself, or another node of its cluster.
    owner: Arc<MeasuredServer>,
    games: Vec<String>,
    players: Players,
    watchers: Crowd,
    /// The last line that all watchers have.
    watchers_seq: u64,
}

impl HostWorld {
    /// Joins one new game of a host with 26 players, perhaps over another node of the same cluster.
    pub(crate) fn join(
        process: &Arc<MeasuredServer>,
        owner: &Arc<MeasuredServer>,
    ) -> anyhow::Result<Self> {
        let rng = Rng::new(Seed::new(7));
        let mut world = Self {
            process: Arc::clone(process),
            owner: Arc::clone(owner),
            games: Vec::new(),
            players: Players {
                crowd: Crowd::new()?,
                seats: Vec::new(),
                last_keys: Vec::new(),
                rng,
            },
            watchers: Crowd::new()?,
            watchers_seq: 0,
        };
        world.add_games(1)?;
        Ok(world)
    }

    /// How much there is.
    pub(crate) fn size(&self) -> LoadSize {
        LoadSize { games: self.games.len(), watchers: self.watchers.len() }
    }

    /// Adds games until there are so many.
    pub(crate) fn add_games(&mut self, games: usize) -> anyhow::Result<()> {
        while self.games.len() < games {
            let game = self.owner.create_game();
            wait_until("a node to know a game", || self.process.knows(&game));
            self.players.join(self.process.address, &format!("/g/{game}/ws"))?;
            self.games.push(game);
        }
        Ok(())
    }

    /// Adds watchers of the first game until there are so many.
    pub(crate) fn add_watchers(&mut self, count: usize) -> anyhow::Result<()> {
        let path = format!("/g/{}/ws?watch", self.games[0]);
        let mut seqs = vec![Some(self.watchers_seq); self.watchers.len()];
        while self.watchers.len() < count {
            self.watchers.connect(self.process.address, &path)?;
            self.watchers.send(seqs.len(), r#"{"watch":{"view":null}}"#)?;
            seqs.push(None);
        }
        let began = now();
        while seqs.iter().any(Option::is_none) {
            ensure!(began.elapsed() < LIMIT, "the host has not sent all watchers a picture");
            self.watchers.poll(PORTION, |number, text| {
                seqs[number] = last_seq(text).or(seqs[number]);
                Ok(())
            })?;
        }
        self.watchers_seq = seqs.iter().flatten().copied().max().unwrap_or(0);
        let all_equal = seqs.iter().all(|seq| *seq == Some(self.watchers_seq));
        ensure!(all_equal, "watchers see different pictures while nobody moves");
        Ok(())
    }

    /// Presses keys, and receives everything.
    pub(crate) fn play(&mut self, pace: Pace) -> anyhow::Result<BenchRound> {
        let began = now();
        let Self { process, players, watchers, .. } = self;
        let settle = if watchers.len() == 0 { SETTLE } else { SETTLE_WATCHERS };
        let mut round = BenchRound { keys: pace.keys, ..BenchRound::default() };
        let pressing = || players.press_all(pace, began, settle, &mut round);
        let (deliveries, cpu_ns) = while_watched(process, watchers, pressing)?;
        round.cpu_ns = cpu_ns;
        self.note_deliveries(&mut round, began, &deliveries)?;
        Ok(round)
    }

    /// Each key is one line of the watchers' stream, so the number of a line says which keys it shows.
    fn note_deliveries(
        &mut self,
        round: &mut BenchRound,
        began: Instant,
        deliveries: &[WatcherMessage],
    ) -> anyhow::Result<()> {
        let control = self.players.seats.len();
        let mut seqs = vec![self.watchers_seq; self.watchers.len()];
        for delivery in deliveries {
            let at = delivery.at.duration_since(began);
            let known = std::mem::replace(&mut seqs[delivery.watcher], delivery.seq);
            let oldest = usize::try_from(known - self.watchers_seq)?;
            let oldest = round.keys_sent.get(oldest).context("a line without a key")?;
            round.behind.push(at.saturating_sub(oldest.at));
            let to = (control + 1 + delivery.watcher, delivery.bytes);
            match round.watchers_sent.last_mut() {
                Some(last) if at < last.at + PORTION => last.to.push(to),
                _ => round.watchers_sent.push(Order { at, from: control, to: vec![to] }),
            }
        }
        let Some(last) = seqs.iter().max().copied() else { return Ok(()) };
        ensure!(seqs.iter().all(|seq| *seq == last), "a watcher has not received all keys");
        ensure!(
            last - self.watchers_seq >= MIN_EFFECT * u64::from(round.keys) / 1000,
            "only {} of {} keys were shown to watchers",
            last - self.watchers_seq,
            round.keys
        );
        self.watchers_seq = last;
        Ok(())
    }
}

/// The players of all games: 26 connections for each.
struct Players {
    crowd: Crowd,
    seats: Vec<BenchPlayer>,
    /// The last key of each game: what its players receive follows from that.
    last_keys: Vec<Option<usize>>,
    rng: Rng,
}

impl Players {
    /// Lets 26 more join a game.
    fn join(&mut self, address: SocketAddr, path: &str) -> anyhow::Result<()> {
        for _ in 0..PLAYERS {
            self.crowd.connect(address, path)?;
            self.crowd.send(self.seats.len(), r#"{"join":{"name":"Player"}}"#)?;
            self.seats.push(BenchPlayer::default());
        }
        let (began, Self { crowd, seats, .. }) = (now(), self);
        while !seats.iter().all(BenchPlayer::has_joined) {
            ensure!(began.elapsed() < LIMIT, "the host has not let all players in");
            let joined = crowd.poll(PORTION, |number, text| seats[number].apply(text).map(drop));
            joined.context("a player could not join")?;
        }
        Ok(())
    }

    fn press_all(
        &mut self,
        pace: Pace,
        began: Instant,
        settle: Duration,
        round: &mut BenchRound,
    ) -> anyhow::Result<()> {
        self.last_keys = vec![None; self.seats.len() / PLAYERS];
        for number in 0..pace.keys {
            let due = began + Duration::from_secs(1) * number / pace.keys_per_s;
            self.receive_until(due, round)?;
            let (player, key) = loop {
                if let Some(chosen) = self.choose() {
                    break chosen;
                }
                self.receive_until(now() + Duration::from_millis(1), round)?;
            };
            let at = now();
            self.crowd.send(player, &format!(r#"{{"key":"{key}"}}"#))?;
            self.seats[player].waiting = Some((at, round.keys_sent.len()));
            self.last_keys[player / PLAYERS] = Some(round.keys_sent.len());
            let at = at.duration_since(began);
            round.keys_sent.push(Order { at, from: player, to: Vec::new() });
        }
        self.receive_until(now() + settle, round)?;
        let last = now();
        while self.unanswered() > 0 && last.elapsed() < ANSWER_LIMIT {
            self.receive_until(now() + PORTION, round)?;
        }
        let (unanswered, keys) = (self.unanswered(), pace.keys);
        let is_good = unanswered * 1000 <= (1000 - MIN_EFFECT) * u64::from(keys);
        ensure!(is_good, "the host has not answered {unanswered} of {keys} keys");
        self.seats.iter_mut().for_each(|seat| seat.waiting = None);
        Ok(())
    }

    fn unanswered(&self) -> u64 {
        self.seats.iter().filter(|seat| seat.waiting.is_some()).count() as u64
    }

    /// A random player whose last key is answered, and a step; none if nobody is found soon.
    fn choose(&mut self) -> Option<(usize, char)> {
        (0..20).find_map(|_| {
            let player = self.rng.index(self.seats.len());
            let seat = &self.seats[player];
            let is_free = seat.waiting.is_none();
            Some((player, seat.choose_step(&mut self.rng).filter(|_| is_free)?))
        })
    }

    fn receive_until(&mut self, due: Instant, round: &mut BenchRound) -> anyhow::Result<()> {
        self.crowd.poll_until(due, |player, text| {
            let seat = &mut self.seats[player];
            let has_moved = seat.apply(text)?;
            let answered = if has_moved { seat.waiting.take() } else { None };
            round.latencies.extend(answered.map(|(since, _)| since.elapsed()));
            let key = answered.map(|(_, key)| key).or(self.last_keys[player / PLAYERS]);
            if let Some(key) = key {
                round.keys_sent[key].to.push((player, text.len()));
            }
            Ok(())
        })
    }
}

/// Lets players press keys while another thread receives what watchers are sent. Returns that, and the processor time of
/// the process.
fn while_watched(
    process: &MeasuredServer,
    watchers: &mut Crowd,
    play: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<(Vec<WatcherMessage>, u64)> {
    let cpu_before = process.usage.cpu_ns()?;
    let stop = AtomicBool::new(false);
    let (played, received) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| receive(watchers, &stop));
        let played = play();
        stop.store(true, Ordering::Relaxed);
        (played, watching.join())
    });
    played?;
    let received = received.map_err(|_| anyhow::anyhow!("the watchers have panicked"))??;
    Ok((received, process.usage.cpu_ns()? - cpu_before))
}

/// Receives what watchers are sent until it is told to stop, and all of them have the last line.
fn receive(watchers: &mut Crowd, stop: &AtomicBool) -> anyhow::Result<Vec<WatcherMessage>> {
    run_only_when_idle()?;
    let mut deliveries = Vec::new();
    let mut seqs = vec![0; watchers.len()];
    let mut stopped_at = None;
    while watchers.len() > 0 {
        if stop.load(Ordering::Relaxed) {
            let since: &mut Instant = stopped_at.get_or_insert_with(now);
            let is_complete = seqs.iter().all(|seq| *seq == seqs[0]);
            if is_complete || since.elapsed() > WATCHERS_LIMIT {
                break;
            }
        }
        watchers.poll(PORTION, |watcher, text| {
            let Some(seq) = last_seq(text) else { return Ok(()) };
            seqs[watcher] = seq;
            deliveries.push(WatcherMessage { at: now(), watcher, bytes: text.len(), seq });
            Ok(())
        })?;
    }
    Ok(deliveries)
}

/// Watchers would be at other machines: the thread that receives for them must not take the processor from players and
/// servers. A `nice` value is not enough for that, the system lets a thread finish its time slice.
fn run_only_when_idle() -> anyhow::Result<()> {
    let thread = gettid().as_raw_nonzero().to_string();
    run(&mut tool("chrt", &["--idle", "--pid", "0", &thread]))
        .context("can't give a thread the scheduling policy SCHED_IDLE")
}

/// The bare loop with as many connections as a host.
pub(crate) struct BareWorld {
    process: MeasuredServer,
    /// The players, and last the connection that asks for messages to watchers.
    players: Crowd,
    watchers: Crowd,
    waiting_since: Vec<Option<Instant>>,
    rss_before_kib: u64,
}

impl BareWorld {
    /// A bare loop with the connections of a host with so many games and watchers.
    pub(crate) fn start(bare: &Path, size: LoadSize) -> anyhow::Result<Self> {
        let process = MeasuredServer::start(&mut Command::new(bare));
        let rss_before_kib = process.usage.memory_kib("VmRSS:")?;
        let (mut players, mut watchers) = (Crowd::new()?, Crowd::new()?);
        let count = size.games * PLAYERS + 1;
        for number in 0..count {
            players.connect(process.address, &format!("/{number}"))?;
        }
        for number in 0..size.watchers {
            watchers.connect(process.address, &format!("/{}", count + number))?;
        }
        Ok(Self { process, players, watchers, waiting_since: vec![None; count], rss_before_kib })
    }

    /// The resident memory of all connections.
    pub(crate) fn connections_kib(&self) -> anyhow::Result<u64> {
        Ok(self.process.usage.memory_kib("VmRSS:")?.saturating_sub(self.rss_before_kib))
    }

    /// Sends what a host has sent, at the same times.
    pub(crate) fn play(&mut self, host: &BenchRound) -> anyhow::Result<BenchRound> {
        let began = now();
        let Self { process, players, watchers, waiting_since, .. } = self;
        let mut round = BenchRound { keys: host.keys, ..BenchRound::default() };
        let control = players.len() - 1;
        let mut receive_until = |players: &mut Crowd, waiting: &mut [Option<Instant>], due| {
            players.poll_until(due, |player, text| {
                let answered = if text.starts_with('@') { waiting[player].take() } else { None };
                round.latencies.extend(answered.map(|since| since.elapsed()));
                Ok(())
            })
        };
        let replay = || {
            let mut orders: Vec<&Order> =
                host.keys_sent.iter().chain(&host.watchers_sent).collect();
            orders.sort_by_key(|order| order.at);
            for order in orders {
                receive_until(players, waiting_since, began + order.at)?;
                let text: Vec<String> =
                    order.to.iter().map(|(to, bytes)| format!("{to}:{bytes}")).collect();
                if order.from != control {
                    waiting_since[order.from] = Some(now());
                }
                players.send(order.from, &text.join(" "))?;
            }
            receive_until(players, waiting_since, now() + SETTLE)?;
            let last = now();
            while waiting_since.iter().any(Option::is_some) && last.elapsed() < ANSWER_LIMIT {
                receive_until(players, waiting_since, now() + PORTION)?;
            }
            waiting_since.fill(None);
            Ok(())
        };
        let played = while_watched(process, watchers, replay);
        (_, round.cpu_ns) = played.context("the bare loop failed")?;
        Ok(round)
    }
}
