//! The shell: gives every bot a socket, a clock and a thread, and executes its effects.
//!
//! No bot presses a key before all of them have joined or failed to: a fast bot could end a game
//! before the last one has joined.

mod games;
#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use nuggets_session::{Effect, Link, LinkTarget, LoggedFlaws, SessionOutcome, SessionPolicy};
use nuggets_time::Clock;
use tracing::{debug, info};

use crate::program::{BotProgram, ProgramBrain, ProgramEnd, ProgramFailure, SharedEnd, numbered};
use crate::{AnswerLimits, Bot, BotProfile, Brain, BrainKind};

pub use games::run_games;

/// The maximum wait for a message before a bot checks the stop flag again.
const STOP_CHECK_PERIOD: Duration = Duration::from_millis(50);
/// Pause after a network error, so that a persistent one does not use up the processor.
const ERROR_PAUSE: Duration = Duration::from_millis(10);
/// The maximum number of messages handled before the bot decides again.
const MAX_BATCH: usize = 256;

/// The configuration of a group of bots: server, brains, names and pace.
///
/// ```no_run
/// use nuggets_bots::{BotSettings, BotTeam, BrainKind, run};
/// use nuggets_session::LinkTarget;
///
/// let settings = BotSettings {
///     place: "localhost:9999".into(),
///     target: LinkTarget::Udp(vec!["127.0.0.1:9999".parse().unwrap()]),
///     brains: vec![BrainKind::Miner],
///     count: 3,
///     name: None,
///     pace_ms: 250,
///     seed: 7,
/// };
/// for result in run(BotTeam::new(&settings)) {
///     assert!(result.purse <= 250);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSettings {
    /// The server as the user named it: host and port, or the link of a game.
    pub place: String,
    /// The target of the bots' links.
    pub target: LinkTarget,
    /// The bots' brains, assigned in turn: after the last comes the first again. There is at least one.
    pub brains: Vec<BrainKind>,
    /// The number of bots, not counting programs.
    pub count: usize,
    /// Their name, numbered if there are several; `None` for the name of their brain or that of the program.
    pub name: Option<Vec<u8>>,
    /// The mean time between two keys of a bot, in milliseconds; 0 for as fast as the server answers.
    pub pace_ms: u64,
    /// Fixes the random numbers of the bots.
    pub seed: u64,
}

/// The result of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotResult {
    /// The name that it asked to play under.
    pub name: Vec<u8>,
    /// The word for its brain, or the command line of its program.
    pub brain: String,
    /// The letter that it played as; `None` if it did not play.
    pub letter: Option<char>,
    /// The nuggets that it collected.
    pub purse: u32,
    /// The number of keys that it pressed.
    pub keys: u64,
    /// The outcome of its session.
    pub outcome: SessionOutcome,
    /// Why its program was removed.
    pub failure: Option<ProgramFailure>,
}

/// All bots that play together, and the flags that control them.
#[derive(Debug)]
pub struct BotTeam<'a> {
    /// The bots with brains, and the server for all bots.
    pub settings: &'a BotSettings,
    /// The programs, each playing as one more bot.
    pub programs: Vec<BotProgram>,
    /// Stop flag: all bots leave the game once it is true.
    pub stop: Arc<AtomicBool>,
    /// Hold flag: all bots stand still while it is true.
    pub hold: Arc<AtomicBool>,
}

impl<'a> BotTeam<'a> {
    /// Returns a team without programs, whose bots are never stopped or held.
    pub fn new(settings: &'a BotSettings) -> Self {
        Self { settings, programs: Vec::new(), stop: Arc::default(), hold: Arc::default() }
    }

    /// Returns all bots before their first game.
    fn into_seats(self) -> (TeamContext<'a>, Vec<BotSeat>) {
        let Self { settings, programs, stop, hold } = self;
        let kinds = settings.brains.iter().copied().cycle().take(settings.count);
        let minds = kinds.map(Mind::Brain).chain(programs.into_iter().map(|program| {
            let (line, limits) = (program.line().to_owned(), program.limits());
            Mind::Program { line, limits, running: Some(Box::new(program)) }
        }));
        let seats = (0..).zip(minds).map(|(number, mind)| {
            let (name, seed) = (mind.name(), settings.seed.wrapping_add(number));
            BotSeat { name, mind, seed, link: None }
        });
        let mut seats: Vec<BotSeat> = seats.collect();
        name_seats(&mut seats, settings);
        (TeamContext { settings, stop, hold }, seats)
    }
}

/// The parts of a team that all its threads share.
struct TeamContext<'a> {
    settings: &'a BotSettings,
    stop: Arc<AtomicBool>,
    hold: Arc<AtomicBool>,
}

/// Runs the bots in one game until each of them has ended. The results are in the order of the bots' numbers, those
/// with programs last.
pub fn run(team: BotTeam<'_>) -> Vec<BotResult> {
    let (team, seats) = team.into_seats();
    play_game(&team, seats).into_iter().map(|(result, _)| result).collect()
}

