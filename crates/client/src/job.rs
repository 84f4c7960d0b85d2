//! Job control: putting this process aside the way the shell that started it expects.

use std::io;

use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use rustix::stdio::stdin;
use rustix::termios::tcgetpgrp;
use signal_hook::consts::SIGTSTP;
use signal_hook::low_level::emulate_default_handler;

/// Asks everybody in our job to stop, as the terminal does for Ctrl-Z when it is not in raw mode:
/// a program that started us must stop as well, or the shell won't come back.
pub(crate) fn ask_to_stop() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::TSTP)?)
}

/// Stops this process; returns when somebody continues it.
pub(crate) fn stop() -> io::Result<()> {
    emulate_default_handler(SIGTSTP)
}

/// Whether there is a shell that could continue us. Such a shell leads the session and gives each
/// job a process group of its own. In a terminal window opened just for us there is none: stopped
/// there, we would hang for ever.
pub(crate) fn can_be_continued() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Whether the terminal is ours to change: a job in the background that tries is stopped for it.
/// Without a terminal there is nobody to ask.
pub(crate) fn is_in_front() -> bool {
    tcgetpgrp(stdin()).map_or(true, |front| front == getpgrp())
}
