//! `mutant_server FAULT MAP [SEED] [--dialect 2019|2021]`: our own server with exactly one fault, to
//! test the tester. `none` is the correct server.
//!
//! `--list` prints the names of all faults; `--describe` prints a line for each, separated by tabs:
//! name, the dialect in which it is wrong (or `both`), `wrong` or `allowed`, description.
//!
//! The room is the real one. A fault changes its game (`world`), the messages it receives
//! (`inbound`), the messages it sends (`outbound`), or the process (`process`, `udp`).

mod args;
mod datagram;
mod fault;
mod inbound;
mod movement;
mod mutant;
mod outbound;
mod process;
mod seats;
mod sight;
mod table;
#[cfg(test)]
mod tests;
mod udp;
mod world;

use std::env;
use std::process::ExitCode;

use nuggets_mutants::{fail, print_lines};

use crate::fault::Fault;

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    match words.next().as_deref() {
        Some("--list") => print_lines(Fault::ALL.iter().map(ToString::to_string)),
        Some("--describe") => print_lines(Fault::ALL.iter().map(|fault| describe(*fault))),
        Some(process::CHILD) => process::run_as_child(words.next().is_some()),
        Some(word) => match word.parse::<Fault>() {
            Ok(fault) => process::run(fault, words),
            Err(error) => fail(&error.to_string(), 2),
        },
        None => fail("usage: mutant_server FAULT MAP [SEED] [--dialect 2019|2021]", 2),
    }
}

fn describe(fault: Fault) -> String {
    let dialect = fault.dialect().map_or("both".into(), |dialect| dialect.to_string());
    let verdict = if fault.is_allowed() { "allowed" } else { "wrong" };
    format!("{fault}\t{dialect}\t{verdict}\t{}", fault.description())
}
