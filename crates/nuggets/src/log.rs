//! Where the log goes. It never goes to stdout, and never over a picture.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal};
use std::sync::Mutex;

use anyhow::Context;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt;

use crate::args::LookArgs;

/// A server's log goes to stderr.
pub(crate) fn to_stderr(level: LevelFilter) {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let plain = unwanted || !io::stderr().is_terminal();
    fmt().with_max_level(level).with_writer(io::stderr).with_ansi(!plain).with_target(false).init();
}

/// A player's log goes to its file, or to stderr if that is no terminal, or nowhere.
pub(crate) fn beside_a_picture(look: &LookArgs) -> anyhow::Result<()> {
    let builder = fmt().with_max_level(look.log).with_ansi(false).with_target(false);
    if let Some(path) = &look.log_file {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("can't log to '{}'", path.display()))?;
        builder.with_writer(Mutex::new(file)).init();
    } else if !io::stderr().is_terminal() {
        builder.with_writer(io::stderr).init();
    }
    Ok(())
}
