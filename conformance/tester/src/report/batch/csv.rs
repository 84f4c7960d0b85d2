//! The table for a spreadsheet: a row for each program.

use super::{Team, TeamProgram};
use crate::report::escape::escape_line;
use crate::report::rubric::Rubric;
use crate::{CheckFailure, CheckResult, ConformanceReport};

const HEAD: &str = "team,program,grade,must_passed,must_judged,should_passed,should_judged,may_passed,\
                    may_judged,not_judged,seconds,fix_first,failed,not_judged_ids,error,page";

/// One line for each program after a line of column names. Lists of requirements are separated by blanks.
/// Cells that a spreadsheet would take for a formula begin with an apostrophe.
pub fn csv(teams: &[Team], rubric: Option<&Rubric>) -> String {
    let rows = teams.iter().flat_map(|team| {
        team.programs.iter().map(move |program| row(team, program, rubric).join(","))
    });
    [HEAD.to_owned()].into_iter().chain(rows).map(|row| row + "\r\n").collect()
}

fn row(team: &Team, program: &TeamProgram, rubric: Option<&Rubric>) -> Vec<String> {
    let mut cells = vec![cell(&team.name), program.kind.to_string()];
    match &program.result {
        Ok(report) => {
            let grade = rubric.and_then(|rubric| rubric.grade(report));
            cells.push(grade.map(|grade| format!("{grade:.2}")).unwrap_or_default());
            cells.extend(results(report));
            cells.push(String::new());
        }
        Err(why) => {
            cells.extend(vec![String::new(); 12]);
            cells.push(cell(&why.0));
        }
    }
    cells.push(cell(&team.page));
    cells
}

fn results(report: &ConformanceReport) -> Vec<String> {
    let mut cells: Vec<String> = report
        .scores(None)
        .iter()
        .flat_map(|score| [score.passed.to_string(), score.total.to_string()])
        .collect();
    let ids = |results: Vec<(&CheckResult, &CheckFailure)>| {
        results.iter().map(|(result, _)| result.requirement.id).collect::<Vec<_>>().join(" ")
    };
    let first = report.faults().first().map(|fault| fault.result.requirement.id);
    cells.extend([
        report.score(|_| true).not_judged.to_string(),
        format!("{}.{}", report.millis / 1000, report.millis % 1000 / 100),
        first.unwrap_or_default().to_owned(),
        ids(report.failures()),
        ids(report.not_judged()),
    ]);
    cells
}

/// Encodes an untrusted text as one cell.
fn cell(text: &str) -> String {
    let mut text = escape_line(text);
    if text.starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    if text.contains([',', '"', ';']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas_and_stay_in_their_cells() {
        for (text, expected) in [
            ("=1+2", "'=1+2"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""),
            ("\t=1", "\\u{9}=1"),
            ("\r=1", "\\u{d}=1"),
            ("a\n=1", "a =1"),
            ("a,b", "\"a,b\""),
            ("a;b", "\"a;b\""),
            ("plain", "plain"),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
