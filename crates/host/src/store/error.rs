//! The errors of the store, with advice in their messages.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

use super::{MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARS};
use crate::GameId;

/// The reason why an operation of the store failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A file can't be read or written.
    #[error("can't use '{}': {why}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// Another process has locked the folder.
    #[error("another host uses the folder '{}'. Stop that one, or name another folder", .0.display())]
    InUse(PathBuf),
    /// The database is damaged.
    #[error(
        "the database '{}' is damaged ({why}). `nuggets serve --reindex` puts it aside and makes a new one: games, \
         results and ratings come back from the journals, but claimed names, passwords, log-ins and bans are lost. \
         If you have a copy of the file, put that back instead", path.display()
    )]
    Damaged {
        /// Its path.
        path: PathBuf,
        /// The error of SQLite.
        why: String,
    },
    /// There are games, but no database.
    #[error(
        "the database '{}' is missing, but there are games. `nuggets serve --reindex` makes it again: games, results \
         and ratings come back from the journals, but claimed names, passwords, log-ins and bans are lost. If you \
         have a copy of the file, put that back instead", .0.display()
    )]
    Missing(PathBuf),
    /// The database was written by a later version.
    #[error("the database '{}' was written by a later version of Nuggets. Use that version", .0.display())]
    Newer(PathBuf),
    /// A statement failed in SQLite.
    #[error("the database failed: {0}")]
    Database(rusqlite::Error),
    /// PostgreSQL rejected a statement.
    #[error("the database rejected a statement: {why}")]
    Server {
        /// The SQLSTATE; empty if there is none.
        code: String,
        /// The message and code of the server.
        why: String,
    },
    /// The database can't be reached or doesn't answer.
    #[error("saving is not possible at the moment. Try again in a while ({why})")]
    Unavailable {
        /// The last failure, for the log.
        why: String,
    },
    /// The database belongs to other programs.
    #[error(
        "the database {database} has a table '{table}', but not those of Nuggets. Name another database; an empty one \
         gets its tables at the first start"
    )]
    NotOurDatabase {
        /// The database, without the password.
        database: String,
        /// A table that Nuggets would have to create.
        table: String,
    },
    /// The tables were migrated by a later version that this one can't run beside.
    #[error(
        "the database {database} has version {version} of the tables, which needs a newer version of Nuggets: this \
         one knows version {ours}. Use the newer one"
    )]
    NewerDatabase {
        /// The database, without the password.
        database: String,
        /// The version of its tables.
        version: i64,
        /// The version that this program knows.
        ours: i64,
    },
    /// Another node runs this game by now.
    #[error("game {0} runs on another node by now")]
    NotOurs(GameId),
    /// A column of a result has an unexpected type or value.
    #[error("the database gave something unexpected in column {column}")]
    Column {
        /// The index of the column, from 0.
        column: usize,
    },
    /// The metadata of a game can't be parsed.
    #[error("{place} is damaged: {why}")]
    Meta {
        /// A file or a game.
        place: String,
        /// Why.
        why: serde_json::Error,
    },
    /// A journal can't be read.
    #[error("the journal {place} can't be used: {why}")]
    Journal {
        /// A file or a game.
        place: String,
        /// Why.
        why: String,
    },
    /// There is no such game.
    #[error("there is no game {0}")]
    UnknownGame(GameId),
    /// A password can't be hashed.
    #[error("a password could not be hashed: {0}")]
    Hash(String),
    /// The system could not start a thread.
    #[error("can't start the thread of the store: {0}")]
    Thread(io::Error),
    /// The threads of the store have ended.
    #[error("the store is closed")]
    Closed,
}

/// The reason why a change of an account is rejected, with a message for the person.
#[derive(Debug, Error)]
pub enum AccountError {
    /// The name has no letter or digit.
    #[error("a name needs at least one letter from a to z, or a digit")]
    BlankName,
    /// The name is claimed.
    #[error("this name is claimed. Choose another one, or log in if it is yours")]
    NameTaken,
    /// The account has already claimed its name.
    #[error("you have already claimed your name")]
    AlreadyClaimed,
    /// The password is shorter than [`MIN_PASSWORD_CHARS`].
    #[error("the password is too short: it needs at least {MIN_PASSWORD_CHARS} characters")]
    ShortPassword,
    /// The password is longer than [`MAX_PASSWORD_BYTES`].
    #[error("the password is too long: at most {MAX_PASSWORD_BYTES} bytes")]
    LongPassword,
    /// The password is wrong or the name is unknown: one error for both, so that it does not reveal which names are claimed.
    #[error("name or password is wrong")]
    WrongPassword,
    /// There is no such account.
    #[error("you are no longer known here: reload the page")]
    UnknownAccount,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for StoreError {
    fn from(why: rusqlite::Error) -> Self {
        Self::Database(why)
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(why: tokio_postgres::Error) -> Self {
        Self::Unavailable { why: super::postgres::describe(&why) }
    }
}

impl StoreError {
    pub(super) fn file(path: &Path, why: io::Error) -> Self {
        Self::File { path: path.to_owned(), why }
    }

    /// Creates an error for a database that does not answer or is temporarily unable to.
    pub(crate) fn unavailable(why: &str) -> Self {
        Self::Unavailable { why: why.to_owned() }
    }

    /// True if the error is about a shared database, not about a folder.
    pub(crate) fn is_about_database(&self) -> bool {
        matches!(
            self,
            Self::Server { .. }
                | Self::Unavailable { .. }
                | Self::NotOurDatabase { .. }
                | Self::NewerDatabase { .. }
        )
    }

    /// Creates an error from one of SQLite; for a damaged database the message names the file and gives advice.
    pub(super) fn database(path: &Path, why: rusqlite::Error) -> Self {
        match why.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path: path.to_owned(), why: why.to_string() }
            }
            _ => Self::Database(why),
        }
    }
}
