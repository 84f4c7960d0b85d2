//! The destination of the log: never stdout, and never the screen of the client.
//!
//! Logging never blocks or stops the game: a separate thread writes the log. If it can't be written
//! (full disk, closed pipe, stopped terminal), lines are dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::anyhow;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::fmt;

use crate::args::LookArgs;

/// The maximum length of the queue; further lines are dropped.
const MAX_QUEUED_LINES: usize = 4096;

/// Writes the log while it exists; dropping it flushes the queue.
#[must_use]
pub(crate) struct Log {
    _guard: Option<WorkerGuard>,
}

/// Logs to this file, or to stderr.
pub(crate) fn for_server(level: LevelFilter, file: Option<&Path>) -> anyhow::Result<Log> {
    Ok(match file {
        Some(path) => start(open(path)?, level, false),
        None => to_stderr(level),
    })
}

/// Logs to stderr.
pub(crate) fn to_stderr(level: LevelFilter) -> Log {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colored = io::stderr().is_terminal() && !no_color;
    start(io::stderr(), level, colored)
}

/// Logs to the given file, or to stderr if that is not a terminal, or nowhere: a log on the terminal
/// would spoil the screen.
pub(crate) fn for_client(look: &LookArgs) -> anyhow::Result<Log> {
    if let Some(path) = &look.log_file {
        return Ok(start(open(path)?, look.log, false));
    }
    if io::stderr().is_terminal() {
        return Ok(Log { _guard: None });
    }
    Ok(start(io::stderr(), look.log, false))
}

fn open(path: &Path) -> anyhow::Result<File> {
    OpenOptions::new().create(true).append(true).open(path).map_err(|why| {
        anyhow!("can't log to '{}': {why}. Give a path that you may write to", path.display())
    })
}

fn start(out: impl Write + Send + 'static, level: LevelFilter, colored: bool) -> Log {
    let (writer, guard): (NonBlocking, WorkerGuard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(MAX_QUEUED_LINES)
        .finish(out);
    fmt().with_max_level(level).with_writer(writer).with_ansi(colored).with_target(false).init();
    Log { _guard: Some(guard) }
}
