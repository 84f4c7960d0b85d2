//! Calls between nodes: a node that hands a game over asks its successor to read the journal. Calls can be lost.

use nuggets_host::GameId;
use nuggets_host::cluster::routes::{Member, RunId};

use super::run::WebRun;

/// A node that is asked to read a journal has this long.
const PREPARE_MS: u64 = 1_000;

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

    pub(super) fn call_prepare(&mut self, node: usize, game: GameId, successor: Member) {
        let run = self.nodes[node].member.run;
        self.call(&successor, move |it, at| {
            it.with_ownership(at, |it| it.handle_prepare(game));
            if let Some(process) = it.nodes[at].process.as_mut() {
                process.preparing.push((game, node, run));
            }
        });
        self.note_prepared((node, run), PREPARE_MS, game, successor);
    }

    fn note_prepared(&mut self, at: (usize, RunId), ms: u64, game: GameId, successor: Member) {
        let (node, _) = at;
        self.in_process(at, ms, move |it| {
            it.with_ownership(node, |it| it.handle_prepared(game, &successor));
            it.pump(node);
        });
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
            self.note_prepared((at, run), latency, game, successor.clone());
        }
    }
}
