//! One thread with its games.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use nuggets_time::{Clock, Timestamp};
use tokio::sync::mpsc::{Sender, UnboundedSender};
use tracing::{error, info_span};

use super::command::{Command, Commands, Order, Waited};
use super::sights::Sights;
use super::{GameStorage, ReportOf, UdpSender, WorkerGame};
use crate::hosted_game::{AttachError, HostedGame, OpenGame, is_finished};
use crate::wire::DirectLine;
use crate::{ConnectionId, GameId, GameReport};

/// How long a thread without timeouts waits for a command.
const IDLE_WAIT: Duration = Duration::from_secs(60);
/// What people are told when their game has a defect.
const APOLOGY: &str = "This game had to stop because of a fault of the server. We are sorry. What was played is stored.";

/// What all threads share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) clock: Clock,
    pub(super) nonce: u64,
    pub(super) reports: UnboundedSender<ReportOf>,
    pub(super) sights: Arc<Mutex<Sights>>,
    pub(super) routes: Arc<RwLock<BTreeMap<GameId, usize>>>,
}

/// A thread's games and when each wants to be woken.
pub(super) struct GameThread {
    shared: Shared,
    games: BTreeMap<GameId, Slot>,
    timeouts: BTreeSet<(Timestamp, GameId)>,
}

/// A game with what it needs to reach others.
struct Slot {
    game: HostedGame<GameStorage>,
    due: Option<Timestamp>,
    direct: BTreeMap<ConnectionId, Sender<DirectLine>>,
    udp: Option<UdpSender>,
}

impl GameThread {
    pub(super) fn new(shared: Shared) -> Self {
        Self { shared, games: BTreeMap::new(), timeouts: BTreeSet::new() }
    }

    /// Runs until it is closed. Games that are still open are dropped without an end.
    pub(super) fn run(mut self, commands: &Commands) {
        loop {
            match commands.wait(self.time_to_wait()) {
                Waited::Command(command) => self.handle(*command),
                Waited::Timeout => {}
                Waited::Closed => break,
            }
            self.handle_timeouts();
        }
    }

    fn time_to_wait(&self) -> Duration {
        let first = self.timeouts.first().map(|(due, _)| due.since(self.shared.clock.now()));
        first.map_or(IDLE_WAIT, Duration::from_millis).min(IDLE_WAIT)
    }

    fn handle_timeouts(&mut self) {
        let now = self.shared.clock.now();
        while let Some(&(due, id)) = self.timeouts.first()
            && due <= now
        {
            self.timeouts.pop_first();
            self.run_game(id, |slot, now| slot.game.handle_timeout(now));
        }
    }

    fn handle(&mut self, Command { game: id, order }: Command) {
        match order {
            Order::Open(game) => self.open(*game),
            Order::Attach { attach, direct, answer } => {
                let connection = attach.connection;
                let is_open = self.games.contains_key(&id);
                let missing = if is_open { AttachError::Failed } else { AttachError::NoSuchGame };
                let attached = self.run_game(id, |slot, now| {
                    let attached = slot.game.attach(now, &attach);
                    if attached.is_ok() {
                        slot.direct.insert(connection, direct);
                    }
                    attached
                });
                if answer.send(attached.unwrap_or(Err(missing))).is_err() {
                    // The connection was closed meanwhile and never learned that it was attached.
                    self.run_game(id, |slot, now| slot.handle(now, Order::Detach(connection)));
                }
            }
            order => {
                self.run_game(id, |slot, now| slot.handle(now, order));
            }
        }
    }

    fn open(&mut self, game: WorkerGame) {
        let id = game.meta.id;
        let in_log = info_span!("game", %id).entered();
        let opened = catch_unwind(AssertUnwindSafe(|| self.try_open(game)));
        let opened = opened.unwrap_or_else(|panic| Err(words_of(&*panic)));
        drop(in_log);
        match opened {
            Ok(Some(slot)) => {
                self.games.insert(id, slot);
                self.run_game(id, |_, _| {});
            }
            Ok(None) => self.forget(id),
            Err(why) => {
                error!(game = %id, "the game can't be opened: {why}");
                self.report(id, GameReport::Failed { why });
                self.forget(id);
            }
        }
    }

