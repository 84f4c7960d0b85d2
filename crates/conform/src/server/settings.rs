//! What a tester of servers is told.

use std::time::Duration;

use nuggets_protocol::Dialect;
use nuggets_stranger::CommandLine;

use super::TestMap;

/// Which server, and how to test it.
#[derive(Debug)]
pub struct Settings {
    /// The program; `{map}` and `{seed}` in it are filled in, or put behind it.
    pub command: CommandLine,
    /// Which documents it follows.
    pub dialect: Dialect,
    /// More maps to walk on, besides our own.
    pub maps: Vec<TestMap>,
    /// Fixes all chance on our side.
    pub seed: u32,
    /// So many of a hundred datagrams are thrown away on purpose, each way.
    pub loss_percent: u32,
    /// The longest wait for one answer.
    pub longest_wait: Duration,
}

impl Settings {
    /// The usual ones for this program.
    pub fn new(command: CommandLine, dialect: Dialect) -> Self {
        let longest_wait = Duration::from_secs(5);
        Self { command, dialect, maps: vec![], seed: 1, loss_percent: 0, longest_wait }
    }
}
