//! A report as the terminal shows it: every failure with its evidence, then the scores, then the
//! verdict.

use super::paint::Paint;
use super::verdict;
use super::visible::in_one_line;
use super::{Judged, Report, Score};
use crate::report::evidence;
use crate::{Failure, Level};

/// The whole report, with colours or without.
///
/// ```
/// use nuggets_conform::{Kind, Report, report};
///
/// let report = Report {
///     kind: Kind::Server,
///     program: "./server".into(),
///     dialect: "2021".into(),
///     tester: "0.1.0".into(),
///     millis: 0,
///     results: vec![],
/// };
/// assert!(report::text::render(&report, false).ends_with("Nothing was judged.\n"));
/// ```
pub fn render(report: &Report, colored: bool) -> String {
    let paint = Paint { colored };
    let mut lines = vec![];
    for (judged, failure) in by_level(report) {
        lines.push(heading(judged, paint));
        lines.extend(evidence::lines(judged, failure, paint));
        lines.push(String::new());
    }
    lines.extend(scores(report, paint));
    lines.push(String::new());
    lines.push(closing(report, paint));
    lines.join("\n") + "\n"
}

/// The failures, musts first.
fn by_level(report: &Report) -> Vec<(&Judged, &Failure)> {
    let mut failures: Vec<_> = report.failures().collect();
    failures.sort_by_key(|(judged, _)| judged.level);
    failures
}

fn heading(judged: &Judged, paint: Paint) -> String {
    let failed = match judged.level {
        Level::Must => paint.bad("FAILED"),
        _ => paint.weak("FAILED"),
    };
    format!("{failed} {} ({}, {})", paint.bold(judged.id), judged.level, judged.section)
}

/// A line for each section and one for all of them.
fn scores(report: &Report, paint: Paint) -> Vec<String> {
    let sections = report.sections();
    let width = sections.iter().map(|section| section.chars().count()).max().unwrap_or(0).max(7);
    let head = format!("{:<width$}  {:>7}  {:>7}  {:>7}", "section", "must", "should", "may");
    let mut lines = vec![paint.bold(head)];
    for section in sections {
        let cells = Level::ALL.map(|level| cell(level, report.score_in(section, level), paint));
        lines.push(format!("{section:<width$}  {}", cells.join("  ")));
    }
    let cells = Level::ALL.map(|level| cell(level, report.score_of(level), paint));
    lines.push(format!("{}  {}", paint.bold(format!("{:<width$}", "total")), cells.join("  ")));
    lines
}

fn cell(level: Level, score: Score, paint: Paint) -> String {
    match (score, level) {
        (Score { of: 0, .. }, _) => format!("{:>7}", "-"),
        (score, _) if score.is_full() => paint.good(format!("{score:>7}")),
        (score, Level::Must) => paint.bad(format!("{score:>7}")),
        (score, _) => paint.weak(format!("{score:>7}")),
    }
}

fn closing(report: &Report, paint: Paint) -> String {
    let program = format!("{} (a {} of {})", report.program, report.kind, report.dialect);
    let words = verdict::in_words(report);
    let words = if report.all_musts_hold() { paint.good(words) } else { paint.bad(words) };
    format!("{}: {words}", in_one_line(&program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::made_up::{mixed, passed, report};

    const MIXED: &str = r"FAILED join.order (must, Joining)
  demand    The server answers. (Requirements, Protocol)
  expected  OK A
  came      <script>alert(1)</script>\u{1b}[2J
  crash     it was ended by signal 11 (SIGSEGV), after: KEY \u{202e}
  tries     3, all in vain
  messages  the last 3 of 7; -> to the program, <- from it, seconds since its start
     0.005        Ann -> PLAY Ann
     0.012        Ann <- DISPLAY (3x4)
     0.013        <b> -- lost </pre><script>x</script>
  repeat    nuggets conform server --dialect 2021 --only join.order -- ./their-server

FAILED keys.sight (should, Keys)
  demand    The server answers. (Requirements, Protocol)
  expected  the same picture
  came      another
            at row 1
  drawing   +--+
            |.?|
            +--+
  repeat    nuggets conform server --dialect 2021 --only keys.sight -- ./their-server

section     must   should      may
Joining      1/2        -        -
Keys           -      0/1      1/1
total        1/2      0/1      1/1

./their-server (a server of 2021): It breaks 1 of 2 musts. It also breaks 1 should. 1 check was not judged: stopped.
";

    #[test]
    fn a_report_shows_musts_first_then_the_scores_then_the_verdict() {
        assert_eq!(render(&mixed(), false), MIXED);
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let colored = render(&mixed(), true);
        assert!(colored.starts_with("\x1b[1m\x1b[31mFAILED\x1b[0m "), "{colored}");
        let mut plain = String::new();
        let mut parts = colored.split('\x1b');
        plain += parts.next().unwrap();
        for part in parts {
            plain += part.split_once('m').unwrap().1;
        }
        assert_eq!(plain, MIXED);
    }

    #[test]
    fn where_everything_holds_only_the_scores_are_shown() {
        let judged = crate::report::made_up::judged("join.first", Level::Must, passed());
        assert_eq!(
            render(&report(vec![judged]), false),
            "section     must   should      may\n\
             Joining      1/1        -        -\n\
             total        1/1        -        -\n\n\
             ./their-server (a server of 2021): It keeps the one clause judged.\n"
        );
    }
}
