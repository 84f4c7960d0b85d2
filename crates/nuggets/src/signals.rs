//! The signals that ask a program to stop.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use nuggets_server::udp::Control;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};

/// A flag that becomes true on the first SIGINT or SIGTERM.
pub(crate) fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("can't install a signal handler")?;
    }
    ignore_file_size_signal()?;
    Ok(stop)
}

/// A control that stops a server on SIGINT or SIGTERM.
pub(crate) fn control_by_signals() -> anyhow::Result<Control> {
    let failed = "can't install a signal handler";
    let control = Control::new().context(failed)?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, control.handle().context(failed)?)
            .context(failed)?;
    }
    ignore_file_size_signal()?;
    Ok(control)
}

fn ignore_file_size_signal() -> anyhow::Result<()> {
    // With a handler, exceeding the file size limit is a write error instead of the end of the program.
    signal_hook::flag::register(SIGXFSZ, Arc::default())
        .context("can't install a signal handler")?;
    Ok(())
}
