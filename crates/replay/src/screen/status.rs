//! The words of the status line.

use nuggets_game::{Player, Viewer};

use crate::{PlayTime, Show};

/// The time, how it goes, whose eyes, and the purses.
pub(super) fn line(show: &Show, width: usize) -> String {
    let (at, of) = (PlayTime(show.at()), PlayTime(show.duration()));
    let state = match (show.plays(), show.is_at_end()) {
        (true, _) => "playing",
        (_, true) => "ended",
        _ => "paused",
    };
    let skips = if show.skips() { " skip" } else { "" };
    let (speed, left) = (show.speed(), show.game().remaining());
    let head = format!("{at}/{of}  {state} {speed}{skips}  {}  {left} left ", viewer(show));
    let room = width.saturating_sub(head.len());
    head + &purses(show.game().players(), room)
}

fn viewer(show: &Show) -> String {
    let Viewer::Player(letter) = show.viewer() else { return "spectator".to_owned() };
    match show.game().players().get(letter.index()) {
        None => format!("{letter}, not here yet"),
        Some(player) if player.at().is_none() => format!("{letter}, gone"),
        Some(_) => format!("as {letter}"),
    }
}

/// Everybody's in the order of letters; where there is no room for that, the fullest.
fn purses(players: &[Player], room: usize) -> String {
    let mut all: Vec<&Player> = players.iter().collect();
    let text = |player: &&Player| format!(" {} {}", player.letter(), player.purse());
    if all.iter().map(text).map(|text| text.len()).sum::<usize>() > room {
        all.sort_by_key(|player| std::cmp::Reverse(player.purse()));
    }
    let mut line = String::new();
    for purse in all.iter().map(text) {
        if line.len() + purse.len() > room {
            break;
        }
        line += &purse;
    }
    line
}
