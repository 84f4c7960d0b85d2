//! Finished games, results and ratings in the database.

use nuggets_arena::ratings::{self, RatedTeam, Rating};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::accounts;
use super::sql::{Counter, Sql, SqlRow, ToSql};
use super::summary::EndedGame;
use super::{FinishedGame, PlayerHistory, Rated, RatingRow, Reply, ResultRow, Store, StoreError};
use crate::{EndReason, Finished, GameId, PlayerId};

/// The maximum number of games listed on the page of a player.
const MAX_GAMES_OF_PLAYER: u32 = 100;
/// The maximum number of ratings in the chart of a player.
const MAX_POINTS: u32 = 1000;

impl Rated {
    /// Returns the key in the database.
    fn key(&self) -> String {
        match self {
            Self::Player(PlayerId(id)) => format!("player:{id}"),
            Self::Bot(brain) => format!("bot:{brain}"),
        }
    }

    fn of_key(key: &str) -> Option<Self> {
        let player = key.strip_prefix("player:").and_then(|id| id.parse().ok());
        let bot = || key.strip_prefix("bot:").map(|brain| Self::Bot(brain.to_owned()));
        player.map(|id| Self::Player(PlayerId(id))).or_else(bot)
    }

    fn player(&self) -> Option<PlayerId> {
        match self {
            Self::Player(id) => Some(*id),
            Self::Bot(_) => None,
        }
    }
}

/// Returns the end of this game, if it is in the index.
pub(super) fn finished(sql: &mut dyn Sql, game: GameId) -> Result<Option<Finished>, StoreError> {
    let statement = "SELECT number, finished_ms, reason FROM games WHERE id = $1";
    let found = sql.query_one(statement, &[&game])?;
    let finished = |row: SqlRow| {
        let reason: String = row.get(2)?;
        let reason = from_word(&reason).unwrap_or(EndReason::Failed);
        Ok(Finished { number: row.get(0)?, unix_ms: row.get(1)?, reason })
    };
    found.map(finished).transpose()
}

pub(super) fn mark_end_stored(sql: &mut dyn Sql, game: GameId) -> Result<(), StoreError> {
    sql.execute("UPDATE games SET is_marked = $2 WHERE id = $1", &[&game, &true]).map(drop)
}

/// Returns the games of a statement that selects ids.
pub(super) fn game_ids(sql: &mut dyn Sql, statement: &str) -> Result<Vec<GameId>, StoreError> {
    let ids = sql.query(statement, &[])?;
    let ids: Vec<String> = ids.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?;
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Removes all rows that can be rebuilt from journals.
pub(super) fn clear(sql: &mut dyn Sql) -> Result<(), StoreError> {
    for table in ["history", "ratings", "results", "games"] {
        sql.execute(&format!("DELETE FROM {table}"), &[])?;
    }
    sql.execute("UPDATE counters SET value = 0 WHERE name = 'games'", &[])?;
    Ok(())
}

/// Adds a game that has just ended, with the next number. The game must not be in the index.
pub(super) fn add(
    sql: &mut dyn Sql,
    game: &EndedGame,
    reason: EndReason,
    now_ms: u64,
) -> Result<Finished, StoreError> {
    let number = sql.raise(Counter::Games)?;
    let ended = Finished { number, unix_ms: now_ms, reason };
    let ended = Finished { number, ..game.meta.finished.unwrap_or(ended) };
    let reason = if game.is_over { EndReason::Over } else { ended.reason };
    let ended = Finished { reason, ..ended };
    insert(sql, game, ended)?;
    Ok(ended)
}

/// Adds a game with its results and changes the ratings. The game must not be in the index.
pub(super) fn insert(
    sql: &mut dyn Sql,
    game: &EndedGame,
    finished: Finished,
) -> Result<(), StoreError> {
    sql.raise_to(Counter::Games, finished.number)?;
    let may_rate = finished.reason == EndReason::Over && game.meta.rated;
    let teams = if may_rate { teams(game) } else { vec![] };
    let is_rated = teams.len() > 1;
    insert_game(sql, game, finished, is_rated)?;
    for seat in &game.seats {
        if let Some(Rated::Player(id)) = seat.who {
            accounts::ensure_known(sql, id, &seat.name, finished.unix_ms)?;
        }
        insert_result(sql, game.meta.id, seat)?;
    }
    if is_rated { rate(sql, finished.number, &teams) } else { Ok(()) }
}

fn insert_game(
    sql: &mut dyn Sql,
    game: &EndedGame,
    finished: Finished,
    is_rated: bool,
) -> Result<(), StoreError> {
    let meta = &game.meta;
    sql.execute(
        "INSERT INTO games (id, number, is_marked, map, map_rows, map_cols, gold, created_ms, finished_ms,
         duration_ms, reason, visibility, creator, rated)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            &meta.id,
            &finished.number,
            &false,
            &meta.map_name,
            &game.rows,
            &game.cols,
            &game.gold,
            &meta.created_unix_ms,
            &finished.unix_ms,
            &game.duration_ms,
            &to_word(finished.reason),
            &to_word(meta.visibility),
            &meta.creator,
            &is_rated,
        ],
    )?;
    Ok(())
}

