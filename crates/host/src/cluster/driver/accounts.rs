//! The log of accounts at its owner: appends the commands that all nodes send. What a command does is decided by the tables
//! of each node when it is read from the log, so nothing has to be held back here.

use nuggets_cluster::nats::OwnedLog;
use nuggets_cluster::{
    EngineReply, Epoch, Instance, Journal, JournalEnd, JournalEvent, LogName, LogState, LogStream,
    MAX_BATCH_BYTES, RequestId, Subject,
};
use nuggets_time::Timestamp;
use tracing::{error, info, warn};

use super::Driver;
use crate::cluster::effect::Effect;
use crate::cluster::messages::NodeMessage;
use crate::store::replica::KeptRecords;

/// The log of the accounts of all nodes.
pub(super) fn accounts_log() -> LogName {
    LogName::new("accounts").expect("a good name")
}

/// Its subject. It has only one: every node follows it, and its changes may wait until the stream has a leader again.
pub(in crate::cluster) fn accounts_subject() -> Subject {
    Subject::Log(accounts_log(), LogStream::First)
}

/// The log at its owner.
#[derive(Debug)]
pub(super) struct OwnedAccounts {
    epoch: Epoch,
    /// None until it is known what the tables of this node have.
    journal: Option<Journal>,
    is_stopping: bool,
}

impl OwnedAccounts {
    fn new(epoch: Epoch) -> Self {
        Self { epoch, journal: None, is_stopping: false }
    }

    /// Begins to open the log, behind what the tables of this node have.
    fn open(&mut self, now: Timestamp, me: Instance, kept: KeptRecords) {
        let KeptRecords { base, records } = kept;
        let who = (me, self.epoch);
        self.journal = Some(Journal::open_behind(now, accounts_log(), who, base, records));
    }

    /// Appends a command. If that is not possible now, its node sends it again.
    fn append(&mut self, now: Timestamp, command: Vec<u8>) {
        let can_append = |journal: &&mut Journal| journal.can_append() && !self.is_stopping;
        if let Some(journal) = self.journal.as_mut().filter(can_append)
            && command.len() <= MAX_BATCH_BYTES
        {
            journal.append(now, command, None);
        }
    }

    fn is_ready_to_go(&self) -> bool {
        self.is_stopping && self.journal.as_ref().is_none_or(Journal::is_idle)
    }

    /// Does what the journal says. Says if it is closed.
    fn settle(&mut self, effects: &mut Vec<Effect>) -> Option<JournalEnd> {
        let journal = self.journal.as_mut()?;
        while let Some(event) = journal.poll_event() {
            match event {
                // Every node reads the log; the tables are the copy.
                JournalEvent::Replay(_) | JournalEvent::Store(_) => {}
                JournalEvent::Opened => {
                    info!("the accounts are written here, in epoch {}", self.epoch);
                }
                JournalEvent::Committed(_) => {
                    effects.push(Effect::ReadAccounts);
                    effects.push(Effect::Broadcast(NodeMessage::Accounts));
                }
                JournalEvent::Paused => warn!("accounts: saving is not possible"),
                JournalEvent::Resumed => info!("accounts: saving is possible again"),
                JournalEvent::Closed(why) => return Some(why),
            }
        }
        while let Some(request) = journal.poll_request() {
            effects.push(Effect::Request { journal: Some(accounts_log()), request });
        }
        None
    }
}

impl Driver {
    /// The first node that finds no log of accounts creates it. If another one was faster, that is learned from it.
    pub(super) fn tick_accounts(&mut self) {
        if self.node.ownership(&accounts_log()).is_none() {
            // It is created already, or this node can't yet.
            let _ = self.node.create(self.now, &accounts_log(), Vec::new());
        }
        if let Some(journal) = self.accounts.as_mut().and_then(|it| it.journal.as_mut()) {
            journal.handle_timeout(self.now);
        }
    }

    /// This node is the owner: it asks what its tables have.
    pub(super) fn open_accounts(&mut self, epoch: Epoch, effects: &mut Vec<Effect>) {
        self.accounts = Some(OwnedAccounts::new(epoch));
        effects.push(Effect::OpenAccounts(epoch));
    }

    pub(super) fn handle_kept_records(&mut self, epoch: Epoch, kept: KeptRecords) {
        let (now, me) = (self.now, self.me().clone());
        let is_waiting = |it: &&mut OwnedAccounts| it.epoch == epoch && it.journal.is_none();
        if let Some(accounts) = self.accounts.as_mut().filter(is_waiting) {
            accounts.open(now, me, kept);
        }
    }

    pub(super) fn close_accounts(&mut self) {
        if self.accounts.take().is_some() {
            info!("the accounts are not written here any more");
        }
    }

    pub(super) fn stop_accounts(&mut self) {
        if let Some(accounts) = &mut self.accounts {
            accounts.is_stopping = true;
        }
    }

    /// A command of a client of this node, for the owner of the log. It is resent until it is in the log.
    pub(super) fn send_account_command(&mut self, command: Vec<u8>, effects: &mut Vec<Effect>) {
        let record = self.node.ownership(&accounts_log());
        if let Some(record) = record.filter(|record| record.state == LogState::Running) {
            let to = record.owner.clone();
            effects.push(Effect::send(to, NodeMessage::AccountCommand(command)));
        }
    }

    pub(super) fn append_account_command(&mut self, command: Vec<u8>) {
        let now = self.now;
        if let Some(accounts) = &mut self.accounts {
            accounts.append(now, command);
        }
    }

    pub(super) fn handle_accounts_reply(&mut self, id: RequestId, reply: EngineReply) {
        let now = self.now;
        if let Some(journal) = self.accounts.as_mut().and_then(|it| it.journal.as_mut()) {
            journal.handle_reply(now, id, reply);
        }
    }

    pub(super) fn settle_accounts(&mut self, effects: &mut Vec<Effect>) {
        let Some(accounts) = &mut self.accounts else { return };
        let closed = accounts.settle(effects);
        let is_ready_to_go = accounts.is_ready_to_go();
        if let Some(why) = closed {
            self.accounts = None;
            match &why {
                JournalEnd::Contradiction { index } => error!(
                    "the log of accounts contradicts the tables of this node at record {index}. Nobody writes \
                     accounts until a person has decided: see docs/cluster.md"
                ),
                why => warn!("the accounts are not written here: {why}"),
            }
            self.node.handle_closed(self.now, &accounts_log(), &why);
        } else if is_ready_to_go {
            self.node.hand_over(self.now, &accounts_log());
        }
    }

    /// True if this node has nothing but the accounts, and there is no node to hand them over to.
    pub(super) fn has_only_accounts(&self) -> bool {
        let has_nothing_else = self.accounts.is_some() && self.node.held() == 1;
        has_nothing_else && !self.node.has_successor(self.now)
    }

    pub(super) fn owned_accounts(&self) -> Option<OwnedLog> {
        let accounts = self.accounts.as_ref()?;
        let journal = accounts.journal.as_ref();
        let lag = |journal: &Journal| journal.appended().0 - journal.committed().0;
        Some(OwnedLog {
            log: accounts_log().to_string(),
            epoch: accounts.epoch.0,
            is_open: journal.is_some_and(Journal::is_open),
            is_paused: journal.is_some_and(Journal::is_paused),
            index: journal.map_or(0, Journal::last_index),
            waiting: journal.map_or(0, lag),
            connections: 0,
        })
    }
}
