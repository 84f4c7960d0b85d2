//! One attempt at a check: a fresh server, and the clients that talk to it.

mod clients;
mod exits;
mod expectations;
mod movement;
mod player_views;

pub(crate) use expectations::{expect_same, expect_unchanged};
pub(crate) use movement::is_inside_room;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nuggets_game::{Rng, Seed, Sight};
use nuggets_subprocess::{CommandLine, Exit, Subprocess};
use tempfile::TempDir;

use super::capabilities::Capabilities;
use super::idle::{BusyLimit, Observer};
use super::test_client::{TestClient, TestNetwork, UsedPorts};
use super::timeouts::Timeouts;
use super::{TestMap, checks, port};
use crate::catalogue::Catalogue;
use crate::suite::TestRun;
use crate::{
    CannotRun, Check, CheckFailure, Clock, ExchangeKind, ProgramKind, TestSettings, Transcript,
    Verdict, fail,
};
use player_views::PlayerViews;

const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The delay after which a port that was not announced is searched for among open ports.
const PORT_SEARCH_DELAY: Duration = Duration::from_millis(1500);
/// The same delay for a server that is known never to announce its port.
const SILENT_PORT_SEARCH_DELAY: Duration = Duration::from_millis(100);
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The time without waiting datagrams after which a server that never sleeps has handled everything.
const MIN_BUSY_QUIET: Duration = Duration::from_millis(500);

/// One attempt at a check of a server.
#[derive(Debug)]
pub struct ServerTest {
    pub(crate) settings: Arc<TestSettings>,
    scratch: Option<TempDir>,
    server: Option<RunningServer>,
    /// The spectators; the last one is current.
    pub(crate) spectators: Vec<TestClient>,
    /// The players' views, for servers that send spectators no map.
    pub(super) player_views: PlayerViews,
    client_count: i64,
    /// The number of clients of this server that have had each name.
    name_counts: BTreeMap<String, u32>,
    /// The context that it shares with its clients.
    pub(crate) network: TestNetwork,
    attempt: u32,
    /// Determines the random choices of the check and the dropped datagrams.
    seed: i64,
    may_exit: bool,
    /// The letters of players that have appeared on the map.
    seen: BTreeSet<u8>,
    /// True once the observers of the map were found not to be sent moves, so that waiting for one is useless.
    moves_are_missed: bool,
    /// The random numbers for the choices of a check.
    pub(crate) rng: Rng,
}

#[derive(Debug)]
struct RunningServer {
    process: Subprocess,
    is_announced: bool,
    sight: Arc<Sight>,
    observer: Arc<Observer>,
}

impl ServerTest {
    /// Creates a test run that probes the server's behaviour. No datagram is dropped on purpose.
    pub(crate) fn probe(settings: &Arc<TestSettings>, probe: u32) -> Self {
        let mut test = Self::new(settings, "probe", probe);
        test.network.timeouts = Timeouts::for_probe(probe, settings.longest_wait);
        test.network.loss_percent = 0;
        test
    }

    /// Returns the capabilities of the server, and adapts the time limits to its known answer times.
    pub(crate) fn capabilities(&self) -> &Capabilities {
        let capabilities = self.settings.learned.capabilities(&self.settings);
        self.network.timeouts.record(capabilities.slowest);
        capabilities.fastest.into_iter().for_each(|fastest| self.network.timeouts.record(fastest));
        capabilities
    }

    /// Starts the server on the map `main`.
    pub(crate) fn start(&mut self) -> Verdict {
        self.start_on(&TestMap::named("main"))
    }

    /// Starts the server on this map, with a seed that differs between attempts.
    pub(crate) fn start_on(&mut self, map: &TestMap) -> Verdict {
        let seed = u64::from(self.settings.seed) + u64::from(self.attempt) * 7;
        self.start_with(map, Some(seed))
    }

