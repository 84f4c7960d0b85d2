//! Accounts and their sessions in the database.

use std::collections::BTreeSet;

use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};

use super::command::{Draws, SessionHash};
use super::database::{from_sql, to_sql};
use super::names::{clean_name, guest_name, name_key};
use super::{Account, AccountError, StoreError};
use crate::PlayerId;

/// A session that is not used for so long ends.
pub(super) const SESSION_MS: u64 = 365 * DAY_MS;
/// The time of the last use is stored at most this often.
const DAY_MS: u64 = 24 * 3_600_000;
/// The maximum number of sessions of a person; the least recently used end first.
const MAX_SESSIONS: u32 = 50;
/// Random names are drawn so often until one is free; then a number is added.
const MAX_DRAWS: u32 = 20;

/// A new guest and a session for it.
pub(super) fn create_guest(
    connection: &mut Connection,
    (name, draws): (Option<&str>, &mut Draws),
    session: &SessionHash,
    now_ms: u64,
) -> Result<Account, AccountError> {
    let name = match name {
        Some(given) => free_name(connection, given, None)?,
        None => random_name(connection, draws)?,
    };
    let transaction = connection.savepoint()?;
    transaction
        .prepare_cached("INSERT INTO players (name, name_key, created_ms) VALUES (?1, ?2, ?3)")?
        .execute(params![name, name_key(&name), to_sql(now_ms)])?;
    let id = PlayerId(from_sql(transaction.last_insert_rowid()));
    create_session(&transaction, id, session, now_ms)?;
    transaction.commit()?;
    Ok(Account { id, name, claimed: false })
}

/// A new session of an account.
pub(super) fn create_session(
    connection: &Connection,
    player: PlayerId,
    session: &SessionHash,
    now_ms: u64,
) -> Result<(), StoreError> {
    let player = to_sql(player.0);
    connection
        .prepare_cached("INSERT INTO sessions (hash, player, last_seen_ms) VALUES (?1, ?2, ?3)")?
        .execute(params![session, player, to_sql(now_ms)])?;
    connection
        .prepare_cached(
            "DELETE FROM sessions WHERE player = ?1 AND hash NOT IN
         (SELECT hash FROM sessions WHERE player = ?1 ORDER BY last_seen_ms DESC LIMIT ?2)",
        )?
        .execute(params![player, MAX_SESSIONS])?;
    Ok(())
}

/// What is to be stored after a session was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionUse {
    Nothing,
    /// When it was used.
    Touch,
    /// It was not used for too long: that it has ended.
    End,
}

/// Whose session it is; none if there is no such session.
pub(super) fn session(
    connection: &Connection,
    session: &SessionHash,
    now_ms: u64,
) -> Result<Option<(Account, SessionUse)>, StoreError> {
    let found = connection
        .prepare_cached(
            "SELECT id, name, password IS NOT NULL, last_seen_ms
         FROM sessions JOIN players ON players.id = player WHERE hash = ?1",
        )?
        .query_row([session], |row| Ok((account(row)?, row.get(3)?)))
        .optional()?;
    let Some((account, last_seen_ms)) = found else { return Ok(None) };
    let unused_ms = now_ms.saturating_sub(from_sql(last_seen_ms));
    let due = if unused_ms > SESSION_MS {
        SessionUse::End
    } else if unused_ms > DAY_MS {
        SessionUse::Touch
    } else {
        SessionUse::Nothing
    };
    Ok(Some((account, due)))
}

/// A session was used.
pub(super) fn touch(
    connection: &Connection,
    session: &SessionHash,
    now_ms: u64,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE sessions SET last_seen_ms = ?2 WHERE hash = ?1")?
        .execute(params![session, to_sql(now_ms)])?;
    Ok(())
}

pub(super) fn log_out(connection: &Connection, session: &SessionHash) -> Result<(), StoreError> {
    connection.prepare_cached("DELETE FROM sessions WHERE hash = ?1")?.execute([session])?;
    Ok(())
}

/// Another name for an account.
pub(super) fn rename(
    connection: &mut Connection,
    player: PlayerId,
    name: &str,
    draws: &mut Draws,
) -> Result<Account, AccountError> {
    let name = free_name(connection, name, Some(player))?;
    let transaction = connection.savepoint()?;
    let changed = transaction
        .prepare_cached("UPDATE players SET name = ?2, name_key = ?3 WHERE id = ?1")?
        .execute(params![to_sql(player.0), name, name_key(&name)])?;
    if changed == 0 {
        return Err(AccountError::UnknownAccount);
    }
    let account = find(&transaction, player)?.ok_or(AccountError::UnknownAccount)?;
    if account.claimed {
        rename_guests_named(&transaction, &name, player, draws)?;
    }
    transaction.commit()?;
    Ok(account)
}

