//! Requests that the operator types into the terminal of a running server.

use std::io::{self, BufRead, ErrorKind, IsTerminal};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use nuggets_server::udp::{Control, Request};
use tracing::{info, warn};

/// How long a server in the background waits until it looks whether it can read the terminal again.
const BACKGROUND_PAUSE: Duration = Duration::from_secs(10);

/// Reads requests from standard input, if that is a terminal, until the server ends.
pub(super) fn listen(control: &Arc<Control>) {
    if !io::stdin().is_terminal() {
        return;
    }
    let control = Arc::clone(control);
    // It is not joined: it waits for a line when the server ends.
    thread::spawn(move || read_requests(&control));
}

fn read_requests(control: &Control) {
    // A job in the background that reads the terminal is stopped by this signal; blocked, it gets an error.
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
            Ok(_) => handle_line(line.trim(), control),
            Err(why) if why.kind() == ErrorKind::InvalidData => {}
            Err(_) => thread::sleep(BACKGROUND_PAUSE),
        }
    }
}

fn handle_line(line: &str, control: &Control) {
    match line.parse::<Request>() {
        Ok(request) => control.send(request),
        Err(_) if line.is_empty() => {}
        Err(why) if line == "help" => info!("{why}"),
        Err(why) => warn!("unknown request '{}': {why}", line.escape_debug()),
    }
}
