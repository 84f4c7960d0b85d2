//! Reports about a recording, as text and as JSON.

use nuggets_game::{Game, Viewer};
use nuggets_record::{PlayerStatistics, Recording, RecordingEnd, Statistics, Timestamp, Verified};
use nuggets_replay::PlayTime;
use serde_json::{Value, json};

use crate::print::{count, rounded};

/// One line: the recording is good, and its size.
pub(super) fn verified(recording: &Recording, verified: &Verified) -> String {
    let Verified { entries, states, game } = verified;
    let players = count(game.players().len(), "player");
    let states = count(*states, "state");
    let entries = count(*entries, "record");
    let length = PlayTime(recording.duration());
    let (_, end) = ending(recording);
    format!("good: {entries}, all {states} as recorded; {players}, {length}, {end}\n")
}

/// The end of a recording: its name in JSON, and in words.
fn ending(recording: &Recording) -> (Option<&'static str>, &'static str) {
    match recording.end() {
        Some(RecordingEnd::Over) => (Some("over"), "the game is over"),
        Some(RecordingEnd::Closed) => (Some("closed"), "the server was shut down"),
        Some(RecordingEnd::ByHost) => (Some("by_host"), "the host ended the game"),
        Some(RecordingEnd::Stalemate) => {
            (Some("stalemate"), "it ended because no more gold was found")
        }
        None => (None, "it has no end"),
    }
}

/// The picture and the purses at the end, after a line with the time and the viewer.
pub(super) fn last_picture(recording: &Recording, game: &Game, eyes: Viewer) -> String {
    let at = PlayTime(recording.duration());
    let (_, end) = ending(recording);
    let who = match eyes {
        Viewer::Spectator => "spectator".to_owned(),
        Viewer::Player(letter) => format!("as {letter}"),
    };
    let mut lines = vec![format!("{at}  {who}  {} left, {end}", game.remaining())];
    let picture = game.view(eyes).to_string();
    lines.extend(picture.lines().map(|line| line.trim_end().to_owned()));
    // A name may contain a tab.
    lines.extend(game.table().to_string().lines().map(|line| line.replace('\t', " ")));
    lines.join("\n") + "\n"
}

pub(super) fn json(recording: &Recording, statistics: &Statistics) -> String {
    let setup = &recording.header.setup;
    let map = &setup.map;
    let players = statistics.players.iter().map(|player| player_json(player, statistics));
    let walked = map.points().zip(&statistics.visits).filter(|(_, times)| **times > 0);
    let walked = walked.map(|(at, times)| json!([at.row, at.col, times]));
    let report = json!({
        "map": { "rows": map.rows(), "cols": map.cols(), "spots": statistics.spots },
        "seed": setup.seed.number(),
        "dialect": setup.dialect.to_string(),
        "records": recording.records.len(),
        "duration_ms": statistics.duration.0,
        "ending": ending(recording).0,
        "remaining": over_time(&statistics.remaining, |nuggets| json!(nuggets)),
        "players": players.collect::<Vec<Value>>(),
        "walked": walked.collect::<Vec<Value>>(),
    });
    format!("{report}\n")
}

fn player_json(player: &PlayerStatistics, statistics: &Statistics) -> Value {
    let path = player.path.iter().map(|(at, spot)| json!([at.0, spot.row, spot.col]));
    let share = |spots: u32| json!(rounded(f64::from(spots) / f64::from(statistics.spots.max(1))));
    json!({
        "letter": player.letter.to_string(),
        "name": player.name.as_str(),
        "joined_ms": player.joined.0,
        "gone_ms": player.gone.map(|at| at.0),
        "purse": player.purse.last().map_or(0, |(_, nuggets)| *nuggets),
        "keys": player.keys,
        "steps": player.steps,
        "piles": player.piles,
        "explored_share": rounded(statistics.explored_share(player)),
        "purse_over_time": over_time(&player.purse, |nuggets| json!(nuggets)),
        "explored_over_time": over_time(&player.explored, share),
        "path": path.collect::<Vec<Value>>(),
    })
}

/// Pairs of a time in milliseconds and the number from then on.
fn over_time(row: &[(Timestamp, u32)], number: impl Fn(u32) -> Value) -> Vec<Value> {
    row.iter().map(|(at, value)| json!([at.0, number(*value)])).collect()
}
