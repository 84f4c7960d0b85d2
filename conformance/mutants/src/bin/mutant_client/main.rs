//! `mutant_client FAULT [HOST PORT [NAME]]`: our own client with exactly one fault, to test the tester.
//! `none` is the correct client. `--list` prints the names of all faults.

mod fault;
mod messages;
mod run;
mod screen;

use std::net::IpAddr;
use std::process::{ExitCode, abort};

use nuggets_mutants::{fail, print_lines};

use crate::fault::Fault;

const USAGE: &str = "usage: mutant_client FAULT HOST PORT [NAME]";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("--list") => print_lines(Fault::ALL.iter().map(ToString::to_string)),
        Some(word) => match word.parse() {
            Ok(fault) => start(fault, &args.collect::<Vec<_>>()),
            Err(error) => fail(&format!("{error}"), 2),
        },
        None => fail(USAGE, 2),
    }
}

fn start(fault: Fault, args: &[String]) -> ExitCode {
    let (host, port, name) = match args {
        [] if fault == Fault::ExitZeroNoArguments => return fail(USAGE, 0),
        [_] if fault == Fault::SilentMissingPort => return ExitCode::from(2),
        [host, port] => (host, port, None),
        [host, port, name] => (host, port, Some(name)),
        [host, port, name, ..] if fault == Fault::AcceptsExtraArguments => (host, port, Some(name)),
        _ => return fail(USAGE, 2),
    };
    let port = match port.parse::<u32>().map(u16::try_from) {
        Ok(Ok(port)) => port,
        Ok(Err(_)) => {
            return fail("port too large", u8::from(fault != Fault::ExitZeroPortTooLarge));
        }
        Err(_) => return fail("invalid port", u8::from(fault != Fault::ExitZeroPortWord)),
    };
    if fault == Fault::NumericHostOnly && host.parse::<IpAddr>().is_err() {
        return fail("the host is not a numeric address", 2);
    }
    if fault == Fault::SilentBlankName && name.is_some_and(|name| name.trim().is_empty()) {
        return ExitCode::from(2);
    }
    let name = name.map(|name| name.clone().into_bytes());
    match run::run(fault, host, port, name) {
        Ok(code) => code,
        Err(_) if fault == Fault::AbortsOnUnknownHost => abort(),
        Err(error) => fail(&format!("{error:#}"), 1),
    }
}
