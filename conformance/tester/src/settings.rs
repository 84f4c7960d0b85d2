//! The settings of a test.

use std::time::Duration;

use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

use crate::server::{Learned, TestMap};

/// The settings of a test of one program.
///
/// ```
/// use nuggets_conformance::TestSettings;
/// use nuggets_protocol::Dialect;
/// use nuggets_subprocess::CommandLine;
///
/// let command = CommandLine::new(&["sh".into()], "/".as_ref()).unwrap();
/// let settings = TestSettings { loss_percent: 5, ..TestSettings::new(command, Dialect::V2021) };
/// assert_eq!(settings.seed, 1);
/// ```
#[derive(Debug)]
pub struct TestSettings {
    /// The program. In the command of a server, `{map}` and `{seed}` are replaced; without placeholders both are
    /// appended, with `{map}` alone the program is given no seed. In that of a client, `{host}`, `{port}` and `{name}`
    /// are replaced or else appended.
    pub command: CommandLine,
    /// The dialect whose specification applies.
    pub dialect: Dialect,
    /// The user's maps for the sight checks of servers, besides our own.
    pub maps: Vec<TestMap>,
    /// The seed of the tester's own random choices.
    pub seed: u32,
    /// The percentage of datagrams dropped on purpose, each way.
    pub loss_percent: u32,
    /// The longest wait for one answer or reaction, unless the program has proved to be slow.
    pub longest_wait: Duration,
    /// Facts about a server, shared by all checks.
    pub learned: Learned,
}

impl TestSettings {
    /// The default settings for this program.
    pub fn new(command: CommandLine, dialect: Dialect) -> Self {
        let longest_wait = Duration::from_secs(5);
        let learned = Learned::default();
        Self { command, dialect, maps: vec![], seed: 1, loss_percent: 0, longest_wait, learned }
    }

    pub(crate) fn is_lossy(&self) -> bool {
        self.loss_percent > 0
    }
}
