//! Accounts and their sessions in the database. Every function must be safe to run twice: a job whose answer was lost is
//! retried.

use std::collections::BTreeSet;

use super::names::{clean_name, guest_name, name_key};
use super::sql::{Counter, Sql, SqlRow};
use super::{
    Account, AccountError, MAX_PASSWORD_BYTES, Reply, SessionToken, Store, StoreError, off_thread,
    passwords,
};
use crate::{PlayerId, random};

/// The hash of a session's token.
type SessionHash = [u8; 32];

/// Idle timeout of a session, in milliseconds.
const SESSION_MS: u64 = 365 * DAY_MS;
/// Minimum interval between two updates of the stored time of last use, in milliseconds.
const DAY_MS: u64 = 24 * 3_600_000;
/// The maximum number of sessions of a person; the least recently used are ended first.
const MAX_SESSIONS: u32 = 50;
/// Maximum number of attempts to draw a free random name; then a number is appended.
const MAX_DRAWS: u32 = 20;

impl Store {
    /// Creates a guest with this name, or with a random pleasant one, and a session for it.
    pub fn create_guest(
        &self,
        name: Option<String>,
        now_unix_ms: u64,
    ) -> Reply<(Account, SessionToken), AccountError> {
        let token = SessionToken::from_random(random::bytes());
        let session = token.hash();
        let create = move |sql: &mut dyn Sql| {
            if let Some((account, _)) = find_session(sql, &session)? {
                return Ok(account);
            }
            let id = PlayerId(sql.raise(Counter::Players)?);
            let name = match &name {
                Some(given) => free_name(sql, given, None)?,
                None => random_name(sql)?,
            };
            insert(sql, id, &name, now_unix_ms)?;
            create_session(sql, id, &session, now_unix_ms)?;
            Ok(Account { id, name, claimed: false })
        };
        self.transaction_then(create, |account| (account, token))
    }

    /// Returns the account of a session; `None` if there is no such session, or it has ended. Extends the session by a year.
    pub fn session(&self, token: &SessionToken, now_unix_ms: u64) -> Reply<Option<Account>> {
        let session = token.hash();
        self.transaction(move |sql| {
            let Some((account, last_seen_ms)) = find_session(sql, &session)? else {
                return Ok(None);
            };
            let unused_ms = now_unix_ms.saturating_sub(last_seen_ms);
            if unused_ms > SESSION_MS {
                log_out(sql, &session)?;
                return Ok(None);
            }
            if unused_ms > DAY_MS {
                let update = "UPDATE sessions SET last_seen_ms = $2 WHERE hash = $1";
                sql.execute(update, &[&session, &now_unix_ms])?;
            }
            Ok(Some(account))
        })
    }

    /// Ends a session.
    pub fn log_out(&self, token: &SessionToken) -> Reply<()> {
        let session = token.hash();
        self.transaction(move |sql| log_out(sql, &session))
    }

    /// Renames a person.
    pub fn rename(&self, player: PlayerId, name: String) -> Reply<Account, AccountError> {
        self.change_names(move |sql| {
            lock_names(sql)?;
            let name = free_name(sql, &name, Some(player))?;
            set_name(sql, player, &name)?;
            let account = find(sql, player)?.ok_or(AccountError::UnknownAccount)?;
            if account.claimed {
                sql.raise(Counter::Claims)?;
                rename_guests_named(sql, &name, player)?;
            }
            Ok(account)
        })
    }

    /// Protects the name of a person with a password.
    pub async fn claim(&self, player: PlayerId, password: String) -> Result<Account, AccountError> {
        passwords::ensure_usable(&password)?;
        let hash = move || passwords::hash(&password, random::bytes());
        let hash = off_thread(&self.hashing, hash).await??;
        self.change_names(move |sql| claim(sql, player, &hash)).await
    }

