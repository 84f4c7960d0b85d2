//! The interface to both databases: statements with parameters `$1`, `$2` and so on, and rows of plain values, in the
//! types of rusqlite. The statements themselves are in `accounts`, `bans` and `games`, in SQL that both databases understand.

pub(crate) use rusqlite::ToSql;
use rusqlite::types::{FromSql, ToSqlOutput, Value, ValueRef};

use super::StoreError;
use crate::{GameId, PlayerId};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SqlRow(pub(crate) Vec<Value>);

/// A database within a transaction. Either all statements of a job are committed, or none.
pub(crate) trait Sql {
    /// Runs a statement and returns its rows.
    fn query(
        &mut self,
        statement: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Vec<SqlRow>, StoreError>;

    /// Runs a statement without a result; returns the number of changed rows.
    fn execute(&mut self, statement: &str, parameters: &[&dyn ToSql]) -> Result<u64, StoreError>;
}

impl dyn Sql + '_ {
    /// Returns the first column of a statement's first row, if there is one.
    pub(crate) fn query_value<T: FromSql>(
        &mut self,
        statement: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Option<T>, StoreError> {
        self.query_one(statement, parameters)?.map(|row| row.get(0)).transpose()
    }

    /// Increments a counter and returns the new value. Its row stays locked until the transaction ends.
    pub(super) fn raise(&mut self, counter: Counter) -> Result<u64, StoreError> {
        let statement = "UPDATE counters SET value = value + 1 WHERE name = $1 RETURNING value";
        let value = self.query_value(statement, &[&counter.name()])?;
        value.ok_or(StoreError::Column { column: 0 })
    }

    /// Raises a counter to this value, unless it is higher already.
    pub(super) fn raise_to(&mut self, counter: Counter, value: u64) -> Result<(), StoreError> {
        let statement = "UPDATE counters SET value = $2 WHERE name = $1 AND value < $2";
        self.execute(statement, &[&counter.name(), &value])?;
        Ok(())
    }

    pub(super) fn counter(&mut self, counter: Counter) -> Result<u64, StoreError> {
        let statement = "SELECT value FROM counters WHERE name = $1";
        let value = self.query_value(statement, &[&counter.name()])?;
        value.ok_or(StoreError::Column { column: 0 })
    }

    /// Returns the first row of a statement, if there is one.
    pub(crate) fn query_one(
        &mut self,
        statement: &str,
        parameters: &[&dyn ToSql],
    ) -> Result<Option<SqlRow>, StoreError> {
        Ok(self.query(statement, parameters)?.into_iter().next())
    }
}

/// A row of the table `counters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    /// The last id of a person. A transaction that assigns a name locks this row first, so that a name that is being claimed
    /// is not assigned to a guest at the same time.
    Players,
    /// The number of the last finished game.
    Games,
    /// Incremented with every change of claimed names and bans.
    Claims,
}

impl Counter {
    fn name(self) -> &'static str {
        match self {
            Self::Players => "players",
            Self::Games => "games",
            Self::Claims => "claims",
        }
    }
}

impl SqlRow {
    /// Returns a column, counted from 0. A column of another type is a bug in the statement or in the database.
    pub(crate) fn get<T: FromSql>(&self, column: usize) -> Result<T, StoreError> {
        let value =
            self.0.get(column).and_then(|value| T::column_result(ValueRef::from(value)).ok());
        value.ok_or(StoreError::Column { column })
    }
}

impl ToSql for GameId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl ToSql for PlayerId {
    /// Databases have no unsigned integers. A number above their limit, for example from a link, is the id of no player.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i64::try_from(self.0).unwrap_or(i64::MAX).into())
    }
}