    /// Starts the server on the map `main` for players. A server that no player can join is not started.
    pub(crate) fn start_game(&mut self) -> Verdict {
        self.start_game_on(&TestMap::named("main"))
    }

    /// Like `start_game`, on another map.
    pub(crate) fn start_game_on(&mut self, map: &TestMap) -> Verdict {
        self.ensure_players_can_join()?;
        self.start_on(map)
    }

    /// Starts a server on this map with this seed, after killing the one before.
    pub(crate) fn start_with(&mut self, map: &TestMap, seed: Option<u64>) -> Verdict {
        self.spectators.clear();
        self.player_views = PlayerViews::default();
        self.network.used_ports = UsedPorts::default();
        self.name_counts.clear();
        self.seen.clear();
        self.server = None;
        self.may_exit = false;
        let file = self.write_map(map)?;
        let line = self.command_line(&file, seed.map(|seed| seed.to_string()).as_deref());
        let mut process = self.launch(&line)?;
        let (port, is_announced) = self.find_port(&mut process)?;
        let sight = map.sight(self.settings.dialect);
        let observer = Arc::new(Observer::new(port, process.marker()));
        self.server = Some(RunningServer { process, is_announced, sight, observer });
        Ok(())
    }

    /// The command with this map and seed.
    pub(crate) fn command_line(&self, map: &str, seed: Option<&str>) -> CommandLine {
        let map = ("map", OsStr::new(map));
        match seed.filter(|_| self.takes_seed()) {
            Some(seed) => self.settings.command.with_values(&[map, ("seed", OsStr::new(seed))]),
            None => self.settings.command.without_placeholder("seed").with_values(&[map]),
        }
    }

    /// False if the program has a placeholder only for the map, so that it is given no seed.
    fn takes_seed(&self) -> bool {
        let command = &self.settings.command;
        command.has_placeholder("seed") || !command.has_placeholder("map")
    }

    /// For checks about seeds: fails if the program is given none.
    pub(crate) fn ensure_takes_seed(&self) -> Verdict {
        if self.takes_seed() {
            return Ok(());
        }
        let expected = "the program is started with a seed";
        let actual = "its command has {map} and no {seed}";
        Err(CheckFailure::not_judged(expected, actual))
    }

    /// The command without map and seed.
    pub(crate) fn bare_command_line(&self) -> CommandLine {
        self.settings.command.without_placeholder("seed").without_placeholder("map")
    }

    /// Writes a map to the scratch directory; returns its path.
    pub(crate) fn write_map(&mut self, map: &TestMap) -> Verdict<String> {
        let path = self.scratch()?.join("map.txt");
        std::fs::write(&path, map.text()).map_err(|why| own_trouble(&why))?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// The server's map with its visibility rule.
    pub(crate) fn sight(&self) -> Verdict<Arc<Sight>> {
        Ok(Arc::clone(&self.server()?.sight))
    }

    /// Rows and columns of the server's map.
    pub(crate) fn size(&self) -> Verdict<(u16, u16)> {
        let map = self.server()?.sight.map();
        Ok((map.rows(), map.cols()))
    }

    /// True if the server announces its port. One whose port was found otherwise may still do so.
    pub(crate) fn announces_port(&self) -> Verdict<bool> {
        let RunningServer { process, observer, is_announced, .. } = self.server()?;
        let find = |out: &[u8], err: &[u8]| port::announced(out, err, Some(&[observer.port]));
        Ok(*is_announced || process.wait_for_output(self.network.timeouts.max(), find).is_some())
    }

    pub(crate) fn port(&self) -> Verdict<u16> {
        Ok(self.server()?.observer.port)
    }

    /// Returns the server's stdout up to now.
    pub(crate) fn stdout(&self) -> Vec<u8> {
        self.server.as_ref().map(|server| server.process.stdout()).unwrap_or_default()
    }

    /// Waits until the server sleeps and no datagram waits for it: it has handled everything that was sent to it. If
    /// the system does not report this, or the server never sleeps, waits for a fixed time.
    fn wait_until_idle(&self) {
        let Some(server) = &self.server else { return };
        let begun = self.network.clock.elapsed();
        let busy_limit = BusyLimit::new(&server.observer, begun);
        let mut busy_at = begun;
        let mut read_at = begun;
        loop {
            let has_waiting = server.observer.has_waiting_datagrams();
            let is_busy = has_waiting != Some(false) || server.observer.is_busy();
            let now = self.network.clock.elapsed();
            if is_busy {
                busy_at = now;
            }
            if has_waiting == Some(true) {
                read_at = now;
            }
            let is_idle = now.saturating_sub(busy_at) >= self.network.timeouts.settle();
            let is_quiet =
                now.saturating_sub(read_at) >= self.network.timeouts.quiet().max(MIN_BUSY_QUIET);
            if is_idle
                || is_quiet
                || busy_limit.is_reached(&server.observer, now, self.network.timeouts.max())
            {
                return;
            }
            std::thread::sleep(IDLE_POLL_INTERVAL);
        }
    }

    /// Returns the processor time of the server; `None` where the system does not report it.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        self.server.as_ref()?.observer.processor_time()
    }

