//! Bans in the database.

use super::sql::{Counter, Sql};
use super::{Reply, Store, StoreError};
use crate::{Ban, PlayerId};

const PERSON: &str = "person";
const SOURCE: &str = "source";

impl Store {
    /// Stores a ban.
    pub fn save_ban(&self, ban: Ban) -> Reply<()> {
        self.change_ban(
            "INSERT INTO bans (kind, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            ban,
        )
    }

    /// Removes a ban.
    pub fn remove_ban(&self, ban: Ban) -> Reply<()> {
        self.change_ban("DELETE FROM bans WHERE kind = $1 AND value = $2", ban)
    }

    fn change_ban(&self, statement: &'static str, ban: Ban) -> Reply<()> {
        let (kind, value) = match ban {
            Ban::Person(PlayerId(id)) => (PERSON, id.to_string()),
            Ban::Source(source) => (SOURCE, source.to_string()),
        };
        self.transaction(move |sql| {
            sql.raise(Counter::Claims)?;
            sql.execute(statement, &[&kind, &value]).map(drop)
        })
    }
}

pub(super) fn list(sql: &mut dyn Sql) -> Result<Vec<Ban>, StoreError> {
    let mut bans = Vec::new();
    for row in sql.query("SELECT kind, value FROM bans ORDER BY kind, value", &[])? {
        let (kind, value): (String, String) = (row.get(0)?, row.get(1)?);
        bans.extend(match &kind[..] {
            PERSON => value.parse().ok().map(|id| Ban::Person(PlayerId(id))),
            SOURCE => value.parse().ok().map(Ban::Source),
            _ => None,
        });
    }
    Ok(bans)
}
