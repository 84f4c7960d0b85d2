//! Bans in the database.

use rusqlite::{Connection, params};

use super::StoreError;
use crate::{Ban, PlayerId};

const PERSON: &str = "person";
const SOURCE: &str = "source";

pub(super) fn save(connection: &Connection, ban: Ban) -> Result<(), StoreError> {
    let (kind, value) = columns(ban);
    let mut statement =
        connection.prepare_cached("INSERT OR IGNORE INTO bans (kind, value) VALUES (?1, ?2)")?;
    statement.execute(params![kind, value])?;
    Ok(())
}

pub(super) fn remove(connection: &Connection, ban: Ban) -> Result<(), StoreError> {
    let (kind, value) = columns(ban);
    let mut statement =
        connection.prepare_cached("DELETE FROM bans WHERE kind = ?1 AND value = ?2")?;
    statement.execute(params![kind, value])?;
    Ok(())
}

pub(super) fn list(connection: &Connection) -> Result<Vec<Ban>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT kind, value FROM bans ORDER BY kind, value")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
    Ok(rows.iter().filter_map(|(kind, value)| ban(kind, value)).collect())
}

fn columns(ban: Ban) -> (&'static str, String) {
    match ban {
        Ban::Person(PlayerId(id)) => (PERSON, id.to_string()),
        Ban::Source(source) => (SOURCE, source.to_string()),
    }
}

fn ban(kind: &str, value: &str) -> Option<Ban> {
    match kind {
        PERSON => value.parse().ok().map(|id| Ban::Person(PlayerId(id))),
        SOURCE => value.parse().ok().map(Ban::Source),
        _ => None,
    }
}
