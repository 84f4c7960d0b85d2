//! One attempt at a check: a fresh client in its terminal, with us as its server and its user.

mod actions;
mod waiting;

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;

use nuggets_subprocess::{CommandLine, Exit};
use tempfile::TempDir;
use vt100::Screen;

use super::fake_game::FakeGame;
use super::server_socket::ServerSocket;
use super::window::{ClientTerminal, KeySource};
use super::{checks, screen};
use crate::catalogue::Catalogue;
use crate::loss::Loss;
use crate::suite::TestRun;
use crate::{
    CannotRun, Check, CheckFailure, Clock, ExchangeKind, ProgramKind, TestSettings, Transcript,
    Verdict,
};

pub(crate) use actions::quoted;
use waiting::ClientTimeouts;

/// Rows and columns of the usual window.
pub(crate) const USUAL_SIZE: (u16, u16) = (24, 100);
/// The number of messages that are resent together: as many as a new client is sent.
const MAX_RESENT: usize = 4;
/// The number of messages listed after a crash.
const MAX_SENT_BEFORE_CRASH: usize = 8;

/// One attempt at a check of a client.
#[derive(Debug)]
pub struct ClientTest {
    pub(crate) settings: Arc<TestSettings>,
    /// Declared before the program's directory, so that it is dropped first: the program must have exited by then.
    window: Option<ClientTerminal>,
    scratch: Option<TempDir>,
    socket: Option<ServerSocket>,
    clock: Clock,
    transcript: Transcript,
    timeouts: ClientTimeouts,
    seed: i64,
    may_exit: bool,
    /// The client's address and its first message.
    client: Option<(SocketAddr, Vec<u8>)>,
    /// The number of times that the client has sent its first message.
    pub(crate) join_requests: u32,
    has_welcomed: bool,
    /// The client's later messages that no check has read.
    pub(crate) received: VecDeque<Vec<u8>>,
    /// The last messages sent to the client.
    sent: VecDeque<Vec<u8>>,
    /// The game as the client should show it.
    pub(crate) game: FakeGame,
}

/// The parameters of a start of the client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientStart<'a> {
    /// The arguments of the program. `None` leaves an argument out.
    pub(crate) host: Option<&'a str>,
    pub(crate) port: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    /// Appended after all other arguments.
    pub(crate) extra: &'a [&'a str],
    pub(crate) input: KeySource,
    pub(crate) size: (u16, u16),
}

impl ClientStart<'_> {
    /// As a player in the usual window, with no port yet.
    pub(crate) const PLAYER: ClientStart<'static> = ClientStart {
        host: Some("127.0.0.1"),
        port: None,
        name: Some("Ann"),
        extra: &[],
        input: KeySource::Terminal,
        size: USUAL_SIZE,
    };
    /// As the spectator.
    pub(crate) const SPECTATOR: ClientStart<'static> = ClientStart { name: None, ..Self::PLAYER };

    fn append_to(&self, command: &CommandLine) -> CommandLine {
        let values = [("host", self.host), ("port", self.port), ("name", self.name)];
        let line = values.into_iter().fold(command.clone(), |line, (name, value)| match value {
            Some(value) => line.with_values(&[(name, OsStr::new(value))]),
            None => line.without_placeholder(name),
        });
        line.with_args(self.extra)
    }
}

impl ClientTest {
    /// Starts the program with the port of our own server.
    pub(crate) fn start(&mut self, start: &ClientStart) -> Verdict {
        let port = self.bind_port()?.to_string();
        if start.name.is_none() {
            self.game = FakeGame::new(None);
        }
        self.run(&ClientStart { port: Some(&port), ..*start })
    }

    /// Binds the server's port.
    pub(crate) fn bind_port(&mut self) -> Verdict<u16> {
        let socket = ServerSocket::bind(Loss::new(self.settings.loss_percent, self.seed));
        let socket = socket.map_err(|why| own_trouble("binding a port", &why))?;
        Ok(self.socket.insert(socket).address.port())
    }

