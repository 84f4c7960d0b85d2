//! The shared database: PostgreSQL, or a database with its protocol. A pool of threads, each with its own connection,
//! takes jobs from one queue; each job is a transaction that is retried until its outcome is known.
//!
//! Nothing here relies on session state, which a failover loses. The cluster's group commit has its own connection.

mod connect;
mod database_url;
mod migrations;
mod tls;
mod values;
mod worker;

use super::StoreError;

pub(crate) use connect::{DatabaseConnection, STATEMENT_TIMEOUT, alongside, connect, describe};
pub use database_url::{BadDatabaseUrl, DatabaseUrl};
use migrations::{Migrated, STORAGE_PARAMETERS};
pub(crate) use worker::Worker;

/// The number of connections of the store. The group commit has one more.
pub(super) const CONNECTIONS: usize = 4;

/// SQLSTATEs of the failures when two nodes create the tables at the same time; the later node retries.
const CREATED_BY_ANOTHER: [&str; 2] = ["23505", "42P07"];
const MAX_ATTEMPTS: u32 = 10;

/// Creates or migrates the tables. `name` is the name of the database in messages.
pub(super) fn prepare(worker: &mut Worker, name: &str) -> Result<(), StoreError> {
    let mut migrated = migrate(worker, name);
    for _ in 1..MAX_ATTEMPTS {
        match &migrated {
            Err(StoreError::Server { code, .. }) if CREATED_BY_ANOTHER.contains(&&code[..]) => {
                migrated = migrate(worker, name);
            }
            _ => break,
        }
    }
    if migrated? == Migrated::No {
        return Ok(());
    }
    for statement in STORAGE_PARAMETERS {
        match worker.transaction_now(|sql| sql.execute(statement, &[])) {
            // Other databases than PostgreSQL reject some of these settings.
            Ok(_) | Err(StoreError::Server { .. }) => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

fn migrate(worker: &mut Worker, name: &str) -> Result<Migrated, StoreError> {
    worker.transaction_now(|sql| migrations::migrate(sql, name))
}

#[cfg(test)]
mod tests;
