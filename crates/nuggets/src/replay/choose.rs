//! `nuggets replay` without a file: the latest games of `nuggets play`, to choose from.

use std::io::{self, BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::Context;

use crate::args::BadArgument;
use crate::args::replay::ReplayArgs;
use crate::history::{self, PastGame};
use crate::print;

/// Lists the games; at a terminal it asks which one to show, until the answer is empty.
pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let games = history::folder().map(|folder| history::games(&folder)).unwrap_or_default();
    if games.is_empty() {
        return Err(BadArgument(
            "there is no game of `nuggets play` to choose from yet. Give the path of a recording"
                .into(),
        )
        .into());
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        print::text(&list(&games, |game| format!("  {}", game.path.display())))?;
        return Ok(ExitCode::SUCCESS);
    }
    print::text(&format!("Your latest games:\n{}", list(&games, |_| String::new())))?;
    loop {
        let prompt = match games.len() {
            1 => "Type 1 to watch it. Enter alone leaves: ".to_owned(),
            count => format!("Which one, 1 to {count}? Enter alone leaves: "),
        };
        print::text(&prompt)?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).context("can't read your choice")?;
        match line.trim().parse::<usize>() {
            _ if line.trim().is_empty() => return Ok(ExitCode::SUCCESS),
            Ok(number @ 1..) if number <= games.len() => {
                return super::replay(args, &games[number - 1].path);
            }
            _ => {}
        }
    }
}

/// A line for each game, with `end` after it. Paths are for programs: in a window they would be too long.
fn list(games: &[PastGame], end: impl Fn(&PastGame) -> String) -> String {
    let line = |(number, game): (usize, &PastGame)| {
        let began = history::utc(game.began_ms);
        format!("{number:>3}  {began} UTC  {}{}\n", game.about, end(game))
    };
    (1..).zip(games).map(line).collect()
}
