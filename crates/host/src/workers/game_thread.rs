//! One thread with its games: it opens them and wakes them when a timeout is due. It executes commands only if their
//! senders must not wait.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use nuggets_time::Timestamp;

use super::game_cell::GameCell;
use super::{GameId, GameStorage, Shared, UdpPort};
use crate::{GameCommand, OpenGame};

/// Maximum wait for a task if no timeout is due.
const IDLE_WAIT: Duration = Duration::from_secs(60);

pub(super) enum Task {
    /// Opens a game, with its classic port.
    Open(Arc<GameCell>, Box<OpenGame<GameStorage>>, Option<UdpPort>),
    /// Executes queued commands of a game for one turn.
    Run(Arc<GameCell>),
    /// Wakes a game at this time.
    WakeAt(Timestamp, GameId),
    /// Ends the thread after the tasks before this one.
    Close,
}

/// The games of a thread and their scheduled wake-ups. A game may have more than one.
pub(super) struct GameThread {
    shared: Arc<Shared>,
    timeouts: BTreeSet<(Timestamp, GameId)>,
}

impl GameThread {
    /// Starts a thread. It ends when its `Sender` is dropped, or with [`Task::Close`].
    pub(super) fn start(number: usize, shared: Arc<Shared>) -> (Sender<Task>, JoinHandle<()>) {
        let (sender, tasks) = channel();
        let thread = Self { shared, timeouts: BTreeSet::new() };
        let builder = std::thread::Builder::new().name(format!("games {number}"));
        let spawned = builder.spawn(move || thread.run(&tasks));
        (sender, spawned.expect("the system has threads"))
    }

    fn run(mut self, tasks: &Receiver<Task>) {
        let clock = self.shared.clock;
        let elapsed = || clock.elapsed();
        loop {
            match tasks.recv_timeout(self.time_to_wait()) {
                Ok(Task::Open(cell, game, udp)) => cell.open(*game, udp),
                Ok(Task::Run(cell)) => cell.run_scheduled(&elapsed),
                Ok(Task::WakeAt(at, game)) => drop(self.timeouts.insert((at, game))),
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Task::Close) | Err(RecvTimeoutError::Disconnected) => break,
            }
            self.handle_timeouts();
        }
        // The remaining turns of games whose commands take long.
        for task in tasks.try_iter() {
            if let Task::Run(cell) = task {
                cell.run_scheduled(&elapsed);
            }
        }
    }

    fn time_to_wait(&self) -> Duration {
        let first = self.timeouts.first().map(|(due, _)| due.since(self.shared.clock.now()));
        first.map_or(IDLE_WAIT, Duration::from_millis).min(IDLE_WAIT)
    }

    fn handle_timeouts(&mut self) {
        let now = self.shared.clock.now();
        while let Some(&(due, game)) = self.timeouts.first()
            && due <= now
        {
            self.timeouts.pop_first();
            if let Some(cell) = self.shared.find(game) {
                cell.handle(GameCommand::Timeout);
            }
        }
    }
}