    /// Opens a game; `None` if it is over and nothing is left to do.
    fn try_open(&self, game: WorkerGame) -> Result<Option<Slot>, String> {
        let WorkerGame { meta, setup, journal, storage, udp } = game;
        if journal.as_ref().is_some_and(is_finished) {
            self.report(meta.id, GameReport::Over { results: Vec::new() });
            return Ok(None);
        }
        let sight = self.shared.sights.lock().unwrap_or_else(PoisonError::into_inner).of(&setup);
        let from = OpenGame {
            meta,
            setup,
            journal,
            storage,
            nonce: self.shared.nonce,
            sight: Some(sight),
            guard: udp.as_ref().and_then(|udp| udp.guard.clone()),
            claimed_names: udp
                .as_ref()
                .map(|udp| Arc::clone(&udp.claimed_names))
                .unwrap_or_default(),
        };
        let game =
            HostedGame::open(self.shared.clock.now(), from).map_err(|why| why.to_string())?;
        let udp = udp.map(|udp| udp.send);
        Ok(Some(Slot { game, due: None, direct: BTreeMap::new(), udp }))
    }

    /// Does something with a game, then brings its effects to where they belong. `None` if there is no such game, or
    /// it has panicked.
    fn run_game<T>(
        &mut self,
        id: GameId,
        act: impl FnOnce(&mut Slot, Timestamp) -> T,
    ) -> Option<T> {
        let mut slot = self.games.remove(&id)?;
        let _in_log = info_span!("game", %id).entered();
        let now = self.shared.clock.now();
        if let Some(due) = slot.due.take() {
            self.timeouts.remove(&(due, id));
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            let result = act(&mut slot, now);
            slot.send_effects();
            result
        }));
        self.send_reports(id, &mut slot);
        match done {
            Ok(result) => {
                self.keep_or_close(id, slot, now);
                Some(result)
            }
            Err(panic) => {
                self.end_failed(id, slot, now, &words_of(&*panic));
                None
            }
        }
    }

    fn keep_or_close(&mut self, id: GameId, mut slot: Slot, now: Timestamp) {
        if slot.game.is_gone(now) {
            self.report(id, GameReport::Closed);
            return self.forget(id);
        }
        slot.due = slot.game.poll_timeout();
        self.timeouts.extend(slot.due.map(|due| (due, id)));
        self.games.insert(id, slot);
    }

    /// The game has a defect: its people are told, its files stay as they are.
    fn end_failed(&mut self, id: GameId, mut slot: Slot, now: Timestamp, why: &str) {
        error!("the game has panicked and is closed: {why}");
        // What a defect has left behind may panic again.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            slot.game.abandon(now, APOLOGY);
            slot.send_effects();
            drop(slot);
        }));
        self.report(id, GameReport::Failed { why: why.to_owned() });
        self.forget(id);
    }

    fn send_reports(&self, id: GameId, slot: &mut Slot) {
        while let Some(report) = slot.game.poll_report() {
            self.report(id, report);
        }
    }

    fn report(&self, game: GameId, report: GameReport) {
        // Nobody listens any more when the host stops.
        let _ = self.shared.reports.send(ReportOf { game, report });
    }

    fn forget(&self, id: GameId) {
        self.shared.routes.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}

impl Slot {
    fn handle(&mut self, now: Timestamp, order: Order) {
        let game = &mut self.game;
        match order {
            Order::Detach(connection) => {
                self.direct.remove(&connection);
                game.detach(now, connection);
            }
            Order::Key { connection, key } => game.key(now, connection, key),
            Order::Start => game.start(now),
            Order::End => game.end(now),
            Order::Kick(letter) => game.kick(now, letter),
            Order::Notice(words) => game.notice(now, &words),
            Order::SetNext(next) => game.set_next(now, next),
            Order::Datagram { from, bytes } => game.datagram(now, from, &bytes),
            Order::Unreachable(address) => game.unreachable(now, address),
            Order::Open(_) | Order::Attach { .. } => {}
        }
    }

    fn send_effects(&mut self) {
        while let Some((connection, line)) = self.game.poll_direct() {
            if let Some(direct) = self.direct.get(&connection) {
                // A connection that doesn't read its complaints gets no more of them.
                let _ = direct.try_send(line);
            }
        }
        while let Some((to, bytes)) = self.game.poll_datagram() {
            if let Some(send) = &self.udp {
                send(to, &bytes);
            }
        }
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".to_owned())
}
