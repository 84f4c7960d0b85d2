//! The words of the status line and the room they take.

use crate::App;

/// The status line, without the note.
pub(super) fn line(app: &App) -> String {
    let letter = app.scene().letter().unwrap_or('?');
    match (app.scene().gold(), app.join().is_spectator()) {
        (Some(gold), true) => watching(gold.remaining),
        (Some(gold), false) => playing(letter, gold.purse, gold.remaining),
        (None, true) => "Spectator".to_owned(),
        (None, false) => format!("Player {letter}"),
    }
}

/// The most columns that the status line can take in this game. Each number is counted at the width
/// of their sum: it can't grow beyond that, however the gold is shared out.
pub(super) fn widest(app: &App) -> u16 {
    let Some(gold) = app.scene().gold() else {
        return 0;
    };
    let all = u64::from(gold.purse) + u64::from(gold.remaining);
    let line = if app.join().is_spectator() { watching(all) } else { playing('A', all, all) };
    u16::try_from(line.len()).unwrap_or(u16::MAX)
}

/// What is shown until somebody answers.
pub(super) fn connecting(app: &App) -> String {
    let place = app.join().place();
    let again = match app.join_try() {
        Some((asked @ 2.., of)) => format!(" (try {asked} of {of})"),
        _ => String::new(),
    };
    let note = app.note().map(|note| format!("  {note}"));
    format!("connecting to {place}{again}{}", note.unwrap_or_default())
}

fn playing(letter: char, purse: impl Into<u64>, remaining: impl Into<u64>) -> String {
    let (purse, remaining) = (purse.into(), remaining.into());
    format!("Player {letter} has {purse} nuggets ({remaining} nuggets unclaimed).")
}

fn watching(remaining: impl Into<u64>) -> String {
    format!("Spectator: {} nuggets unclaimed.", remaining.into())
}
