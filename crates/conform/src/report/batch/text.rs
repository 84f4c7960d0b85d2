//! The table for a terminal: a line for each program, without the clauses.

use super::{Team, Tried};
use crate::report::visible::in_one_line;
use crate::{Level, Score};

/// The whole table.
pub fn render(teams: &[Team]) -> String {
    let names: Vec<String> = teams.iter().map(|team| in_one_line(&team.name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let mut lines = vec![format!(
        "{:<width$}  {:<7}  {:>7}  {:>7}  {:>7}",
        "team", "program", "must", "should", "may"
    )];
    for (team, name) in teams.iter().zip(&names) {
        let line = |tried: &Tried| format!("{name:<width$}  {:<7}  {}", tried.kind, found(tried));
        lines.extend(team.tried.iter().map(line));
    }
    lines.join("\n") + "\n"
}

fn found(tried: &Tried) -> String {
    match &tried.result {
        Ok(report) => {
            Level::ALL.map(|level| format!("{:>7}", shown(report.score_of(level)))).join("  ")
        }
        Err(why) => format!("could not be run: {}", in_one_line(why)),
    }
}

/// A dash where nothing was judged.
pub(super) fn shown(score: Score) -> String {
    if score.of == 0 { "-".to_owned() } else { score.to_string() }
}
