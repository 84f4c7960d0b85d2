//! `nuggets map check`: checks maps against the rules of the game and reports the result.

mod human;
mod json;
mod snippet;

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use nuggets_game::Rules;
use nuggets_game::map::check::{self, CheckReport};
use nuggets_tui::{ColorChoice, wants_color};

use crate::args::map::MapCheckArgs;
use crate::{map_file, print};

/// A file and its report, or why it could not be read.
struct CheckedFile {
    name: String,
    report: anyhow::Result<CheckReport>,
}

impl CheckedFile {
    fn is_valid(&self) -> bool {
        self.report.as_ref().is_ok_and(CheckReport::is_valid)
    }
}

pub(crate) fn run(args: &MapCheckArgs) -> anyhow::Result<ExitCode> {
    let checked: Vec<CheckedFile> = args.files.iter().map(|file| check(file)).collect();
    write(args, &checked)?;
    for why in checked.iter().filter_map(|checked| checked.report.as_ref().err()) {
        print::to_stderr(format_args!("error: {why:#}"));
    }
    let all_valid = checked.iter().all(CheckedFile::is_valid);
    Ok(if all_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write(args: &MapCheckArgs, checked: &[CheckedFile]) -> anyhow::Result<()> {
    let colored = wants_color(ColorChoice::Auto);
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

fn check(file: &Path) -> CheckedFile {
    let (name, text) = if file == Path::new("-") {
        ("<stdin>".to_string(), map_file::read_stdin())
    } else {
        (file.display().to_string(), map_file::read(file))
    };
    CheckedFile { name, report: text.map(|text| check::check(&text, &Rules::default())) }
}
