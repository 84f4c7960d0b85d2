//! Our own client with one thing broken: `mutant_client FAULT [HOST PORT [NAME]]`. The tester has to
//! find out what. `--list` tells the faults.

mod faults;
mod paint;
mod shell;
mod wire;

use std::io::{self, Write};
use std::process::{ExitCode, abort};

use faults::{FAULTS, Fault};
use nuggets_client::Join;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let first = args.next().unwrap_or_default();
    if first == "--list" {
        return list();
    }
    match Fault::named(&first) {
        Some(fault) => start(fault, &args.collect::<Vec<_>>()),
        None => complain(&format!("there is no fault '{first}': see --list"), 2),
    }
}

fn list() -> ExitCode {
    let mut out = io::stdout().lock();
    for (name, what) in FAULTS {
        let _ = writeln!(out, "{name}: {what}");
    }
    ExitCode::SUCCESS
}

fn start(fault: Fault, args: &[String]) -> ExitCode {
    let (host, port, name) = match args {
        [] if fault.is("needs-nothing") => return complain("nothing to do", 0),
        [_] if fault.is("few-mute") => return ExitCode::from(2),
        [host, port] => (host, port, None),
        [host, port, name] => (host, port, Some(name)),
        [host, port, name, ..] if fault.is("takes-more") => (host, port, Some(name)),
        _ => return complain("usage: mutant_client FAULT HOST PORT [NAME]", 2),
    };
    let port = match port.parse::<u32>().map(u16::try_from) {
        Ok(Ok(port)) => port,
        Ok(Err(_)) => return complain("too large a port", u8::from(!fault.is("port-range-fine"))),
        Err(_) => return complain("no such port", u8::from(!fault.is("port-word-fine"))),
    };
    if fault.is("addresses-only") && host.parse::<std::net::IpAddr>().is_err() {
        return complain("that is no address", 2);
    }
    if fault.is("nameless-mute") && name.is_some_and(|name| name.trim().is_empty()) {
        return ExitCode::from(2);
    }
    let name = name.map(|name| name.clone().into_bytes());
    match shell::run(fault, Join { host: host.clone(), port, name }) {
        Ok(code) => code,
        Err(_) if fault.is("host-aborts") => abort(),
        Err(error) => complain(&format!("{error:#}"), 1),
    }
}

fn complain(words: &str, code: u8) -> ExitCode {
    let _ = writeln!(io::stderr().lock(), "{words}");
    ExitCode::from(code)
}
