//! Ratings of players by the results of their games: Weng and Lin's method, for tournaments and hosts.
//!
//! This module is pure, and knows neither games nor players.

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

/// The estimated strength of a player, with its uncertainty.
///
/// ```
/// use nuggets_arena::ratings::Rating;
///
/// let newcomer = Rating::default();
/// assert_eq!((newcomer.mean, newcomer.certain()), (25.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The expected strength; 25 for a newcomer.
    pub mean: f64,
    /// Its standard deviation; a third of 25 for a newcomer.
    pub deviation: f64,
}

/// A rated player in one game, with one or more seats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedTeam {
    /// The rating before the game.
    pub rating: Rating,
    /// The nuggets of all its seats together.
    pub nuggets: u64,
    /// The number of its seats, at least 1.
    pub seats: u64,
}

impl Default for Rating {
    fn default() -> Self {
        let WengLinRating { rating, uncertainty } = WengLinRating::new();
        Self { mean: rating, deviation: uncertainty }
    }
}

impl Rating {
    /// Returns a lower bound of the strength: three deviations below the mean. Tables are sorted by it, so that one lucky
    /// game does not make a champion.
    pub fn certain(&self) -> f64 {
        self.mean - 3.0 * self.deviation
    }
}

/// Returns the ratings after a game, in the order of the teams, which are ranked by their mean purse. A single team
/// keeps its rating, because it had no opponent.
///
/// ```
/// use nuggets_arena::ratings::{RatedTeam, Rating, rate};
///
/// let rating = Rating::default();
/// let rich = RatedTeam { rating, nuggets: 200, seats: 1 };
/// let poor = RatedTeam { rating, nuggets: 50, seats: 1 };
/// let after = rate(&[rich, poor]);
/// assert!(after[0].mean > 25.0 && after[1].mean < 25.0);
/// ```
pub fn rate(teams: &[RatedTeam]) -> Vec<Rating> {
    if teams.len() < 2 {
        return teams.iter().map(|team| team.rating).collect();
    }
    let ratings: Vec<[WengLinRating; 1]> = teams.iter().map(|team| [team.rating.into()]).collect();
    let ranked: Vec<(&[WengLinRating], MultiTeamOutcome)> = ratings
        .iter()
        .zip(places(teams))
        .map(|(rating, place)| (&rating[..], MultiTeamOutcome::new(place)))
        .collect();
    let rated = weng_lin_multi_team(&ranked, &WengLinConfig::default());
    rated.into_iter().map(|team| team[0].into()).collect()
}

/// Returns the place of each team by its mean purse, from 1; teams with equal means share a place.
pub fn places(teams: &[RatedTeam]) -> Vec<usize> {
    // Means compare by cross multiplication: whole numbers, no rounding.
    let beats = |a: &RatedTeam, b: &RatedTeam| a.nuggets * b.seats > b.nuggets * a.seats;
    let place = |team| 1 + teams.iter().filter(|other| beats(other, team)).count();
    teams.iter().map(place).collect()
}

impl From<Rating> for WengLinRating {
    fn from(Rating { mean, deviation }: Rating) -> Self {
        Self { rating: mean, uncertainty: deviation }
    }
}

impl From<WengLinRating> for Rating {
    fn from(WengLinRating { rating, uncertainty }: WengLinRating) -> Self {
        Self { mean: rating, deviation: uncertainty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(nuggets: u64, seats: u64) -> RatedTeam {
        RatedTeam { rating: Rating::default(), nuggets, seats }
    }

    #[test]
    fn teams_are_ranked_by_their_mean_purse() {
        let teams = [team(30, 3), team(20, 1), team(40, 4), team(0, 1)];
        assert_eq!(places(&teams), [2, 1, 2, 4]);
    }

    #[test]
    fn equals_who_tie_stay_equal_and_become_more_certain() {
        let after = rate(&[team(10, 1), team(10, 1)]);
        assert_eq!(after[0], after[1]);
        assert!((after[0].mean - 25.0).abs() < 1e-9);
        assert!(after[0].deviation < Rating::default().deviation);
    }

    #[test]
    fn a_single_team_keeps_its_rating() {
        assert_eq!(rate(&[team(250, 2)]), [Rating::default()]);
        assert_eq!(rate(&[]), []);
    }

    #[test]
    fn a_surprise_counts_more_than_what_was_expected() {
        let strong = Rating { mean: 35.0, deviation: 3.0 };
        let weak = Rating { mean: 15.0, deviation: 3.0 };
        let game = |strong_purse, weak_purse| {
            let after = rate(&[
                RatedTeam { rating: strong, nuggets: strong_purse, seats: 1 },
                RatedTeam { rating: weak, nuggets: weak_purse, seats: 1 },
            ]);
            (after[0].mean - strong.mean).abs()
        };
        assert!(game(10, 240) > 10.0 * game(240, 10));
    }
}
