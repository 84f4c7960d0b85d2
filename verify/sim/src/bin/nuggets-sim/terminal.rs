//! Standard output, the progress bar and the signals that ask the program to stop.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};

/// Writes to stdout. A reader that closes the pipe early is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(why).context("can't write to stdout")
        }
        _ => Ok(()),
    }
}

/// Returns a flag that becomes true on the first SIGINT or SIGTERM.
pub(crate) fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("can't install a signal handler")?;
    }
    Ok(stop)
}

pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// On stderr, and only if that is a terminal.
pub(crate) fn progress_bar(runs: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "{bar:40} {pos}/{len}  {per_sec}  {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is well formed");
    ProgressBar::new(runs).with_style(style)
}
