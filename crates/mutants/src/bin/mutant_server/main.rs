//! `mutant_server FAULT MAP [SEED] [--dialect 2019|2021]`: our own server with exactly one rule
//! broken, to test the tester. `none` is the server as it should be.
//!
//! `--list` prints all faults; `--describe` prints a line for each: its name, the dialect in which
//! it is wrong (or `both`), `wrong` or `allowed`, and a sentence, with tabs between them.
//!
//! A fault is a small bend at the doors of the real room: in the game that it is given (`world`),
//! in what it hears (`inbound`), in what it says (`outbound`), or in the process (`process`,
//! `shell`).

mod args;
mod datagram;
mod doom;
mod eyes;
mod fault;
mod inbound;
mod labels;
mod mutant;
mod outbound;
mod process;
mod seats;
mod shell;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod world;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::fault::Fault;

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    match words.next().as_deref() {
        Some("--list") => print(|fault| fault.to_string()),
        Some("--describe") => print(describe),
        Some(process::CHILD) => process::outlive(words.next().is_some()),
        Some(word) => match word.parse::<Fault>() {
            Ok(fault) => process::run(fault, words),
            Err(why) => refuse(&why.to_string()),
        },
        None => refuse("usage: mutant_server FAULT MAP [SEED] [--dialect 2019|2021]"),
    }
}

fn describe(fault: Fault) -> String {
    let dialect = fault.dialect().map_or("both".into(), |dialect| dialect.to_string());
    let verdict = if fault.is_allowed() { "allowed" } else { "wrong" };
    format!("{fault}\t{dialect}\t{verdict}\t{}", fault.about())
}

fn print(line: impl Fn(Fault) -> String) -> ExitCode {
    let mut stdout = io::stdout().lock();
    let printed = Fault::ALL.iter().try_for_each(|fault| writeln!(stdout, "{}", line(*fault)));
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn refuse(why: &str) -> ExitCode {
    // Nobody can be told that nobody can be told.
    let _ = writeln!(io::stderr(), "error: {why}");
    ExitCode::from(2)
}
