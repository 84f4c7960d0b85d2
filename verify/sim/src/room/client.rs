//! A simulated client: a bot or a script, what it has received, and when it joins and vanishes.

use nuggets_bots::{Bot, BotProfile};
use nuggets_server::Timestamp;
use nuggets_session::{Effect, SessionOutcome, SessionPolicy};

use super::ShownView;
use super::plan::{ClientKind, ClientPlan};
use super::script::ScriptedClient;

#[derive(Debug)]
pub(super) struct Client {
    plan: ClientPlan,
    name: Vec<u8>,
    state: State,
    has_vanished: bool,
    has_returned: bool,
    /// It waits for the other clients before it presses keys.
    is_waiting: bool,
    pub(super) received: ClientInbox,
}

/// The last messages of each kind, and the end.
#[derive(Debug, Default)]
pub(super) struct ClientInbox {
    pub(super) shown: ShownView,
    pub(super) table: Option<Vec<u8>>,
    /// How the session of a bot ended.
    pub(super) outcome: Option<SessionOutcome>,
    pub(super) ended_at: Option<Timestamp>,
    /// Datagrams with the final table that were sent to it.
    pub(super) tables_sent: u32,
    /// Datagrams of these that were lost.
    pub(super) tables_lost: u32,
}

#[derive(Debug)]
enum State {
    /// Not started yet, or vanished.
    Absent,
    Bot(Box<Bot>),
    Script(Box<ScriptedClient>),
}

impl Client {
    pub(super) fn new(number: usize, plan: ClientPlan, is_waiting: bool) -> Self {
        Self {
            plan,
            name: format!("number {number}").into_bytes(),
            state: State::Absent,
            has_vanished: false,
            has_returned: false,
            is_waiting,
            received: ClientInbox::default(),
        }
    }

    /// Its socket is open.
    pub(super) fn is_present(&self) -> bool {
        !matches!(self.state, State::Absent)
    }

    /// It is a bot that has joined or given up.
    pub(super) fn is_ready(&self) -> bool {
        matches!(&self.state, State::Bot(bot) if !bot.is_joining())
    }

    /// All clients are ready.
    pub(super) fn handle_start(&mut self, now: Timestamp) {
        self.is_waiting = false;
        if let State::Bot(bot) = &mut self.state {
            bot.handle_start(now);
        }
    }

    /// It was absent at some time and may have missed anything.
    pub(super) fn has_vanished(&self) -> bool {
        self.has_vanished
    }

    /// It has ended by itself, or vanished for good.
    pub(super) fn is_done(&self) -> bool {
        match &self.state {
            State::Absent => self.next_entry().is_none(),
            State::Bot(_) => self.received.outcome.is_some(),
            State::Script(_) => self.received.table.is_some(),
        }
    }

    /// When to call `handle_timeout`.
    pub(super) fn next_at(&self) -> Option<Timestamp> {
        let own = match &self.state {
            State::Absent => return self.next_entry(),
            State::Bot(bot) => bot.poll_timeout(),
            State::Script(script) => Some(script.next_at()),
        };
        let own = own.filter(|_| !self.is_done());
        own.into_iter().chain(self.next_exit()).min()
    }

    /// The time of `next_at` has come. What the client sends goes to `out`.
    pub(super) fn handle_timeout(&mut self, now: Timestamp, out: &mut Vec<Vec<u8>>) {
        if self.next_exit().is_some_and(|at| at <= now) {
            self.has_vanished = true;
            self.state = State::Absent;
            return;
        }
        match &mut self.state {
            State::Absent => self.enter(now),
            State::Bot(bot) => bot.handle_timeout(now),
            State::Script(script) => out.push(script.next_message(now)),
        }
        self.drain(out);
    }

    pub(super) fn handle_message(&mut self, now: Timestamp, bytes: &[u8], out: &mut Vec<Vec<u8>>) {
        if let State::Bot(bot) = &mut self.state {
            // A malformed message has no effect.
            let _ = bot.handle_message(now, bytes);
        }
        self.drain(out);
    }

    /// The server's port is closed.
    pub(super) fn handle_port_closed(&mut self, now: Timestamp, out: &mut Vec<Vec<u8>>) {
        if let State::Bot(bot) = &mut self.state {
            bot.handle_port_closed(now);
        }
        self.drain(out);
    }

    /// The message with which it joined, and with which it is sent everything again.
    pub(super) fn join_message(&self) -> Option<Vec<u8>> {
        match &self.state {
            State::Absent => None,
            State::Bot(_) if self.received.outcome.is_some() => None,
            State::Bot(_) => Some([b"PLAY ", &self.name[..]].concat()),
            State::Script(script) => Some(script.join_message()),
        }
    }

    fn next_entry(&self) -> Option<Timestamp> {
        if self.has_vanished {
            self.plan.returns_at.filter(|_| !self.has_returned)
        } else {
            Some(self.plan.joins_at)
        }
    }

    fn next_exit(&self) -> Option<Timestamp> {
        self.plan.vanishes_at.filter(|_| !self.has_vanished)
    }

    fn enter(&mut self, now: Timestamp) {
        self.has_returned = self.has_vanished;
        self.received = ClientInbox::default();
        let ClientPlan { key_interval_ms, seed, .. } = self.plan;
        self.state = match self.plan.kind {
            ClientKind::Script => {
                State::Script(Box::new(ScriptedClient::new(now, &self.name, key_interval_ms, seed)))
            }
            ClientKind::Bot(brain) => {
                let mut bot = Bot::new(
                    now,
                    BotProfile {
                        name: self.name.clone(),
                        brain: brain.build(seed),
                        pace_ms: key_interval_ms.into(),
                        seed,
                        policy: SessionPolicy::BOT,
                    },
                );
                if !self.is_waiting {
                    bot.handle_start(now);
                }
                State::Bot(Box::new(bot))
            }
        };
    }

    fn drain(&mut self, out: &mut Vec<Vec<u8>>) {
        let State::Bot(bot) = &mut self.state else { return };
        while let Some(effect) = bot.poll_effect() {
            match effect {
                Effect::Send(bytes) => out.push(bytes),
                Effect::Leave(outcome) => self.received.outcome = Some(outcome),
            }
        }
    }
}

impl ClientInbox {
    pub(super) fn note(&mut self, bytes: &[u8], is_damaged: bool) {
        self.shown.note(bytes);
        let heads = [&b"QUIT GAME OVER:\n"[..], b"GAMEOVER\n"];
        let table = heads.iter().find_map(|head| bytes.strip_prefix(*head));
        if let Some(table) = table.filter(|_| !is_damaged) {
            // In 2019 it ends with a newline.
            self.table = Some(table.strip_suffix(b"\n").unwrap_or(table).to_vec());
        }
    }
}
