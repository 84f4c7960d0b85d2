//! `nuggets map check`: reads maps, holds them to the rules and says what came out. The rules are
//! the game's own.

mod human;
mod json;
mod snippet;

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use nuggets_game::{Map, Report, Rules};

use crate::args::map::CheckArgs;
use crate::map_file;

/// A file and what was found out about it, or why it could not be read.
struct Checked {
    name: String,
    report: anyhow::Result<Report>,
}

impl Checked {
    fn is_valid(&self) -> bool {
        self.report.as_ref().is_ok_and(Report::is_valid)
    }
}

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let checked: Vec<Checked> = args.files.iter().map(|file| check(file)).collect();
    write(args, &checked).context("can't write the report")?;
    for why in checked.iter().filter_map(|checked| checked.report.as_ref().err()) {
        // Nobody can be told that nobody can be told.
        let _ = writeln!(io::stderr(), "error: {why:#}");
    }
    let all_valid = checked.iter().all(Checked::is_valid);
    Ok(if all_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write(args: &CheckArgs, checked: &[Checked]) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        json::write(&mut out, checked)?;
    } else {
        human::write(&mut out, checked, color())?;
    }
    out.flush()
}

fn check(file: &Path) -> Checked {
    let (name, text) = if file == Path::new("-") {
        ("<stdin>".to_string(), map_file::read_stdin())
    } else {
        (file.display().to_string(), map_file::read(file))
    };
    Checked { name, report: text.map(|text| Map::check(&text, &Rules::default())) }
}

/// May colours be used?
fn color() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !refused
}
