//! Finished games, results and ratings in the database.

use nuggets_ratings::{RatedTeam, Rating};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::accounts;
use super::database::{from_sql, to_sql};
use super::summary::{GameSummary, SeatSummary};
use super::{FinishedGame, PlayerHistory, Rated, RatingPoint, RatingRow, ResultRow, StoreError};
use crate::{EndReason, Finished, GameId, GameMeta, PlayerId};

/// The maximum number of games listed on the page of a player.
const MAX_GAMES_OF_PLAYER: u32 = 100;
/// The maximum number of ratings in the chart of a player.
const MAX_POINTS: u32 = 1000;

impl Rated {
    /// As the database knows it.
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

    fn player(&self) -> Option<i64> {
        match self {
            Self::Player(id) => Some(to_sql(id.0)),
            Self::Bot(_) => None,
        }
    }
}

/// How this game ended, if it is in the index.
pub(super) fn finished(
    connection: &Connection,
    game: GameId,
) -> Result<Option<Finished>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT number, finished_ms, reason FROM games WHERE id = ?1")?;
    let found = statement.query_row([game.to_string()], |row| {
        let reason: String = row.get(2)?;
        let reason = from_word(&reason).unwrap_or(EndReason::Failed);
        Ok(Finished { number: from_sql(row.get(0)?), unix_ms: from_sql(row.get(1)?), reason })
    });
    Ok(found.optional()?)
}

/// The number of the next game that ends.
pub(super) fn next_number(connection: &Connection) -> Result<u64, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT COALESCE(MAX(number), 0) + 1 FROM games")?;
    Ok(from_sql(statement.query_row([], |row| row.get(0))?))
}

/// Games whose end is in the index but perhaps not yet in their own file.
pub(super) fn unmarked(connection: &Connection) -> Result<Vec<GameId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM games WHERE NOT is_marked")?;
    let ids: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

pub(super) fn set_marked(connection: &Connection, game: GameId) -> Result<(), StoreError> {
    let mut statement =
        connection.prepare_cached("UPDATE games SET is_marked = 1 WHERE id = ?1")?;
    statement.execute([game.to_string()])?;
    Ok(())
}

/// All games in the index.
pub(super) fn ids(connection: &Connection) -> Result<Vec<GameId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM games")?;
    let ids: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Removes everything that can be made again from journals.
pub(super) fn clear(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "DELETE FROM history; DELETE FROM ratings; DELETE FROM results; DELETE FROM games;",
    )?;
    Ok(())
}

/// Adds a game with its results and changes the ratings. The game must not be in the index.
pub(super) fn insert(
    transaction: &Connection,
    meta: &GameMeta,
    finished: Finished,
    summary: &GameSummary,
) -> Result<(), StoreError> {
    let teams =
        if finished.reason == EndReason::Over && meta.rated { teams(summary) } else { vec![] };
    let is_rated = teams.len() > 1;
    insert_game(transaction, meta, finished, (summary, is_rated))?;
    for seat in &summary.seats {
        if let Some(Rated::Player(id)) = seat.who {
            accounts::ensure_known(transaction, id, &seat.name, finished.unix_ms)?;
        }
        insert_result(transaction, meta.id, summary, seat)?;
    }
    if is_rated { rate(transaction, finished.number, &teams) } else { Ok(()) }
}

fn insert_game(
    transaction: &Connection,
    meta: &GameMeta,
    finished: Finished,
    (summary, is_rated): (&GameSummary, bool),
) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO games (id, number, is_marked, map, map_rows, map_cols, gold, created_ms, finished_ms,
         duration_ms, reason, visibility, creator, rated)
         VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    statement.execute(params![
        meta.id.to_string(),
        to_sql(finished.number),
        meta.map_name,
        summary.rows,
        summary.cols,
        summary.gold,
        to_sql(meta.created_unix_ms),
        to_sql(finished.unix_ms),
        to_sql(summary.duration_ms),
        to_word(finished.reason),
        to_word(meta.visibility),
        to_sql(meta.creator.0),
        is_rated,
    ])?;
    Ok(())
}

fn insert_result(
    transaction: &Connection,
    game: GameId,
    summary: &GameSummary,
    seat: &SeatSummary,
) -> Result<(), StoreError> {
    let richer = summary.seats.iter().filter(|other| other.purse > seat.purse).count();
    let mut statement = transaction.prepare_cached(
        "INSERT INTO results (game, letter, name, who, player, purse, place)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    statement.execute(params![
        game.to_string(),
        seat.letter.to_string(),
        seat.name,
        seat.who.as_ref().map(Rated::key),
        seat.who.as_ref().and_then(Rated::player),
        seat.purse,
        to_sql(richer as u64 + 1),
    ])?;
    Ok(())
}

