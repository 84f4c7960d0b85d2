//! Job control: suspending this process the way the shell that started it expects.

use std::io;

use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use rustix::stdio::stdin;
use rustix::termios::tcgetpgrp;
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

/// Asks all processes of our job to stop, as the terminal does for Ctrl-Z when it is not in raw mode:
/// a program that started us must stop as well, or the shell won't return to its prompt.
pub(crate) fn ask_to_stop() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::TSTP)?)
}

/// Stops this process; returns when it is continued.
pub(crate) fn stop() -> io::Result<()> {
    emulate_default_handler(SIGTSTP)
}

/// True if a shell could continue us. Such a shell leads the session and gives each job its own process group. In a
/// terminal window opened just for us there is no such shell: a stopped process would hang forever.
pub(crate) fn can_be_continued() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// True if we may change the terminal: a background job that tries is stopped. Also true without a terminal.
pub(crate) fn is_in_front() -> bool {
    tcgetpgrp(stdin()).map_or(true, |front| front == getpgrp())
}