/// Plays one game. Returns the results, each with the bot's seat for the next game, if the server has announced one.
fn play_game(team: &TeamContext<'_>, seats: Vec<BotSeat>) -> Vec<(BotResult, Option<BotSeat>)> {
    let barrier = &StartBarrier { missing: AtomicUsize::new(seats.len()) };
    thread::scope(|scope| {
        let bots = seats.into_iter().map(|seat| {
            let ticket = barrier.ticket();
            scope.spawn(move || play_one(team, seat, ticket))
        });
        let bots: Vec<_> = bots.collect();
        let ended = bots.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|played| played.expect("a bot does not panic")).collect()
    })
}

/// One bot between two games.
struct BotSeat {
    name: Vec<u8>,
    mind: Mind,
    seed: u64,
    /// The link of the last game, if it has played one on this server.
    link: Option<Box<dyn Link>>,
}

/// The decision maker for a bot's keys, from which every game gets a new brain.
enum Mind {
    Brain(BrainKind),
    Program {
        line: String,
        limits: AnswerLimits,
        /// The program for the next game.
        running: Option<Box<BotProgram>>,
    },
}

impl Mind {
    /// The name that it asks to play under.
    fn name(&self) -> Vec<u8> {
        match self {
            Self::Brain(kind) => kind.to_string().into_bytes(),
            Self::Program { running, .. } => {
                running.as_ref().map_or(vec![], |running| running.name().to_vec())
            }
        }
    }

    /// The word for the brain, or the command line of the program.
    fn text(&self) -> String {
        match self {
            Self::Brain(kind) => kind.to_string(),
            Self::Program { line, .. } => line.clone(),
        }
    }

    /// Starts the program for the next game, if it is one.
    fn start(&mut self, stop: &AtomicBool) -> Result<(), ProgramFailure> {
        if let Self::Program { line, limits, running } = self {
            *running = Some(Box::new(BotProgram::start(line, *limits, stop)?));
        }
        Ok(())
    }

    /// Returns the brain for one game. A program that fails or quits sets `end`.
    fn brain(
        &mut self,
        seed: u64,
        stop: &Arc<AtomicBool>,
        end: &SharedEnd,
    ) -> Box<dyn Brain + Send> {
        match self {
            Self::Brain(kind) => kind.build(seed),
            Self::Program { running, .. } => {
                let program = running.take().expect("a program is started before each game");
                Box::new(ProgramBrain::new(*program, Arc::clone(stop), end.clone()))
            }
        }
    }
}

/// Names the bots. Those with brains are numbered if there are several, programs only where their names are equal.
fn name_seats(seats: &mut [BotSeat], settings: &BotSettings) {
    let is_numbered = seats.len() > 1;
    let number = |name: &[u8], number: usize| [name, format!(" {number}").as_bytes()].concat();
    if let Some(name) = &settings.name {
        for (index, seat) in seats.iter_mut().enumerate() {
            seat.name = if is_numbered { number(name, index + 1) } else { name.clone() };
        }
        return;
    }
    let (own, programs) = seats.split_at_mut(settings.count.min(seats.len()));
    for (index, seat) in own.iter_mut().enumerate().filter(|_| settings.count > 1) {
        seat.name = number(&seat.name, index + 1);
    }
    let names: Vec<String> =
        programs.iter().map(|seat| String::from_utf8_lossy(&seat.name).into_owned()).collect();
    for (seat, name) in programs.iter_mut().zip(numbered(&names)) {
        seat.name = name.into_bytes();
    }
}

fn play_one(
    team: &TeamContext<'_>,
    mut seat: BotSeat,
    ticket: Ticket,
) -> (BotResult, Option<BotSeat>) {
    let settings = team.settings;
    let (clock, end) = (Clock::start(), SharedEnd::default());
    let profile = BotProfile {
        name: seat.name.clone(),
        brain: seat.mind.brain(seat.seed, &team.stop, &end),
        pace_ms: settings.pace_ms,
        seed: seat.seed,
        policy: SessionPolicy::BOT,
    };
    let (bot, link) = match seat.link.take() {
        Some(link) => (Bot::for_next_game(clock.now(), profile), Ok(link)),
        None => (Bot::new(clock.now(), profile), settings.target.clone().open()),
    };
    let (bot, link, outcome) = match link {
        Ok(link) => {
            let (end, logged) = (end.clone(), LoggedFlaws::default());
            let mut player = NetworkBot { clock, bot, link, ticket, end, logged };
            let outcome = player.play(team);
            (player.bot, Some(player.link), outcome)
        }
        Err(why) => (bot, None, SessionOutcome::Unreachable { error: why.to_string() }),
    };
    let letter = bot.scene().letter();
    let last_purse = bot.scene().gold().map_or(0, |gold| gold.purse);
    let purse = letter.and_then(|letter| outcome.purse_of(letter)).unwrap_or(last_purse);
    info!(
        bot = %seat.name.escape_ascii(),
        letter = %letter.unwrap_or('-'),
        purse,
        "{}",
        outcome.describe(&settings.place)
    );
    let failure = match end.get() {
        Some(ProgramEnd::Failed(failure)) => Some(failure),
        Some(ProgramEnd::Quit) | None => None,
    };
    let is_over = matches!(outcome, SessionOutcome::GameOver { .. });
    let continues = is_over && failure.is_none() && bot.session().is_next_game_announced();
    let (name, brain, keys) = (seat.name.clone(), seat.mind.text(), bot.keys());
    let result = BotResult { name, brain, letter, purse, keys, outcome, failure };
    (result, link.filter(|_| continues).map(|link| BotSeat { link: Some(link), ..seat }))
}

