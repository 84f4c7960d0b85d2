//! `nuggets map check`: reads maps, holds them to the rules and says what came out. The rules are
//! the game's own.

mod human;
mod json;
mod snippet;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use nuggets_client::{ColorChoice, wants_color};
use nuggets_game::{Map, Report, Rules};

use crate::args::map::CheckArgs;
use crate::{map_file, print};

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
    write(args, &checked)?;
    for why in checked.iter().filter_map(|checked| checked.report.as_ref().err()) {
        // Nobody can be told that nobody can be told.
        let _ = writeln!(io::stderr(), "error: {why:#}");
    }
    let all_valid = checked.iter().all(Checked::is_valid);
    Ok(if all_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write(args: &CheckArgs, checked: &[Checked]) -> anyhow::Result<()> {
    let colored = wants_color(ColorChoice::Auto, io::stdout().is_terminal());
    print::out(|out| {
        let mut out = BufWriter::new(out);
        if args.json {
            json::write(&mut out, checked)?;
        } else {
            human::write(&mut out, checked, colored)?;
        }
        out.flush()
    })
}

fn check(file: &Path) -> Checked {
    let (name, text) = if file == Path::new("-") {
        ("<stdin>".to_string(), map_file::read_stdin())
    } else {
        (file.display().to_string(), map_file::read(file))
    };
    Checked { name, report: text.map(|text| Map::check(&text, &Rules::default())) }
}
