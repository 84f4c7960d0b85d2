//! The signals that ask a program to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// A flag that becomes true on the first SIGINT or SIGTERM.
pub(crate) fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("can't install a signal handler")?;
    }
    // With a handler, exceeding the file size limit is a write error instead of the end of the program.
    signal_hook::flag::register(SIGXFSZ, Arc::default())
        .context("can't install a signal handler")?;
    Ok(stop)
}
