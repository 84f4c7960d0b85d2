//! One game and the orders that wait for it. Any thread may bring an order: one that finds the game free runs it, and the
//! others leave theirs to that one. So a key is handled by the thread that has read it, and no thread waits for a game.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use nuggets_server::Commit;
use nuggets_time::Timestamp;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;
use tracing::{Span, error, info_span};

use super::command::{Inbox, Order};
use super::{GameStorage, Shared, UdpSender, WorkerGame};
use crate::hosted_game::{AttachError, Attached, HostedGame, OpenGame, is_finished};
use crate::random;
use crate::wire::DirectLine;
use crate::{ConnectionId, GameId, GameReport};

/// Orders that wait for one game; more keys are dropped.
const MAX_ORDERS: usize = 1 << 12;
/// What clients are sent when their game has a defect.
const APOLOGY: &str = "This game had to stop because of a fault of the server. We are sorry. What was played is stored.";

/// A game that any thread can give orders.
pub(super) struct GameCell {
    pub(super) id: GameId,
    /// Names the game in the log.
    span: Span,
    shared: Arc<Shared>,
    /// To the thread that wakes the game when a timeout is due.
    thread: Inbox,
    orders: Mutex<VecDeque<Order>>,
    /// None before it is opened, and after it is closed.
    slot: Mutex<Option<Slot>>,
}

/// A game with what it needs to reach others.
struct Slot {
    game: HostedGame<GameStorage>,
    /// When its thread will wake it.
    wakes_at: Option<Timestamp>,
    direct: BTreeMap<ConnectionId, Sender<DirectLine>>,
    udp: Option<UdpSender>,
    /// Orders that wait until the game is ready for them.
    waiting: VecDeque<Order>,
    /// Answers to connections that wait for a commit.
    answers: VecDeque<(Commit, AttachAnswer, Result<Attached, AttachError>)>,
}

type AttachAnswer = (ConnectionId, oneshot::Sender<Result<Attached, AttachError>>);

impl fmt::Debug for GameCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameCell").field("id", &self.id).finish_non_exhaustive()
    }
}

impl GameCell {
    /// A game that is not open yet.
    pub(super) fn new(id: GameId, shared: Arc<Shared>, thread: Inbox) -> Self {
        let span = info_span!("game", %id);
        Self { id, span, shared, thread, orders: Mutex::default(), slot: Mutex::default() }
    }

    /// Carries out an order, or leaves it to the thread that runs the game at this moment.
    pub(super) fn handle(&self, order: Order) {
        self.push(order);
        self.run_orders();
    }

