//! A switch for each rule that safety, or liveness, depends on. Without the rule the simulation must fail.

use std::sync::Arc;

use nuggets_host::cluster::ownership::{Answer, Appended, Batch, BatchAnswer, Statement};

use super::{ClusterFault, ClusterPlan, ClusterRun};
use crate::kit::Sabotage;

/// A rule that is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterSabotage {
    /// The statement of a batch checks run and epoch, but locks no row.
    NoRowLock,
    /// A claim keeps the epoch of the game.
    SameEpoch,
    /// Rows are appended to a journal that lacks the row before.
    NoPredecessor,
    /// A journal is read without a lock, so that an old primary answers, and a row that is stored already is not compared with
    /// the one to store.
    NoComparison,
    /// An unanswered batch is sent again with other bytes.
    OtherBytes,
    /// A commit without an answer is taken for one that is stored.
    NoAnswer,
    /// A commit that is answered with a warning is taken for one that is on the standby.
    Warning,
    /// A game that was skipped is taken for stored.
    Skipped,
    /// Output is shown before its commit.
    ShownEarly,
    /// Joins, returns and watches are answered without a commit.
    NoJoinProof,
    /// Keys act after a pause without a new proof.
    NoProof,
    /// A game is opened from a journal that was read before the claim.
    EarlyRead,
    /// Games are claimed whatever the lease of their owner says.
    EarlyClaim,
    /// A look counts although our own lease did not grow in it.
    StaleLook,
    /// Connections of a client are accepted in any order.
    AnyAttempt,
    /// The results of a game are stored by every try.
    ResultsAgain,
    /// A node that can't open a game keeps it.
    KeepsUnopened,
    /// A node that accepts no connections keeps its games.
    KeepsUnreachable,
}

type Rule = Sabotage<ClusterRun>;

/// All of them, and the faults by which each is noticed.
pub(super) const ALL: &[Rule] = &[
    Rule::new(
        "lock",
        |plan| plan.sabotage = Some(ClusterSabotage::NoRowLock),
        |it| has(it, &["not whole", "damaged", "that was"]),
    )
    .staged_by(claim_at_any_time),
    Rule::new(
        "epoch",
        |plan| plan.sabotage = Some(ClusterSabotage::SameEpoch),
        |it| has(it, &["two nodes"]),
    ),
    Rule::new(
        "predecessor",
        |plan| plan.sabotage = Some(ClusterSabotage::NoPredecessor),
        |it| has(it, &["hole"]),
    )
    .staged_by(|plan| plan.loses_records = true),
    Rule::new(
        "comparison",
        |plan| plan.sabotage = Some(ClusterSabotage::NoComparison),
        |it| has(it, &["not whole", "damaged", "that was"]),
    )
    .staged_by(|plan| {
        plan.loses_records = false;
        plan.faults.push((700, ClusterFault::FailOver(4_000)));
        plan.faults.push((800, ClusterFault::Crash(0, 4_000)));
    }),
    Rule::new(
        "resend",
        |plan| plan.sabotage = Some(ClusterSabotage::OtherBytes),
        |it| has(it, &["not whole", "damaged"]),
    ),
    Rule::new(
        "answer",
        |plan| plan.sabotage = Some(ClusterSabotage::NoAnswer),
        |it| has(it, &["that was", "without a commit", "before a commit"]),
    ),
    Rule::new(
        "warning",
        |plan| plan.sabotage = Some(ClusterSabotage::Warning),
        |it| has(it, &["that was", "is no view"]),
    )
    .staged_by(|plan| plan.faults.push((900, ClusterFault::Cancel))),
    Rule::new(
        "skipped",
        |plan| plan.sabotage = Some(ClusterSabotage::Skipped),
        |it| has(it, &["without a commit", "before a commit", "that was"]),
    )
    .staged_by(claim_at_any_time),
    Rule::new(
        "shown",
        |plan| plan.sabotage = Some(ClusterSabotage::ShownEarly),
        |it| has(it, &["that was"]),
    ),
    Rule::new(
        "join",
        |plan| plan.sabotage = Some(ClusterSabotage::NoJoinProof),
        |it| has(it, &["without a commit"]),
    ),
    Rule::new(
        "proof",
        |plan| plan.sabotage = Some(ClusterSabotage::NoProof),
        |it| has(it, &["without a recent commit"]),
    ),
    Rule::new(
        "read",
        |plan| plan.sabotage = Some(ClusterSabotage::EarlyRead),
        |it| has(it, &["not whole", "not served"]),
    )
    .staged_by(claim_at_any_time),
    Rule::new(
        "lease",
        |plan| plan.sabotage = Some(ClusterSabotage::EarlyClaim),
        |it| has(it, &["its owner lives"]),
    ),
    Rule::new(
        "look",
        |plan| plan.sabotage = Some(ClusterSabotage::StaleLook),
        |it| has(it, &["its owner lives"]),
    )
    .staged_by(|plan| plan.faults.push((900, ClusterFault::FailOver(4_000)))),
    Rule::new(
        "attempt",
        |plan| plan.sabotage = Some(ClusterSabotage::AnyAttempt),
        |it| has(it, &["again, or in another order"]),
    ),
    Rule::new(
        "results",
        |plan| plan.sabotage = Some(ClusterSabotage::ResultsAgain),
        |it| has(it, &["are stored 2 times"]),
    )
    .staged_by(
        // Answers that are lost make results come twice.
        |plan| plan.breaks = 5,
    ),
    Rule::new(
        "release",
        |plan| plan.sabotage = Some(ClusterSabotage::KeepsUnopened),
        |it| has(it, &["not served"]),
    )
    .staged_by(|plan| {
        let nodes = 0..plan.clocks.len();
        plan.faults.push((900, ClusterFault::Crash(0, 1_000)));
        plan.faults.extend(nodes.map(|it| (900, ClusterFault::NoDescriptors(it, 4_000))));
    }),
    Rule::new(
        "descriptors",
        |plan| plan.sabotage = Some(ClusterSabotage::KeepsUnreachable),
        |it| has(it, &["not served"]),
    )
    .staged_by(|plan| plan.unreachable = Some(0)),
];

