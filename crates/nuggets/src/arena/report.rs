//! The standings as a table, as JSON and as CSV.

use nuggets_arena::{Standings, StandingsRow};
use nuggets_bots::stderr_lines;
use nuggets_game::Seed;
use serde_json::{Value, json};

use crate::args::arena::ArenaArgs;
use crate::print::{self, Align, count, csv_cell, rounded};

const HEAD: [&str; 7] =
    ["bot", "bots", "wins", "mean purse", "moves/nugget", "rating", "deviation"];
/// The name of a program may be long.
const MAX_NAME_COLUMNS: usize = 32;

pub(super) fn table(standings: &Standings, args: &ArenaArgs) -> String {
    let head = HEAD.map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> =
        [head].into_iter().chain(by_rating(standings).map(cells)).collect();
    let mut lines = vec![heading(standings, args), String::new()];
    lines.extend(print::table(&rows, Align::Right));
    lines.extend(standings.rows.iter().filter_map(trouble));
    lines.join("\n") + "\n"
}

fn heading(standings: &Standings, args: &ArenaArgs) -> String {
    let games = standings.games;
    let stopped =
        if games < args.games { format!(" of {} (stopped)", args.games) } else { String::new() };
    let unfinished = match standings.unfinished {
        0 => String::new(),
        some => {
            let some = if games == 1 { String::new() } else { format!("{some} of them ") };
            format!(", {some}stopped after {}", count(args.max_rounds, "round"))
        }
    };
    format!("{}{stopped}{unfinished}, seed {}", count(games, "game"), args.seed)
}

/// The rows by rating, the best first; equal ones in the order of their entry.
fn by_rating(standings: &Standings) -> impl Iterator<Item = &StandingsRow> {
    let mut rows: Vec<&StandingsRow> = standings.rows.iter().collect();
    rows.sort_by(|one, two| two.rating.total_cmp(&one.rating));
    rows.into_iter()
}

fn cells(row: &StandingsRow) -> Vec<String> {
    vec![
        short(&row.name),
        row.bots.to_string(),
        format!("{:.1}", row.wins),
        format!("{:.1}", row.mean_purse),
        row.moves_per_nugget.map_or("-".to_owned(), |moves| format!("{moves:.2}")),
        format!("{:.2}", row.rating),
        format!("{:.2}", row.deviation),
    ]
}

fn short(name: &str) -> String {
    let clean = name.escape_debug().to_string();
    match clean.char_indices().nth(MAX_NAME_COLUMNS) {
        Some((cut, _)) => format!("{}…", &clean[..cut]),
        None => clean,
    }
}

fn trouble(row: &StandingsRow) -> Option<String> {
    let (game, report) = row.first_fault.as_ref()?;
    let name = short(&row.name);
    let turns = count(row.lost_turns, "lost turn");
    let first = if row.lost_turns == 1 { "" } else { " the first" };
    let stderr = stderr_lines(&report.stderr);
    Some(format!("\n{name}: {turns},{first} in game {game}: {}{stderr}", report.fault))
}

pub(super) fn json(standings: &Standings, seed: Seed) -> String {
    let rows: Vec<Value> = standings.rows.iter().map(row_json).collect();
    let report = json!({
        "seed": seed.number(),
        "games": standings.games,
        "unfinished": standings.unfinished,
        "bots": rows,
    });
    format!("{report:#}\n")
}

fn row_json(row: &StandingsRow) -> Value {
    let trouble = row.first_fault.as_ref();
    json!({
        "name": row.name,
        "command": row.command,
        "bots": row.bots,
        "wins": rounded(row.wins),
        "mean_purse": rounded(row.mean_purse),
        "moves_per_nugget": row.moves_per_nugget.map(rounded),
        "rating": rounded(row.rating),
        "deviation": rounded(row.deviation),
        "lost_turns": row.lost_turns,
        "first_trouble": trouble.map(|(game, trouble)| json!({
            "game": game,
            "what": trouble.fault.to_string(),
            "stderr": trouble.stderr,
        })),
    })
}

pub(super) fn csv(standings: &Standings) -> String {
    let mut text =
        "bot,bots,games,wins,mean_purse,moves_per_nugget,rating,deviation,lost_turns\n".to_owned();
    for row in &standings.rows {
        let moves = row.moves_per_nugget.map_or(String::new(), |moves| rounded(moves).to_string());
        let cells = [
            csv_cell(&row.name),
            row.bots.to_string(),
            standings.games.to_string(),
            rounded(row.wins).to_string(),
            rounded(row.mean_purse).to_string(),
            moves,
            rounded(row.rating).to_string(),
            rounded(row.deviation).to_string(),
            row.lost_turns.to_string(),
        ];
        text += &(cells.join(",") + "\n");
    }
    text
}
