//! The shell: joins terminal, socket, signals and clock to an [`App`], and does what it says.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

use anyhow::{Context, bail};
use nuggets_time::Clock;
use ratatui::layout::Position;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGTSTP, SIGWINCH};
use tracing::{debug, info, warn};

use crate::inbox::{self, Event};
use crate::keys::Pressed;
use crate::route::Route;
use crate::settings::{ColorChoice, Surroundings};
use crate::terminal::{Terminal, Wants};
use crate::{App, Effect, Ending, Key, Palette, Settings, job, link, screen};

/// How much of a message that was not understood goes into the log.
const LOGGED_BYTES: usize = 80;
/// How many events are taken in before the screen is drawn again.
const BATCH: usize = 64;

/// Plays or watches one game from joining to leaving. The last words of the server go to standard
/// output, troubles to standard error; an error is something that kept us from even beginning, or
/// from going on.
pub fn run(settings: &Settings) -> anyhow::Result<ExitCode> {
    run_and_tell(settings, &AtomicBool::new(false))
}

/// The same; `joined` becomes true when the server has let us in.
pub fn run_and_tell(settings: &Settings, joined: &AtomicBool) -> anyhow::Result<ExitCode> {
    let addresses = link::resolve(&settings.host, settings.port)?;
    let (inbox, events) = sync_channel(inbox::CAPACITY);
    let route = Route::open(addresses, inbox.clone()).with_context(|| unreachable(settings))?;
    let (keys, screen) = (io::stdin().is_terminal(), io::stdout().is_terminal());
    let clicks = keys && screen && settings.plays_with_auto();
    let wants = Wants { keys, screen, clicks };
    let mut shell = Shell::open(settings, wants, route, &inbox, events, joined)?;
    let ending = shell.play();
    let app = shell.give_back();
    let ending = ending?;
    match report(&app, &ending, wants) {
        // Nobody is left to read it.
        Err(_) if ending == Ending::HungUp => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written.context("writing the result")?,
    }
    Ok(if ending.is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Shell<'a> {
    clock: Clock,
    app: App,
    palette: Palette,
    terminal: Terminal,
    route: Route,
    events: Receiver<Event>,
    script: Option<Permits>,
    hint: Option<&'static str>,
    joined: &'a AtomicBool,
}

/// Lets the reader of a script go on block by block.
struct Permits {
    permits: Sender<()>,
    given: bool,
}

impl<'a> Shell<'a> {
    fn open(
        settings: &Settings,
        wants: Wants,
        route: Route,
        inbox: &SyncSender<Event>,
        events: Receiver<Event>,
        joined: &'a AtomicBool,
    ) -> anyhow::Result<Self> {
        inbox::read_signals(inbox.clone()).context("waiting for signals")?;
        let palette = choose_palette(settings, wants.screen);
        let terminal = Terminal::enter(wants).context("preparing the terminal")?;
        let script = if wants.keys {
            inbox::read_keys(inbox.clone()).context("reading keys")?;
            inbox::watch_terminal(inbox.clone()).context("watching the terminal")?;
            None
        } else {
            Some(Permits::open(inbox.clone()).context("reading the input")?)
        };
        let clock = Clock::start();
        let app = App::new(clock.now(), settings.join());
        Ok(Self {
            clock,
            app: if settings.plays_with_auto() { app.with_auto() } else { app },
            palette,
            terminal,
            route,
            events,
            script,
            hint: settings.hint,
            joined,
        })
    }

    /// Ends with the terminal as it was before.
    fn give_back(self) -> App {
        self.app
    }

    fn play(&mut self) -> anyhow::Result<Ending> {
        loop {
            if let Some(ending) = self.do_effects()? {
                return Ok(ending);
            }
            self.ask_for_script();
            if let Err(error) = self.draw() {
                debug!(%error, "the terminal is gone");
                self.app.handle_hangup();
                continue;
            }
            self.wait()?;
            self.app.handle_timeout(self.clock.now());
        }
    }

    fn do_effects(&mut self) -> anyhow::Result<Option<Ending>> {
        while let Some(effect) = self.app.poll_effect() {
            match effect {
                Effect::Leave(ending) => return Ok(Some(ending)),
                Effect::Send(bytes) => self.send(&bytes)?,
            }
        }
        Ok(None)
    }

    fn send(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        debug!(message = %bytes.escape_ascii(), "sent");
        match self.route.send(bytes) {
            Ok(()) => Ok(()),
            Err(error) => self.handle_lost(error),
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let (app, palette) = (&self.app, &self.palette);
        self.terminal.draw(|area, cells| {
            screen::draw(app, palette, area, cells);
            screen::cursor(app, area)
        })
    }

    /// Waits until something happens or the app wants to be woken, and takes in what is there.
    fn wait(&mut self) -> anyhow::Result<()> {
        match self.events.recv_timeout(self.patience()) {
            Ok(event) => self.handle(event)?,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => bail!("all threads have ended"),
        }
        let more: Vec<Event> = self.events.try_iter().take(BATCH).collect();
        more.into_iter().try_for_each(|event| self.handle(event))
    }

    fn patience(&self) -> Duration {
        match self.app.poll_timeout() {
            Some(moment) => Duration::from_millis(moment.since(self.clock.now())),
            None => Duration::from_secs(3_600),
        }
    }

    fn handle(&mut self, event: Event) -> anyhow::Result<()> {
        let now = self.clock.now();
        match event {
            Event::Pressed(Pressed::Key(key)) => self.app.handle_key(now, key),
            Event::Pressed(Pressed::Suspend) => self.suspend()?,
            Event::Pressed(Pressed::Click(at)) => self.handle_click(at),
            Event::Script(bytes) => self.handle_script(&bytes),
            Event::ScriptEnd => self.app.handle_script_end(now),
            Event::Message(id, bytes) if self.route.is_current(id) => self.handle_message(&bytes),
            Event::Lost(id, error) if self.route.is_current(id) => self.handle_lost(error)?,
            Event::Message(..) | Event::Lost(..) => {}
            Event::Hangup => self.app.handle_hangup(),
            Event::Signal(signal) => self.handle_signal(signal)?,
            Event::Broken(thread) => bail!("the thread \"{thread}\" has panicked"),
        }
        Ok(())
    }

    /// What was clicked on is what was last shown there.
    fn handle_click(&mut self, at: Position) {
        let spot = self.terminal.shown().and_then(|area| screen::point_at(&self.app, area, at));
        if let Some(spot) = spot {
            self.app.handle_click(self.clock.now(), spot);
        }
    }

    fn handle_script(&mut self, bytes: &[u8]) {
        let now = self.clock.now();
        for &byte in bytes {
            self.app.handle_script_byte(now, byte);
        }
        if let Some(script) = &mut self.script {
            script.given = false;
        }
    }

    fn ask_for_script(&mut self) {
        if let Some(script) = &mut self.script
            && self.app.wants_script()
        {
            script.give();
        }
    }

    fn handle_message(&mut self, bytes: &[u8]) {
        let word = bytes.split(u8::is_ascii_whitespace).next();
        debug!(kind = %shortened(word.unwrap_or_default()), length = bytes.len(), "received");
        let was_joining = self.app.is_joining();
        if let Err(why) = self.app.handle_message(self.clock.now(), bytes) {
            warn!(message = %shortened(bytes), "{why}");
        }
        if was_joining && !self.app.is_joining() {
            info!(server = self.app.join().place(), "the server has answered");
            self.joined.store(true, Ordering::Relaxed);
            if let Some(hint) = self.hint {
                self.app.handle_hint(self.clock.now(), hint);
            }
        }
    }

    /// The server is not there. Before it ever was, there may be another address of it.
    fn handle_lost(&mut self, error: io::Error) -> anyhow::Result<()> {
        debug!(%error, "lost");
        let now = self.clock.now();
        if !self.app.is_joining() {
            self.app.handle_refused(now);
            return Ok(());
        }
        match self.route.advance(error) {
            Ok(()) => self.app.handle_detour(now),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                self.app.handle_refused(now);
            }
            Err(error) => {
                let place = self.app.join().place();
                return Err(error).with_context(|| format!("there is no way to {place}"));
            }
        }
        Ok(())
    }

    fn handle_signal(&mut self, signal: i32) -> anyhow::Result<()> {
        match signal {
            SIGCONT if job::is_in_front() => self.take_terminal_back(),
            // In the background we go on without it; whoever brings us to the front says so again.
            SIGCONT | SIGWINCH => {}
            SIGTSTP => self.stop()?,
            SIGHUP => self.app.handle_hangup(),
            _ => self.app.handle_key(self.clock.now(), Key::Interrupt),
        }
        Ok(())
    }

    /// A terminal that is closing tells us to go on as well, so that nobody sleeps through its end.
    fn take_terminal_back(&mut self) {
        if let Err(error) = self.terminal.reenter() {
            debug!(%error, "the terminal is gone");
            self.app.handle_hangup();
        }
    }

    /// Ctrl-Z was typed. The terminal is given back first: once others of our job have stopped, we
    /// may no longer be allowed to.
    fn suspend(&mut self) -> anyhow::Result<()> {
        if !job::can_be_continued() {
            self.app.handle_key(self.clock.now(), Key::Other);
            return Ok(());
        }
        self.terminal.leave();
        job::ask_to_stop().context("putting the game aside")
    }

    /// Stops. Going on is told by a signal of its own, which takes the terminal back.
    fn stop(&mut self) -> anyhow::Result<()> {
        if job::can_be_continued() {
            self.app.handle_pause();
            self.terminal.leave();
            job::stop().context("putting the game aside")?;
        }
        Ok(())
    }
}

impl Permits {
    fn open(inbox: SyncSender<Event>) -> io::Result<Self> {
        let (permits, taken) = channel();
        inbox::read_script(inbox, taken)?;
        Ok(Self { permits, given: false })
    }

    fn give(&mut self) {
        if !self.given {
            // The reader is gone when the script has ended; then there is nothing to permit.
            let _ = self.permits.send(());
            self.given = true;
        }
    }
}

fn unreachable(settings: &Settings) -> String {
    format!("there is no way to {}", settings.join().place())
}

fn choose_palette(settings: &Settings, stdout_is_terminal: bool) -> Palette {
    let colored = wants_color(settings.color, stdout_is_terminal);
    if colored { Palette::colored() } else { Palette::plain() }
}

/// Whether this choice means colours, with the environment as it is.
pub fn wants_color(choice: ColorChoice, stdout_is_terminal: bool) -> bool {
    let (no_color, term) = (env::var_os("NO_COLOR"), env::var_os("TERM"));
    choice.allows_color(Surroundings {
        stdout_is_terminal,
        no_color: no_color.as_deref(),
        term: term.as_deref(),
    })
}

/// Says how it ended. Where nothing was drawn, the last picture comes first.
fn report(app: &App, ending: &Ending, wants: Wants) -> io::Result<()> {
    if let Some(trouble) = ending.trouble(app.join()) {
        let prefix = if ending.is_success() { "" } else { "error: " };
        let _ = writeln!(io::stderr().lock(), "{prefix}{trouble}");
    }
    let mut out = io::stdout().lock();
    if let Some(picture) = screen::plain(app).filter(|_| !wants.screen) {
        write!(out, "{picture}")?;
    }
    if let Some(words) = ending.farewell() {
        writeln!(out, "{words}")?;
    }
    out.flush()
}

fn shortened(bytes: &[u8]) -> impl std::fmt::Display + '_ {
    bytes[..bytes.len().min(LOGGED_BYTES)].escape_ascii()
}
