//! Somebody at the other end: a bot or a script, what it has heard, and when it comes and goes.

use std::time::Duration;

use nuggets_bots::{Effect, Ending, Limits, Session};
use nuggets_server::Millis;

use super::plan::{Cast, Part};
use super::script::Script;

/// At 30 % loss one of 1,400 bots is never heard by default. Here it is one of 170,000.
const JOIN_TRIES: u32 = 10;

/// One who takes part.
#[derive(Debug)]
pub(super) struct Client {
    part: Part,
    name: Vec<u8>,
    mind: Mind,
    has_vanished: bool,
    has_returned: bool,
    /// It waits for the others before it plays.
    is_waiting: bool,
    pub(super) heard: Heard,
}

/// What it heard last.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The last `DISPLAY`, from its first byte on.
    pub(super) picture: Option<Vec<u8>>,
    /// The last `GOLD`.
    pub(super) gold: Option<Vec<u8>>,
    /// The final table.
    pub(super) table: Option<Vec<u8>>,
    /// How it ended, if it is a bot.
    pub(super) ending: Option<Ending>,
}

#[derive(Debug)]
enum Mind {
    /// Not here yet, or not any more.
    Absent,
    Bot(Box<Session>),
    Script(Box<Script>),
}

impl Client {
    pub(super) fn new(number: usize, part: Part, is_waiting: bool) -> Self {
        Self {
            part,
            name: format!("number {number}").into_bytes(),
            mind: Mind::Absent,
            has_vanished: false,
            has_returned: false,
            is_waiting,
            heard: Heard::default(),
        }
    }

    /// Is somebody there to take what arrives?
    pub(super) fn is_here(&self) -> bool {
        !matches!(self.mind, Mind::Absent)
    }

    /// It is a bot that is in the game, or has given up.
    pub(super) fn is_ready(&self) -> bool {
        matches!(&self.mind, Mind::Bot(bot) if !bot.is_joining())
    }

    /// Everybody is ready.
    pub(super) fn go(&mut self, now: Millis) {
        self.is_waiting = false;
        if let Mind::Bot(bot) = &mut self.mind {
            bot.handle_go(moment(now));
        }
    }

    /// It has vanished some time and may have missed anything.
    pub(super) fn has_vanished(&self) -> bool {
        self.has_vanished
    }

    /// It has come to an end by itself, or will not come back.
    pub(super) fn is_done(&self) -> bool {
        match &self.mind {
            Mind::Absent => self.next_entry().is_none(),
            Mind::Bot(_) => self.heard.ending.is_some(),
            Mind::Script(_) => self.heard.table.is_some(),
        }
    }

    /// When it wants to do something.
    pub(super) fn next_at(&self) -> Option<Millis> {
        let own = match &self.mind {
            Mind::Absent => return self.next_entry(),
            Mind::Bot(bot) => bot.poll_timeout().map(ceil),
            Mind::Script(script) => Some(script.next_at()),
        };
        let own = own.filter(|_| !self.is_done());
        own.into_iter().chain(self.next_exit()).min()
    }

    /// The moment that `next_at` spoke of may have come. What it says goes to `out`.
    pub(super) fn wake(&mut self, now: Millis, out: &mut Vec<Vec<u8>>) {
        if self.next_exit().is_some_and(|at| at <= now) {
            self.has_vanished = true;
            self.mind = Mind::Absent;
            return;
        }
        match &mut self.mind {
            Mind::Absent => self.enter(now),
            Mind::Bot(bot) => bot.handle_timeout(moment(now)),
            Mind::Script(script) => out.push(script.speak(now)),
        }
        self.drain(out);
    }

    /// A datagram has arrived.
    pub(super) fn take(
        &mut self,
        now: Millis,
        bytes: &[u8],
        is_damaged: bool,
        out: &mut Vec<Vec<u8>>,
    ) {
        self.heard.take(bytes, is_damaged);
        if let Mind::Bot(bot) = &mut self.mind {
            // One that is not understood has no effect.
            let _ = bot.handle_message(moment(now), bytes);
        }
        self.drain(out);
    }

    /// The server's port is closed.
    pub(super) fn refused(&mut self, now: Millis, out: &mut Vec<Vec<u8>>) {
        if let Mind::Bot(bot) = &mut self.mind {
            bot.handle_refused(moment(now));
        }
        self.drain(out);
    }

    /// The first question once more: to be shown everything.
    pub(super) fn question(&self) -> Option<Vec<u8>> {
        match &self.mind {
            Mind::Absent => None,
            Mind::Bot(_) if self.heard.ending.is_some() => None,
            Mind::Bot(_) => Some([b"PLAY ", &self.name[..]].concat()),
            Mind::Script(script) => Some(script.question()),
        }
    }

    fn next_entry(&self) -> Option<Millis> {
        if self.has_vanished {
            self.part.returns_at.filter(|_| !self.has_returned)
        } else {
            Some(self.part.comes_at)
        }
    }

    fn next_exit(&self) -> Option<Millis> {
        self.part.vanishes_at.filter(|_| !self.has_vanished)
    }

    fn enter(&mut self, now: Millis) {
        self.has_returned = self.has_vanished;
        self.heard = Heard::default();
        let (pace, seed) = (self.part.pace_ms, self.part.seed);
        self.mind = match self.part.cast {
            Cast::Script => Mind::Script(Box::new(Script::new(now, &self.name, pace, seed))),
            Cast::Bot(brain) => {
                let pace = Duration::from_millis(pace.into());
                let brain = brain.build(seed);
                let limits = Limits { join_tries: JOIN_TRIES, ..Limits::default() };
                let mut bot = Session::new(moment(now), &self.name, brain, pace, seed, limits);
                if !self.is_waiting {
                    bot.handle_go(moment(now));
                }
                Mind::Bot(Box::new(bot))
            }
        };
    }

    fn drain(&mut self, out: &mut Vec<Vec<u8>>) {
        let Mind::Bot(bot) = &mut self.mind else { return };
        while let Some(effect) = bot.poll_effect() {
            match effect {
                Effect::Send(bytes) => out.push(bytes),
                Effect::Leave(ending) => self.heard.ending = Some(ending),
            }
        }
    }
}

impl Heard {
    fn take(&mut self, bytes: &[u8], is_damaged: bool) {
        if bytes.starts_with(b"DISPLAY\n") {
            self.picture = Some(bytes.to_vec());
        } else if bytes.starts_with(b"GOLD ") {
            self.gold = Some(bytes.to_vec());
        }
        let over = [&b"QUIT GAME OVER:\n"[..], b"GAMEOVER\n"];
        let table = over.iter().find_map(|head| bytes.strip_prefix(*head));
        if let Some(table) = table.filter(|_| !is_damaged) {
            self.table = Some(table.to_vec());
        }
    }
}

fn moment(now: Millis) -> Duration {
    Duration::from_millis(now.0)
}

/// The first whole millisecond that is not before it.
fn ceil(moment: Duration) -> Millis {
    let ms = moment.as_nanos().div_ceil(1_000_000);
    Millis(u64::try_from(ms).unwrap_or(u64::MAX))
}
