//! Reports on stdout and in files.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressStyle};
use tracing::warn;

/// Writes to stdout. A reader that closes the pipe early is not an error.
pub(crate) fn out(write: impl FnOnce(&mut io::StdoutLock) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(why).context("can't write to stdout")
        }
        _ => Ok(()),
    }
}

/// Writes a text to stdout.
pub(crate) fn text(text: &str) -> anyhow::Result<()> {
    out(|out| out.write_all(text.as_bytes()))
}

/// Writes a line to stdout for people who start a server, which continues even if stdout is closed.
pub(crate) fn announce(line: &str) {
    if let Err(why) = text(&format!("{line}\n")) {
        warn!("{why:#}");
    }
}

/// Writes a line to stderr. If that fails there is nowhere to report it.
pub(crate) fn to_stderr(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A progress bar on stderr with this template, hidden unless that is a terminal.
pub(crate) fn progress_bar(length: u64, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    let bar = ProgressBar::new(length).with_style(style);
    // Shown at once, because the first step may take long.
    bar.tick();
    bar
}

/// A number of things, such as `1 game` or `2 games`.
pub(crate) fn count(number: impl TryInto<u64>, one: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// Lines with columns as wide as their widest cell. The first is on the left; the others, too, unless they are numbers.
pub(crate) fn table(rows: &[Vec<String>], others: Align) -> Vec<String> {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let cell = |(column, cell): (usize, &String)| match (others, widths[column]) {
        (Align::Right, width) if column > 0 => format!("{cell:>width$}"),
        (_, width) => format!("{cell:<width$}"),
    };
    let line = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(|row| line(row).trim_end().to_owned()).collect()
}

/// The side of a column that its cells are on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Align {
    #[cfg(feature = "host")]
    Left,
    Right,
}

/// Quotes a CSV cell if it needs quotes. A text that a spreadsheet would take for a formula is quoted, too, and
/// begins with an apostrophe.
pub(crate) fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t']);
    let must_quote = is_formula || text.contains([',', '"', '\n', '\r']);
    if !must_quote {
        return text.to_owned();
    }
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

/// Rounds to four decimal places, for reports.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

/// Writes a file; overwrites an existing one only with `force`.
pub(crate) fn file(path: &Path, bytes: &[u8], force: bool) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).truncate(true).create(true).create_new(!force);
    let written = options.open(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|why| unwritable(path, &why, force))
}

/// Checks that `file` could write this file now, without changing it.
pub(crate) fn check_file(path: &Path, force: bool) -> anyhow::Result<()> {
    let is_new = !path.exists();
    // The reader of a named pipe would take opening and closing it for the end of the data.
    if force && !is_new && !path.is_file() && !path.is_dir() {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).truncate(false).create(true).create_new(!force);
    let opened = options.open(path).map_err(|why| unwritable(path, &why, force));
    if opened.is_ok() && is_new {
        fs::remove_file(path).with_context(|| format!("can't remove '{}'", path.display()))?;
    }
    opened.map(drop)
}

fn unwritable(path: &Path, why: &io::Error, force: bool) -> anyhow::Error {
    match why.kind() {
        ErrorKind::AlreadyExists if !force => anyhow!(
            "'{}' already exists. Give another name, or overwrite it with --force",
            path.display()
        ),
        _ => anyhow!("can't write '{}': {why}. Give a path that you may write to", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_csv_or_a_spreadsheet_needs_it() {
        for (text, cell) in [
            ("Ann", "Ann"),
            ("Ann, the first", "\"Ann, the first\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("=1+1", "\"'=1+1\""),
        ] {
            assert_eq!(csv_cell(text), cell);
        }
    }
}
