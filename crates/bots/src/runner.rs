//! The shell: gives every bot a socket, a clock and a thread, and does what its session says.
//!
//! Nobody presses a key before everybody is in, or can't get in: a fast bot could end a game before
//! the last one has joined.

mod gate;

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nuggets_time::Clock;
use tracing::{debug, info, warn};

use crate::link::Link;
use crate::{BrainKind, Effect, Ending, Limits, Session};
use gate::{Gate, Ticket};

/// How long a bot may listen before it looks at the stop flag again.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);
/// How long to let a socket rest after an error.
const REST: Duration = Duration::from_millis(10);
/// So many messages are taken in before the bot thinks again.
const BATCH: usize = 256;

/// Which bots play where, and how.
///
/// ```no_run
/// use std::sync::atomic::AtomicBool;
/// use std::time::Duration;
/// use nuggets_bots::{BrainKind, Settings, run};
///
/// let settings = Settings {
///     addresses: vec!["127.0.0.1:9999".parse().unwrap()],
///     brains: vec![BrainKind::Miner],
///     count: 3,
///     name: None,
///     pace: Duration::from_millis(250),
///     seed: 7,
/// };
/// for outcome in run(&settings, &AtomicBool::new(false)) {
///     assert!(outcome.purse <= 250);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Where the server may be, the likeliest first.
    pub addresses: Vec<SocketAddr>,
    /// Whose turn it is to be the next bot's brain; after the last comes the first again.
    pub brains: Vec<BrainKind>,
    /// How many bots.
    pub count: usize,
    /// Their name, numbered if there are several; their brain's if not given.
    pub name: Option<Vec<u8>>,
    /// The time between two keys of a bot. Zero: as fast as the server answers.
    pub pace: Duration,
    /// What fixes the chance of the bots.
    pub seed: u64,
}

/// What became of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The name that it asked to play under.
    pub name: Vec<u8>,
    /// What it decided with.
    pub brain: BrainKind,
    /// The letter that it played as, if it did.
    pub letter: Option<char>,
    /// What it gathered.
    pub purse: u32,
    /// How many keys it pressed.
    pub keys: u64,
    /// How it ended.
    pub ending: Ending,
}

/// Lets the bots play until each of them has ended, or `stop` becomes true: then they say goodbye.
/// What became of them, in order.
pub fn run(settings: &Settings, stop: &AtomicBool) -> Vec<Outcome> {
    let gate = &Gate::new(settings.count);
    thread::scope(|scope| {
        let bots = (0..settings.count).map(|number| {
            let bot = Bot::new(settings, number);
            scope.spawn(move || bot.play(&settings.addresses, gate.ticket(), stop))
        });
        let bots: Vec<_> = bots.collect();
        let ended = bots.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|outcome| outcome.expect("a bot does not panic")).collect()
    })
}

/// One bot: who it is.
#[derive(Debug)]
struct Bot {
    name: Vec<u8>,
    brain: BrainKind,
    pace: Duration,
    seed: u64,
}

impl Bot {
    fn new(settings: &Settings, number: usize) -> Self {
        let brains = settings.brains.iter().copied().cycle();
        let brain = brains.into_iter().nth(number).unwrap_or_default();
        let mut name = settings.name.clone().unwrap_or_else(|| brain.to_string().into_bytes());
        if settings.count > 1 {
            name.extend(format!(" {}", number + 1).bytes());
        }
        let seed = settings.seed.wrapping_add(number.try_into().unwrap_or(u64::MAX));
        Self { name, brain, pace: settings.pace, seed }
    }

    fn play(self, addresses: &[SocketAddr], ticket: Ticket, stop: &AtomicBool) -> Outcome {
        let clock = Clock::start();
        let brain = self.brain.build(self.seed);
        let session = Session::new(
            clock.elapsed(),
            &self.name,
            brain,
            self.pace,
            self.seed,
            Limits::default(),
        );
        let (session, ending) = match Link::open(addresses) {
            Ok(link) => Player { clock, session, link, ticket }.play(stop),
            Err(why) => (session, Ending::Unreachable(why.to_string())),
        };
        let letter = session.scene().letter();
        let told = session.scene().gold().map_or(0, |gold| gold.purse);
        let purse = letter.and_then(|letter| ending.purse_of(letter)).unwrap_or(told);
        let Self { name, brain, .. } = self;
        let place = addresses.first().map_or("nowhere".to_owned(), ToString::to_string);
        let (bot, words) = (name.escape_ascii(), ending.words(&place));
        info!(%bot, letter = %letter.unwrap_or('-'), purse, "{words}");
        Outcome { name, brain, letter, purse, keys: session.keys(), ending }
    }
}

/// A session with a clock and a socket.
struct Player<'a> {
    clock: Clock,
    session: Session,
    link: Link<'a>,
    ticket: Ticket<'a>,
}

impl Player<'_> {
    fn play(mut self, stop: &AtomicBool) -> (Session, Ending) {
        loop {
            if stop.load(Ordering::Relaxed) {
                self.session.handle_stop(self.clock.elapsed());
            }
            if let Some(ending) = self.do_effects() {
                return (self.session, ending);
            }
            self.listen();
            self.pass_the_gate();
            self.session.handle_timeout(self.clock.elapsed());
        }
    }

    fn pass_the_gate(&mut self) {
        if !self.session.is_joining() && self.ticket.arrive() {
            self.session.handle_go(self.clock.elapsed());
        }
    }

    fn do_effects(&mut self) -> Option<Ending> {
        while let Some(effect) = self.session.poll_effect() {
            match effect {
                Effect::Leave(ending) => return Some(ending),
                Effect::Send(bytes) => {
                    if let Err(why) = self.link.send(&bytes) {
                        self.handle_error(&why);
                    }
                }
            }
        }
        None
    }

    /// Waits for a message, and takes in all that have come: it is the latest picture that counts.
    fn listen(&mut self) {
        let now = self.clock.elapsed();
        let until = self.session.poll_timeout().unwrap_or(Duration::MAX);
        let mut within = until.saturating_sub(now).min(LOOK_UP_EVERY);
        for _ in 0..BATCH {
            let received = match within {
                Duration::ZERO => self.link.receive_now(),
                _ => self.link.receive(within),
            };
            within = Duration::ZERO;
            match received {
                Ok(None) => return,
                Ok(Some(bytes)) => take_in(&mut self.session, self.clock.elapsed(), bytes),
                Err(why) => self.handle_error(&why),
            }
        }
    }

    /// The server is not there. Before it ever was, there may be another address of it.
    fn handle_error(&mut self, why: &io::Error) {
        debug!("the network says: {why}");
        let now = self.clock.elapsed();
        if self.session.is_joining() && self.link.advance() {
            self.session.handle_detour(now);
        } else if why.kind() == ErrorKind::ConnectionRefused {
            self.session.handle_refused(now);
        } else {
            thread::sleep(REST);
        }
    }
}

fn take_in(session: &mut Session, now: Duration, bytes: &[u8]) {
    let (was_joining, misfit) = (session.is_joining(), session.scene().misfit());
    if let Err(why) = session.handle_message(now, bytes) {
        warn!(message = %bytes[..bytes.len().min(80)].escape_ascii(), "{why}");
    }
    if let Some(new) = session.scene().misfit().filter(|&new| Some(new) != misfit) {
        warn!("{new}: it is padded or cut");
    }
    if was_joining
        && let Some(letter) = session.scene().letter()
        && !session.is_joining()
    {
        info!(%letter, "joined");
    }
}

#[cfg(test)]
mod tests;
