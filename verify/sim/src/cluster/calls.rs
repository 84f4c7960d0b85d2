//! Calls between nodes: a node that hands a game over asks its successor to read the journal. Calls can be lost.

use nuggets_host::GameId;
use nuggets_host::cluster::routes::Member;

use super::run::{ClusterRun, ProcessTask, SimEvent};

/// A node that is asked to read a journal has this long.
const PREPARE_MS: u64 = 1_000;

impl ClusterRun {
    /// Calls a node, which does this in a moment, unless the call is lost.
    pub(super) fn call(&mut self, to: &Member, task: ProcessTask) {
        let is_lost = self.calm_since.is_none() && self.rng.below(self.plan.call_losses) == 0;
        let found = self.nodes.iter().position(|node| node.runs(to.run));
        if let Some(at) = found.filter(|_| !is_lost) {
            let latency = self.random_ms(20);
            self.after(latency, SimEvent::AtProcess(at, to.run, task));
        }
    }

    pub(super) fn call_prepare(&mut self, node: usize, game: GameId, successor: Member) {
        let run = self.nodes[node].member.run;
        self.call(&successor, ProcessTask::Prepare(game, node, run));
        let task = ProcessTask::Prepared(game, successor);
        self.after(PREPARE_MS, SimEvent::AtProcess(node, run, task));
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
            let task = ProcessTask::Prepared(game, successor.clone());
            self.after(latency, SimEvent::AtProcess(at, run, task));
        }
    }
}