    /// Creates a session for a claimed name. An unknown name takes as long as a wrong password.
    pub async fn log_in(
        &self,
        name: String,
        password: String,
        now_unix_ms: u64,
    ) -> Result<(Account, SessionToken), AccountError> {
        if password.len() > MAX_PASSWORD_BYTES {
            return Err(AccountError::WrongPassword);
        }
        let claimed: Reply<_> = self.transaction(move |sql| claimed(sql, &name));
        let (account, hash) = claimed.await?.unzip();
        let check = move || passwords::is_right(&password, hash.as_deref());
        let is_right = off_thread(&self.hashing, check).await?;
        let account = account.filter(|_| is_right).ok_or(AccountError::WrongPassword)?;
        let token = SessionToken::from_random(random::bytes());
        let (player, session) = (account.id, token.hash());
        let create: Reply<()> =
            self.transaction(move |sql| create_session(sql, player, &session, now_unix_ms));
        create.await?;
        Ok((account, token))
    }

    /// Returns the accounts of these people; leaves out unknown ones.
    pub fn accounts(&self, players: Vec<PlayerId>) -> Reply<Vec<Account>> {
        self.transaction(move |sql| {
            let found = players.iter().map(|player| find(sql, *player));
            found.filter_map(Result::transpose).collect()
        })
    }
}

pub(super) fn create_session(
    sql: &mut dyn Sql,
    player: PlayerId,
    session: &SessionHash,
    now_ms: u64,
) -> Result<(), StoreError> {
    sql.execute(
        "INSERT INTO sessions (hash, player, last_seen_ms) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        &[&session, &player, &now_ms],
    )?;
    sql.execute(
        "DELETE FROM sessions WHERE player = $1 AND hash NOT IN
         (SELECT hash FROM sessions WHERE player = $1 ORDER BY last_seen_ms DESC LIMIT $2)",
        &[&player, &MAX_SESSIONS],
    )?;
    Ok(())
}

fn log_out(sql: &mut dyn Sql, session: &SessionHash) -> Result<(), StoreError> {
    sql.execute("DELETE FROM sessions WHERE hash = $1", &[&session])?;
    Ok(())
}

/// Protects the name of an account with the hash of a password.
fn claim(
    sql: &mut dyn Sql,
    player: PlayerId,
    password_hash: &str,
) -> Result<Account, AccountError> {
    lock_names(sql)?;
    let account = find(sql, player)?.ok_or(AccountError::UnknownAccount)?;
    if account.claimed {
        let is_ours = claimed(sql, &account.name)?.is_some_and(|(_, hash)| hash == password_hash);
        return if is_ours { Ok(account) } else { Err(AccountError::AlreadyClaimed) };
    }
    if claimed(sql, &account.name)?.is_some() {
        return Err(AccountError::NameTaken);
    }
    sql.raise(Counter::Claims)?;
    let update = "UPDATE players SET password = $2 WHERE id = $1";
    sql.execute(update, &[&player, &password_hash])?;
    rename_guests_named(sql, &account.name, player)?;
    Ok(Account { claimed: true, ..account })
}

/// Returns the account and the password hash of a claimed name.
fn claimed(sql: &mut dyn Sql, name: &str) -> Result<Option<(Account, String)>, StoreError> {
    let found = sql.query_one(
        "SELECT id, name, TRUE, password FROM players WHERE name_key = $1 AND password IS NOT NULL",
        &[&name_key(name)],
    )?;
    found.map(|row| Ok((account(&row)?, row.get(3)?))).transpose()
}

pub(super) fn claimed_keys(sql: &mut dyn Sql) -> Result<BTreeSet<String>, StoreError> {
    let rows = sql.query("SELECT name_key FROM players WHERE password IS NOT NULL", &[])?;
    rows.iter().map(|row| row.get(0)).collect()
}

pub(super) fn find(sql: &mut dyn Sql, player: PlayerId) -> Result<Option<Account>, StoreError> {
    let statement = "SELECT id, name, password IS NOT NULL FROM players WHERE id = $1";
    sql.query_one(statement, &[&player])?.as_ref().map(account).transpose()
}

