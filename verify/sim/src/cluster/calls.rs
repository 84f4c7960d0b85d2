//! Calls between nodes: a node that has handed a game over notifies its successor. Calls can be lost.

use nuggets_host::cluster::routes::Member;

use super::run::{ClusterRun, ProcessTask, SimEvent};

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
}
