//! The shell: connects terminal, socket, signals and clock to an [`App`], and executes its effects.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use anyhow::{Context, bail};
use nuggets_session::{Effect, Link, SessionOutcome};
use nuggets_time::Clock;
use nuggets_tui::{
    CHANNEL_CAPACITY, Key, Palette, Terminal, TerminalEvent, TerminalModes, job_control,
};
use ratatui::layout::Position;
use tracing::{debug, info, warn};

use crate::events::{Event, ScriptReader, listen};
use crate::{App, ClientSettings, screen};

/// How many bytes of a malformed message are logged.
const MAX_LOGGED_BYTES: usize = 80;
/// How many events are handled before the screen is drawn again.
const MAX_BATCH: usize = 64;
/// How long to wait for an event if nothing is due.
const LONG: Duration = Duration::from_secs(3_600);

/// Plays or watches one game from joining to leaving. The server's last text goes to standard
/// output, failures to standard error. An error means that the client could not start or continue.
pub fn run(settings: &ClientSettings) -> anyhow::Result<ExitCode> {
    run_with_join_flag(settings, &AtomicBool::new(false))
}

/// Like [`run()`]; `joined` becomes true when the server has accepted us.
pub fn run_with_join_flag(
    settings: &ClientSettings,
    joined: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let link = Link::open(settings.target.clone())
        .with_context(|| format!("can't reach {}", settings.place))?;
    let keys = io::stdin().is_terminal();
    let screen = io::stdout().is_terminal();
    let clicks = keys && screen && settings.plays_with_auto();
    let wants = TerminalModes { keys, screen, clicks };
    let mut shell = Shell::open(settings, wants, link, joined)?;
    let outcome = shell.play();
    let app = shell.into_app();
    let outcome = outcome?;
    match report(&app, &outcome, wants) {
        // There is no terminal left to write to.
        Err(_) if outcome == SessionOutcome::HungUp => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written.context("writing the result")?,
    }
    let is_success = outcome.exits_with_success();
    Ok(if is_success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Shell<'a> {
    clock: Clock,
    app: App,
    palette: Palette,
    terminal: Terminal,
    link: Link,
    /// For the listener of another address.
    sender: SyncSender<Event>,
    events: Receiver<Event>,
    script: Option<ScriptReader>,
    hint: Option<&'static str>,
    joined: &'a AtomicBool,
}

impl<'a> Shell<'a> {
    fn open(
        settings: &ClientSettings,
        wants: TerminalModes,
        link: Link,
        joined: &'a AtomicBool,
    ) -> anyhow::Result<Self> {
        let (sender, events) = sync_channel(CHANNEL_CAPACITY);
        listen(sender.clone(), &link).context("listening to the server")?;
        nuggets_tui::read_signals(sender.clone()).context("waiting for signals")?;
        let terminal = Terminal::enter(wants).context("preparing the terminal")?;
        let script = if wants.keys {
            nuggets_tui::read_keys(sender.clone()).context("reading keys")?;
            nuggets_tui::watch_terminal(sender.clone()).context("watching the terminal")?;
            None
        } else {
            Some(ScriptReader::start(sender.clone()).context("reading the input")?)
        };
        let clock = Clock::start();
        let app = App::new(clock.now(), settings.join());
        Ok(Self {
            clock,
            app: if settings.plays_with_auto() { app.with_auto() } else { app },
            palette: Palette::for_stdout(settings.color),
            terminal,
            link,
            sender,
            events,
            script,
            hint: settings.hint,
            joined,
        })
    }

    /// Restores the terminal.
    fn into_app(self) -> App {
        self.app
    }

    fn play(&mut self) -> anyhow::Result<SessionOutcome> {
        loop {
            if let Some(outcome) = self.execute_effects()? {
                return Ok(outcome);
            }
            if let Some(script) = &mut self.script
                && self.app.wants_script()
            {
                script.request();
            }
            if let Err(error) = self.draw() {
                debug!(%error, "the terminal is gone");
                self.app.handle_hangup();
                continue;
            }
            self.wait()?;
            self.app.handle_timeout(self.clock.now());
        }
    }

    fn execute_effects(&mut self) -> anyhow::Result<Option<SessionOutcome>> {
        while let Some(effect) = self.app.poll_effect() {
            match effect {
                Effect::Leave(outcome) => return Ok(Some(outcome)),
                Effect::Send(bytes) => {
                    debug!(message = %bytes.escape_ascii(), "sent");
                    if let Err(error) = self.link.send(&bytes) {
                        self.handle_link_error(error)?;
                    }
                }
            }
        }
        Ok(None)
    }

    fn draw(&mut self) -> io::Result<()> {
        let app = &self.app;
        let palette = &self.palette;
        self.terminal.draw(|area, cells| {
            screen::draw(app, palette, area, cells);
            screen::cursor(app, area)
        })
    }

    /// Waits until something happens or something is due, and handles the events that are there.
    fn wait(&mut self) -> anyhow::Result<()> {
        let until = self.app.poll_timeout();
        let wait = until.map(|at| Duration::from_millis(at.since(self.clock.now())));
        match self.events.recv_timeout(wait.unwrap_or(LONG)) {
            Ok(event) => self.handle(event)?,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => bail!("all threads have ended"),
        }
        let more: Vec<Event> = self.events.try_iter().take(MAX_BATCH).collect();
        more.into_iter().try_for_each(|event| self.handle(event))
    }

    fn handle(&mut self, event: Event) -> anyhow::Result<()> {
        let now = self.clock.now();
        match event {
            Event::Terminal(event) => self.handle_terminal(event)?,
            Event::Script(bytes) => {
                for byte in bytes {
                    self.app.handle_script_byte(now, byte);
                }
                if let Some(script) = &mut self.script {
                    script.handle_block();
                }
            }
            Event::ScriptEnd => self.app.handle_script_end(now),
            Event::Message(id, bytes) if id == self.link.id() => self.handle_message(&bytes),
            Event::LinkError(id, error) if id == self.link.id() => self.handle_link_error(error)?,
            // From an address that was given up.
            Event::Message(..) | Event::LinkError(..) => {}
        }
        Ok(())
    }

    fn handle_message(&mut self, bytes: &[u8]) {
        let word = bytes.split(u8::is_ascii_whitespace).next();
        debug!(kind = %shortened(word.unwrap_or_default()), length = bytes.len(), "received");
        let was_joining = self.app.is_joining();
        if let Err(why) = self.app.handle_message(self.clock.now(), bytes) {
            warn!(message = %shortened(bytes), "{why}");
        }
        if was_joining && !self.app.is_joining() {
            info!(server = self.app.join().place, "the server has answered");
            self.joined.store(true, Ordering::Relaxed);
            if let Some(hint) = self.hint {
                self.app.handle_hint(self.clock.now(), hint);
            }
        }
    }

    /// The server can't be reached. Before it has answered, its other addresses are tried.
    fn handle_link_error(&mut self, error: io::Error) -> anyhow::Result<()> {
        debug!(%error, "network error");
        let now = self.clock.now();
        if !self.app.is_joining() {
            self.app.handle_port_closed(now);
            return Ok(());
        }
        match self.link.fall_back(error) {
            Ok(()) => {
                listen(self.sender.clone(), &self.link).context("listening to the server")?;
                self.app.handle_address_change(now);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                self.app.handle_port_closed(now);
                Ok(())
            }
            Err(error) => {
                let place = &self.app.join().place;
                Err(error).with_context(|| format!("can't reach {place}"))
            }
        }
    }

    fn handle_terminal(&mut self, event: TerminalEvent) -> anyhow::Result<()> {
        match event {
            TerminalEvent::Key(key) => self.app.handle_key(self.clock.now(), key),
            TerminalEvent::Click(at) => self.handle_click(at),
            TerminalEvent::SuspendKey => self.suspend()?,
            TerminalEvent::Continue if job_control::is_in_front() => self.reenter_terminal(),
            // In the background we continue without it; the shell that brings us to the front sends
            // the signal again.
            TerminalEvent::Continue | TerminalEvent::Resize => {}
            TerminalEvent::Stop => self.stop()?,
            TerminalEvent::Hangup => self.app.handle_hangup(),
            TerminalEvent::ThreadPanicked(thread) => bail!("the thread \"{thread}\" has panicked"),
        }
        Ok(())
    }

    /// A click means what was last drawn there.
    fn handle_click(&mut self, at: Position) {
        let spot =
            self.terminal.drawn_area().and_then(|area| screen::point_at(&self.app, area, at));
        if let Some(spot) = spot {
            self.app.handle_click(self.clock.now(), spot);
        }
    }

    /// A terminal that is closing continues stopped processes as well: then this fails.
    fn reenter_terminal(&mut self) {
        if let Err(error) = self.terminal.reenter() {
            debug!(%error, "the terminal is gone");
            self.app.handle_hangup();
        }
    }

    /// Ctrl-Z was typed. The terminal is restored first: once other processes of our job have
    /// stopped, we may no longer be allowed to.
    fn suspend(&mut self) -> anyhow::Result<()> {
        if !job_control::can_be_continued() {
            self.app.handle_key(self.clock.now(), Key::Other);
            return Ok(());
        }
        self.terminal.leave();
        job_control::ask_to_stop().context("suspending the game")
    }

    /// Stops this process. The signal that continues it enters the terminal again.
    fn stop(&mut self) -> anyhow::Result<()> {
        if job_control::can_be_continued() {
            self.app.handle_pause();
            self.terminal.leave();
            job_control::stop().context("suspending the game")?;
        }
        Ok(())
    }
}

/// Prints the outcome, and before it the last picture if nothing was drawn.
fn report(app: &App, outcome: &SessionOutcome, wants: TerminalModes) -> io::Result<()> {
    let farewell = outcome.farewell();
    if farewell.is_none() && *outcome != SessionOutcome::HungUp {
        let prefix = if outcome.is_success() { "" } else { "error: " };
        let description = outcome.describe(&app.join().place);
        let _ = writeln!(io::stderr().lock(), "{prefix}{description}");
    }
    let mut out = io::stdout().lock();
    if let Some(picture) = screen::plain(app).filter(|_| !wants.screen) {
        write!(out, "{picture}")?;
    }
    if let Some(text) = farewell {
        writeln!(out, "{text}")?;
    }
    out.flush()
}

fn shortened(bytes: &[u8]) -> impl std::fmt::Display + '_ {
    bytes[..bytes.len().min(MAX_LOGGED_BYTES)].escape_ascii()
}
