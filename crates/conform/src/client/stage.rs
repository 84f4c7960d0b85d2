//! The stage: a fresh client in its terminal, and we as its server and its user.

mod deeds;
mod events;
mod waits;

use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use nuggets_protocol::Dialect;
use nuggets_stranger::{CommandLine, Ending};
use tempfile::TempDir;
use vt100::Screen;

use super::door::Door;
use super::inbox::{self, Event};
use super::patience::Patience;
use super::room::Room;
use super::settings::{Given, Settings};
use super::view;
use super::window::{Keys, Window};
use crate::suite::Stage;
use crate::{Clock, Failure, Transcript, Verdict, Way};

pub(crate) use deeds::shown;

/// The rows and columns of the usual window.
pub(crate) const ORDINARY: (u16, u16) = (24, 100);
/// So much of what was sent before a crash is told.
const SHOWN_BEFORE_CRASH: usize = 8;

/// Where one check is done.
///
/// ```
/// use std::sync::Arc;
///
/// use nuggets_conform::client::{ClientStage, Settings, catalogue};
/// use nuggets_protocol::Dialect;
/// use nuggets_stranger::CommandLine;
///
/// let command = CommandLine::new(&["false".into()], "/".as_ref()).unwrap();
/// let settings = Arc::new(Settings::new(command, Dialect::V2021));
/// let check = catalogue().into_iter().find(|check| check.clause.id == "args.none").unwrap();
/// let mut stage = ClientStage::new(&settings, check.clause.id, 0);
/// let failure = (check.run)(&mut stage).unwrap_err();
/// assert_eq!(failure.came, "it exited without a word on stderr or its terminal");
/// ```
pub struct ClientStage {
    settings: Arc<Settings>,
    /// Before the directory in which the program runs: it must have ended when that goes.
    window: Option<Window>,
    scratch: Option<TempDir>,
    door: Option<Door>,
    inbox: SyncSender<Event>,
    events: Receiver<Event>,
    clock: Clock,
    transcript: Transcript,
    patience: Patience,
    seed: i64,
    may_end: bool,
    /// Where the client is, and what it said first.
    client: Option<(SocketAddr, Vec<u8>)>,
    /// How often it said that.
    asked: u32,
    /// Has it been let in?
    is_welcome: bool,
    /// What it said since, as far as nobody has looked at it.
    heard: VecDeque<Vec<u8>>,
    is_emptied: bool,
    /// The game as the client should see it.
    pub(crate) room: Room,
}

/// How the client is started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) host: &'a str,
    pub(crate) keys: Keys,
    pub(crate) size: (u16, u16),
}

impl Start<'_> {
    /// As a player in the usual window.
    pub(crate) const PLAYER: Start<'static> =
        Start { name: Some("Ann"), host: "127.0.0.1", keys: Keys::Terminal, size: ORDINARY };
    /// As the spectator.
    pub(crate) const SPECTATOR: Start<'static> = Start { name: None, ..Self::PLAYER };
}

/// Can the program be run at all, and does it say anything to a server? If not, why. Where datagrams
/// are lost on purpose, it is asked more than once.
pub fn preflight(settings: &Arc<Settings>) -> Result<(), String> {
    let mut attempt = 0;
    loop {
        let mut stage = ClientStage::new(settings, "preflight", attempt);
        let said = stage.start(&Start::PLAYER).and_then(|()| stage.first());
        match said {
            Err(_) if stage.has_lost() && attempt < 3 => attempt += 1,
            Err(failure) => return Err(unheard(&settings.command, &failure, &stage)),
            Ok(_) => return Ok(()),
        }
    }
}

fn unheard(command: &CommandLine, failure: &Failure, stage: &ClientStage) -> String {
    let lines = stage.lines().join("\n");
    let shown = match lines.trim() {
        "" => String::new(),
        shown => format!(". Its window showed:\n{shown}"),
    };
    format!(
        "`{command}`, started with a host, a port and a name, sends no message: {}. Start it so by \
         hand to see why{shown}",
        failure.came
    )
}

