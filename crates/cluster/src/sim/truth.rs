//! What really happened: the committed logs, and what must hold for them and for everything that is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::game::{FORGED, Key};
use crate::{Epoch, Instance, LogName, LogRecord, RecordBody};

/// All logs, as the engine has committed them.
#[derive(Debug, Default)]
pub(super) struct Truth {
    logs: BTreeMap<LogName, TrueLog>,
}

#[derive(Debug, Default)]
pub(super) struct TrueLog {
    pub(super) records: Vec<Arc<[u8]>>,
    pub(super) keys: Vec<Key>,
    epoch: Epoch,
    /// The greatest epoch in which somebody was told that the log is open.
    opened: Epoch,
    writers: BTreeMap<Epoch, Instance>,
    /// How many keys were stored before each epoch was opened.
    keys_before: BTreeMap<Epoch, usize>,
    /// What the log had when the brokers lost power: an owner that survives completes the log with it.
    before_power_loss: Vec<Arc<[u8]>>,
    /// Keys that a client knows to be saved.
    answered: BTreeSet<Key>,
    /// The most that any client was shown.
    shown: Vec<Key>,
    /// The brokers have lost power, so a stream may have lost what the other one continues.
    may_have_gaps: bool,
    /// Records behind such a gap.
    ahead: BTreeMap<u64, Arc<[u8]>>,
    /// A contradiction was reported, so what was lost is known to be.
    is_contradicted: bool,
}

impl Truth {
    pub(super) fn log(&mut self, log: &LogName) -> &mut TrueLog {
        self.logs.entry(log.clone()).or_default()
    }

    pub(super) fn logs(&self) -> impl Iterator<Item = (&LogName, &TrueLog)> {
        self.logs.iter()
    }

    /// A record is committed: it follows the one before it, and no earlier owner has written it.
    pub(super) fn handle_committed(
        &mut self,
        log: &LogName,
        bytes: &Arc<[u8]>,
    ) -> Result<(), String> {
        let truth = self.log(log);
        let record = LogRecord::decode(bytes).map_err(|why| why.to_string())?;
        let (index, epoch) = (record.index, record.epoch);
        if epoch < truth.opened {
            let newest = truth.opened;
            return Err(format!("{log} was written in epoch {epoch} after epoch {newest}"));
        }
        if matches!(record.body, RecordBody::Fence { .. }) {
            return Ok(());
        }
        let records = truth.records.len() as u64;
        let at = usize::try_from(index).ok().and_then(|index| index.checked_sub(1));
        if at.and_then(|at| truth.records.get(at)) == Some(bytes) {
            return Ok(());
        }
        if index > records + 1 && truth.may_have_gaps {
            truth.ahead.insert(index, Arc::clone(bytes));
            return Ok(());
        }
        if index != records + 1 {
            return Err(format!("record {index} of {log} was stored behind {records} records"));
        }
        truth.append(log, &record, bytes)?;
        while let Some(next) = truth.ahead.remove(&(truth.records.len() as u64 + 1)) {
            let record = LogRecord::decode(&next).map_err(|why| why.to_string())?;
            truth.append(log, &record, &next)?;
        }
        Ok(())
    }

    /// The engine has lost its promise, and the logs their ends: what is left is committed again.
    pub(super) fn handle_power_loss(&mut self) {
        for truth in self.logs.values_mut() {
            if truth.records.len() > truth.before_power_loss.len() {
                truth.before_power_loss.clone_from(&truth.records);
            }
            truth.keys.clear();
            truth.records.clear();
            truth.writers.clear();
            truth.keys_before.clear();
            truth.may_have_gaps = true;
            (truth.epoch, truth.opened) = (Epoch(0), Epoch(0));
        }
    }
}

