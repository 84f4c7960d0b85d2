//! The interface to both databases: statements with parameters `$1`, `$2` and so on, and rows of plain values. The
//! statements themselves are in `accounts`, `bans` and `games`, in SQL that both databases understand.

use super::StoreError;

/// A value of a parameter or a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// For `unnest`, which SQLite does not have.
    Texts(Vec<String>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SqlRow(pub(crate) Vec<Value>);

/// A database within a transaction. Either all statements of a job are committed, or none.
pub(crate) trait Sql {
    /// Runs a statement and returns its rows.
    fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<SqlRow>, StoreError>;

    /// Runs a statement without a result; returns the number of changed rows.
    fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<u64, StoreError>;
}

impl dyn Sql + '_ {
    /// Returns the first column of a statement's first row, if there is one.
    pub(crate) fn query_value<T: FromValue>(
        &mut self,
        statement: &str,
        parameters: &[Value],
    ) -> Result<Option<T>, StoreError> {
        self.query_one(statement, parameters)?.map(|row| row.get(0)).transpose()
    }

    /// Increments a counter and returns the new value. Its row stays locked until the transaction ends.
    pub(super) fn raise(&mut self, counter: Counter) -> Result<u64, StoreError> {
        let statement = "UPDATE counters SET value = value + 1 WHERE name = $1 RETURNING value";
        let value = self.query_value(statement, &[counter.name().into()])?;
        value.ok_or(StoreError::Column { column: 0 })
    }

    /// Raises a counter to this value, unless it is higher already.
    pub(super) fn raise_to(&mut self, counter: Counter, value: u64) -> Result<(), StoreError> {
        let statement = "UPDATE counters SET value = $2 WHERE name = $1 AND value < $2";
        self.execute(statement, &[counter.name().into(), value.into()])?;
        Ok(())
    }

    pub(super) fn counter(&mut self, counter: Counter) -> Result<u64, StoreError> {
        let statement = "SELECT value FROM counters WHERE name = $1";
        let value = self.query_value(statement, &[counter.name().into()])?;
        value.ok_or(StoreError::Column { column: 0 })
    }

    /// Returns the first row of a statement, if there is one.
    pub(crate) fn query_one(
        &mut self,
        statement: &str,
        parameters: &[Value],
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

/// A type that columns can be converted to.
pub(crate) trait FromValue: Sized {
    /// Converts a value; `None` if the column has another type.
    fn from_value(value: &Value) -> Option<Self>;
}

impl SqlRow {
    /// Returns a column, counted from 0. A column of another type is a bug in the statement or in the database.
    pub(crate) fn get<T: FromValue>(&self, column: usize) -> Result<T, StoreError> {
        let value = self.0.get(column).and_then(T::from_value);
        value.ok_or(StoreError::Column { column })
    }
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(*number),
            Value::Bool(is_true) => Some((*is_true).into()),
            _ => None,
        }
    }
}

/// Databases have no unsigned integers. Times and counts stay far below the limit.
impl FromValue for u64 {
    fn from_value(value: &Value) -> Option<Self> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for u32 {
    fn from_value(value: &Value) -> Option<Self> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for u16 {
    fn from_value(value: &Value) -> Option<Self> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Option<Self> {
        i64::from_value(value).map(|number| number != 0)
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Real(number) => Some(*number),
            Value::Int(number) => i32::try_from(*number).ok().map(Self::from),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Self {
        Self::Int(number.into())
    }
}

impl From<bool> for Value {
    fn from(is_true: bool) -> Self {
        Self::Bool(is_true)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