    pub(crate) fn has_exited(&mut self) -> bool {
        self.server.is_none() || self.exit().is_some()
    }

    /// Returns the exit of the server, if it has exited.
    pub(crate) fn exit(&mut self) -> Option<Exit> {
        self.server.as_mut()?.process.try_exit()
    }

    /// Allows the server to exit from now on.
    pub(crate) fn allow_exit(&mut self) {
        self.may_exit = true;
    }

    /// True if datagrams are dropped on purpose.
    pub(crate) fn is_lossy(&self) -> bool {
        self.network.loss_percent > 0
    }

    fn note(&self, text: &str) {
        self.network.transcript.note("tester", ExchangeKind::Note, text.as_bytes());
    }

    fn server(&self) -> Verdict<&RunningServer> {
        self.server
            .as_ref()
            .ok_or_else(|| CheckFailure::new("a running server", "none was started"))
    }

    fn scratch(&mut self) -> Verdict<PathBuf> {
        let made = self.scratch.take().map_or_else(tempfile::tempdir, Ok);
        Ok(self.scratch.insert(made.map_err(|why| own_trouble(&why))?).path().to_owned())
    }

    fn launch(&mut self, line: &CommandLine) -> Verdict<Subprocess> {
        let words: Vec<_> = line.words().iter().map(|word| word.to_string_lossy()).collect();
        self.note(&format!("starts {}", words.join(" ")));
        Subprocess::start(line, &self.scratch()?).map_err(|why| own_trouble(&why))
    }