/// A person or brain in a game, with all its seats.
struct Team {
    who: Rated,
    nuggets: u64,
    seats: u64,
}

/// One team for each person and one for all bots of a brain, in the order of their first letters. Players whom the host
/// doesn't know are left out.
fn teams(summary: &GameSummary) -> Vec<Team> {
    let mut teams: Vec<Team> = Vec::new();
    for seat in &summary.seats {
        let Some(who) = &seat.who else { continue };
        let nuggets = u64::from(seat.purse);
        match teams.iter_mut().find(|team| team.who == *who) {
            Some(team) => {
                team.nuggets += nuggets;
                team.seats += 1;
            }
            None => teams.push(Team { who: who.clone(), nuggets, seats: 1 }),
        }
    }
    teams
}

fn rate(transaction: &Connection, number: u64, teams: &[Team]) -> Result<(), StoreError> {
    let before: Vec<Rating> =
        teams.iter().map(|team| rating(transaction, &team.who)).collect::<Result<_, _>>()?;
    let rated: Vec<RatedTeam> = teams
        .iter()
        .zip(&before)
        .map(|(team, rating)| RatedTeam {
            rating: *rating,
            nuggets: team.nuggets,
            seats: team.seats,
        })
        .collect();
    let places = nuggets_ratings::places(&rated);
    let winners = places.iter().filter(|place| **place == 1).count();
    let after = nuggets_ratings::rate(&rated);
    for (index, team) in teams.iter().enumerate() {
        let win = if places[index] == 1 {
            1.0 / f64::from(u32::try_from(winners).unwrap_or(1))
        } else {
            0.0
        };
        save_rating(transaction, &team.who, after[index], win)?;
        let mut statement = transaction.prepare_cached(
            "INSERT INTO history (who, number, mean_before, mean, deviation) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let Rating { mean, deviation } = after[index];
        let key = team.who.key();
        statement.execute(params![key, to_sql(number), before[index].mean, mean, deviation])?;
    }
    Ok(())
}

fn rating(connection: &Connection, who: &Rated) -> Result<Rating, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT mean, deviation FROM ratings WHERE who = ?1")?;
    let found = statement
        .query_row([who.key()], |row| Ok(Rating { mean: row.get(0)?, deviation: row.get(1)? }));
    Ok(found.optional()?.unwrap_or_default())
}

fn save_rating(
    connection: &Connection,
    who: &Rated,
    rating: Rating,
    win: f64,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO ratings (who, player, mean, deviation, games, wins) VALUES (?1, ?2, ?3, ?4, 1, ?5)
         ON CONFLICT (who) DO UPDATE SET mean = ?3, deviation = ?4, games = games + 1, wins = wins + ?5",
    )?;
    let Rating { mean, deviation } = rating;
    statement.execute(params![who.key(), who.player(), mean, deviation, win])?;
    Ok(())
}

/// The columns of `finished_row`.
const GAME_COLUMNS: &str = "id, map, map_rows, map_cols, gold, created_ms, finished_ms, duration_ms, reason, \
                            visibility, rated, number";

