//! The shared database: PostgreSQL, or what speaks its protocol. A pool of threads, each with a connection of its own,
//! takes jobs from one queue; each job is a transaction that is repeated until its outcome is known.
//!
//! Nothing here relies on the state of a session: a fail-over loses it. The cluster's group commit has a connection of
//! its own, made by [`connect_undriven`].

mod connect;
mod database_url;
mod schema;
mod tls;
mod values;
mod worker;

use super::StoreError;

pub(crate) use connect::{
    Connected, STATEMENT_TIMEOUT, Undriven, alongside, connect, connect_undriven, describe,
};
pub use database_url::{BadDatabaseUrl, DatabaseUrl};
use schema::{Migrated, STORAGE_PARAMETERS};
pub(crate) use values::row_of;
pub(super) use worker::Worker;

/// The connections of the store; the group commit has one more, and the cluster may take three others.
pub(super) const CONNECTIONS: usize = 4;

/// Two nodes that create the tables at the same time fail in one of these ways; the later one starts again.
const CREATED_BY_ANOTHER: [&str; 2] = ["23505", "42P07"];
const MAX_ATTEMPTS: u32 = 10;

/// Creates the tables, or brings them up to date. `name` is the database in messages.
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
            // Only PostgreSQL itself has all of them.
            Ok(_) | Err(StoreError::Server { .. }) => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

fn migrate(worker: &mut Worker, name: &str) -> Result<Migrated, StoreError> {
    worker.transaction_now(|sql| schema::migrate(sql, name))
}

#[cfg(test)]
mod tests;