fn insert_result(sql: &mut dyn Sql, game: GameId, seat: &ResultRow) -> Result<(), StoreError> {
    sql.execute(
        "INSERT INTO results (game, letter, name, who, player, purse, place)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            &game,
            &seat.letter.to_string(),
            &seat.name,
            &seat.who.as_ref().map(Rated::key),
            &seat.who.as_ref().and_then(Rated::player),
            &seat.purse,
            &seat.place,
        ],
    )?;
    Ok(())
}

/// A person or brain in a game, with all of its seats.
struct RatedSide {
    who: Rated,
    nuggets: u64,
    seats: u64,
}

/// Returns one team for each person and one for all bots of a brain, in the order of their first letters. Leaves out
/// players without an account, such as UDP clients.
fn teams(game: &EndedGame) -> Vec<RatedSide> {
    let mut teams: Vec<RatedSide> = Vec::new();
    for seat in &game.seats {
        let Some(who) = &seat.who else { continue };
        let nuggets = u64::from(seat.purse);
        match teams.iter_mut().find(|team| team.who == *who) {
            Some(team) => {
                team.nuggets += nuggets;
                team.seats += 1;
            }
            None => teams.push(RatedSide { who: who.clone(), nuggets, seats: 1 }),
        }
    }
    teams
}

fn rate(sql: &mut dyn Sql, number: u64, teams: &[RatedSide]) -> Result<(), StoreError> {
    let before = locked_ratings(sql, teams)?;
    let rated: Vec<RatedTeam> = teams
        .iter()
        .zip(&before)
        .map(|(team, rating)| RatedTeam {
            rating: *rating,
            nuggets: team.nuggets,
            seats: team.seats,
        })
        .collect();
    let places = ratings::places(&rated);
    let winners = places.iter().filter(|place| **place == 1).count();
    let after = ratings::rate(&rated);
    for (index, team) in teams.iter().enumerate() {
        let win = if places[index] == 1 {
            1.0 / f64::from(u32::try_from(winners).unwrap_or(1))
        } else {
            0.0
        };
        let Rating { mean, deviation } = after[index];
        let key = team.who.key();
        sql.execute(
            "UPDATE ratings SET mean = $2, deviation = $3, games = games + 1, wins = wins + $4 WHERE who = $1",
            &[&key, &mean, &deviation, &win],
        )?;
        sql.execute(
            "INSERT INTO history (who, number, mean_before, mean, deviation) VALUES ($1, $2, $3, $4, $5)",
            &[&key, &number, &before[index].mean, &mean, &deviation],
        )?;
    }
    Ok(())
}

