//! One game after another on the same port, as long as the server announces the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nuggets_session::{Link, SessionOutcome};

use super::{BotFlags, BotResult, BotTeam, Mind, PlayedBot, PreparedBot, play_game};
use crate::BotProgram;

/// A bot that has played a game and is to play the next one.
pub(super) struct NextSeat {
    pub(super) name: Vec<u8>,
    pub(super) mind: Mind,
    /// The seed of the last game.
    pub(super) seed: u64,
    pub(super) link: Link,
}

/// Runs the bots in one game after another: those that stayed in a game to its end join the next one, if the server has
/// announced it. Calls `report` after each game that another one may follow, and returns the results of the last game.
/// They are empty if the server has ended between two games.
pub fn run_games(team: BotTeam<'_>, mut report: impl FnMut(Vec<BotResult>)) -> Vec<BotResult> {
    let settings = team.settings;
    let (stop, hold) = (Arc::clone(&team.stop), Arc::clone(&team.hold));
    let flags = BotFlags { stop: &stop, hold: &hold };
    let mut seats = team.into_seats();
    let seat_count = u64::try_from(seats.len()).unwrap_or(u64::MAX);
    let (mut results, mut next) = split(play_game(settings, seats, flags));
    while !next.is_empty() && !stop.load(Ordering::Relaxed) {
        report(std::mem::take(&mut results));
        seats = Vec::new();
        for seat in next {
            match seat.prepare(seat_count, &stop) {
                Ok(seat) => seats.push(seat),
                // The stop also ends a program that is just starting.
                Err(_) if stop.load(Ordering::Relaxed) => {}
                Err(result) => results.push(*result),
            }
        }
        let played = split(play_game(settings, seats, flags));
        results.extend(played.0.into_iter().filter(is_about_a_game));
        next = played.1;
    }
    results
}

fn split(played: Vec<PlayedBot>) -> (Vec<BotResult>, Vec<NextSeat>) {
    let (results, next): (Vec<_>, Vec<_>) =
        played.into_iter().map(|played| (played.result, played.next)).unzip();
    (results, next.into_iter().flatten().collect())
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

impl NextSeat {
    /// Returns the bot for the next game, or the result of one whose program can't be started again.
    fn prepare(self, seats: u64, stop: &Arc<AtomicBool>) -> Result<PreparedBot, Box<BotResult>> {
        let Self { name, mind, seed, link } = self;
        let seed = seed.wrapping_add(seats);
        let seat = match &mind {
            Mind::Brain(kind) => PreparedBot::with_brain(*kind, seed),
            Mind::Program { line, limits } => match BotProgram::start(line, *limits, stop) {
                Ok(program) => PreparedBot::with_program(program, seed, stop),
                Err(failure) => {
                    return Err(Box::new(BotResult {
                        name,
                        brain: mind.into_text(),
                        letter: None,
                        purse: 0,
                        keys: 0,
                        outcome: SessionOutcome::NeverJoined,
                        failure: Some(failure),
                    }));
                }
            },
        };
        Ok(PreparedBot { name, link: Some(link), ..seat })
    }
}