    /// Runs the program with exactly these arguments.
    pub(crate) fn run(&mut self, start: &ClientStart) -> Verdict {
        let line = start.append_to(&self.settings.command);
        let scratch = tempfile::tempdir().map_err(|why| own_trouble("a directory", &why))?;
        let words: Vec<_> = line.words().iter().map(|word| word.to_string_lossy()).collect();
        self.note(&format!("started: {}", words.join(" ")));
        let window = ClientTerminal::open(line.words(), start.input, start.size, scratch.path());
        self.window = Some(window.map_err(|why| own_trouble("starting the program", &why))?);
        self.scratch = Some(scratch);
        Ok(())
    }

    /// Allows the client to exit from now on.
    pub(crate) fn allow_exit(&mut self) {
        self.may_exit = true;
    }

    pub(crate) fn is_lossy(&self) -> bool {
        self.settings.is_lossy()
    }

    pub(crate) fn has_received(&self, message: &[u8]) -> bool {
        self.received.iter().any(|it| it == message)
    }

    /// Sends a message to the client, as its server.
    pub(crate) fn send(&mut self, message: &[u8]) {
        self.sent.push_back(message.to_vec());
        if self.sent.len() > MAX_RESENT {
            self.sent.pop_front();
        }
        self.send_once(message);
    }

    /// Resends the last messages: any of them may have been dropped on purpose.
    fn resend(&mut self) {
        for message in self.sent.clone() {
            self.send_once(&message);
        }
    }

    fn send_once(&mut self, message: &[u8]) {
        let (Some((to, _)), Some(socket)) = (&self.client, &mut self.socket) else { return };
        if socket.send(message, *to) {
            self.transcript.note("server", ExchangeKind::In, message);
        } else {
            self.transcript.note("lost", ExchangeKind::Note, message);
        }
    }

    /// Sends a message to the client from another address than the server's.
    pub(crate) fn send_from_other_address(&mut self, message: &[u8]) {
        let Some((to, _)) = &self.client else { return };
        let sent = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(message, to));
        if sent.is_ok() {
            self.transcript.note("another", ExchangeKind::In, message);
        }
    }

    /// Types keys at the client's terminal.
    pub(crate) fn type_keys(&mut self, keys: &[u8]) {
        self.transcript.note("keyboard", ExchangeKind::In, keys);
        if let Some(window) = &mut self.window {
            window.type_keys(keys);
        }
    }

    /// Ends the client's input, if it is a pipe.
    pub(crate) fn end_input(&mut self) {
        self.transcript.note("keyboard", ExchangeKind::In, b"(end of file)");
        if let Some(window) = &mut self.window {
            window.pipe = None;
        }
    }

    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.note(&format!("the window is resized to {} rows and {} columns", size.0, size.1));
        if let Some(window) = &mut self.window {
            window.resize(size);
        }
    }

    fn note(&self, text: &str) {
        self.transcript.note("tester", ExchangeKind::Note, text.as_bytes());
    }

    pub(crate) fn screen(&self) -> Option<&Screen> {
        self.window.as_ref().map(ClientTerminal::screen)
    }

    pub(crate) fn window(&self) -> Verdict<&ClientTerminal> {
        self.window.as_ref().ok_or_else(|| CheckFailure::new("a window", "none was opened"))
    }

    pub(crate) fn first_line(&self) -> String {
        self.screen().map_or_else(String::new, screen::first_line)
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.screen().map_or_else(Vec::new, screen::lines)
    }

    /// Row and column of the cursor, unless it is hidden.
    pub(crate) fn cursor(&self) -> Option<(usize, usize)> {
        let screen = self.screen().filter(|screen| !screen.hide_cursor())?;
        let (row, col) = screen.cursor_position();
        Some((row.into(), col.into()))
    }

    /// True if the map is shown anywhere.
    pub(crate) fn shows_map(&self) -> bool {
        self.screen().is_some_and(|screen| screen::shows_map(screen, &self.game))
    }

    /// True if the map is shown where it belongs, exactly as it was sent.
    pub(crate) fn shows_exact_map(&self) -> bool {
        self.screen().is_some_and(|screen| screen::map_area(screen, &self.game) == self.game.rows)
    }

    /// The text on the client's terminal and stderr.
    pub(crate) fn printed(&self) -> String {
        let stderr = self.window.as_ref().map_or_else(String::new, ClientTerminal::stderr);
        format!("{}\n{stderr}", self.lines().join("\n")).trim().to_owned()
    }

    /// Returns the exit of the program, if it has exited.
    pub(crate) fn try_exit(&mut self) -> Option<Exit> {
        self.window.as_mut().and_then(ClientTerminal::try_exit)
    }

    /// The last messages sent to the client, any of which may have caused a crash.
    fn last_sent(&self) -> String {
        let (exchanges, _) = self.transcript.last();
        let sent = exchanges.iter().filter(|exchange| exchange.kind == ExchangeKind::In);
        let sent: Vec<String> =
            sent.map(|it| format!("{}: {}", it.who, shortened(&it.text))).collect();
        match &sent[sent.len().saturating_sub(MAX_SENT_BEFORE_CRASH)..] {
            [] => "before anything was sent to it".to_owned(),
            [one] => format!("after this was sent to it: {one}"),
            last => format!("after these were sent to it in this order: {}", last.join(", then ")),
        }
    }
}