/// Returns the ratings of the teams. Creates and locks their rows in the order of keys, so that two nodes neither lose an
/// update nor deadlock.
fn locked_ratings(sql: &mut dyn Sql, teams: &[RatedSide]) -> Result<Vec<Rating>, StoreError> {
    let mut by_key: Vec<(String, usize)> =
        teams.iter().map(|team| team.who.key()).zip(0..).collect();
    by_key.sort_unstable();
    let mut ratings = vec![Rating::default(); teams.len()];
    for (key, index) in by_key {
        let Rating { mean, deviation } = Rating::default();
        let row = sql.query_one(
            "INSERT INTO ratings (who, player, mean, deviation, games, wins) VALUES ($1, $2, $3, $4, 0, $5)
             ON CONFLICT (who) DO UPDATE SET games = ratings.games RETURNING mean, deviation",
            &[&key, &teams[index].who.player(), &mean, &deviation, &0.0],
        )?;
        let row = row.ok_or(StoreError::Column { column: 0 })?;
        ratings[index] = Rating { mean: row.get(0)?, deviation: row.get(1)? };
    }
    Ok(ratings)
}

/// The columns of `finished_row`.
const GAME_COLUMNS: &str = "id, map, map_rows, map_cols, gold, created_ms, finished_ms, duration_ms, reason, \
                            visibility, rated, number";

pub(super) fn game(sql: &mut dyn Sql, game: GameId) -> Result<Option<FinishedGame>, StoreError> {
    let statement = format!("SELECT {GAME_COLUMNS} FROM games WHERE id = $1");
    Ok(finished_games(sql, &statement, &[&game])?.pop())
}

impl Store {
    /// Returns the last finished games that this person may find, newest first.
    pub fn finished_games(&self, viewer: Option<PlayerId>, limit: u32) -> Reply<Vec<FinishedGame>> {
        self.transaction(move |sql| {
            let statement = format!(
                "SELECT {GAME_COLUMNS} FROM games WHERE {MAY_FIND} ORDER BY number DESC LIMIT $2"
            );
            finished_games(sql, &statement, &[&viewer, &limit])
        })
    }

    /// Returns the rating table, best first.
    pub fn ratings(&self, limit: u32) -> Reply<Vec<RatingRow>> {
        self.transaction(move |sql| {
            let statement = format!("{RATING_ROWS} ORDER BY place, who LIMIT $1");
            sql.query(&statement, &[&limit])?.iter().map(rating_row).collect()
        })
    }

    /// Returns the ratings and games of a player that the viewer may see; `None` for an unknown person, or a brain without
    /// rated games.
    pub fn player_history(
        &self,
        who: Rated,
        viewer: Option<PlayerId>,
    ) -> Reply<Option<PlayerHistory>> {
        self.transaction(move |sql| {
            let statement = format!("{RATING_ROWS} WHERE who = $1");
            let rating = sql.query_one(&statement, &[&who.key()])?;
            let rating = rating.as_ref().map(rating_row).transpose()?;
            let account = match who {
                Rated::Player(id) => accounts::find(sql, id)?,
                Rated::Bot(_) => None,
            };
            let known = account.map(|account| account.name);
            let name = known.or_else(|| rating.as_ref().map(|rating| rating.name.clone()));
            let Some(name) = name else { return Ok(None) };
            let (points, games) = (points(sql, &who)?, games_of(sql, &who, viewer)?);
            Ok(Some(PlayerHistory { rating, name, points, games }))
        })
    }
}

/// SQL condition: true if the viewer, parameter 1, may find a game without its link.
const MAY_FIND: &str =
    "(visibility = 'public' OR creator = $1 OR id IN (SELECT game FROM results WHERE player = $1))";

const RATING_ROWS: &str = "SELECT * FROM
    (SELECT who, name, password IS NOT NULL AS is_claimed, mean, deviation, games, wins,
     RANK() OVER (ORDER BY mean - 3 * deviation DESC) AS place
     FROM ratings LEFT JOIN players ON players.id = player) AS rating_table";

fn points(sql: &mut dyn Sql, who: &Rated) -> Result<Vec<f64>, StoreError> {
    let statement = "SELECT mean FROM history WHERE who = $1 ORDER BY number DESC LIMIT $2";
    let rows = sql.query(statement, &[&who.key(), &MAX_POINTS])?;
    rows.iter().rev().map(|row| row.get(0)).collect()
}