impl TrueLog {
    fn append(
        &mut self,
        log: &LogName,
        record: &LogRecord,
        bytes: &Arc<[u8]>,
    ) -> Result<(), String> {
        let (truth, epoch) = (self, record.epoch);
        if epoch < truth.epoch {
            let newest = truth.epoch;
            return Err(format!("{log} was written in epoch {epoch} after epoch {newest}"));
        }
        truth.epoch = epoch;
        if let RecordBody::Opened { .. } = record.body {
            truth.keys_before.insert(epoch, truth.keys.len());
        }
        for key in Key::of_record(record) {
            if truth.keys.contains(&key) {
                return Err(format!("{key:?} was applied twice in {log}"));
            }
            if key.serial >= FORGED {
                return Err(format!("a forged key was applied in {log}: {key:?}"));
            }
            if truth.keys.iter().any(|it| it.player == key.player && it.serial > key.serial) {
                return Err(format!("{key:?} was applied in {log} after a later key"));
            }
            truth.keys.push(key);
        }
        truth.records.push(Arc::clone(bytes));
        Ok(())
    }

    /// A node has opened the log: it knows everything, and is the only one in its epoch.
    pub(super) fn handle_opened(
        &mut self,
        by: &Instance,
        epoch: Epoch,
        keys: &[Key],
    ) -> Result<(), String> {
        let writer = self.writers.entry(epoch).or_insert_with(|| by.clone());
        if writer != by {
            return Err(format!("{by} and {writer} have both opened the log in epoch {epoch}"));
        }
        // It may hear of it when another node has opened the log, too.
        let all = self.keys_before.get(&epoch).copied().unwrap_or(self.keys.len());
        if keys != &self.keys[..all] {
            let known = keys.len();
            return Err(format!("{by} has opened the log with {known} of {all} keys"));
        }
        self.opened = self.opened.max(epoch);
        Ok(())
    }

    /// The file of a node that has opened the log agrees with it.
    pub(super) fn check_copy(&self, by: &Instance, copy: &[Arc<[u8]>]) -> Result<(), String> {
        if self.records.starts_with(copy) {
            return Ok(());
        }
        Err(format!("{by} has opened a log that contradicts its own file"))
    }

    /// These keys may be seen: then they must be committed.
    pub(super) fn handle_shown(&mut self, keys: &[Key]) -> Result<(), String> {
        if !self.keys.starts_with(keys) && !self.completed_keys().starts_with(keys) {
            let (shown, stored) = (keys.len(), self.keys.len());
            return Err(format!(
                "{shown} keys are shown that are not the first of {stored} stored"
            ));
        }
        if keys.len() > self.shown.len() {
            self.shown = keys.to_vec();
        }
        Ok(())
    }

    /// The keys of the log, completed by what it had when the brokers lost power.
    fn completed_keys(&self) -> Vec<Key> {
        let mut keys = vec![];
        for at in 0.. {
            let index = at as u64 + 1;
            let stored = self.records.get(at).or(self.ahead.get(&index));
            let Some(bytes) = stored.or(self.before_power_loss.get(at)) else { break };
            keys.extend(LogRecord::decode(bytes).iter().flat_map(Key::of_record));
        }
        keys
    }

    pub(super) fn handle_answered(&mut self, key: Key) {
        if key.has_effect() {
            self.answered.insert(key);
        }
    }

    pub(super) fn handle_contradiction(&mut self) {
        self.is_contradicted = true;
    }

    /// True if records were lost that a client had seen.
    fn has_lost(&self) -> bool {
        !self.keys.starts_with(&self.shown)
    }

    /// Nothing that was shown is lost, and nothing that was answered; `may_lose` says that the engine has broken its
    /// promise in a way that can't be repaired.
    pub(super) fn check_end(&self, may_lose: bool) -> Result<(), String> {
        if may_lose {
            return Ok(());
        }
        if self.has_lost() {
            return Err(format!(
                "{} keys were shown, but not all of them are kept",
                self.shown.len()
            ));
        }
        match self.answered.iter().find(|key| !self.keys.contains(key)) {
            Some(lost) => Err(format!("{lost:?} was answered, but is lost")),
            None => Ok(()),
        }
    }

    pub(super) fn is_contradicted(&self) -> bool {
        self.is_contradicted
    }
}