impl ClientStage {
    /// An empty stage for a check.
    pub fn new(settings: &Arc<Settings>, id: &str, attempt: u32) -> Self {
        let clock = Clock::start();
        // Datagrams that are lost on purpose are no reason to wait longer.
        let waits = if settings.is_lossy() { 1 } else { attempt };
        let name = id.bytes().fold(0_i64, |sum, byte| sum * 31 % 1_000_003 + i64::from(byte));
        let (inbox, events) = sync_channel(inbox::CAPACITY);
        Self {
            settings: Arc::clone(settings),
            window: None,
            scratch: None,
            door: None,
            inbox,
            events,
            clock,
            transcript: Transcript::new(clock),
            patience: Patience::new(waits, settings.longest_wait),
            seed: i64::from(settings.seed) + name * 1009 + i64::from(attempt) * 1_000_003,
            may_end: false,
            client: None,
            asked: 0,
            is_welcome: false,
            heard: VecDeque::new(),
            is_emptied: false,
            room: Room::new(Some('A')),
        }
    }

    /// Starts the program as somebody who wants to join.
    pub(crate) fn start(&mut self, start: &Start) -> Verdict {
        let port = self.open_door()?.to_string();
        let given =
            Given { host: Some(start.host), port: Some(&port), name: start.name, more: &[] };
        if start.name.is_none() {
            self.room = Room::new(None);
        }
        self.run(&given, start.keys, start.size)
    }

    /// Opens the port that the client is told of.
    pub(crate) fn open_door(&mut self) -> Result<u16, Failure> {
        let opened = Door::open(self.settings.loss_percent, self.seed, self.inbox.clone());
        let door = opened.map_err(|why| unready("opening a port", &why.to_string()))?;
        Ok(self.door.insert(door).port())
    }

    /// Runs the program with these arguments.
    pub(crate) fn run(&mut self, given: &Given, keys: Keys, size: (u16, u16)) -> Verdict {
        let words = self.settings.words(given);
        let scratch = tempfile::tempdir();
        let scratch = scratch.map_err(|why| unready("a directory", &why.to_string()))?;
        let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        self.remark(&format!("started: {}", shown.join(" ")));
        let opened = Window::open(&words, keys, size, scratch.path(), self.inbox.clone());
        self.window = Some(opened.map_err(|why| unready("starting the program", &why))?);
        self.scratch = Some(scratch);
        Ok(())
    }

    /// From now on it may end.
    pub(crate) fn let_end(&mut self) {
        self.may_end = true;
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.settings.dialect
    }

    pub(crate) fn is_lossy(&self) -> bool {
        self.settings.is_lossy()
    }

    /// How often the client asked to join.
    pub(crate) fn asked(&self) -> u32 {
        self.asked
    }

    /// What it has sent, as far as nobody has looked at it.
    pub(crate) fn heard(&self) -> &VecDeque<Vec<u8>> {
        &self.heard
    }

    /// Says something to the client, as its server.
    pub(crate) fn say(&mut self, message: &[u8]) {
        let (Some((to, _)), Some(door)) = (&self.client, &mut self.door) else { return };
        if door.send(message, *to) {
            self.transcript.note("server", Way::In, message);
        } else {
            self.transcript.note("lost", Way::Note, message);
        }
    }