fn games_of(
    sql: &mut dyn Sql,
    who: &Rated,
    viewer: Option<PlayerId>,
) -> Result<Vec<FinishedGame>, StoreError> {
    let statement = format!(
        "SELECT {GAME_COLUMNS} FROM games WHERE {MAY_FIND}
         AND id IN (SELECT game FROM results WHERE who = $2) ORDER BY number DESC LIMIT $3"
    );
    finished_games(sql, &statement, &[&viewer, &who.key(), &MAX_GAMES_OF_PLAYER])
}

/// Returns the games of a statement that selects `GAME_COLUMNS`, with their results.
fn finished_games(
    sql: &mut dyn Sql,
    statement: &str,
    parameters: &[&dyn ToSql],
) -> Result<Vec<FinishedGame>, StoreError> {
    let rows = sql.query(statement, parameters)?;
    rows.iter()
        .map(|row| Ok(FinishedGame { results: results(sql, row)?, ..finished_row(row)? }))
        .collect()
}

/// Converts a row of `GAME_COLUMNS` to a game without its results.
fn finished_row(row: &SqlRow) -> Result<FinishedGame, StoreError> {
    let (id, reason, visibility): (String, String, String) =
        (row.get(0)?, row.get(8)?, row.get(9)?);
    Ok(FinishedGame {
        id: id.parse().map_err(|_| StoreError::Column { column: 0 })?,
        map: row.get(1)?,
        rows: row.get(2)?,
        cols: row.get(3)?,
        gold: row.get(4)?,
        created_unix_ms: row.get(5)?,
        finished_unix_ms: row.get(6)?,
        duration_ms: row.get(7)?,
        reason: from_word(&reason).ok_or(StoreError::Column { column: 8 })?,
        visibility: from_word(&visibility).ok_or(StoreError::Column { column: 9 })?,
        rated: row.get(10)?,
        results: Vec::new(),
    })
}

/// Returns the results of a game, given its row of `GAME_COLUMNS`.
fn results(sql: &mut dyn Sql, game: &SqlRow) -> Result<Vec<ResultRow>, StoreError> {
    let (id, number): (String, u64) = (game.get(0)?, game.get(11)?);
    let rows = sql.query(
        "SELECT letter, name, results.who, purse, place, mean, mean - mean_before FROM results
         LEFT JOIN history ON history.who = results.who AND history.number = $2
         WHERE game = $1 ORDER BY place, letter",
        &[&id, &number],
    )?;
    rows.iter().map(result_row).collect()
}

fn result_row(row: &SqlRow) -> Result<ResultRow, StoreError> {
    let (letter, who): (String, Option<String>) = (row.get(0)?, row.get(2)?);
    let (mean, change): (Option<f64>, Option<f64>) = (row.get(5)?, row.get(6)?);
    Ok(ResultRow {
        letter: letter.chars().next().unwrap_or('?'),
        name: row.get(1)?,
        who: who.and_then(|key| Rated::of_key(&key)),
        purse: row.get(3)?,
        place: row.get(4)?,
        rating: mean.zip(change),
    })
}

fn rating_row(row: &SqlRow) -> Result<RatingRow, StoreError> {
    let key: String = row.get(0)?;
    let who = Rated::of_key(&key).unwrap_or(Rated::Bot(key));
    let name: Option<String> = row.get(1)?;
    let name = name.unwrap_or_else(|| match &who {
        Rated::Bot(brain) => brain.clone(),
        Rated::Player(_) => "unknown".to_owned(),
    });
    let rating = Rating { mean: row.get(3)?, deviation: row.get(4)? };
    Ok(RatingRow {
        place: row.get(7)?,
        who,
        name,
        claimed: row.get(2)?,
        rating: rating.mean,
        deviation: rating.deviation,
        certain: rating.certain(),
        games: row.get(5)?,
        wins: row.get(6)?,
    })
}

/// Returns the JSON name of an enum variant without fields.
fn to_word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("a plain enum is a word");
    value.as_str().expect("a plain enum is a word").to_owned()
}

fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}
