//! The shell: gives every bot a socket, a clock and a thread, and executes its effects.
//!
//! No bot presses a key before all of them have joined or failed to: a fast bot could end a game
//! before the last one has joined.

#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use nuggets_session::{Effect, Link, LinkTarget, SessionOutcome, SessionPolicy};
use nuggets_time::Clock;
use tracing::{debug, info, warn};

use crate::{Bot, BotProfile, BrainKind};

/// How long a bot may wait for a message before it looks at the stop flag again.
const STOP_CHECK_PERIOD: Duration = Duration::from_millis(50);
/// Pause after a network error, so that one that persists does not take all of the processor.
const ERROR_PAUSE: Duration = Duration::from_millis(10);
/// How many messages are taken before the bot decides again.
const MAX_BATCH: usize = 256;
/// How many bytes of a malformed message are logged.
const MAX_LOGGED_BYTES: usize = 80;

/// Which bots play where, and how.
///
/// ```no_run
/// use std::sync::atomic::AtomicBool;
/// use nuggets_bots::{BotSettings, BrainKind, run};
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
/// for result in run(&settings, &AtomicBool::new(false)) {
///     assert!(result.purse <= 250);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotSettings {
    /// The server as a person named it: host and port, or the link of a game.
    pub place: String,
    /// Where the links of the bots lead.
    pub target: LinkTarget,
    /// The bots' brains in turn; the first follows the last.
    pub brains: Vec<BrainKind>,
    /// How many bots.
    pub count: usize,
    /// Their name, numbered if there are several; `None` for the name of their brain.
    pub name: Option<Vec<u8>>,
    /// The mean time between two keys of a bot; 0 for as fast as the server answers.
    pub pace_ms: u64,
    /// Fixes the random numbers of the bots.
    pub seed: u64,
}

/// How a bot did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotResult {
    /// The name that it asked to play under.
    pub name: Vec<u8>,
    /// Its brain.
    pub brain: BrainKind,
    /// The letter that it played as; `None` if it did not play.
    pub letter: Option<char>,
    /// The nuggets that it collected.
    pub purse: u32,
    /// How many keys it pressed.
    pub keys: u64,
    /// How its session ended.
    pub outcome: SessionOutcome,
}

/// Runs the bots until each of them has ended. When `stop` becomes true they leave the game. The
/// results are in the order of the bots' numbers.
pub fn run(settings: &BotSettings, stop: &AtomicBool) -> Vec<BotResult> {
    run_with_hold(settings, stop, &AtomicBool::new(false))
}

/// Like [`run()`]; while `hold` is true the bots stand still.
pub fn run_with_hold(
    settings: &BotSettings,
    stop: &AtomicBool,
    hold: &AtomicBool,
) -> Vec<BotResult> {
    let flags = Flags { stop, hold };
    let barrier = &StartBarrier { missing: AtomicUsize::new(settings.count) };
    thread::scope(|scope| {
        let bots = (0..settings.count)
            .map(|number| scope.spawn(move || play_one(settings, number, barrier.ticket(), flags)));
        let bots: Vec<_> = bots.collect();
        let ended = bots.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|result| result.expect("a bot does not panic")).collect()
    })
}

/// What the caller asks of all bots.
#[derive(Clone, Copy)]
struct Flags<'a> {
    /// Leave the game.
    stop: &'a AtomicBool,
    /// Press no keys.
    hold: &'a AtomicBool,
}

fn play_one(settings: &BotSettings, number: usize, ticket: Ticket, flags: Flags) -> BotResult {
    let brain = settings.brains.iter().copied().cycle().nth(number).unwrap_or_default();
    let mut name = settings.name.clone().unwrap_or_else(|| brain.to_string().into_bytes());
    if settings.count > 1 {
        name.extend(format!(" {}", number + 1).bytes());
    }
    let seed = settings.seed.wrapping_add(number.try_into().unwrap_or(u64::MAX));
    let clock = Clock::start();
    let profile = BotProfile {
        name: name.clone(),
        brain: brain.build(seed),
        pace_ms: settings.pace_ms,
        seed,
        policy: SessionPolicy::BOT,
    };
    let bot = Bot::new(clock.now(), profile);
    let (bot, outcome) = match Link::open(settings.target.clone()) {
        Ok(link) => Player { clock, bot, link, ticket }.play(flags),
        Err(why) => (bot, SessionOutcome::Unreachable { error: why.to_string() }),
    };
    let letter = bot.scene().letter();
    let last_purse = bot.scene().gold().map_or(0, |gold| gold.purse);
    let purse = letter.and_then(|letter| outcome.purse_of(letter)).unwrap_or(last_purse);
    info!(
        bot = %name.escape_ascii(),
        letter = %letter.unwrap_or('-'),
        purse,
        "{}",
        outcome.describe(&settings.place)
    );
    BotResult { name, brain, letter, purse, keys: bot.keys(), outcome }
}

/// A bot with a clock and a link.
struct Player<'a> {
    clock: Clock,
    bot: Bot,
    link: Link,
    ticket: Ticket<'a>,
}

impl Player<'_> {
    fn play(mut self, flags: Flags) -> (Bot, SessionOutcome) {
        loop {
            if flags.stop.load(Ordering::Relaxed) {
                self.bot.handle_stop(self.clock.now());
            }
            if let Some(outcome) = self.execute_effects().or_else(|| self.receive()) {
                return (self.bot, outcome);
            }
            if !self.bot.is_joining() && self.ticket.arrive() && !self.link.is_waiting() {
                if flags.hold.load(Ordering::Relaxed) {
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

    /// Waits for a message, and takes all that have come: only the latest picture counts.
    fn receive(&mut self) -> Option<SessionOutcome> {
        let until = self.bot.poll_timeout();
        let wait = until.map(|at| Duration::from_millis(at.since(self.clock.now())));
        let mut within = wait.unwrap_or(STOP_CHECK_PERIOD).min(STOP_CHECK_PERIOD);
        for _ in 0..MAX_BATCH {
            match self.link.receive(within) {
                Ok(None) => return None,
                Ok(Some(bytes)) => handle_message(&mut self.bot, &self.clock, bytes),
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

    /// The server can't be reached. Before it has accepted us, its other addresses are tried.
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

fn handle_message(bot: &mut Bot, clock: &Clock, bytes: &[u8]) {
    let was_joining = bot.is_joining();
    let misfit = bot.scene().size_mismatch();
    let known_deviations = bot.deviations().len();
    if let Err(why) = bot.handle_message(clock.now(), bytes) {
        let start = &bytes[..bytes.len().min(MAX_LOGGED_BYTES)];
        warn!(message = %start.escape_ascii(), "{why}");
    }
    if let Some(new) = bot.scene().size_mismatch().filter(|&new| Some(new) != misfit) {
        warn!("{new}: it is padded or cut");
    }
    if bot.deviations().len() > known_deviations {
        let all: Vec<String> = bot.deviations().iter().map(ToString::to_string).collect();
        warn!(
            "the server's messages deviate from the specification and are understood: {}",
            all.join(", ")
        );
    }
    if was_joining
        && let Some(letter) = bot.scene().letter()
        && !bot.is_joining()
    {
        info!(%letter, "joined");
    }
}

/// Opens when every bot has arrived or has ended.
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
    /// Arrives; true if the barrier is open.
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
