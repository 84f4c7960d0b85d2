//! Faults, and their end.

use super::database::{DatabaseTarget, StatementStep, Tables};
use super::plan::{ClusterFault, CutOff, DiskPlan};
use super::run::WebRun;

impl WebRun {
    pub(super) fn inject(&mut self, fault: ClusterFault) {
        if self.calm_since.is_some() {
            return;
        }
        self.log.count("faults", 1);
        self.log.note(format!("fault: {fault:?}"));
        match fault {
            ClusterFault::Crash(node, ms) => {
                self.end_process(node);
                self.nodes[node].is_paused = false;
                self.after(ms, move |it| it.start(node));
                if let Some(disk) = self.plan.disk.clone() {
                    self.tear_files(&disk);
                }
            }
            ClusterFault::Pause(node, ms) => {
                self.nodes[node].is_paused = true;
                self.end_later(ms, fault);
            }
            ClusterFault::CutOff(node, ms, cut) => {
                self.nodes[node].cut_to |= cut != CutOff::From;
                self.nodes[node].cut_from |= cut != CutOff::To;
                self.end_later(ms, fault);
            }
            ClusterFault::NoDescriptors(node, ms) => {
                self.nodes[node].lacks_descriptors = true;
                self.end_later(ms, fault);
            }
            ClusterFault::Leave(node) => {
                if !self.nodes[node].is_paused {
                    self.with_ownership(node, nuggets_host::cluster::ownership::Ownership::leave);
                    self.pump(node);
                }
            }
            ClusterFault::Restart => {
                self.database.restart();
                self.break_connections(false);
            }
            ClusterFault::Stall(ms) => self.stalled_until = self.log.now.after(ms),
            ClusterFault::FailOver(ms) => self.fail_over(ms, fault),
            ClusterFault::Cancel => {
                self.database.is_standby_gone = true;
                self.cancels = true;
            }
        }
    }

    fn end_later(&mut self, ms: u64, fault: ClusterFault) {
        self.after(ms, move |it| {
            it.log.note(format!("end of {fault:?}"));
            it.end_fault(fault);
        });
    }

    /// A killed process has written no more than the beginning of a record: every record is longer than two bytes. If that rule
    /// is broken, its files have lost the end.
    fn tear_files(&mut self, disk: &DiskPlan) {
        for watched in self.games.values() {
            let mut file = watched.file.borrow_mut();
            if disk.loses_journals {
                let kept = file.len() * 9 / 10;
                file.truncate(kept);
            }
            if self.rng.below(3) == 0 && !file.is_empty() {
                file.extend((0..2).map(|_| self.rng.below(256).to_le_bytes()[0]));
            }
        }
    }

    /// A commit that waits for a standby that is gone is cancelled, and the standby takes over without it.
    pub(super) fn cancel_wait(&mut self) {
        if let Some((tx, StatementStep::Done(reply))) = self.database.cancel_wait() {
            self.cancels = false;
            self.log.note("the wait for the standby is cancelled");
            self.answer_later(tx, *reply, true);
            let soon = 10 + self.random_ms(200);
            self.after(soon, |it| it.inject(ClusterFault::FailOver(500)));
        }
    }

    fn fail_over(&mut self, ms: u64, fault: ClusterFault) {
        if self.plan.loses_records {
            let tables = self.database.copy();
            let lag = 50 + self.random_ms(400);
            return self.after(lag, move |it| it.lose_records(tables));
        }
        self.database.fail_over();
        for node in 0..self.nodes.len() {
            self.nodes[node].commits_to_old = self.rng.below(2) == 0;
            self.nodes[node].reads_from_old = self.rng.below(2) == 0;
        }
        self.break_connections(true);
        self.end_later(ms, fault);
    }

    /// Loses acknowledged records, unless the faults have ended.
    fn lose_records(&mut self, tables: Tables) {
        if self.calm_since.is_some() {
            return;
        }
        self.log.note("the database loses records");
        self.database.lose_records(tables);
        self.break_connections(false);
    }

    /// Connections to the primary break. After a fail-over some stay with the old one.
    fn break_connections(&mut self, is_fail_over: bool) {
        let sent: Vec<_> = self.sent.iter().map(|(tx, it)| (*tx, it.node, it.target)).collect();
        for (tx, node, target) in sent {
            let stays = is_fail_over && self.nodes[node].reads_from_old;
            if target == DatabaseTarget::Primary && !stays {
                let soon = self.random_ms(20);
                self.give_up(node, tx, soon);
            }
        }
    }

    fn end_fault(&mut self, fault: ClusterFault) {
        match fault {
            ClusterFault::Pause(node, _) => {
                self.nodes[node].is_paused = false;
                // Before anything else that happens now, so that lines keep their order.
                for event in std::mem::take(&mut self.nodes[node].deferred) {
                    self.happen(event);
                }
            }
            ClusterFault::CutOff(node, ..) => {
                self.nodes[node].cut_to = false;
                self.nodes[node].cut_from = false;
            }
            ClusterFault::NoDescriptors(node, _) => self.nodes[node].lacks_descriptors = false,
            ClusterFault::FailOver(_) => {
                self.database.fence_old();
                for node in &mut self.nodes {
                    node.commits_to_old = false;
                    node.reads_from_old = false;
                }
            }
            _ => {}
        }
    }

    /// All faults end, and none begins any more.
    pub(super) fn end_faults(&mut self) {
        self.log.note("all faults end");
        self.calm_since = Some(self.log.now);
        self.stalled_until = self.log.now;
        for node in 0..self.nodes.len() {
            self.end_fault(ClusterFault::CutOff(node, 0, CutOff::Both));
            self.nodes[node].lacks_descriptors = self.plan.unreachable == Some(node);
            self.end_fault(ClusterFault::Pause(node, 0));
            self.after(0, move |it| it.start(node));
        }
        if self.database.is_standby_gone {
            self.database.fail_over();
            self.break_connections(false);
        }
        self.note_calm();
        self.after(0, Self::look);
        self.end_fault(ClusterFault::FailOver(0));
    }
}
