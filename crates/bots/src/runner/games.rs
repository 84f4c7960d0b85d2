//! One game after another on the same port, as long as the server announces the next one.

use std::sync::atomic::Ordering;

use nuggets_session::SessionOutcome;

use super::{BotResult, BotSeat, BotTeam, play_game};

/// Runs the bots in one game after another: those that stayed in a game to its end join the next one, if the server has
/// announced it. Calls `report` after each game that another one may follow, and returns the results of the last game.
/// They are empty if the server has ended between two games.
pub fn run_games(team: BotTeam<'_>, mut report: impl FnMut(Vec<BotResult>)) -> Vec<BotResult> {
    let (team, seats) = team.into_seats();
    let seat_count = u64::try_from(seats.len()).unwrap_or(u64::MAX);
    let (mut results, next): (Vec<_>, Vec<_>) = play_game(&team, seats).into_iter().unzip();
    let mut next: Vec<BotSeat> = next.into_iter().flatten().collect();
    while !next.is_empty() && !team.stop.load(Ordering::Relaxed) {
        report(std::mem::take(&mut results));
        let mut seats = Vec::new();
        for mut seat in next.drain(..) {
            seat.seed = seat.seed.wrapping_add(seat_count);
            match seat.mind.start(&team.stop) {
                Ok(()) => seats.push(seat),
                // The stop also ends a program that is just starting.
                Err(_) if team.stop.load(Ordering::Relaxed) => {}
                Err(failure) => results.push(BotResult {
                    brain: seat.mind.text(),
                    name: seat.name,
                    letter: None,
                    purse: 0,
                    keys: 0,
                    outcome: SessionOutcome::NeverJoined,
                    failure: Some(failure),
                }),
            }
        }
        for (result, seat) in play_game(&team, seats) {
            results.extend(Some(result).filter(is_about_a_game));
            next.extend(seat);
        }
    }
    results
}

/// False if the bot only failed to join a next game because there is none.
fn is_about_a_game(result: &BotResult) -> bool {
    let has_no_server = match &result.outcome {
        SessionOutcome::NoAnswer { .. }
        | SessionOutcome::NotAccepted
        | SessionOutcome::PortClosed
        | SessionOutcome::Unreachable { .. }
        | SessionOutcome::NeverJoined => true,
        outcome => outcome.is_shutdown(),
    };
    result.letter.is_some() || result.failure.is_some() || !has_no_server
}