    /// Carries out all orders that wait, or leaves them to the thread that runs the game at this moment.
    pub(super) fn run_orders(&self) {
        // An order that came while the game was in use is found by the thread that used it: it looks for orders
        // once more after it has released the game.
        while self.has_orders() {
            let mut slot = match self.slot.try_lock() {
                Ok(slot) => slot,
                Err(TryLockError::Poisoned(slot)) => slot.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            while let Some(order) = self.next_order() {
                self.carry_out(&mut slot, order);
            }
        }
    }

    /// Lets go of the game without ending it. Waits until its journal is closed.
    pub(super) fn close(&self) {
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(slot);
    }

    /// Leaves an order to the next `run_orders`. Orders are carried out in the order in which they are pushed.
    pub(super) fn push(&self, order: Order) {
        let mut orders = self.orders();
        if orders.len() < MAX_ORDERS || !order.may_be_dropped() {
            orders.push_back(order);
        }
    }

    fn next_order(&self) -> Option<Order> {
        self.orders().pop_front()
    }

    fn has_orders(&self) -> bool {
        !self.orders().is_empty()
    }

    fn orders(&self) -> MutexGuard<'_, VecDeque<Order>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out an order, or lets it wait until the game is ready.
    fn carry_out(&self, slot: &mut Option<Slot>, order: Order) {
        if let Order::Stored(commit) = order {
            return self.handle_stored(slot, commit);
        }
        match slot.as_mut().filter(|slot| !slot.is_ready()) {
            Some(slot) => slot.postpone(order),
            None => self.carry_out_now(slot, order),
        }
    }

    /// A commit is done: answers and output that waited for it go out, then the orders that waited are carried out.
    fn handle_stored(&self, slot: &mut Option<Slot>, commit: Commit) {
        self.run(slot, |slot, now| slot.game.handle_stored(now, commit));
        while let Some((answer, attached)) = slot.as_mut().and_then(|slot| slot.next_answer(commit))
        {
            self.answer(slot, answer, attached);
        }
        let mut waiting = slot.as_mut().map(|slot| std::mem::take(&mut slot.waiting));
        while let Some(order) = waiting.as_mut().and_then(VecDeque::pop_front) {
            self.carry_out(slot, order);
        }
    }

    fn carry_out_now(&self, slot: &mut Option<Slot>, order: Order) {
        match order {
            Order::Open(game) => self.open(slot, *game),
            Order::Attach { attach, direct, answer } => {
                let connection = attach.connection;
                let missing =
                    if slot.is_some() { AttachError::Failed } else { AttachError::NoSuchGame };
                let attached = self.run(slot, |slot, now| {
                    let attached = slot.game.attach(now, &attach);
                    if attached.is_ok() {
                        slot.direct.insert(connection, direct);
                    }
                    (slot.game.prove(), attached)
                });
                let (awaited, attached) = attached.unwrap_or((None, Err(missing)));
                match (awaited, slot.as_mut()) {
                    (Some(commit), Some(slot)) => {
                        slot.answers.push_back((commit, (connection, answer), attached));
                    }
                    _ => self.answer(slot, (connection, answer), attached),
                }
            }
            order => {
                self.run(slot, |slot, now| slot.handle(now, order));
            }
        }
    }

    fn answer(
        &self,
        slot: &mut Option<Slot>,
        (connection, answer): AttachAnswer,
        attached: Result<Attached, AttachError>,
    ) {
        if answer.send(attached).is_err() {
            // The connection was closed meanwhile and never learned that it was attached.
            self.run(slot, |slot, now| slot.handle(now, Order::Detach(connection)));
        }
    }

    fn open(&self, slot: &mut Option<Slot>, game: WorkerGame) {
        let id = self.id;
        let in_log = self.span.enter();
        let opened = catch_unwind(AssertUnwindSafe(|| self.try_open(game)));
        let opened = opened.unwrap_or_else(|panic| Err(words_of(&*panic)));
        drop(in_log);
        match opened {
            Ok(Some(opened)) => {
                *slot = Some(opened);
                self.run(slot, |_, _| {});
            }
            Ok(None) => self.shared.forget(self),
            Err(why) => {
                error!(game = %id, "the game can't be opened: {why}");
                self.report(GameReport::Failed { why });
                self.shared.forget(self);
            }
        }
    }

    /// Opens a game; `None` if it is over and nothing is left to do.
    fn try_open(&self, game: WorkerGame) -> Result<Option<Slot>, String> {
        let WorkerGame { meta, setup, journal, storage, udp } = game;
        if journal.as_ref().is_some_and(is_finished) {
            self.report(GameReport::Over { results: Vec::new() });
            return Ok(None);
        }
        let sight = self.shared.sights.lock().unwrap_or_else(PoisonError::into_inner).of(&setup);
        let from = OpenGame {
            meta,
            setup,
            journal,
            storage,
            nonce: u64::from_le_bytes(random::bytes()),
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
        Ok(Some(Slot {
            game,
            wakes_at: None,
            direct: BTreeMap::new(),
            udp,
            waiting: VecDeque::new(),
            answers: VecDeque::new(),
        }))
    }

    /// Does something with the game, then brings its effects to where they belong. `None` if there is no game, or it
    /// has panicked.
    fn run<T>(
        &self,
        slot: &mut Option<Slot>,
        act: impl FnOnce(&mut Slot, Timestamp) -> T,
    ) -> Option<T> {
        let running = slot.as_mut()?;
        let _in_log = self.span.enter();
        let now = self.shared.clock.now();
        let done = catch_unwind(AssertUnwindSafe(|| {
            let result = act(running, now);
            running.send_effects();
            result
        }));
        while let Some(report) = running.game.poll_report() {
            self.report(report);
        }
        match done {
            Ok(result) => {
                if running.game.is_gone(now) {
                    *slot = None;
                    self.report(GameReport::Closed);
                    self.shared.forget(self);
                } else {
                    self.schedule(running);
                }
                Some(result)
            }
            Err(panic) => {
                self.end_failed(slot.take(), now, &words_of(&*panic));
                None
            }
        }
    }

    /// Asks to be woken, unless that happens early enough anyway.
    fn schedule(&self, slot: &mut Slot) {
        if let Some(due) = slot.game.poll_timeout()
            && slot.wakes_at.is_none_or(|at| due < at)
        {
            slot.wakes_at = Some(due);
            self.thread.wake_at(due, self.id);
        }
    }

    /// The game has a defect: its clients are notified, its files stay as they are.
    fn end_failed(&self, slot: Option<Slot>, now: Timestamp, why: &str) {
        error!("the game has panicked and is closed: {why}");
        // What a defect has left behind may panic again.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            if let Some(mut slot) = slot {
                slot.game.abandon(now, APOLOGY);
                slot.send_effects();
            }
        }));
        self.report(GameReport::Failed { why: why.to_owned() });
        self.shared.forget(self);
    }

    fn report(&self, report: GameReport) {
        self.shared.report(self.id, report);
    }
}

impl Slot {
    /// True if the next order may be carried out. Orders keep their order.
    fn is_ready(&self) -> bool {
        self.waiting.is_empty() && self.game.is_ready()
    }

    /// The next answer that waited for this commit, or an earlier one.
    fn next_answer(
        &mut self,
        stored: Commit,
    ) -> Option<(AttachAnswer, Result<Attached, AttachError>)> {
        self.answers.front().filter(|(awaited, ..)| *awaited <= stored)?;
        self.answers.pop_front().map(|(_, answer, attached)| (answer, attached))
    }

    /// Keeps an order until the game is ready.
    fn postpone(&mut self, order: Order) {
        if matches!(order, Order::Timeout) {
            // It is scheduled again when the game runs again.
            self.wakes_at = None;
        } else if self.waiting.len() < MAX_ORDERS || !order.may_be_dropped() {
            self.waiting.push_back(order);
        }
        // The game may be ready after this commit.
        let _ = self.game.prove();
    }

    fn handle(&mut self, now: Timestamp, order: Order) {
        let game = &mut self.game;
        match order {
            Order::Detach(connection) => {
                self.direct.remove(&connection);
                game.detach(now, connection);
            }
            Order::Key { connection, key } => game.key(now, connection, key),
            Order::Timeout => {
                self.wakes_at = None;
                game.handle_timeout(now);
            }
            Order::Start => game.start(now),
            Order::End => game.end(now),
            Order::Kick(letter) => game.kick(now, letter),
            Order::Notice(words) => game.notice(now, &words),
            Order::SetNext(next) => game.set_next(now, next),
            Order::Datagram { from, bytes } => game.datagram(now, from, &bytes),
            Order::Unreachable(address) => game.unreachable(now, address),
            Order::Open(_) | Order::Attach { .. } | Order::Stored(_) => {}
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
