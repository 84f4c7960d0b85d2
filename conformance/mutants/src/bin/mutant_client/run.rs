//! The shell of the faulty client: terminal, socket and input, with the faults between them and the
//! real `App`.

use std::io::{self, IsTerminal, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::FileTypeExt;
use std::process::{ExitCode, exit};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nuggets_client::{App, Effect, JoinTarget, SessionOutcome, Timestamp, screen};
use nuggets_mutants::log;
use nuggets_protocol::ServerMessage;
use nuggets_session::{place, resolve};
use nuggets_tui::{
    CHANNEL_CAPACITY, Key, Palette, Terminal, TerminalEvent, TerminalModes, read_keys, start_thread,
};

use crate::fault::Fault;
use crate::messages::Messages;
use crate::screen::FaultyScreen;

/// Keys within this time count as one burst.
const BURST: Duration = Duration::from_millis(1);
/// The amount by which the client's clock advances when nothing happens. Faults need no better clock.
const STEP_MS: u64 = 20;

enum MutantEvent {
    Terminal(TerminalEvent),
    Script(u8),
    ScriptEnd,
    Message(Vec<u8>),
}

impl From<TerminalEvent> for MutantEvent {
    fn from(event: TerminalEvent) -> Self {
        Self::Terminal(event)
    }
}

struct Shell {
    fault: Fault,
    app: App,
    messages: Messages,
    screen: FaultyScreen,
    terminal: Terminal,
    socket: UdpSocket,
    server: SocketAddr,
    events: Receiver<MutantEvent>,
    /// True if the last message from the server was a `QUIT`.
    last_is_quit: bool,
    now: Timestamp,
}

/// Plays one game.
pub(crate) fn run(
    fault: Fault,
    host: &str,
    port: u16,
    name: Option<Vec<u8>>,
) -> anyhow::Result<ExitCode> {
    let join = JoinTarget { place: place(host, port), name };
    let server = *resolve(host, port)?.first().context("the host has no address")?;
    let socket = UdpSocket::bind("0.0.0.0:0").context("can't open a socket")?;
    if fault != Fault::AcceptsAnySource {
        socket.connect(server).context("can't reach the server")?;
    }
    let (sender, events) = sync_channel(CHANNEL_CAPACITY);
    let keys = io::stdin().is_terminal();
    let terminal = Terminal::enter(TerminalModes { keys, screen: true, mouse: false })?;
    read_messages(socket.try_clone()?, sender.clone())?;
    let _keys = if keys {
        Some(read_keys(sender)?)
    } else {
        read_script(sender)?;
        None
    };
    let is_spectator = join.name.is_none();
    let mut shell = Shell {
        fault,
        messages: Messages::new(fault, join.name.clone()),
        screen: FaultyScreen::new(fault, is_spectator),
        app: App::new(Timestamp(0), join),
        terminal,
        socket,
        server,
        events,
        last_is_quit: false,
        now: Timestamp(0),
    };
    let outcome = shell.play()?;
    Ok(shell.leave(&outcome))
}

impl Shell {
    fn play(&mut self) -> anyhow::Result<SessionOutcome> {
        loop {
            while let Some(effect) = self.app.poll_effect() {
                match effect {
                    Effect::Leave(outcome) => return Ok(outcome),
                    Effect::Send(bytes) => {
                        let messages = self.messages.outgoing(&bytes);
                        self.send(messages);
                        if bytes == b"KEY Q" && self.fault == Fault::ExitsBeforeFarewell {
                            return Ok(SessionOutcome::LeftUnconfirmed);
                        }
                    }
                }
            }
            let delayed = self.messages.take_delayed_keys();
            self.send(delayed);
            self.draw()?;
            self.wait();
            self.app.handle_timeout(self.now);
        }
    }

    fn send(&self, messages: Vec<Vec<u8>>) {
        for message in messages {
            // The app notices a missing server by its silence.
            let _ = if self.fault == Fault::AcceptsAnySource {
                self.socket.send_to(&message, self.server)
            } else {
                self.socket.send(&message)
            };
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let app = &self.app;
        let faulty = &mut self.screen;
        let mut must_exit = false;
        self.terminal.draw(|area, cells| {
            must_exit = faulty.exits_in(area);
            screen::draw(app, &Palette::plain(), area, cells);
            faulty.apply(cells);
            faulty.cursor(screen::cursor(app, area))
        })?;
        if must_exit {
            self.abandon();
        }
        Ok(())
    }

    fn wait(&mut self) {
        match self.events.recv_timeout(Duration::from_millis(STEP_MS)) {
            Ok(event) => self.handle(event),
            Err(RecvTimeoutError::Timeout) => self.now = Timestamp(self.now.0 + STEP_MS),
            Err(RecvTimeoutError::Disconnected) => self.abandon(),
        }
    }

    fn handle(&mut self, event: MutantEvent) {
        match event {
            MutantEvent::Terminal(TerminalEvent::Key(key)) => self.handle_key(key),
            MutantEvent::Terminal(_) => {}
            MutantEvent::Script(byte) => self.app.handle_script_byte(self.now, byte),
            MutantEvent::ScriptEnd if self.fault == Fault::EndOfInputIgnored => {}
            MutantEvent::ScriptEnd
                if self.fault == Fault::EndOfInputOnlyOnPipes && !stdin_is_a_pipe() => {}
            MutantEvent::ScriptEnd => self.app.handle_script_end(self.now),
            MutantEvent::Message(bytes) => match self.messages.incoming(&bytes) {
                None => self.abandon(),
                Some(messages) => messages.iter().for_each(|message| self.receive(message)),
            },
        }
    }

    fn handle_key(&mut self, key: Key) {
        match (self.fault, key) {
            (Fault::UnknownKeysDropped, Key::Char('%')) => return,
            (Fault::SpectatorKeyExits, Key::Char(c))
                if c != 'Q' && self.messages.is_spectator() =>
            {
                self.abandon();
            }
            (Fault::CtrlDSentAsKey, Key::EndOfInput) => {
                return self.send(vec![b"KEY \x04".to_vec()]);
            }
            (_, Key::Char(c)) => self.screen.last_key = Some(c),
            _ => {}
        }
        self.app.handle_key(self.now, key);
        if self.fault == Fault::KeyBurstTruncated {
            while let Ok(event) = self.events.recv_timeout(BURST) {
                if !matches!(event, MutantEvent::Terminal(TerminalEvent::Key(_))) {
                    self.handle(event);
                }
            }
        }
    }

    fn receive(&mut self, message: &[u8]) {
        if let Ok(message) = ServerMessage::parse(message) {
            self.screen.handle_message(&message);
            self.last_is_quit = matches!(message, ServerMessage::Quit(_));
            if self.last_is_quit && self.fault == Fault::AnswersQuit {
                self.send(vec![b"KEY Q".to_vec()]);
            }
        }
        self.write_escapes(message);
        // The screen reports messages that can't be parsed.
        let _ = self.app.handle_message(self.now, message);
    }

    /// Writes a message to the terminal without filtering its control bytes, if that is the fault.
    fn write_escapes(&self, message: &[u8]) {
        let text = String::from_utf8_lossy(message);
        let has_escape = text.contains('\x1b');
        let written = match self.fault {
            Fault::ErrorEscapesNotFiltered if has_escape && text.starts_with("ERROR ") => {
                format!("\x1b7\x1b[1;60H{text}\x1b8")
            }
            Fault::MapEscapesNotFiltered if has_escape && text.starts_with("DISPLAY\n") => {
                format!("\x1b7\x1b[1;60H{text}\x1b8")
            }
            Fault::QuitEscapesNotFiltered if text.starts_with("QUIT") => text.into_owned(),
            _ => return,
        };
        let _ = write!(io::stdout().lock(), "{written}");
    }

    /// Exits in the middle of the game.
    fn abandon(&mut self) {
        self.terminal.leave();
        log("error: giving up");
        exit(1)
    }

    fn leave(mut self, outcome: &SessionOutcome) -> ExitCode {
        let fault = self.fault;
        let mut out = io::stdout().lock();
        if fault == Fault::AlternateScreenNotLeft {
            let _ = write!(out, "\x1b[2J\x1b[H");
        } else {
            self.terminal.leave();
        }
        let max_lines = match fault {
            Fault::QuitTextNotPrinted if self.last_is_quit && !self.messages.is_joining() => 0,
            Fault::GameOverTableNotPrinted if !self.last_is_quit => 0,
            Fault::QuitFirstLineOnly => 1,
            _ => usize::MAX,
        };
        let farewell = outcome.farewell();
        for line in farewell.iter().flat_map(|text| text.lines()).take(max_lines) {
            let _ = write!(out, "{line}\r\n");
        }
        if farewell.is_none() && *outcome != SessionOutcome::HungUp {
            log(&outcome.describe(&self.app.join().place));
        }
        let _ = match fault {
            Fault::PrintsExtraLine => write!(out, "See you again!\r\n"),
            Fault::CursorLeftHidden => write!(out, "\x1b[?25l"),
            Fault::TerminalLeftRaw => crossterm::terminal::enable_raw_mode(),
            _ => Ok(()),
        };
        let _ = out.flush();
        let code = match fault {
            Fault::ExitCodeSeven => 7,
            _ => u8::from(!outcome.exits_with_success()),
        };
        if fault == Fault::AlternateScreenNotLeft {
            // Dropping the terminal would leave the screen.
            let _ = crossterm::terminal::disable_raw_mode();
            exit(code.into());
        }
        ExitCode::from(code)
    }
}

fn read_messages(socket: UdpSocket, sender: SyncSender<MutantEvent>) -> io::Result<()> {
    start_thread("socket", sender, move |sender| {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match socket.recv(&mut buffer) {
                Ok(length)
                    if sender.send(MutantEvent::Message(buffer[..length].to_vec())).is_err() =>
                {
                    return;
                }
                Ok(_) => {}
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        }
    })
}

fn read_script(sender: SyncSender<MutantEvent>) -> io::Result<()> {
    start_thread("script", sender, |sender| {
        for byte in io::stdin().lock().bytes().map_while(Result::ok) {
            if sender.send(MutantEvent::Script(byte)).is_err() {
                return;
            }
        }
        let _ = sender.send(MutantEvent::ScriptEnd);
    })
}

fn stdin_is_a_pipe() -> bool {
    std::fs::metadata("/dev/stdin").is_ok_and(|metadata| metadata.file_type().is_fifo())
}