/// A bot with a clock and a link.
struct NetworkBot<'a> {
    clock: Clock,
    bot: Bot,
    link: Box<dyn Link>,
    ticket: Ticket<'a>,
    end: SharedEnd,
    logged: LoggedFlaws,
}

impl NetworkBot<'_> {
    fn play(&mut self, team: &TeamContext<'_>) -> SessionOutcome {
        loop {
            if team.stop.load(Ordering::Relaxed) || self.end.get().is_some() {
                self.bot.handle_stop(self.clock.now());
            }
            if let Some(outcome) = self.execute_effects().or_else(|| self.receive()) {
                return outcome;
            }
            if !self.bot.is_joining() && self.ticket.arrive() && !self.link.is_waiting() {
                if team.hold.load(Ordering::Relaxed) {
                    self.bot.handle_hold();
                } else {
                    self.bot.handle_start(self.clock.now());
                }
            }
            self.bot.handle_timeout(self.clock.now());
        }
    }

    fn execute_effects(&mut self) -> Option<SessionOutcome> {
        while let Some(effect) = self.bot.poll_effect() {
            match effect {
                Effect::Leave(outcome) => return Some(outcome),
                Effect::Send(bytes) => {
                    if let Err(why) = self.link.send(&bytes)
                        && let Some(outcome) = self.handle_error(why)
                    {
                        return Some(outcome);
                    }
                }
            }
        }
        None
    }

    /// Waits for a message, and handles all that have arrived: only the latest picture counts.
    fn receive(&mut self) -> Option<SessionOutcome> {
        let until = self.bot.poll_timeout();
        let wait = until.map(|at| Duration::from_millis(at.since(self.clock.now())));
        let mut within = wait.unwrap_or(STOP_CHECK_PERIOD).min(STOP_CHECK_PERIOD);
        for _ in 0..MAX_BATCH {
            match self.link.receive(within) {
                Ok(None) => return None,
                Ok(Some(bytes)) => {
                    handle_message(&mut self.bot, &mut self.logged, &self.clock, bytes);
                }
                Err(why) => {
                    if let Some(outcome) = self.handle_error(why) {
                        return Some(outcome);
                    }
                }
            }
            within = Duration::ZERO;
        }
        None
    }

    /// Handles an unreachable server. Until it has accepted us, its other addresses are tried.
    fn handle_error(&mut self, why: io::Error) -> Option<SessionOutcome> {
        debug!("network error: {why}");
        let mut is_refused = why.kind() == ErrorKind::ConnectionRefused;
        if self.bot.is_joining() {
            match self.link.fall_back(why) {
                Ok(()) => {
                    self.bot.handle_address_change(self.clock.now());
                    return None;
                }
                Err(why) if self.link.is_error_final() && !is_refused => {
                    return Some(SessionOutcome::Unreachable { error: why.to_string() });
                }
                Err(why) => is_refused = why.kind() == ErrorKind::ConnectionRefused,
            }
        }
        if is_refused {
            self.bot.handle_port_closed(self.clock.now());
        } else {
            thread::sleep(ERROR_PAUSE);
        }
        None
    }
}

/// Handles a message and logs its problems, each kind of deviation or malformed message once.
fn handle_message(bot: &mut Bot, flaws: &mut LoggedFlaws, clock: &Clock, bytes: &[u8]) {
    let was_joining = bot.is_joining();
    if let Err(why) = bot.handle_message(clock.now(), bytes) {
        flaws.add_malformed(why, bytes);
    }
    flaws.add_size_mismatch(bot.session());
    flaws.add_deviations(bot.session());
    if was_joining
        && let Some(letter) = bot.scene().letter()
        && !bot.is_joining()
    {
        info!(%letter, "joined");
    }
}

/// A barrier that opens when every bot has arrived or has ended.
#[derive(Debug)]
struct StartBarrier {
    missing: AtomicUsize,
}

/// One bot's place at the barrier. Dropping it counts as arriving.
#[derive(Debug)]
struct Ticket<'a> {
    barrier: &'a StartBarrier,
    has_arrived: bool,
}

impl StartBarrier {
    fn ticket(&self) -> Ticket<'_> {
        Ticket { barrier: self, has_arrived: false }
    }
}

impl Ticket<'_> {
    /// Arrives; returns true if the barrier is open.
    fn arrive(&mut self) -> bool {
        if !std::mem::replace(&mut self.has_arrived, true) {
            self.barrier.missing.fetch_sub(1, Ordering::Relaxed);
        }
        self.barrier.missing.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.arrive();
    }
}
