//! The stage: a fresh server, and whoever talks to it.

mod company;
mod walking;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nuggets_game::{Chance, Seed, Sight};
use nuggets_protocol::Dialect;
use nuggets_stranger::{CommandLine, Ending, Stranger};
use rustix::process::Signal;
use tempfile::TempDir;

use super::caller::{Caller, Ports};
use super::patience::Patience;
use super::{Settings, TestMap, port};
use crate::suite::Stage;
use crate::{Clock, Failure, Transcript, Verdict, Way};

/// A server that announces nothing, or keeps its words to itself, is looked for by what it has
/// opened after so long.
const UNTIL_SEARCHED: Duration = Duration::from_millis(1500);
/// The time between two looks.
const GLANCE: Duration = Duration::from_millis(5);

/// Where one check is done.
#[derive(Debug)]
pub struct ServerStage {
    settings: Arc<Settings>,
    scratch: Option<TempDir>,
    server: Option<Running>,
    /// The last is the one that watches.
    watchers: Vec<Caller>,
    callers: i64,
    /// How many have come to this server under each name.
    names: HashMap<String, u32>,
    clock: Clock,
    transcript: Transcript,
    patience: Patience,
    lost: Arc<AtomicU32>,
    ports: Ports,
    attempt: u32,
    /// Fixes what the check draws and which datagrams are lost.
    seed: i64,
    may_end: bool,
    /// Spectators are not told of moves: no use in waiting for that.
    watchers_miss_moves: bool,
    /// Chance for whatever a check draws.
    pub(crate) chance: Chance,
}

#[derive(Debug)]
struct Running {
    stranger: Stranger,
    port: u16,
    announced: bool,
    sight: Arc<Sight>,
}

/// Can the program be run at all, and does it wait somewhere for messages? If not, why.
pub fn preflight(settings: &Arc<Settings>) -> Result<(), String> {
    let mut stage = ServerStage::new(settings, "preflight", 0);
    stage.start().map_err(|failure| {
        let (command, came) = (&settings.command, failure.came);
        format!(
            "`{command}`, started with a map and a seed, does not wait for messages: {came}. Start it \
             so by hand to see why"
        )
    })
}

impl ServerStage {
    /// An empty stage for a check.
    pub fn new(settings: &Arc<Settings>, id: &str, attempt: u32) -> Self {
        let clock = Clock::start();
        // Datagrams that are lost on purpose are no reason to wait longer.
        let waits = if settings.loss_percent > 0 { 0 } else { attempt };
        let name: i64 = id.bytes().map(i64::from).sum();
        let seed = i64::from(settings.seed) * 7919 + name * 1009 + i64::from(attempt) * 1_000_003;
        Self {
            settings: Arc::clone(settings),
            scratch: None,
            server: None,
            watchers: vec![],
            callers: 0,
            names: HashMap::new(),
            clock,
            transcript: Transcript::new(clock),
            patience: Patience::new(waits, settings.longest_wait),
            lost: Arc::default(),
            ports: Ports::default(),
            attempt,
            seed,
            may_end: false,
            watchers_miss_moves: false,
            chance: Chance::new(Seed::new(seed)),
        }
    }

    /// Starts the server on the classic map.
    pub fn start(&mut self) -> Verdict {
        self.start_on(&TestMap::shipped("main"))
    }

    /// Starts the server on this map, with a seed that differs from attempt to attempt.
    pub(crate) fn start_on(&mut self, map: &TestMap) -> Verdict {
        let seed = u64::from(self.settings.seed) + u64::from(self.attempt) * 7;
        self.start_with(map, Some(seed))
    }

    /// Starts a server on this map with this seed; one that ran before is ended.
    pub(crate) fn start_with(&mut self, map: &TestMap, seed: Option<u64>) -> Verdict {
        self.watchers.clear();
        self.ports = Ports::default();
        self.names.clear();
        self.server = None;
        self.may_end = false;
        let file = self.write_file("map.txt", map.text().as_bytes())?;
        let line = self.line_for(&file, seed.map(|seed| seed.to_string()).as_deref());
        let mut stranger = self.launch(&line)?;
        let (port, announced) = self.find_port(&mut stranger)?;
        let sight = map.sight(self.dialect());
        self.server = Some(Running { stranger, port, announced, sight });
        Ok(())
    }

