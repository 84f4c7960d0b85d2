//! The shell: connects terminal, socket, signals and clock to an [`App`], and executes its effects.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use nuggets_session::{Effect, Link, SessionOutcome};
use nuggets_time::Clock;
use nuggets_tui::{FullScreen, Key, KeyBindings, Palette, TerminalEvent, TerminalModes, Wakeup};
use tracing::{debug, info};

use crate::events::{ClientEvent, ScriptReader, listen};
use crate::{App, ClientSettings, LineKey, Narrator, screen};

/// The maximum number of bytes of a malformed message that are logged.
const MAX_LOGGED_BYTES: usize = 80;
/// The maximum number of events handled before the screen is drawn again.
const MAX_BATCH: usize = 64;
/// The interval for querying the players' names in a game of our own: no message announces a new player.
const NAMES_PERIOD: Duration = Duration::from_millis(200);

/// Plays or watches one game from joining to leaving. The server's last text goes to standard
/// output, failures to standard error. An error means that the client could not start or continue.
pub fn run(settings: &ClientSettings) -> anyhow::Result<ExitCode> {
    run_in_own_game(settings, &OwnGame::default()).map(|ended| exit_code(&ended.outcome))
}

/// The connections of a client to the server and the bots of its own process; all `None` in a game on another server.
#[derive(Clone, Copy, Default)]
pub struct OwnGame<'a> {
    /// Set to true when the server has accepted us.
    pub joined: Option<&'a AtomicBool>,
    /// Called often, with true while the bots have to stand still.
    pub waits: Option<&'a dyn Fn(bool)>,
    /// Returns the players' letters and names. Called often.
    pub names: Option<&'a dyn Fn() -> Vec<(char, String)>>,
}

/// The end of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientEnd {
    /// The outcome of its session.
    pub outcome: SessionOutcome,
    /// True if a signal or Ctrl-C has ended it, so that no further questions should be asked.
    pub is_interrupted: bool,
    /// The letter that it played as.
    pub letter: Option<char>,
}

/// Returns the exit code of a client whose session ended like this.
pub fn exit_code(outcome: &SessionOutcome) -> ExitCode {
    if outcome.exits_with_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Like [`run()`], in a game of our own process. Returns the end of the session.
pub fn run_in_own_game(settings: &ClientSettings, game: &OwnGame) -> anyhow::Result<ClientEnd> {
    let link = settings
        .target
        .clone()
        .open()
        .with_context(|| format!("can't reach {}", settings.join.place))?;
    let keys = io::stdin().is_terminal();
    let screen = io::stdout().is_terminal() && !settings.lines;
    let mouse = keys
        && screen
        && settings.options.auto
        && (settings.join.name.is_some() || settings.options.scroll);
    let wants = TerminalModes { keys, screen, mouse };
    let mut shell = Shell::open(settings, wants, link, game)?;
    let played = shell.play_all(settings);
    let (app, tables) = shell.into_app();
    let outcome = played?;
    // Where every event is a line, the tables were announced when they arrived.
    let tables = if settings.lines { &[] } else { &tables[..] };
    match report(&app, &outcome, tables, wants.screen || settings.lines) {
        // There is no terminal left to write to.
        Err(_) if outcome == SessionOutcome::HungUp => {}
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written.context("writing the result")?,
    }
    let outcome = last_outcome(&app, outcome);
    let (is_interrupted, letter) = (app.is_interrupted(), app.letter());
    Ok(ClientEnd { outcome, is_interrupted, letter })
}

struct Shell<'a> {
    clock: Clock,
    app: App,
    palette: Palette,
    screen: FullScreen<ClientEvent>,
    link: Box<dyn Link>,
    script: Option<ScriptReader>,
    hint: Option<&'static str>,
    game: &'a OwnGame<'a>,
    keys: KeyBindings,
    /// Announces every event as a line, if nothing is drawn.
    narrator: Option<Narrator>,
    /// The final tables of all games before the last.
    tables: Vec<String>,
}

