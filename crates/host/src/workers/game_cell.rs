//! One game and its queue of commands. Any thread may send a command: a thread that finds the game free runs it, and the
//! others leave their commands to that thread. So a key is handled by the thread that has read it, and no thread waits for
//! a game.
//!
//! Games are scheduled fairly: a thread runs a game for one turn at most. Further commands are left to the thread of the game,
//! which lets all games with commands take turns, so that no game delays another by more than a turn and its last command.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use nuggets_time::Timestamp;
use tokio::sync::oneshot;
use tracing::{Span, error, info_span};

use super::game_thread::Task;
use super::{GameStorage, Shared, UdpPort, UdpSender};
use crate::hosted_game::{
    Attach, AttachError, Attached, GameCommand, GameOutput, HostedGame, OpenGame, is_finished,
};
use crate::locks::lock;
use crate::mailbox::Mailbox;
use crate::random;
use crate::{ConnectionId, GameId, GameReport};

/// Maximum time that a connection waits for its game to accept it.
const ATTACH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of queued commands of a game; further keys and datagrams are dropped.
const MAX_ORDERS: usize = 1 << 12;
/// Maximum number of queued keys or datagrams of one client; further ones are dropped. A connection may send as many at once.
pub(super) const MAX_ORDERS_PER_CLIENT: usize = 100;
/// Time after which a thread leaves the remaining commands of a game for its next turn. The command that is being executed
/// is finished.
pub(super) const TURN: Duration = Duration::from_millis(1);
/// The notice to clients when their game has failed.
const APOLOGY: &str = "This game had to stop because of a fault of the server. We are sorry. What was played is stored.";

/// A game that any thread can send commands to.
pub(crate) struct GameCell {
    pub(super) id: GameId,
    /// Names the game in the log.
    span: Span,
    shared: Arc<Shared>,
    /// The thread that opens the game and wakes it when a timeout is due.
    pub(super) thread: mpsc::Sender<Task>,
    orders: Mutex<CommandQueue>,
    /// `None` before the game is opened and after it is closed.
    slot: Mutex<Option<Slot>>,
}

/// The queued commands of a game, each with the client that waits for an answer.
#[derive(Default)]
struct CommandQueue {
    waiting: VecDeque<(GameCommand, Option<ClientChannels>)>,
    /// True once the game was opened; commands wait until then.
    has_opened: bool,
    /// True while the thread of the game has a task to run it.
    is_scheduled: bool,
}

/// The channels of a connection that wants to play or watch.
pub(crate) struct ClientChannels {
    /// For error replies to its keys.
    mailbox: Arc<Mailbox>,
    /// The channel for the answer to its request.
    answer: oneshot::Sender<Result<Attached, AttachError>>,
}

/// An open game with its connections to the outside.
struct Slot {
    game: HostedGame<GameStorage>,
    /// The time at which its thread will wake it.
    wakes_at: Option<Timestamp>,
    /// Clients that have no answer yet, in the order of their commands.
    clients: VecDeque<ClientChannels>,
    mailboxes: BTreeMap<ConnectionId, Arc<Mailbox>>,
    udp: Option<UdpSender>,
}

impl fmt::Debug for GameCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameCell").field("id", &self.id).finish_non_exhaustive()
    }
}

impl GameCell {
    /// Creates a game that is not open yet.
    pub(super) fn new(id: GameId, shared: Arc<Shared>, thread: mpsc::Sender<Task>) -> Self {
        let span = info_span!("game", %id);
        Self { id, span, shared, thread, orders: Mutex::default(), slot: Mutex::default() }
    }

    /// Attaches a connection that wants to play or watch. Error replies to rejected keys are sent to `mailbox`.
    pub(crate) async fn attach(
        self: &Arc<Self>,
        attach: Attach,
        mailbox: Arc<Mailbox>,
    ) -> Result<Attached, AttachError> {
        let (answer, answered) = oneshot::channel();
        let client = ClientChannels { mailbox, answer };
        self.send(GameCommand::Attach(Box::new(attach)), Some(client));
        let answered = tokio::time::timeout(ATTACH_TIMEOUT, answered).await;
        // The game was closed before it could answer, or its journal can't be written at the moment.
        answered.ok().and_then(Result::ok).unwrap_or(Err(AttachError::Unavailable))
    }