/// Protects the name of an account with the hash of a password.
pub(super) fn claim(
    connection: &mut Connection,
    player: PlayerId,
    password_hash: &str,
    draws: &mut Draws,
) -> Result<Account, AccountError> {
    let account = find(connection, player)?.ok_or(AccountError::UnknownAccount)?;
    if account.claimed {
        return Err(AccountError::AlreadyClaimed);
    }
    let transaction = connection.savepoint()?;
    let claimed = transaction
        .prepare_cached("UPDATE players SET password = ?2 WHERE id = ?1")?
        .execute(params![to_sql(player.0), password_hash]);
    match claimed {
        Err(why) if why.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            return Err(AccountError::NameTaken);
        }
        claimed => claimed?,
    };
    rename_guests_named(&transaction, &account.name, player, draws)?;
    transaction.commit()?;
    Ok(Account { claimed: true, ..account })
}

/// The account and the password hash of a claimed name.
pub(super) fn claimed(
    connection: &Connection,
    name: &str,
) -> Result<Option<(Account, String)>, StoreError> {
    let found = connection.prepare_cached(
        "SELECT id, name, TRUE, password FROM players WHERE name_key = ?1 AND password IS NOT NULL",
    )?.query_row([name_key(name)], |row| Ok((account(row)?, row.get(3)?))).optional()?;
    Ok(found)
}

/// The keys of all claimed names.
pub(super) fn claimed_keys(connection: &Connection) -> Result<BTreeSet<String>, StoreError> {
    let keys = connection
        .prepare_cached("SELECT name_key FROM players WHERE password IS NOT NULL")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(keys)
}

pub(super) fn find(
    connection: &Connection,
    player: PlayerId,
) -> Result<Option<Account>, StoreError> {
    let found = connection
        .prepare_cached("SELECT id, name, password IS NOT NULL FROM players WHERE id = ?1")?
        .query_row([to_sql(player.0)], account)
        .optional()?;
    Ok(found)
}

/// An account for a person whom a journal names, but the database doesn't know: it was made again, or restored.
pub(super) fn ensure_known(
    connection: &Connection,
    player: PlayerId,
    name: &str,
    now_ms: u64,
) -> Result<(), StoreError> {
    if find(connection, player)?.is_some() {
        return Ok(());
    }
    let is_free = claimed(connection, name)?.is_none();
    let mut draws = Draws::new(Sha256::digest(player.0.to_le_bytes()).into());
    let name = if is_free { name.to_owned() } else { random_name(connection, &mut draws)? };
    connection
        .prepare_cached(
            "INSERT INTO players (id, name, name_key, created_ms) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![to_sql(player.0), name, name_key(&name), to_sql(now_ms)])?;
    Ok(())
}

/// Removes sessions that have ended, and guests who have no session, no results and no games: no one can come back as
/// one of them.
pub(super) fn remove_unused(connection: &Connection, now_ms: u64) -> Result<(), StoreError> {
    let before_ms = to_sql(now_ms.saturating_sub(SESSION_MS));
    connection.execute("DELETE FROM sessions WHERE last_seen_ms < ?1", [before_ms])?;
    connection.execute(
        "DELETE FROM players WHERE password IS NULL AND created_ms < ?1
         AND id NOT IN (SELECT player FROM sessions)
         AND id NOT IN (SELECT player FROM results WHERE player IS NOT NULL)
         AND id NOT IN (SELECT player FROM ratings WHERE player IS NOT NULL)",
        [before_ms],
    )?;
    Ok(())
}

/// Random bytes of the system.
pub(super) fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(StoreError::Random)?;
    Ok(bytes)
}

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    let id = PlayerId(from_sql(row.get(0)?));
    Ok(Account { id, name: row.get(1)?, claimed: row.get(2)? })
}

/// The name, cleaned, unless another account has claimed it.
fn free_name(
    connection: &Connection,
    given: &str,
    whose: Option<PlayerId>,
) -> Result<String, AccountError> {
    let name = clean_name(given)?;
    match claimed(connection, &name)? {
        Some((owner, _)) if Some(owner.id) != whose => Err(AccountError::NameTaken),
        _ => Ok(name),
    }
}

/// A random name that is not claimed.
fn random_name(connection: &Connection, draws: &mut Draws) -> Result<String, StoreError> {
    for _ in 0..MAX_DRAWS {
        let name = guest_name(draws.next());
        if claimed(connection, &name)?.is_none() {
            return Ok(name);
        }
    }
    Ok(format!("{} {}", guest_name(draws.next()), u32::from_le_bytes(draws.next())))
}

/// Guests who have a name that was just claimed get another one.
fn rename_guests_named(
    connection: &Connection,
    name: &str,
    owner: PlayerId,
    draws: &mut Draws,
) -> Result<(), StoreError> {
    let guests: Vec<i64> = connection
        .prepare_cached(
            "SELECT id FROM players WHERE name_key = ?1 AND password IS NULL AND id <> ?2",
        )?
        .query_map(params![name_key(name), to_sql(owner.0)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for guest in guests {
        let name = random_name(connection, draws)?;
        connection
            .prepare_cached("UPDATE players SET name = ?2, name_key = ?3 WHERE id = ?1")?
            .execute(params![guest, name, name_key(&name)])?;
    }
    Ok(())
}
