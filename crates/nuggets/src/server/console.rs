//! Requests that the operator types into the terminal of a running server.

use std::io::{self, BufRead, ErrorKind, IsTerminal};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use nuggets_server::udp::{Control, OperatorRequest, REQUESTS};

use crate::print;

/// The interval at which a server in the background checks whether it can read the terminal again.
const BACKGROUND_PAUSE: Duration = Duration::from_secs(10);

/// The effect of Enter on an empty line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EnterKey {
    /// Enter begins a game that waits.
    Starts,
    Nothing,
}

/// Reads requests from standard input, if that is a terminal, until the server ends.
pub(super) fn listen(control: &Arc<Control>, enter: EnterKey) {
    if !io::stdin().is_terminal() {
        return;
    }
    let control = Arc::clone(control);
    // The thread is not joined: it still waits for a line when the server ends.
    thread::spawn(move || read_requests(&control, enter));
}

fn read_requests(control: &Control, enter: EnterKey) {
    // This signal stops a background job that reads the terminal; with the signal blocked, the read fails instead.
    let mut background = SigSet::empty();
    background.add(Signal::SIGTTIN);
    if background.thread_block().is_err() {
        return;
    }
    let mut line = String::new();
    loop {
        line.clear();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => handle_line(line.trim(), control, enter),
            Err(why) if why.kind() == ErrorKind::InvalidData => {}
            Err(_) => thread::sleep(BACKGROUND_PAUSE),
        }
    }
}

fn handle_line(line: &str, control: &Control, enter: EnterKey) {
    let request = match (line, enter) {
        ("", EnterKey::Nothing) => return,
        ("", EnterKey::Starts) => Ok(OperatorRequest::Start),
        ("help" | "?", _) => return print::to_stderr(format_args!("{REQUESTS}")),
        _ => line.parse(),
    };
    match request.map(|request| control.ask(request).recv()) {
        Ok(Ok(Ok(text) | Err(text))) => print::to_stderr(format_args!("{text}")),
        Ok(Err(_)) => print::to_stderr(format_args!("the server has too much to do. Try again")),
        Err(why) => {
            let line = line.escape_debug();
            print::to_stderr(format_args!("unknown request '{line}': {why}"));
        }
    }
}