    /// Executes a command before returning, unless another thread opens or runs the game right now: then that thread
    /// executes it. A stalling disk, or a game whose commands take long, keeps at most one caller per processor busy; the
    /// commands of further callers are left to the threads of the games. `client` gets the answer to `Attach`.
    pub(crate) fn send(self: &Arc<Self>, command: GameCommand, client: Option<ClientChannels>) {
        self.push(command, client);
        let Shared { sending, max_sending, clock, .. } = &*self.shared;
        if sending.fetch_add(1, Ordering::Relaxed) < *max_sending {
            self.run_turn(&|| clock.elapsed());
        } else {
            self.leave_to_thread();
        }
        sending.fetch_sub(1, Ordering::Relaxed);
    }

    /// Executes a command, or leaves it to a thread of the games or the one that runs the game right now.
    pub(super) fn handle(self: &Arc<Self>, command: GameCommand) {
        self.push(command, None);
        self.run_turn(&|| self.shared.clock.elapsed());
    }

    /// Executes queued commands for one turn, or leaves them to the thread that opens or runs the game right now.
    pub(super) fn run_turn(self: &Arc<Self>, elapsed: &dyn Fn() -> Duration) {
        let began = elapsed();
        let mut now = began;
        // A command that was queued while the game was in use is found by the thread that used it: it checks the queue
        // once more after it has released the game.
        while lock(&self.orders).is_due() {
            let mut slot = match self.slot.try_lock() {
                Ok(slot) => slot,
                Err(TryLockError::Poisoned(slot)) => slot.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            while let Some((command, client)) = { lock(&self.orders).waiting.pop_front() } {
                self.run(&mut slot, now, command, client);
                now = elapsed();
                if now.saturating_sub(began) >= TURN {
                    drop(slot);
                    return self.leave_to_thread();
                }
            }
        }
    }

    /// Adds the game to those that its thread runs by turns, if it has queued commands.
    pub(super) fn leave_to_thread(self: &Arc<Self>) {
        let mut orders = lock(&self.orders);
        if orders.is_due() && !std::mem::replace(&mut orders.is_scheduled, true) {
            // The thread has ended when the host stops.
            let _ = self.thread.send(Task::Run(Arc::clone(self)));
        }
    }

    /// Runs the scheduled turn of the game, by its thread.
    pub(super) fn run_scheduled(self: &Arc<Self>, elapsed: &dyn Fn() -> Duration) {
        lock(&self.orders).is_scheduled = false;
        self.run_turn(elapsed);
    }

    /// Closes the game without ending it. Waits until its journal is closed.
    pub(super) fn close(&self) {
        let slot = lock(&self.slot).take();
        drop(slot);
    }

    /// Queues a command for the next turn. Commands are executed in the order in which they are pushed.
    pub(super) fn push(&self, command: GameCommand, client: Option<ClientChannels>) {
        let mut orders = lock(&self.orders);
        if !command.may_be_dropped() || orders.has_room_for(&command) {
            orders.waiting.push_back((command, client));
        }
    }

    /// Returns the number of queued commands.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        lock(&self.orders).waiting.len()
    }

    /// Opens the game, reports if that succeeded, and executes the commands that were queued meanwhile.
    pub(super) fn open(self: &Arc<Self>, game: OpenGame<GameStorage>, udp: Option<UdpPort>) {
        let id = self.id;
        let in_log = self.span.enter();
        let opened = catch_unwind(AssertUnwindSafe(|| self.try_open(game, udp)));
        let opened = opened.unwrap_or_else(|panic| Err(panic_message(&*panic)));
        drop(in_log);
        match opened {
            Ok(Some(opened)) => {
                let mut slot = lock(&self.slot);
                *slot = Some(opened);
                // The opened game has reports and output.
                self.run(&mut slot, self.shared.clock.elapsed(), GameCommand::Timeout, None);
            }
            Ok(None) => self.shared.forget(self),
            Err(why) => {
                error!(game = %id, "the game can't be opened: {why}");
                self.report(GameReport::Failed { why });
                self.shared.forget(self);
            }
        }
        lock(&self.orders).has_opened = true;
        self.run_turn(&|| self.shared.clock.elapsed());
    }

    /// Opens a game; `None` if it is over and needs no further work.
    fn try_open(
        &self,
        mut game: OpenGame<GameStorage>,
        udp: Option<UdpPort>,
    ) -> Result<Option<Slot>, String> {
        if game.journal.as_ref().is_some_and(is_finished) {
            self.report(GameReport::Over);
            return Ok(None);
        }
        let mut sights = lock(&self.shared.sights);
        game.sight = Some(sights.of(&game.setup));
        drop(sights);
        game.nonce = u64::from_le_bytes(random::bytes());
        let udp = udp.map(|UdpPort { send, guard, claimed_names }| {
            (game.guard, game.claimed_names) = (guard, claimed_names);
            send
        });
        let game =
            HostedGame::open(self.shared.clock.now(), game).map_err(|why| why.to_string())?;
        let (clients, mailboxes) = (VecDeque::new(), BTreeMap::new());
        Ok(Some(Slot { game, wakes_at: None, clients, mailboxes, udp }))
    }