impl<'a> Shell<'a> {
    fn open(
        settings: &ClientSettings,
        wants: TerminalModes,
        link: Box<dyn Link>,
        game: &'a OwnGame<'a>,
    ) -> anyhow::Result<Self> {
        let screen = FullScreen::open(wants)?;
        listen(screen.sender.clone(), &*link).context("listening to the server")?;
        let script = if wants.keys {
            None
        } else {
            Some(ScriptReader::start(screen.sender.clone()).context("reading the input")?)
        };
        let clock = Clock::start();
        let app = settings.app(clock.now());
        Ok(Self {
            clock,
            app,
            palette: Palette::for_stdout(settings.color),
            screen,
            link,
            script,
            hint: settings.hint,
            game,
            keys: settings.keys.clone(),
            narrator: settings.lines.then(Narrator::default),
            tables: Vec::new(),
        })
    }

    /// Restores the terminal. Returns the app and the tables of the games before the last.
    fn into_app(self) -> (App, Vec<String>) {
        (self.app, self.tables)
    }

    /// Plays one game, and those that the server announces after it. Keys from a pipe are for one game.
    fn play_all(&mut self, settings: &ClientSettings) -> anyhow::Result<SessionOutcome> {
        loop {
            let outcome = self.play()?;
            let SessionOutcome::GameOver { table } = &outcome else { return Ok(outcome) };
            if self.script.is_some() || !self.app.is_next_game_announced() {
                return Ok(outcome);
            }
            info!("the game is over; the next one follows");
            if let Some(narrator) = &mut self.narrator {
                *narrator = Narrator::default();
                let lines = outcome.farewell().unwrap_or_default();
                say(&lines
                    .lines()
                    .chain([screen::BETWEEN_GAMES])
                    .map(str::to_owned)
                    .collect::<Vec<_>>())?;
            }
            self.tables.extend(outcome.farewell());
            let now = self.clock.now();
            self.app = settings.app(now).for_next_game(now, table.clone());
        }
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
            if let Some(narrator) = &mut self.narrator {
                say(&narrator.update(&self.app))?;
            }
            self.share();
            self.wait()?;
            self.app.handle_timeout(self.clock.now());
        }
    }

    /// Makes the bots wait or play, and updates the names of the players.
    fn share(&mut self) {
        if let Some(waits) = self.game.waits {
            waits(self.app.is_waiting());
        }
        if let Some(names) = self.game.names {
            self.app.handle_names(&names());
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
        let app = &mut self.app;
        let palette = &self.palette;
        self.screen.terminal.draw(|area, cells| {
            app.handle_resize(area.as_size());
            screen::draw(app, palette, area, cells);
            screen::cursor(app, area)
        })?;
        if app.take_bell() { self.screen.terminal.ring() } else { Ok(()) }
    }

    /// Waits for an event or until something is due, and handles all pending events.
    fn wait(&mut self) -> anyhow::Result<()> {
        let until = self.app.poll_timeout();
        let wait = until.map(|at| Duration::from_millis(at.since(self.clock.now())));
        let longest = self.game.names.is_some().then_some(NAMES_PERIOD);
        let mut within = wait.into_iter().chain(longest).min();
        for _ in 0..=MAX_BATCH {
            let Some(event) = self.screen.receive(within)? else { break };
            self.handle(event)?;
            within = Some(Duration::ZERO);
        }
        Ok(())
    }

    fn handle(&mut self, event: ClientEvent) -> anyhow::Result<()> {
        let now = self.clock.now();
        match event {
            ClientEvent::Terminal(event) => self.handle_terminal(event)?,
            ClientEvent::Script(bytes) => {
                for byte in bytes {
                    self.app.handle_script_byte(now, byte);
                }
                if let Some(script) = &mut self.script {
                    script.handle_block();
                }
            }
            ClientEvent::ScriptEnd => self.app.handle_script_end(now),
            ClientEvent::Message(id, bytes) if id == self.link.id() => self.handle_message(&bytes),
            ClientEvent::LinkError(id, error) if id == self.link.id() => {
                self.handle_link_error(error)?;
            }
            // Late events from an address that was given up.
            ClientEvent::Message(..) | ClientEvent::LinkError(..) => {}
        }
        Ok(())
    }

    fn handle_message(&mut self, bytes: &[u8]) {
        let word = bytes.split(u8::is_ascii_whitespace).next();
        debug!(kind = %shortened(word.unwrap_or_default()), length = bytes.len(), "received");
        let was_joining = self.app.is_joining();
        // The app has noted and logged a malformed one.
        let _ = self.app.handle_message(self.clock.now(), bytes);
        if was_joining && !self.app.is_joining() {
            info!(server = self.app.join().place, "the server has answered");
            if let Some(joined) = self.game.joined {
                joined.store(true, Ordering::Relaxed);
            }
            if let Some(hint) = self.hint {
                self.app.handle_hint(self.clock.now(), hint);
            }
        }
    }

    /// Handles an unreachable server. Until it has answered, its other addresses are tried.
    fn handle_link_error(&mut self, error: io::Error) -> anyhow::Result<()> {
        debug!(%error, "network error");
        let now = self.clock.now();
        // Between two games the server is known to be at this address.
        if !self.app.is_joining() || self.app.last_table().is_some() {
            self.app.handle_port_closed(now);
            return Ok(());
        }
        match self.link.fall_back(error) {
            Ok(()) => {
                listen(self.screen.sender.clone(), &*self.link)
                    .context("listening to the server")?;
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
        match self.screen.handle(event)? {
            Wakeup::Key(key) => {
                // The window may have been resized since it was drawn. While it is too small, keys have no
                // effect, and a key must not be lost because the resize was noticed after it.
                if let Ok(area) = self.screen.terminal.window_area() {
                    self.app.handle_resize(area.as_size());
                }
                self.handle_key(self.keys.translate(key))?;
            }
            Wakeup::Drag(from, to) => self.app.handle_drag(from, to),
            Wakeup::Click(at) => {
                let area = self.screen.terminal.drawn_area();
                if let Some(spot) = area.and_then(|area| screen::point_at(&self.app, area, at)) {
                    self.app.handle_click(self.clock.now(), spot);
                }
            }
            Wakeup::Draw => {}
            Wakeup::Continued => self.app.handle_pause(),
            Wakeup::Hangup => {
                debug!("the terminal is gone");
                self.app.handle_hangup();
            }
        }
        Ok(())
    }

    /// Handles a key. Some keys have another meaning where nothing is drawn.
    fn handle_key(&mut self, key: Key) -> anyhow::Result<()> {
        let now = self.clock.now();
        let meaning = self.narrator.as_mut().map(|narrator| narrator.handle_key(&self.app, key));
        match meaning {
            Some(LineKey::Say(lines)) => say(&lines)?,
            Some(LineKey::Walk(at)) => self.app.handle_click(now, at),
            Some(LineKey::Game) | None => self.app.handle_key(now, key),
        }
        Ok(())
    }
}

/// Returns the final outcome: a client that waited in vain for another game has played the last one to its end.
fn last_outcome(app: &App, outcome: SessionOutcome) -> SessionOutcome {
    match app.last_table() {
        Some(table) => SessionOutcome::GameOver { table: table.to_owned() },
        None => outcome,
    }
}

/// Prints the tables of earlier games and the outcome, and before it the last picture if nothing was drawn.
fn report(
    app: &App,
    outcome: &SessionOutcome,
    tables: &[String],
    was_shown: bool,
) -> io::Result<()> {
    let farewell = outcome.farewell();
    let has_left_between = app.last_table().is_some() && *outcome == SessionOutcome::NeverJoined;
    if farewell.is_none() && *outcome != SessionOutcome::HungUp && !has_left_between {
        let prefix = if outcome.is_success() { "" } else { "error: " };
        let description = outcome.describe(&app.join().place);
        let _ = writeln!(io::stderr().lock(), "{prefix}{description}");
    }
    let mut out = io::stdout().lock();
    if let Some(picture) = screen::plain(app).filter(|_| !was_shown) {
        write!(out, "{picture}")?;
    }
    for table in tables {
        writeln!(out, "{table}")?;
    }
    if let Some(text) = farewell {
        writeln!(out, "{text}")?;
    }
    out.flush()
}

/// Writes lines. In raw mode a terminal does not go back to the first column by itself.
fn say(lines: &[String]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        write!(out, "{line}\r\n").context("writing a line")?;
    }
    out.flush().context("writing a line")
}

fn shortened(bytes: &[u8]) -> impl std::fmt::Display + '_ {
    bytes[..bytes.len().min(MAX_LOGGED_BYTES)].escape_ascii()
}
