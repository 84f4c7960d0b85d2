//! The time from the start of a server to its announcement.

use std::path::Path;
use std::process::Command;

use nuggets_testkit::{ServerProcess, now};

use super::host::median;

const STARTS: usize = 20;

/// The median of several starts, in milliseconds.
pub(crate) fn measure(server: &Path) -> f64 {
    let start_once = |_| {
        let began = now();
        let args = ["main", "1", "--bind", "127.0.0.1", "--log", "off"];
        let server = ServerProcess::start(Command::new(server).args(args));
        let took = began.elapsed();
        assert!(server.port() > 0);
        took.as_secs_f64() * 1000.0
    };
    median((0..STARTS).map(start_once).collect())
}