    /// The command with this map and seed in their places.
    pub(crate) fn line_for(&self, map: &str, seed: Option<&str>) -> CommandLine {
        let map = ("map", OsStr::new(map));
        match seed {
            Some(seed) => self.settings.command.filled(&[map, ("seed", OsStr::new(seed))]),
            None => self.settings.command.without("seed").filled(&[map]),
        }
    }

    /// The command as it was given, with nothing for map and seed.
    pub(crate) fn bare_line(&self) -> CommandLine {
        self.settings.command.without("seed").without("map")
    }

    /// Runs a command line that should end by itself; the program and how it ended.
    pub(crate) fn run_to_end(&mut self, line: &CommandLine) -> Result<(Stranger, Ending), Failure> {
        let mut stranger = self.launch(line)?;
        let waited = stranger.wait_for_end(self.patience.longest());
        let ending = waited.ok_or_else(|| {
            Failure::new("it ends at once, with a code other than 0", "it goes on running")
        })?;
        // What it has written arrives a moment after its end.
        stranger.wait_for_output(Duration::from_secs(1), |_, _| None::<()>);
        Ok((stranger, ending))
    }

    /// Writes a file to the scratch directory; its path.
    pub(crate) fn write_file(&mut self, name: &str, bytes: &[u8]) -> Result<String, Failure> {
        let path = self.scratch()?.path().join(name);
        let mut file = std::fs::File::create(&path).map_err(|why| trouble(&why))?;
        file.write_all(bytes).map_err(|why| trouble(&why))?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// The server's map, with sight.
    pub(crate) fn sight(&self) -> Result<Arc<Sight>, Failure> {
        Ok(Arc::clone(&self.server()?.sight))
    }

    /// Rows and columns of the server's map.
    pub(crate) fn size(&self) -> Result<(u16, u16), Failure> {
        let map = self.server()?.sight.map();
        Ok((map.rows(), map.cols()))
    }

    /// The dialect it is held to.
    pub(crate) fn dialect(&self) -> Dialect {
        self.settings.dialect
    }

    /// Maps that were given to be tested on.
    pub(crate) fn given_maps(&self) -> Vec<TestMap> {
        self.settings.maps.clone()
    }

    /// Does it announce its port? One that was found by what it has opened may still do so.
    pub(crate) fn announces(&self) -> Result<bool, Failure> {
        let Running { stranger, port, announced, .. } = self.server()?;
        let find = |out: &[u8], err: &[u8]| port::announced(out, err, Some(&[*port]));
        Ok(*announced || stranger.wait_for_output(self.patience.longest(), find).is_some())
    }

    /// Where it waits for messages.
    pub(crate) fn port(&self) -> Result<u16, Failure> {
        Ok(self.server()?.port)
    }

    /// What it has printed on stdout.
    pub(crate) fn stdout(&self) -> Vec<u8> {
        self.server.as_ref().map(|server| server.stranger.stdout()).unwrap_or_default()
    }

    /// Ends the server; all that it has printed on stdout until then. What it writes arrives a moment
    /// later than what it sends, but all of it has arrived when its output ends.
    pub(crate) fn stdout_to_the_end(&mut self) -> Vec<u8> {
        self.may_end = true;
        if let Some(server) = &mut self.server {
            server.stranger.signal(Signal::KILL);
            server.stranger.mark().end_all();
        }
        self.wait_for_end();
        self.stdout()
    }

    /// Waits for the server's own end.
    pub(crate) fn wait_for_end(&mut self) -> Option<Ending> {
        self.may_end = true;
        let wait = self.patience.longest() * 2;
        let server = self.server.as_mut()?;
        let ending = server.stranger.wait_for_end(wait);
        // What it has written arrives a moment after its end.
        server.stranger.wait_for_output(self.patience.longest(), |_, _| None::<()>);
        ending
    }

    /// Has the server ended?
    pub(crate) fn has_ended(&mut self) -> bool {
        self.server.as_mut().is_none_or(|server| server.stranger.ending().is_some())
    }

    /// Waits for the server's own end, but only so long as for a few answers.
    pub(crate) fn ends_soon(&mut self) -> Option<Ending> {
        self.may_end = true;
        let wait = self.patience.wait() * 4;
        self.server.as_mut()?.stranger.wait_for_end(wait)
    }

    /// From now on the server may end without blame.
    pub(crate) fn may_end(&mut self) {
        self.may_end = true;
    }

    /// A remark for the transcript.
    pub(crate) fn remark(&self, text: &str) {
        self.transcript.note("tester", Way::Note, text.as_bytes());
    }

    /// Are datagrams thrown away on purpose?
    pub(crate) fn is_lossy(&self) -> bool {
        self.settings.loss_percent > 0
    }

    fn server(&self) -> Result<&Running, Failure> {
        self.server.as_ref().ok_or_else(|| Failure::new("a running server", "none was started"))
    }

    fn scratch(&mut self) -> Result<&TempDir, Failure> {
        if self.scratch.is_none() {
            self.scratch = Some(tempfile::tempdir().map_err(|why| trouble(&why))?);
        }
        self.scratch.as_ref().ok_or_else(|| Failure::new("a scratch directory", "none"))
    }

    fn launch(&mut self, line: &CommandLine) -> Result<Stranger, Failure> {
        let words: Vec<_> = line.words().iter().map(|word| word.to_string_lossy()).collect();
        let about = format!("starts {}", words.join(" "));
        self.remark(&about);
        let folder = self.scratch()?.path().to_owned();
        Stranger::start(line, &folder).map_err(|why| trouble(&why))
    }

    /// The port, and whether it was announced.
    fn find_port(&mut self, stranger: &mut Stranger) -> Result<(u16, bool), Failure> {
        let started = self.clock.elapsed();
        loop {
            let (out, err) = (stranger.stdout(), stranger.stderr());
            let waited = self.clock.elapsed().saturating_sub(started);
            let is_searched = waited > UNTIL_SEARCHED;
            if is_searched || port::may_be_announced(&out, &err) {
                let open = port::opened_by(&stranger.mark().bearers());
                if let Some(port) = port::announced(&out, &err, open.as_deref()) {
                    return Ok((port, true));
                }
                if let Some(&[port]) = open.as_deref()
                    && is_searched
                {
                    self.remark(
                        "no port was announced so far; found by what the program has opened",
                    );
                    return Ok((port, false));
                }
            }
            let expected = "it announces the port where it waits for messages";
            if let Some(ending) = stranger.ending() {
                let said = said(stranger);
                return Err(Failure::new(expected, format!("{ending}{said}")));
            }
            if waited > self.patience.longest() * 2 {
                let said = said(stranger);
                return Err(Failure::new(
                    expected,
                    format!(
                        "no port can be found; it should print one line with it, such as 'Ready to play, \
                     waiting at port 12345', and wait there{said}"
                    ),
                ));
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// How the program ended without being asked to, if it is an ending of this kind.
    fn end(&mut self, is_meant: impl Fn(Ending) -> bool) -> Option<String> {
        let ending = self.server.as_mut()?.stranger.ending().filter(|_| !self.may_end)?;
        let (sent, said) = (self.transcript.last_sent(), self.printed());
        is_meant(ending).then(|| format!("{ending}; {sent}{said}"))
    }

    fn printed(&self) -> String {
        self.server.as_ref().map(|server| said(&server.stranger)).unwrap_or_default()
    }
}

impl Stage for ServerStage {
    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn has_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed) > 0
    }

    fn crash(&mut self) -> Option<String> {
        self.end(|ending| matches!(ending, Ending::Signal(_)))
    }

    fn ended(&mut self) -> Option<String> {
        self.end(|ending| matches!(ending, Ending::Exit(_)))
    }

    fn read_the_rest(&mut self) {
        self.watchers.iter_mut().for_each(Caller::read_the_rest);
    }
}

/// The last words of a program, for a report.
fn said(stranger: &Stranger) -> String {
    let err = stranger.stderr();
    let text = String::from_utf8_lossy(&err[err.len().saturating_sub(400)..]).trim().to_owned();
    if text.is_empty() { String::new() } else { format!("; on stderr it said: {text}") }
}

/// Something of our own machine failed, not the program under test.
fn trouble(why: &std::io::Error) -> Failure {
    Failure::silence("the tester can work", format!("this machine said: {why}"))
}
