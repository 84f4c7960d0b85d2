//! One thread with its games: it brings them the orders that are not keys, and wakes them when a timeout is due.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use nuggets_time::Timestamp;

use super::command::{Commands, Order, Waited};
use super::{GameId, Shared};

/// How long a thread without timeouts waits for a command.
const IDLE_WAIT: Duration = Duration::from_secs(60);

/// When games want to be woken. One may stand there more than once.
pub(super) struct GameThread {
    shared: Arc<Shared>,
    timeouts: BTreeSet<(Timestamp, GameId)>,
}

impl GameThread {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, timeouts: BTreeSet::new() }
    }

    /// Runs until it is closed.
    pub(super) fn run(mut self, commands: &Commands) {
        loop {
            match commands.wait(self.time_to_wait()) {
                Waited::Order(cell, order) => cell.handle(*order),
                Waited::Run(game) => self.run_orders(game),
                Waited::WakeAt(at, game) => drop(self.timeouts.insert((at, game))),
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
        while let Some(&(due, game)) = self.timeouts.first()
            && due <= now
        {
            self.timeouts.pop_first();
            self.wake(game);
        }
    }

    fn run_orders(&self, game: GameId) {
        if let Some(route) = self.shared.route(game) {
            route.cell.run_orders();
        }
    }

    fn wake(&self, game: GameId) {
        if let Some(route) = self.shared.route(game) {
            route.cell.handle(Order::Timeout);
        }
    }
}
