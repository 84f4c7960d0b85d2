//! Crashes of the server in a run: when they come, what is lost, and the restart.

use std::collections::VecDeque;

use nuggets_model::Outgoing;
use nuggets_server::{RoomOptions, Timestamp};

use super::plan::{CrashKind, CrashPlan};
use super::{RoomPlan, RoomRun};

/// The crashes that are still to come, and whether the server is down.
#[derive(Debug)]
pub(super) struct Crashes {
    planned: VecDeque<CrashPlan>,
    at_end: Option<CrashPlan>,
    /// One that comes in the next input that has an effect.
    armed: Option<CrashPlan>,
    down: Option<Down>,
    /// The length of the journal from which on the next power failure may lose it.
    at_risk_from: usize,
    has_lost_moves: bool,
}

#[derive(Clone, Copy, Debug)]
struct Down {
    until: Timestamp,
    /// The bytes that are left of the journal.
    kept: usize,
}

impl Crashes {
    pub(super) fn new(plan: &RoomPlan) -> Self {
        let planned = plan.crashes.iter().copied().collect();
        let at_end = plan.end_crash;
        Self { planned, at_end, armed: None, down: None, at_risk_from: 0, has_lost_moves: false }
    }

    pub(super) fn is_down(&self) -> bool {
        self.down.is_some()
    }

    /// A power failure has lost what clients were already sent.
    pub(super) fn has_lost_moves(&self) -> bool {
        self.has_lost_moves
    }

    /// When the next crash or restart comes.
    pub(super) fn next_at(&self) -> Option<Timestamp> {
        match self.down {
            Some(down) => Some(down.until),
            None => self.planned.front().map(|crash| crash.at),
        }
    }

    /// No more crashes, except at the end.
    pub(super) fn stop(&mut self) {
        self.planned.clear();
        self.armed = None;
    }
}

impl RoomRun {
    /// The time of `Crashes::next_at` has come.
    pub(super) fn crash_or_restart(&mut self) -> Result<(), String> {
        if self.crashes.is_down() {
            return self.restart_server();
        }
        let Some(crash) = self.crashes.planned.pop_front() else { return Ok(()) };
        if self.room.room().is_closed() {
            return Ok(());
        }
        match crash.kind {
            CrashKind::BetweenInputs => self.crash(self.room.journal().len(), crash.down_ms),
            CrashKind::Torn(_) | CrashKind::Unsent(_) => self.crashes.armed = Some(crash),
            // What was sent of the end can't be taken back: the clients have left.
            CrashKind::PowerFailure { after_ms: 0, percent } if self.room.end().is_none() => {
                let end = self.room.journal().len();
                let kept = torn(self.crashes.at_risk_from, end, percent);
                self.crashes.has_lost_moves |= kept < end;
                self.crash(kept, crash.down_ms);
            }
            CrashKind::PowerFailure { .. } if self.room.end().is_some() => {}
            CrashKind::PowerFailure { after_ms, percent } => {
                self.crashes.at_risk_from = self.room.journal().len();
                let at = self.log.now.after(after_ms.into());
                let kind = CrashKind::PowerFailure { after_ms: 0, percent };
                self.crashes.planned.push_front(CrashPlan { at, kind, ..crash });
            }
        }
        Ok(())
    }

    /// After an input: sends what the room sent, or crashes before all of it is sent.
    pub(super) fn finish_input(&mut self, stored: usize, mut sent: Vec<Outgoing>) {
        let has_effect = !sent.is_empty() || self.room.journal().len() > stored;
        let crash = if self.room.end().is_some() {
            self.take_end_crash()
        } else {
            self.crashes.armed.take_if(|_| has_effect)
        };
        let Some(CrashPlan { kind, down_ms, .. }) = crash else { return self.send_from_room(sent) };
        let mut kept = self.room.journal().len();
        match kind {
            CrashKind::Torn(percent) => {
                sent.clear();
                kept = torn(stored, kept, percent);
            }
            CrashKind::Unsent(percent) => sent.truncate(sent.len() * usize::from(percent) / 100),
            CrashKind::BetweenInputs | CrashKind::PowerFailure { .. } => {}
        }
        self.send_from_room(sent);
        self.crash(kept, down_ms);
    }

    /// The game has ended: the crash that comes in this input, if there is one.
    fn take_end_crash(&mut self) -> Option<CrashPlan> {
        let crash = self.crashes.at_end.take()?;
        if crash.at == Timestamp(0) {
            return Some(crash);
        }
        let (at, kind) = (self.log.now.after(crash.at.0), CrashKind::BetweenInputs);
        self.crashes.planned.push_front(CrashPlan { at, kind, ..crash });
        None
    }

    fn crash(&mut self, kept: usize, down_ms: u32) {
        self.log.note_arrival("the server crashes", b"");
        self.crashes.down = Some(Down { until: self.log.now.after(down_ms.into()), kept });
        self.log.count("crashes", 1);
    }

    /// Resumes the room from what is left of its journal.
    pub(super) fn restart_server(&mut self) -> Result<(), String> {
        let Some(Down { kept, .. }) = self.crashes.down.take() else { return Ok(()) };
        self.log.note_arrival("the server is restarted", b"");
        let sent = self.room.restart(self.log.now, kept, self.plan.room_options())?;
        self.send_from_room(sent);
        // A server whose game is over sends the end at once.
        if self.room.room().is_over() { self.wake_room() } else { Ok(()) }
    }
}

/// The length of a journal after a crash that keeps this percentage of the bytes from `start` on.
fn torn(start: usize, end: usize, percent: u8) -> usize {
    start + (end - start) * usize::from(percent) / 100
}

impl RoomPlan {
    pub(super) fn room_options(&self) -> RoomOptions {
        RoomOptions {
            changed_only: self.changed_only,
            reliability: self.room_reliability,
            keys_per_s: None,
        }
    }
}