/// Creates an account for a person of a journal who is not in the database, because it was rebuilt or restored.
pub(super) fn ensure_known(
    sql: &mut dyn Sql,
    player: PlayerId,
    name: &str,
    now_ms: u64,
) -> Result<(), StoreError> {
    if find(sql, player)?.is_some() {
        return Ok(());
    }
    sql.raise_to(Counter::Players, player.0)?;
    let is_free = claimed(sql, name)?.is_none();
    let name = if is_free { name.to_owned() } else { random_name(sql)? };
    insert(sql, player, &name, now_ms)
}

/// Removes ended sessions, and guests without sessions, results and games, since no client can return as one of them.
pub(super) fn remove_unused(sql: &mut dyn Sql, now_ms: u64) -> Result<(), StoreError> {
    let before_ms = now_ms.saturating_sub(SESSION_MS);
    sql.execute("DELETE FROM sessions WHERE last_seen_ms < $1", &[&before_ms])?;
    sql.execute(
        "DELETE FROM players WHERE password IS NULL AND created_ms < $1
         AND id NOT IN (SELECT player FROM sessions)
         AND id NOT IN (SELECT player FROM results WHERE player IS NOT NULL)
         AND id NOT IN (SELECT player FROM ratings WHERE player IS NOT NULL)",
        &[&before_ms],
    )?;
    Ok(())
}

/// Returns a session's account and the stored time of its last use.
fn find_session(
    sql: &mut dyn Sql,
    session: &SessionHash,
) -> Result<Option<(Account, u64)>, StoreError> {
    let found = sql.query_one(
        "SELECT id, name, password IS NOT NULL, last_seen_ms
         FROM sessions JOIN players ON players.id = player WHERE hash = $1",
        &[&session],
    )?;
    found.map(|row| Ok((account(&row)?, row.get(3)?))).transpose()
}

fn account(row: &SqlRow) -> Result<Account, StoreError> {
    Ok(Account { id: PlayerId(row.get(0)?), name: row.get(1)?, claimed: row.get(2)? })
}

fn insert(sql: &mut dyn Sql, player: PlayerId, name: &str, now_ms: u64) -> Result<(), StoreError> {
    sql.execute(
        "INSERT INTO players (id, name, name_key, created_ms) VALUES ($1, $2, $3, $4)",
        &[&player, &name, &name_key(name), &now_ms],
    )?;
    Ok(())
}

fn set_name(sql: &mut dyn Sql, player: PlayerId, name: &str) -> Result<(), StoreError> {
    let update = "UPDATE players SET name = $2, name_key = $3 WHERE id = $1";
    sql.execute(update, &[&player, &name, &name_key(name)])?;
    Ok(())
}

/// Locks the counter of players, so that no other transaction assigns names; creating a guest locks it by taking an id.
fn lock_names(sql: &mut dyn Sql) -> Result<(), StoreError> {
    sql.execute("UPDATE counters SET value = value WHERE name = 'players'", &[]).map(drop)
}

/// Returns the cleaned name, unless another account has claimed it.
fn free_name(
    sql: &mut dyn Sql,
    given: &str,
    whose: Option<PlayerId>,
) -> Result<String, AccountError> {
    let name = clean_name(given)?;
    match claimed(sql, &name)? {
        Some((owner, _)) if Some(owner.id) != whose => Err(AccountError::NameTaken),
        _ => Ok(name),
    }
}

/// Returns a random name that is not claimed.
fn random_name(sql: &mut dyn Sql) -> Result<String, StoreError> {
    for _ in 0..MAX_DRAWS {
        let name = guest_name(random::bytes());
        if claimed(sql, &name)?.is_none() {
            return Ok(name);
        }
    }
    Ok(format!("{} {}", guest_name(random::bytes()), u32::from_le_bytes(random::bytes())))
}

/// Renames guests whose name was just claimed by another account.
fn rename_guests_named(sql: &mut dyn Sql, name: &str, owner: PlayerId) -> Result<(), StoreError> {
    let statement = "SELECT id FROM players WHERE name_key = $1 AND password IS NULL AND id <> $2";
    for guest in sql.query(statement, &[&name_key(name), &owner])? {
        let name = random_name(sql)?;
        set_name(sql, PlayerId(guest.get(0)?), &name)?;
    }
    Ok(())
}
