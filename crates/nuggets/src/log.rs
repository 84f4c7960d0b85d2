//! Where the log goes. It never goes to stdout, and never over a picture.
//!
//! A log must not hurt the game: it is written by a thread of its own. Where it can't be written,
//! or nobody takes it (a full disk, a pipe without a reader, a stopped terminal), lines are lost
//! and nothing else.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::fmt;

use crate::args::LookArgs;

/// So many lines wait at most; more are lost.
const WAITING_LINES: usize = 4096;

/// While it is held, the log is written; dropping it writes what still waits.
#[must_use]
pub(crate) struct Log {
    _guard: Option<WorkerGuard>,
}

/// A server's log goes to stderr.
pub(crate) fn to_stderr(level: LevelFilter) -> Log {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colored = io::stderr().is_terminal() && !unwanted;
    start(io::stderr(), level, colored)
}

/// A player's log goes to its file, or to stderr if that is no terminal, or nowhere.
pub(crate) fn beside_a_picture(look: &LookArgs) -> anyhow::Result<Log> {
    if let Some(path) = &look.log_file {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("can't log to '{}'", path.display()))?;
        return Ok(start(file, look.log, false));
    }
    if io::stderr().is_terminal() {
        return Ok(Log { _guard: None });
    }
    Ok(start(io::stderr(), look.log, false))
}

fn start(out: impl Write + Send + 'static, level: LevelFilter, colored: bool) -> Log {
    let (writer, guard): (NonBlocking, WorkerGuard) =
        NonBlockingBuilder::default().lossy(true).buffered_lines_limit(WAITING_LINES).finish(out);
    fmt().with_max_level(level).with_writer(writer).with_ansi(colored).with_target(false).init();
    Log { _guard: Some(guard) }
}
