//! Reports on stdout.

use std::io::{self, ErrorKind, Write};

use anyhow::Context;

/// Writes to stdout. A reader that has seen enough is no trouble.
pub(crate) fn out(write: impl FnOnce(&mut io::StdoutLock) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(why).context("can't write to stdout")
        }
        _ => Ok(()),
    }
}
