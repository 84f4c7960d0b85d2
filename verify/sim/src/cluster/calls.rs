//! Calls between nodes: a node that hands a game over asks its successor to read the journal. Calls can be lost.

use nuggets_host::GameId;
use nuggets_host::cluster::routes::{Member, RunId};

use super::run::{ClusterRun, SimEvent};

/// A node that is asked to read a journal has this long.
const PREPARE_MS: u64 = 1_000;

impl ClusterRun {
    /// The node that is called, unless the call is lost.
    pub(super) fn call(&mut self, to: &Member) -> Option<usize> {
        let is_lost = self.calm_since.is_none() && self.rng.below(self.plan.call_losses) == 0;
        let found = self.nodes.iter().position(|node| node.runs(to.run));
        found.filter(|_| !is_lost)
    }

    pub(super) fn call_prepare(&mut self, node: usize, game: GameId, successor: Member) {
        let by_run = self.nodes[node].member.run;
        if let Some(at) = self.call(&successor) {
            let latency = self.random_ms(20);
            self.after(latency, SimEvent::Prepare { at, game, by: node, by_run });
        }
        self.after(PREPARE_MS, SimEvent::Prepared { at: node, run: by_run, game, successor });
    }

    pub(super) fn prepare(
        &mut self,
        node: usize,
        game: GameId,
        by: usize,
        by_run: RunId,
    ) -> Result<(), String> {
        self.with_ownership(node, |it| it.handle_prepare(game));
        if let Some(process) = self.nodes[node].process.as_mut() {
            process.preparing.push((game, by, by_run));
        }
        self.pump(node)
    }

    pub(super) fn answer_prepared(&mut self, node: usize) {
        let successor = self.nodes[node].member.clone();
        let Some(process) = self.nodes[node].process.as_mut() else { return };
        let ownership = process.ownership.borrow();
        let waiting = process.preparing.drain(..);
        let (done, waiting): (Vec<_>, Vec<_>) = waiting.partition(|it| ownership.is_prepared(it.0));
        drop(ownership);
        process.preparing = waiting;
        for (game, at, run) in done {
            let latency = self.random_ms(20);
            let successor = successor.clone();
            self.after(latency, SimEvent::Prepared { at, run, game, successor });
        }
    }
}
