//! A switch for each rule that safety, or liveness, depends on. Without the rule the simulation must fail.

use std::sync::Arc;

use nuggets_host::cluster::ownership::{Answer, Appended, Batch, BatchAnswer, Statement};

use super::{ClusterFault, ClusterPlan, WebRun};
use crate::kit::Sabotage;

type Rule = Sabotage<ClusterPlan>;

/// All of them, with the reasons of the faults by which each is noticed.
pub(crate) const ALL: &[Rule] = &[
    // The statement of a batch checks run and epoch, but locks no row.
    Rule::new("lock", &["not whole", "damaged", "that was"]).staged_by(claim_at_any_time),
    // A claim keeps the epoch of the game.
    Rule::new("epoch", &["two nodes"]),
    // Rows are appended to a journal that lacks the row before.
    Rule::new("predecessor", &["hole"]).staged_by(|plan| plan.loses_records = true),
    // A journal is read without a lock, so that an old primary answers, and a row that is stored already is not compared with
    // the one to store.
    Rule::new("comparison", &["not whole", "damaged", "that was"]).staged_by(|plan| {
        plan.loses_records = false;
        plan.faults.push((700, ClusterFault::FailOver(4_000)));
        plan.faults.push((800, ClusterFault::Crash(0, 4_000)));
    }),
    // An unanswered batch is sent again with other bytes.
    Rule::new("resend", &["not whole", "damaged"]),
    // A commit without an answer is taken for one that is stored.
    Rule::new("answer", &["that was", "without a commit", "before a commit"]),
    // A commit that is answered with a warning is taken for one that is on the standby.
    Rule::new("warning", &["that was", "is no view"])
        .staged_by(|plan| plan.faults.push((900, ClusterFault::Cancel))),
    // A game that was skipped is taken for stored.
    Rule::new("skipped", &["without a commit", "before a commit", "that was"])
        .staged_by(claim_at_any_time),
    // Output is shown before its commit.
    Rule::new("shown", &["that was"]),
    // Joins, returns and watches are answered without a commit.
    Rule::new("join", &["without a commit"]),
    // Keys act after a pause without a new proof.
    Rule::new("proof", &["without a recent commit"]),
    // A game is opened from a journal that was read before the claim.
    Rule::new("read", &["not whole", "not served"]).staged_by(claim_at_any_time),
    // Games are claimed whatever the lease of their owner says.
    Rule::new("lease", &["its owner lives"]),
    // A look counts although our own lease did not grow in it.
    Rule::new("look", &["its owner lives"])
        .staged_by(|plan| plan.faults.push((900, ClusterFault::FailOver(4_000)))),
    // Connections of a client are accepted in any order.
    Rule::new("attempt", &["again, or in another order"]),
    // The results of a game are stored by every try. Answers that are lost make them come twice.
    Rule::new("results", &["are stored 2 times"]).staged_by(|plan| plan.breaks = 5),
    // A node that can't open a game keeps it.
    Rule::new("release", &["not served"]).staged_by(|plan| {
        let nodes = 0..plan.clocks.len();
        plan.faults.push((900, ClusterFault::Crash(0, 1_000)));
        plan.faults.extend(nodes.map(|it| (900, ClusterFault::NoDescriptors(it, 4_000))));
    }),
    // A node that accepts no connections keeps its games.
    Rule::new("descriptors", &["not served"]).staged_by(|plan| plan.unreachable = Some(0)),
];

/// Nodes claim games of owners that live, while slow commits of these are under way.
fn claim_at_any_time(plan: &mut ClusterPlan) {
    plan.ignores_leases = true;
    plan.latency_ms = 60;
}

impl WebRun {
    /// The answer as a node sees it that ignores a rule.
    pub(super) fn break_rule(
        &mut self,
        node: usize,
        statement: &Statement,
        answer: Option<Answer>,
    ) -> Option<Answer> {
        let me = self.nodes[node].member.run;
        match (self.plan.sabotage, statement, answer) {
            (Some("answer"), Statement::Commit(batch), None) => {
                let games = batch.entries.iter().map(|entry| (entry.game, Appended::Yes));
                let games = games.collect();
                Some(Answer::Committed(BatchAnswer { has_lease: true, games }))
            }
            (Some("skipped"), _, Some(Answer::Committed(mut answer))) => {
                let skipped = answer.games.iter_mut().filter(|it| it.1 == Appended::Skipped);
                skipped.for_each(|it| it.1 = Appended::Yes);
                Some(Answer::Committed(answer))
            }
            (sabotage, _, Some(Answer::Games { games, .. }))
                if self.plan.ignores_leases || sabotage == Some("lease") =>
            {
                Some(Answer::Games { games, runs: [me].into() })
            }
            (Some("look"), _, Some(Answer::Nodes(mut rows))) => {
                let own = rows.iter_mut().filter(|row| row.member.run == me);
                own.for_each(|row| row.renewal = self.log.now.0);
                Some(Answer::Nodes(rows))
            }
            (_, _, answer) => answer,
        }
    }

    /// A batch that is sent again with other bytes, if that rule is broken.
    pub(super) fn alter(&mut self, node: usize, statement: Statement) -> Statement {
        let Statement::Commit(batch) = &statement else { return statement };
        let Some(process) = self.nodes[node].process.as_mut() else { return statement };
        let is_again = process.last_batch == batch.number;
        process.last_batch = batch.number;
        if !is_again || self.plan.sabotage != Some("resend") {
            return statement;
        }
        let mut altered = Batch::clone(batch);
        for entry in &mut altered.entries {
            entry.bytes.truncate(entry.bytes.len() / 2);
        }
        Statement::Commit(Arc::new(altered))
    }
}
