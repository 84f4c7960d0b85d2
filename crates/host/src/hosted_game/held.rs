//! Output that waits until what it shows is stored. With journal files nothing waits.

use std::collections::VecDeque;
use std::net::SocketAddr;

use nuggets_server::{Commit, Storage};
use nuggets_time::Timestamp;

use super::HostedGame;
use crate::wire::DirectLine;
use crate::{ConnectionId, GameReport};

/// Reports, lines and datagrams that may wait. Inputs wait while there are more.
const MAX_HELD: usize = 4096;

/// Output outside of the streams, in the order in which it was made.
#[derive(Debug)]
enum Output {
    Report(GameReport),
    Direct(ConnectionId, DirectLine),
    Datagram(SocketAddr, Vec<u8>),
}

/// Everything that waits, and up to where it need not.
#[derive(Debug, Default)]
pub(super) struct Held {
    stored: Commit,
    outputs: VecDeque<(Commit, Output)>,
}

impl<S: Storage> HostedGame<S> {
    /// The commit that new output must wait for.
    pub(super) fn awaited(&self) -> Option<Commit> {
        self.host.awaited().filter(|commit| *commit > self.held.stored)
    }

    /// True if inputs may act now.
    pub(super) fn has_room_for_input(&self) -> bool {
        self.host.storage().is_ready() && self.held.outputs.len() < MAX_HELD
    }

    /// Output of the last input waits for its commit. Whatever is older waits already, or was taken.
    pub(super) fn hold_output(&mut self) {
        let Some(commit) = self.awaited() else { return };
        let reports = self.reports.drain(..).map(Output::Report);
        let direct = self.direct.drain(..).map(|(to, line)| Output::Direct(to, line));
        let datagrams = self.wires.datagrams.drain(..);
        let datagrams = datagrams.map(|(to, bytes)| Output::Datagram(to, bytes));
        let outputs = reports.chain(direct).chain(datagrams);
        self.held.outputs.extend(outputs.map(|output| (commit, output)));
    }

    /// Everything that waited for this commit, or an earlier one, can be taken.
    pub(super) fn release_output(&mut self, now: Timestamp, stored: Commit) {
        self.held.stored = self.held.stored.max(stored);
        while self.held.outputs.front().is_some_and(|(commit, _)| *commit <= self.held.stored)
            && let Some((_, output)) = self.held.outputs.pop_front()
        {
            match output {
                Output::Report(report) => self.reports.push_back(report),
                Output::Direct(to, line) => self.direct.push_back((to, line)),
                Output::Datagram(to, bytes) => self.wires.datagrams.push_back((to, bytes)),
            }
        }
        self.wires.views.release(now, self.held.stored);
    }
}
