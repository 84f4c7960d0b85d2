//! Output that is held until the records that it shows are stored, and commands that wait until the game may act. With journal
//! files nothing waits.

use std::collections::VecDeque;
use std::mem::take;
use std::net::SocketAddr;

use nuggets_server::{Commit, Storage};
use nuggets_time::Timestamp;

use super::{AttachError, Attached, GameCommand, HostedGame};
use crate::wire::DirectLine;
use crate::{ConnectionId, GameReport};

/// The number of held reports, answers, lines and datagrams from which commands have to wait.
const MAX_HELD: usize = 4096;
/// The number of waiting commands from which droppable ones are dropped.
const MAX_POSTPONED: usize = 4096;

/// One piece of output outside the streams.
#[derive(Clone, Debug)]
pub enum GameOutput {
    /// A report for the lobby.
    Report(GameReport),
    /// The answer to a connection that wants to play or watch.
    Answer(ConnectionId, Box<Result<Attached, AttachError>>),
    /// A line for one connection, outside its stream.
    Direct(ConnectionId, DirectLine),
    /// A datagram to send.
    Datagram(SocketAddr, Vec<u8>),
}

/// Held output and waiting commands, with the last stored commit.
#[derive(Debug, Default)]
pub(super) struct PendingOutput {
    stored: Commit,
    outputs: VecDeque<(Commit, GameOutput)>,
    commands: VecDeque<GameCommand>,
}

impl PendingOutput {
    /// True if a command may act without overtaking others or exceeding the limit of held output.
    pub(super) fn has_room(&self) -> bool {
        self.commands.is_empty() && self.outputs.len() < MAX_HELD
    }

    pub(super) fn has_commands(&self) -> bool {
        !self.commands.is_empty()
    }
}

impl<S: Storage> HostedGame<S> {
    /// Returns the commit that new output must wait for.
    pub(super) fn awaited(&self) -> Option<Commit> {
        self.host.awaited().filter(|commit| *commit > self.pending.stored)
    }

    /// Requests a proof that this host still owns the game: answers that show the game wait for it.
    pub(super) fn prove(&mut self) {
        // A storage that fails reports its error with the next record.
        let _ = self.host.prove();
    }

    /// Queues a command until the game is ready, and requests a proof of ownership, whose commit may make it ready.
    pub(super) fn postpone(&mut self, command: GameCommand) {
        if self.pending.commands.len() < MAX_POSTPONED || !command.may_be_dropped() {
            self.pending.commands.push_back(command);
        }
        self.prove();
    }

    /// Holds the output of the last command until its commit. Older output is already held, or was taken.
    pub(super) fn hold_output(&mut self) {
        let Some(commit) = self.awaited() else { return };
        let outputs = self.recipients.output.drain(..);
        self.pending.outputs.extend(outputs.map(|output| (commit, output)));
    }

    /// Releases the output that was held until this commit or an earlier one, then executes the waiting commands.
    pub(super) fn release_output(&mut self, now: Timestamp, stored: Commit) {
        self.pending.stored = self.pending.stored.max(stored);
        while self.pending.outputs.front().is_some_and(|(commit, _)| *commit <= self.pending.stored)
            && let Some((_, output)) = self.pending.outputs.pop_front()
        {
            self.recipients.output.push_back(output);
        }
        self.recipients.views.release(now, self.pending.stored);
        self.execute_postponed(now);
    }

    /// Executes the waiting commands. Output that is already released must not wait for their commit.
    fn execute_postponed(&mut self, now: Timestamp) {
        if !self.pending.has_commands() {
            return;
        }
        let mut released = take(&mut self.recipients.output);
        for command in take(&mut self.pending.commands) {
            self.handle(now, command);
        }
        released.append(&mut self.recipients.output);
        self.recipients.output = released;
    }
}