    /// Finds the port; the flag is true if it was announced.
    fn find_port(&mut self, process: &mut Subprocess) -> Verdict<(u16, bool)> {
        const EXPECTED: &str = "it announces the port where it waits for messages";
        let started = self.network.clock.elapsed();
        let has_silent_port = &self.settings.learned.has_silent_port;
        let is_silent = has_silent_port.load(Ordering::Relaxed);
        let delay = if is_silent { SILENT_PORT_SEARCH_DELAY } else { PORT_SEARCH_DELAY };
        loop {
            let out = process.stdout();
            let err = process.stderr();
            let waited = self.network.clock.elapsed().saturating_sub(started);
            let searches = waited > delay;
            if searches || port::may_be_announced(&out, &err) {
                let open = port::opened_by(&process.marker().pids());
                if let Some(port) = port::announced(&out, &err, open.as_deref()) {
                    return Ok((port, true));
                }
                if searches && let Some(&[port]) = open.as_deref() {
                    self.note("no port was announced so far; found among the open ports");
                    has_silent_port.store(true, Ordering::Relaxed);
                    return Ok((port, false));
                }
            }
            if let Some(exit) = process.try_exit() {
                return fail(EXPECTED, format!("{exit}{}", stderr_note(process)));
            }
            if waited > self.network.timeouts.max() * 2 {
                let actual = format!(
                    "no port can be found; it should print one line with it, such as 'Ready to play, \
                     waiting at port 12345', and wait there{}",
                    stderr_note(process)
                );
                return fail(EXPECTED, actual);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Describes the unexpected exit of the program, if the predicate accepts it, and the messages sent before.
    fn unasked_exit(&mut self, accepts: impl Fn(Exit) -> bool) -> Option<String> {
        let process = &mut self.server.as_mut()?.process;
        let exit = process.try_exit().filter(|exit| !self.may_exit && accepts(*exit))?;
        Some(format!("{exit}; {}{}", self.network.transcript.last_sent(), stderr_note(process)))
    }
}

impl TestRun for ServerTest {
    const KIND: ProgramKind = ProgramKind::Server;

    fn catalogue() -> Vec<Check<Self>> {
        Catalogue::of(Self::KIND).checks(&checks::ALL)
    }

    /// Besides, probes the basic capabilities of the server, which all checks need to know.
    fn preflight(settings: &Arc<TestSettings>) -> Result<(), CannotRun> {
        let mut test = Self::new(settings, "preflight", 0);
        test.start().map_err(|failure| {
            let command = &settings.command;
            let what =
                format!("`{command}`, started with a map and a seed, does not wait for messages");
            CannotRun::failed_preflight(&what, &failure.actual)
        })?;
        test.capabilities();
        Ok(())
    }

    fn answers_slowly(settings: &Arc<TestSettings>) -> bool {
        settings.learned.capabilities(settings).is_slow()
    }

    fn new(settings: &Arc<TestSettings>, id: &str, attempt: u32) -> Self {
        let clock = Clock::start();
        // Datagrams dropped on purpose are no reason to wait longer.
        let slowness = if settings.is_lossy() { 0 } else { attempt };
        let name: i64 = id.bytes().map(i64::from).sum();
        let seed = i64::from(settings.seed) * 7919 + name * 1009 + i64::from(attempt) * 1_000_003;
        Self {
            settings: Arc::clone(settings),
            scratch: None,
            server: None,
            spectators: vec![],
            player_views: PlayerViews::default(),
            client_count: 0,
            name_counts: BTreeMap::new(),
            network: TestNetwork {
                clock,
                transcript: Transcript::new(clock),
                timeouts: Timeouts::new(slowness, settings.longest_wait),
                has_lost: Arc::default(),
                loss_percent: settings.loss_percent,
                used_ports: UsedPorts::default(),
            },
            attempt,
            seed,
            may_exit: false,
            seen: BTreeSet::new(),
            moves_are_missed: false,
            rng: Rng::new(Seed::new(seed)),
        }
    }

    fn transcript(&self) -> &Transcript {
        &self.network.transcript
    }

    fn has_lost(&self) -> bool {
        self.network.has_lost.load(Ordering::Relaxed)
    }

    fn crash(&mut self) -> Option<String> {
        self.unasked_exit(|exit| matches!(exit, Exit::Signal(_)))
    }

    fn unexpected_exit(&mut self) -> Option<String> {
        self.unasked_exit(|exit| matches!(exit, Exit::Code(_)))
    }

    fn read_late_messages(&mut self) {
        self.spectators.iter_mut().for_each(TestClient::read_late_messages);
    }
}

/// The end of a program's stderr, for a failure.
fn stderr_note(process: &Subprocess) -> String {
    let err = process.stderr();
    let text = String::from_utf8_lossy(&err[err.len().saturating_sub(400)..]).trim().to_owned();
    if text.is_empty() { String::new() } else { format!("; its stderr: {text}") }
}

/// Creates a failure of our own machine, not of the program under test.
fn own_trouble(why: &std::io::Error) -> CheckFailure {
    CheckFailure::retryable("the tester can work", format!("an error on this machine: {why}"))
}