    /// Says something to the client as somebody else.
    pub(crate) fn say_as_another(&mut self, message: &[u8]) {
        let Some((to, _)) = &self.client else { return };
        let sent = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(message, to));
        if sent.is_ok() {
            self.transcript.note("another", Way::In, message);
        }
    }

    /// Presses keys at its terminal.
    pub(crate) fn type_keys(&mut self, keys: &[u8]) {
        self.transcript.note("keyboard", Way::In, keys);
        if let Some(window) = &mut self.window {
            window.type_keys(keys);
        }
    }

    /// Ends its input, where it doesn't come from the terminal.
    pub(crate) fn end_input(&mut self) {
        self.transcript.note("keyboard", Way::In, b"(end of file)");
        if let Some(window) = &mut self.window {
            window.close_pipe();
        }
    }

    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.remark(&format!("the window gets {} rows and {} columns", size.0, size.1));
        if let Some(window) = &mut self.window {
            window.resize(size);
        }
    }

    /// Something for whoever reads the transcript.
    pub(crate) fn remark(&self, text: &str) {
        self.transcript.note("tester", Way::Note, text.as_bytes());
    }

    pub(crate) fn screen(&self) -> Option<&Screen> {
        self.window.as_ref().map(Window::screen)
    }

    pub(crate) fn window(&self) -> Result<&Window, Failure> {
        self.window.as_ref().ok_or_else(|| unready("a window", "there is none"))
    }

    pub(crate) fn first_line(&self) -> String {
        self.screen().map_or_else(String::new, view::first_line)
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.screen().map_or_else(Vec::new, view::lines)
    }

    /// Where the cursor is seen.
    pub(crate) fn cursor(&self) -> Option<(usize, usize)> {
        let screen = self.screen().filter(|screen| !screen.hide_cursor())?;
        let (row, col) = screen.cursor_position();
        Some((row.into(), col.into()))
    }

    /// Is the picture seen, wherever it is?
    pub(crate) fn shows_room(&self) -> bool {
        self.screen().is_some_and(|screen| view::shows(screen, &self.room))
    }

    /// Is the picture seen where it belongs, and nothing else there?
    pub(crate) fn shows_grid(&self) -> bool {
        self.screen().is_some_and(|screen| view::grid(screen, &self.room) == self.room.rows)
    }

    /// Everything it has said, on stderr and on its terminal.
    pub(crate) fn printed(&self) -> String {
        let said = self.window.as_ref().map_or_else(String::new, Window::said);
        format!("{}\n{said}", self.lines().join("\n")).trim().to_owned()
    }

    /// How the program ended, if it has.
    pub(crate) fn ending(&mut self) -> Option<Ending> {
        self.window.as_mut().and_then(Window::ending)
    }
}

impl ClientStage {
    /// The last things that were sent to the client: any of them may have been too much for it.
    fn last_sent(&self) -> String {
        let (exchanges, _) = self.transcript.last();
        let sent = exchanges.iter().filter(|exchange| exchange.way == Way::In);
        let sent: Vec<String> = sent.map(|it| format!("{}: {}", it.who, cut(&it.text))).collect();
        match &sent[sent.len().saturating_sub(SHOWN_BEFORE_CRASH)..] {
            [] => "before anything was sent to it".to_owned(),
            [one] => format!("after this was sent to it: {one}"),
            last => format!("after these were sent to it in this order: {}", last.join(", then ")),
        }
    }
}

impl Stage for ClientStage {
    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn has_lost(&self) -> bool {
        self.door.as_ref().is_some_and(Door::has_lost)
    }

    fn crash(&mut self) -> Option<String> {
        let ending = self.ending()?;
        if self.may_end && matches!(ending, Ending::Exit(code) if code < 128) {
            return None;
        }
        Some(format!("{ending}, {}", self.last_sent()))
    }
}

impl std::fmt::Debug for ClientStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientStage").field("room", &self.room).finish_non_exhaustive()
    }
}

/// It is not the program's fault.
fn unready(what: &str, why: &str) -> Failure {
    Failure::new("the program can be tried", format!("the tester had trouble: {what}: {why}"))
}

fn cut(text: &str) -> String {
    // Maps are in the transcript.
    if text.starts_with("DISPLAY\\n ") {
        return "DISPLAY with a map".to_owned();
    }
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests;
