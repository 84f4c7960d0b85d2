//! The standings: results of all games, added up in the order of the games.

use crate::ratings::{self, RatedTeam, Rating};
use nuggets_game::Letter;

use super::contest::{FaultReport, PlayedGame, SeatResult};
use super::{Entrant, EntrantKind};

/// The result of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// Games played.
    pub games: u64,
    /// The number of these games that were stopped at the round limit.
    pub unfinished: u64,
    /// One row for each entrant, in the order of entry.
    pub rows: Vec<StandingsRow>,
}

/// The result of one entrant.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingsRow {
    /// Its name.
    pub name: String,
    /// The command line of a program.
    pub command: Option<String>,
    /// The number of its bots in every game.
    pub bots: usize,
    /// Games in which one of its bots had the fullest purse; a tie is shared.
    pub wins: f64,
    /// The mean purse of its bots at the end of a game, in nuggets.
    pub mean_purse: f64,
    /// Keys pressed per nugget; `None` if it has no nugget.
    pub moves_per_nugget: Option<f64>,
    /// Its rating by Weng and Lin's method, entrants ranked in each game by their mean purse.
    pub rating: f64,
    /// The standard deviation of the rating.
    pub deviation: f64,
    /// Turns without a valid key in time.
    pub lost_turns: u64,
    /// Its first fault, with the number of the game, counted from 1.
    pub first_fault: Option<(u64, FaultReport)>,
    /// Its mean purse over time.
    pub curve: PurseCurve,
}

/// The mean purse after each round. A game that has ended keeps its final purses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PurseCurve {
    /// Nuggets after 0, 1, 2, … rounds.
    pub nuggets: Vec<f64>,
}

/// The sums of one entrant.
#[derive(Clone, Debug, Default)]
struct Sums {
    wins: f64,
    nuggets: u64,
    keys: u64,
    lost_turns: u64,
    first_fault: Option<(u64, FaultReport)>,
    /// The sum of all purse changes in each round, over all games.
    changes: Vec<i64>,
    rating: Rating,
}

impl Standings {
    pub(super) fn new(entrants: &[Entrant], played: &[(u64, PlayedGame)]) -> Self {
        let mut sums = vec![Sums::default(); entrants.len()];
        for (game, played) in played {
            count_seats(&mut sums, *game, played);
            count_wins(&mut sums, &played.seats);
            rate(&mut sums, &played.seats);
            add_changes(&mut sums, played);
        }
        let games = played.len() as u64;
        let rounds = played.iter().map(|(_, played)| played.rounds).max().unwrap_or(0);
        let rows = entrants.iter().zip(sums);
        Self {
            games,
            unfinished: played.iter().filter(|(_, played)| !played.is_finished).count() as u64,
            rows: rows.map(|(entrant, sums)| sums.row(entrant, games, rounds)).collect(),
        }
    }
}

impl Sums {
    fn row(self, entrant: &Entrant, games: u64, rounds: u32) -> StandingsRow {
        let purses = real(games) * real(entrant.count as u64);
        StandingsRow {
            name: entrant.name.clone(),
            command: match &entrant.kind {
                EntrantKind::Command(line) => Some(line.clone()),
                EntrantKind::Brain(_) => None,
            },
            bots: entrant.count,
            wins: self.wins,
            mean_purse: share(self.nuggets, purses).unwrap_or(0.0),
            moves_per_nugget: share(self.keys, real(self.nuggets)),
            rating: self.rating.mean,
            deviation: self.rating.deviation,
            lost_turns: self.lost_turns,
            first_fault: self.first_fault,
            curve: PurseCurve::new(&self.changes, rounds, purses),
        }
    }
}

impl PurseCurve {
    fn new(changes: &[i64], rounds: u32, purses: f64) -> Self {
        let mut sum = 0;
        let rounds = 0..=rounds as usize;
        let after = rounds.map(|round| {
            sum += changes.get(round).copied().unwrap_or(0);
            share(sum.unsigned_abs(), purses).unwrap_or(0.0)
        });
        Self { nuggets: after.collect() }
    }
}

fn count_seats(sums: &mut [Sums], game: u64, played: &PlayedGame) {
    for seat in &played.seats {
        let sum = &mut sums[seat.entrant];
        sum.nuggets += u64::from(seat.purse);
        sum.keys += u64::from(seat.keys);
        sum.lost_turns += u64::from(seat.lost_turns);
        if let (None, Some(fault)) = (&sum.first_fault, &seat.first_fault) {
            sum.first_fault = Some((game + 1, fault.clone()));
        }
    }
}

/// Counts the win of the fullest purse; several of the same size share it.
fn count_wins(sums: &mut [Sums], seats: &[SeatResult]) {
    let fullest = seats.iter().map(|seat| seat.purse).max().unwrap_or(0);
    let winners: Vec<usize> =
        seats.iter().filter(|seat| seat.purse == fullest).map(|seat| seat.entrant).collect();
    for &entrant in &winners {
        sums[entrant].wins += 1.0 / real(winners.len() as u64);
    }
}

/// Updates the ratings, with one team for each entrant, ranked by the mean purse of its bots in this game.
fn rate(sums: &mut [Sums], seats: &[SeatResult]) {
    let team = |sum: &Sums| RatedTeam { rating: sum.rating, nuggets: 0, seats: 0 };
    let mut teams: Vec<RatedTeam> = sums.iter().map(team).collect();
    for seat in seats {
        teams[seat.entrant].nuggets += u64::from(seat.purse);
        teams[seat.entrant].seats += 1;
    }
    for (sum, rating) in sums.iter_mut().zip(ratings::rate(&teams)) {
        sum.rating = rating;
    }
}

fn add_changes(sums: &mut [Sums], played: &PlayedGame) {
    let mut before = [0_i64; Letter::COUNT];
    for purse in &played.purses {
        let now = i64::from(purse.nuggets);
        let round = purse.round as usize;
        let changes = &mut sums[played.seats[purse.seat].entrant].changes;
        if changes.len() <= round {
            changes.resize(round + 1, 0);
        }
        changes[round] += now - std::mem::replace(&mut before[purse.seat], now);
    }
}

fn share(sum: u64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| real(sum) / of)
}

#[expect(clippy::cast_precision_loss, reason = "no tournament counts beyond 2^53")]
fn real(number: u64) -> f64 {
    number as f64
}