    /// Executes a command of the game and its effects. Does nothing if there is no game.
    fn run(
        &self,
        slot: &mut Option<Slot>,
        now: Duration,
        command: GameCommand,
        client: Option<ClientChannels>,
    ) {
        let Some(running) = slot.as_mut() else {
            if let Some(client) = client {
                let _ = client.answer.send(Err(AttachError::NoSuchGame));
            }
            return;
        };
        let _in_log = self.span.enter();
        let now = Timestamp(u64::try_from(now.as_millis()).unwrap_or(u64::MAX));
        if let GameCommand::Detach(connection) = &command {
            running.mailboxes.remove(connection);
        }
        running.clients.extend(client);
        let done = catch_unwind(AssertUnwindSafe(|| running.game.handle(now, command)));
        let send = AssertUnwindSafe(|| running.send_output(self, now));
        let done = done.and_then(|()| catch_unwind(send));
        if let Err(panic) = done {
            self.end_failed(slot.take(), now, &panic_message(&*panic));
        } else if running.game.is_gone(now) {
            *slot = None;
            self.report(GameReport::Closed);
            self.shared.forget(self);
        } else {
            self.schedule(running, now);
        }
    }

    /// Requests a wake-up at the next timeout, unless an earlier one is scheduled.
    fn schedule(&self, slot: &mut Slot, now: Timestamp) {
        if let Some(due) = slot.game.poll_timeout()
            && slot.wakes_at.is_none_or(|at| due < at || at <= now)
        {
            slot.wakes_at = Some(due);
            // An error means that the thread has ended, so the game is closed.
            let _ = self.thread.send(Task::WakeAt(due, self.id));
        }
    }

    /// Ends a game that has panicked or failed: notifies its clients, and leaves its files as they are.
    fn end_failed(&self, slot: Option<Slot>, now: Timestamp, why: &str) {
        error!("the game has panicked and is closed: {why}");
        // The state after a panic may cause another one.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            if let Some(mut slot) = slot {
                slot.game.abandon(now, APOLOGY);
                slot.send_output(self, now);
                for client in slot.clients {
                    let _ = client.answer.send(Err(AttachError::Failed));
                }
            }
        }));
        self.report(GameReport::Failed { why: why.to_owned() });
        self.shared.forget(self);
    }

    fn report(&self, report: GameReport) {
        self.shared.report(self.id, report);
    }
}

impl CommandQueue {
    /// True if there are queued commands and the game was opened.
    fn is_due(&self) -> bool {
        self.has_opened && !self.waiting.is_empty()
    }

    /// True if neither the game nor the client who sends this command has too many in the queue.
    fn has_room_for(&self, command: &GameCommand) -> bool {
        let client = command.client();
        let is_own = |(queued, _): &&(GameCommand, _)| client == queued.client();
        self.waiting.len() < MAX_ORDERS
            && (client.is_none()
                || self.waiting.iter().filter(is_own).count() < MAX_ORDERS_PER_CLIENT)
    }
}

impl Slot {
    fn send_output(&mut self, cell: &GameCell, now: Timestamp) {
        while let Some(output) = self.game.poll_output() {
            match output {
                GameOutput::Report(report) => cell.report(report),
                GameOutput::Answer(connection, attached) => self.answer(now, connection, *attached),
                GameOutput::Direct(connection, line) => {
                    if let Some(mailbox) = self.mailboxes.get(&connection) {
                        mailbox.send(line);
                    }
                }
                GameOutput::Datagram(to, bytes) => {
                    if let Some(send) = &self.udp {
                        send(to, &bytes);
                    }
                }
            }
        }
    }

    /// Answers the next waiting client.
    fn answer(
        &mut self,
        now: Timestamp,
        connection: ConnectionId,
        attached: Result<Attached, AttachError>,
    ) {
        let Some(ClientChannels { mailbox, answer }) = self.clients.pop_front() else { return };
        if attached.is_ok() {
            self.mailboxes.insert(connection, mailbox);
        }
        if answer.send(attached).is_err() {
            // The connection was closed before it could learn that it was attached.
            self.mailboxes.remove(&connection);
            self.game.handle(now, GameCommand::Detach(connection));
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".to_owned())
}