/// A finished game.
pub(super) fn game(
    connection: &Connection,
    game: GameId,
) -> Result<Option<FinishedGame>, StoreError> {
    let sql = format!("SELECT {GAME_COLUMNS} FROM games WHERE id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row([game.to_string()], finished_row).optional()?;
    found.map(|found| with_results(connection, found)).transpose()
}

/// The last games that this person may find, the newest first.
pub(super) fn latest(
    connection: &Connection,
    viewer: Option<PlayerId>,
    limit: u32,
) -> Result<Vec<FinishedGame>, StoreError> {
    let sql =
        format!("SELECT {GAME_COLUMNS} FROM games WHERE {MAY_FIND} ORDER BY number DESC LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let viewer = viewer.map(|viewer| to_sql(viewer.0));
    let games: Vec<_> =
        statement.query_map(params![viewer, limit], finished_row)?.collect::<Result<_, _>>()?;
    games.into_iter().map(|found| with_results(connection, found)).collect()
}

/// Whether the viewer, parameter 1, may find a game without its link.
const MAY_FIND: &str =
    "(visibility = 'public' OR creator = ?1 OR id IN (SELECT game FROM results WHERE player = ?1))";

/// The rating table, the best first.
pub(super) fn ratings(connection: &Connection, limit: u32) -> Result<Vec<RatingRow>, StoreError> {
    let sql = format!("{RATING_ROWS} ORDER BY place, who LIMIT ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows: Vec<RatingRow> =
        statement.query_map([limit], rating_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

const RATING_ROWS: &str =
    "SELECT * FROM (SELECT who, name, password IS NOT NULL, mean, deviation, games, wins,
     RANK() OVER (ORDER BY mean - 3 * deviation DESC) AS place
     FROM ratings LEFT JOIN players ON players.id = player)";

/// The page of a player; none for an unknown person, or a brain without rated games.
pub(super) fn history(
    connection: &Connection,
    who: &Rated,
    viewer: Option<PlayerId>,
) -> Result<Option<PlayerHistory>, StoreError> {
    let sql = format!("{RATING_ROWS} WHERE who = ?1");
    let rating = connection.prepare_cached(&sql)?.query_row([who.key()], rating_row).optional()?;
    let account = match who {
        Rated::Player(id) => accounts::find(connection, *id)?,
        Rated::Bot(_) => None,
    };
    let (name, claimed) = match (&account, &rating) {
        (Some(account), _) => (account.name.clone(), account.claimed),
        (None, Some(rating)) => (rating.name.clone(), rating.claimed),
        (None, None) => return Ok(None),
    };
    let points = points(connection, who)?;
    let games = games_of(connection, who, viewer)?;
    Ok(Some(PlayerHistory { rating, name, claimed, points, games }))
}

fn points(connection: &Connection, who: &Rated) -> Result<Vec<RatingPoint>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT finished_ms, mean, deviation FROM history JOIN games USING (number)
         WHERE who = ?1 ORDER BY number DESC LIMIT ?2",
    )?;
    let point = |row: &Row<'_>| {
        let finished_unix_ms = from_sql(row.get(0)?);
        Ok(RatingPoint { finished_unix_ms, rating: row.get(1)?, deviation: row.get(2)? })
    };
    let mut points: Vec<RatingPoint> =
        statement.query_map(params![who.key(), MAX_POINTS], point)?.collect::<Result<_, _>>()?;
    points.reverse();
    Ok(points)
}

fn games_of(
    connection: &Connection,
    who: &Rated,
    viewer: Option<PlayerId>,
) -> Result<Vec<FinishedGame>, StoreError> {
    let sql = format!(
        "SELECT {GAME_COLUMNS} FROM games WHERE {MAY_FIND}
         AND id IN (SELECT game FROM results WHERE who = ?2) ORDER BY number DESC LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let viewer = viewer.map(|viewer| to_sql(viewer.0));
    let rows =
        statement.query_map(params![viewer, who.key(), MAX_GAMES_OF_PLAYER], finished_row)?;
    let games: Vec<_> = rows.collect::<Result<_, _>>()?;
    games.into_iter().map(|found| with_results(connection, found)).collect()
}

/// A game without its results, and its number.
fn finished_row(row: &Row<'_>) -> rusqlite::Result<(FinishedGame, i64)> {
    let id: String = row.get(0)?;
    let bad = |column| {
        rusqlite::Error::InvalidColumnType(column, "word".into(), rusqlite::types::Type::Text)
    };
    let reason: String = row.get(8)?;
    let visibility: String = row.get(9)?;
    let game = FinishedGame {
        id: id.parse().map_err(|_| bad(0))?,
        map: row.get(1)?,
        rows: row.get(2)?,
        cols: row.get(3)?,
        gold: row.get(4)?,
        created_unix_ms: from_sql(row.get(5)?),
        finished_unix_ms: from_sql(row.get(6)?),
        duration_ms: from_sql(row.get(7)?),
        reason: from_word(&reason).ok_or_else(|| bad(8))?,
        visibility: from_word(&visibility).ok_or_else(|| bad(9))?,
        rated: row.get(10)?,
        results: Vec::new(),
    };
    Ok((game, row.get(11)?))
}

fn with_results(
    connection: &Connection,
    (mut game, number): (FinishedGame, i64),
) -> Result<FinishedGame, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT letter, name, results.who, purse, place, mean, mean - mean_before FROM results
         LEFT JOIN history ON history.who = results.who AND history.number = ?2
         WHERE game = ?1 ORDER BY place, letter",
    )?;
    let rows = statement.query_map(params![game.id.to_string(), number], result_row)?;
    game.results = rows.collect::<Result<_, _>>()?;
    Ok(game)
}

fn result_row(row: &Row<'_>) -> rusqlite::Result<ResultRow> {
    let letter: String = row.get(0)?;
    let who: Option<String> = row.get(2)?;
    let mean: Option<f64> = row.get(5)?;
    let change: Option<f64> = row.get(6)?;
    Ok(ResultRow {
        letter: letter.chars().next().unwrap_or('?'),
        name: row.get(1)?,
        who: who.and_then(|key| Rated::of_key(&key)),
        purse: row.get(3)?,
        place: row.get(4)?,
        rating: mean.zip(change),
    })
}

fn rating_row(row: &Row<'_>) -> rusqlite::Result<RatingRow> {
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

/// The word of a plain enum, as in JSON.
fn to_word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("a plain enum is a word");
    value.as_str().expect("a plain enum is a word").to_owned()
}

fn from_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}
