//! Bans in the database.

use super::StoreError;
use super::sql::{Counter, Sql, Value};
use crate::{Ban, PlayerId};

const PERSON: &str = "person";
const SOURCE: &str = "source";

pub(super) fn save(sql: &mut dyn Sql, ban: Ban) -> Result<(), StoreError> {
    sql.raise(Counter::Claims)?;
    sql.execute(
        "INSERT INTO bans (kind, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        &columns(ban),
    )?;
    Ok(())
}

pub(super) fn remove(sql: &mut dyn Sql, ban: Ban) -> Result<(), StoreError> {
    sql.raise(Counter::Claims)?;
    sql.execute("DELETE FROM bans WHERE kind = $1 AND value = $2", &columns(ban))?;
    Ok(())
}

pub(super) fn list(sql: &mut dyn Sql) -> Result<Vec<Ban>, StoreError> {
    let mut bans = Vec::new();
    for row in sql.query("SELECT kind, value FROM bans ORDER BY kind, value", &[])? {
        let (kind, value): (String, String) = (row.get(0)?, row.get(1)?);
        bans.extend(ban(&kind, &value));
    }
    Ok(bans)
}

fn columns(ban: Ban) -> [Value; 2] {
    match ban {
        Ban::Person(PlayerId(id)) => [PERSON.into(), id.to_string().into()],
        Ban::Source(source) => [SOURCE.into(), source.to_string().into()],
    }
}

fn ban(kind: &str, value: &str) -> Option<Ban> {
    match kind {
        PERSON => value.parse().ok().map(|id| Ban::Person(PlayerId(id))),
        SOURCE => value.parse().ok().map(Ban::Source),
        _ => None,
    }
}
