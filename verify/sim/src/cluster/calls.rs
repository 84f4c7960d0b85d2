//! Calls between nodes: a node that has handed a game over notifies its successor. Calls can be lost.

use nuggets_host::cluster::routes::Member;

use super::run::WebRun;

impl WebRun {
    /// Calls a node, which does this in a moment, unless the call is lost.
    pub(super) fn call(&mut self, to: &Member, act: impl FnOnce(&mut Self, usize) + 'static) {
        let is_lost = self.calm_since.is_none() && self.rng.below(self.plan.call_losses) == 0;
        let found = self.nodes.iter().position(|node| node.runs(to.run));
        if let Some(at) = found.filter(|_| !is_lost) {
            let latency = self.random_ms(20);
            self.in_process((at, to.run), latency, move |it| {
                act(it, at);
                it.pump(at);
            });
        }
    }
}