impl TestRun for ClientTest {
    const KIND: ProgramKind = ProgramKind::Client;

    fn catalogue() -> Vec<Check<Self>> {
        Catalogue::of(Self::KIND).checks(&checks::ALL)
    }

    /// If datagrams are dropped on purpose, makes several attempts.
    fn preflight(settings: &Arc<TestSettings>) -> Result<(), CannotRun> {
        let mut attempt = 0;
        loop {
            let mut test = Self::new(settings, "preflight", attempt);
            match test.start(&ClientStart::PLAYER).and_then(|()| test.first_message()) {
                Ok(_) => return Ok(()),
                Err(_) if test.has_lost() && attempt < 3 => attempt += 1,
                Err(failure) => {
                    let lines = test.lines().join("\n");
                    let shown = match lines.trim() {
                        "" => String::new(),
                        shown => format!(". Its window showed:\n{shown}"),
                    };
                    let what = format!(
                        "`{}`, started with a host, a port and a name, sends no message",
                        settings.command
                    );
                    let CannotRun(why) = CannotRun::failed_preflight(&what, &failure.actual);
                    return Err(CannotRun(why + &shown));
                }
            }
        }
    }

    fn new(settings: &Arc<TestSettings>, id: &str, attempt: u32) -> Self {
        let clock = Clock::start();
        // Datagrams dropped on purpose are no reason to wait longer.
        let slowness = if settings.is_lossy() { 1 } else { attempt };
        let name = id.bytes().fold(0_i64, |sum, byte| sum * 31 % 1_000_003 + i64::from(byte));
        Self {
            settings: Arc::clone(settings),
            window: None,
            scratch: None,
            socket: None,
            clock,
            transcript: Transcript::new(clock),
            timeouts: ClientTimeouts::new(slowness, settings.longest_wait),
            seed: i64::from(settings.seed) + name * 1009 + i64::from(attempt) * 1_000_003,
            may_exit: false,
            client: None,
            join_requests: 0,
            has_welcomed: false,
            received: VecDeque::new(),
            sent: VecDeque::new(),
            game: FakeGame::new(Some('A')),
        }
    }

    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn has_lost(&self) -> bool {
        self.socket.as_ref().is_some_and(|socket| socket.has_lost)
    }

    fn crash(&mut self) -> Option<String> {
        let exit = self.try_exit()?;
        if self.may_exit && matches!(exit, Exit::Code(code) if code < 128) {
            return None;
        }
        Some(format!("{exit}, {}", self.last_sent()))
    }
}

/// Creates a failure of our own machine, not of the program under test.
fn own_trouble(what: &str, why: &dyn std::error::Error) -> CheckFailure {
    let actual = format!("an error on this machine: {what}: {why}");
    CheckFailure::new("the tester can work", actual)
}

fn shortened(text: &str) -> String {
    // The map is in the transcript.
    if text.starts_with("DISPLAY\\n ") {
        return "DISPLAY with a map".to_owned();
    }
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests;
