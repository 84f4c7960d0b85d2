//! The signals that ask a program to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// Set from the first such signal on.
pub(crate) fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("can't listen for signals")?;
    }
    // A file that may not grow any more is a write error like others, not the end of the program.
    signal_hook::flag::register(SIGXFSZ, Arc::default()).context("can't listen for signals")?;
    Ok(stop)
}
