//! Who did how well: every game counted, in the order of the games.

use nuggets_game::Letter;
use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use super::Entrant;
use super::contest::{Played, Seated, Trouble};

/// How a tournament came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// Games that were played.
    pub games: u64,
    /// Games among them that were stopped because they took too long.
    pub unfinished: u64,
    /// One row for each entrant, in the order of entry.
    pub rows: Vec<Row>,
}

/// How one entrant did.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// How many bots it had in every game.
    pub bots: usize,
    /// Games in which the fullest purse was one of its own; a tie is shared.
    pub wins: f64,
    /// Nuggets in a purse of its at the end of a game, on average.
    pub mean_purse: f64,
    /// Keys pressed for every nugget; none if it never had any.
    pub moves_per_nugget: Option<f64>,
    /// Its rating by Weng and Lin's method, entrants ranked in each game by their mean purse.
    pub rating: f64,
    /// How far that may be off.
    pub deviation: f64,
    /// Turns that it lost.
    pub lost_turns: u64,
    /// The first game in which it was in trouble, counted from 1, and why.
    pub first_trouble: Option<(u64, Trouble)>,
    /// Its mean purse over time.
    pub curve: Curve,
}

/// A mean purse after each round. Games that have ended stay as they ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Nuggets after 0, 1, 2, … rounds.
    pub nuggets: Vec<f64>,
}

/// What is added up for one entrant.
#[derive(Clone, Debug, Default)]
struct Sums {
    wins: f64,
    nuggets: u64,
    keys: u64,
    lost_turns: u64,
    first_trouble: Option<(u64, Trouble)>,
    /// How much the purses changed after each round, in all games.
    changes: Vec<i64>,
    rating: WengLinRating,
}

impl Standings {
    pub(super) fn of(entrants: &[Entrant], played: &[(u64, Played)]) -> Self {
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
    fn row(self, entrant: &Entrant, games: u64, rounds: u32) -> Row {
        let purses = real(games) * real(entrant.count as u64);
        Row {
            name: entrant.name.clone(),
            bots: entrant.count,
            wins: self.wins,
            mean_purse: share(self.nuggets, purses).unwrap_or(0.0),
            moves_per_nugget: share(self.keys, real(self.nuggets)),
            rating: self.rating.rating,
            deviation: self.rating.uncertainty,
            lost_turns: self.lost_turns,
            first_trouble: self.first_trouble,
            curve: Curve::of(&self.changes, rounds, purses),
        }
    }
}

impl Curve {
    fn of(changes: &[i64], rounds: u32, purses: f64) -> Self {
        let mut sum = 0;
        let rounds = 0..=rounds as usize;
        let after = rounds.map(|round| {
            sum += changes.get(round).copied().unwrap_or(0);
            share(sum.unsigned_abs(), purses).unwrap_or(0.0)
        });
        Self { nuggets: after.collect() }
    }
}

fn count_seats(sums: &mut [Sums], game: u64, played: &Played) {
    for seat in &played.seats {
        let sum = &mut sums[seat.entrant];
        sum.nuggets += u64::from(seat.purse);
        sum.keys += u64::from(seat.keys);
        sum.lost_turns += u64::from(seat.lost_turns);
        if let (None, Some(trouble)) = (&sum.first_trouble, &seat.first_trouble) {
            sum.first_trouble = Some((game + 1, trouble.clone()));
        }
    }
}

/// The fullest purse wins; several of the same size share the win.
fn count_wins(sums: &mut [Sums], seats: &[Seated]) {
    let fullest = seats.iter().map(|seat| seat.purse).max().unwrap_or(0);
    let winners: Vec<usize> =
        seats.iter().filter(|seat| seat.purse == fullest).map(|seat| seat.entrant).collect();
    for &entrant in &winners {
        sums[entrant].wins += 1.0 / real(winners.len() as u64);
    }
}

/// One team for each entrant, ranked by the mean purse of its bots in this game.
fn rate(sums: &mut [Sums], seats: &[Seated]) {
    let mut means = vec![(0, 0); sums.len()];
    for seat in seats {
        means[seat.entrant].0 += u64::from(seat.purse);
        means[seat.entrant].1 += 1;
    }
    // Means compare by cross multiplication: whole numbers, no rounding.
    let beats = |(a, n): (u64, u64), (b, m): (u64, u64)| a * m > b * n;
    let rank = |mean| 1 + means.iter().filter(|other| beats(**other, mean)).count();
    let ratings: Vec<[WengLinRating; 1]> = sums.iter().map(|sum| [sum.rating]).collect();
    let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = ratings
        .iter()
        .zip(&means)
        .map(|(team, mean)| (&team[..], MultiTeamOutcome::new(rank(*mean))))
        .collect();
    if teams.len() > 1 {
        let rated = weng_lin_multi_team(&teams, &WengLinConfig::default());
        for (sum, team) in sums.iter_mut().zip(rated) {
            sum.rating = team[0];
        }
    }
}

fn add_changes(sums: &mut [Sums], played: &Played) {
    let mut before = [0_i64; Letter::COUNT];
    for purse in &played.purses {
        let (now, round) = (i64::from(purse.nuggets), purse.round as usize);
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

#[allow(clippy::cast_precision_loss, reason = "no tournament counts beyond 2^53")]
fn real(number: u64) -> f64 {
    number as f64
}