fn has(fault: &str, reasons: &[&str]) -> bool {
    reasons.iter().any(|reason| fault.contains(reason))
}

/// Nodes claim games of owners that live, while slow commits of these are under way.
fn claim_at_any_time(plan: &mut ClusterPlan) {
    plan.ignores_leases = true;
    plan.latency_ms = 60;
}

impl ClusterRun {
    /// The answer as a node sees it that ignores a rule.
    pub(super) fn break_rule(
        &mut self,
        node: usize,
        statement: &Statement,
        answer: Option<Answer>,
    ) -> Option<Answer> {
        let me = self.nodes[node].member.run;
        match (self.plan.sabotage, statement, answer) {
            (Some(ClusterSabotage::NoAnswer), Statement::Commit(batch), None) => {
                let games = batch.entries.iter().map(|entry| (entry.game, Appended::Yes));
                let games = games.collect();
                Some(Answer::Committed(BatchAnswer { has_lease: true, games }))
            }
            (Some(ClusterSabotage::Skipped), _, Some(Answer::Committed(mut answer))) => {
                let skipped = answer.games.iter_mut().filter(|it| it.1 == Appended::Skipped);
                skipped.for_each(|it| it.1 = Appended::Yes);
                Some(Answer::Committed(answer))
            }
            (sabotage, _, Some(Answer::Games { games, .. }))
                if self.plan.ignores_leases || sabotage == Some(ClusterSabotage::EarlyClaim) =>
            {
                Some(Answer::Games { games, runs: [me].into() })
            }
            (Some(ClusterSabotage::StaleLook), _, Some(Answer::Nodes(mut rows))) => {
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
        if !is_again || self.plan.sabotage != Some(ClusterSabotage::OtherBytes) {
            return statement;
        }
        let mut altered = Batch::clone(batch);
        for entry in &mut altered.entries {
            entry.bytes.truncate(entry.bytes.len() / 2);
        }
        Statement::Commit(Arc::new(altered))
    }
}
