//! Conversion of values to and from the binary format of PostgreSQL.

use std::error::Error;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::store::StoreError;
use crate::store::sql::{self, SqlRow};

/// A parameter for PostgreSQL.
#[derive(Debug)]
pub(super) struct Parameter<'a>(ToSqlOutput<'a>);

impl<'a> Parameter<'a> {
    pub(super) fn new(value: &'a dyn sql::ToSql) -> Result<Self, StoreError> {
        Ok(Self(value.to_sql()?))
    }
}

impl ToSql for Parameter<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let value = match &self.0 {
            ToSqlOutput::Borrowed(value) => *value,
            ToSqlOutput::Owned(value) => ValueRef::from(value),
            _ => return Err("a parameter is not a plain value".into()),
        };
        match value {
            ValueRef::Null => Ok(IsNull::Yes),
            ValueRef::Integer(number) if *ty == Type::BOOL => (number != 0).to_sql(ty, out),
            ValueRef::Integer(number) if *ty == Type::INT4 => {
                i32::try_from(number)?.to_sql(ty, out)
            }
            ValueRef::Integer(number) => number.to_sql(ty, out),
            ValueRef::Real(number) => number.to_sql(ty, out),
            ValueRef::Text(text) => str::from_utf8(text)?.to_sql(ty, out),
            ValueRef::Blob(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Converts a row.
pub(crate) fn row_of(row: &Row) -> Result<SqlRow, StoreError> {
    (0..row.len()).map(|column| value_of(row, column)).collect::<Result<_, _>>().map(SqlRow)
}

fn value_of(row: &Row, column: usize) -> Result<Value, StoreError> {
    let value = match *row.columns()[column].type_() {
        Type::BOOL => row.try_get::<_, Option<bool>>(column).map(Value::from),
        Type::INT8 => row.try_get::<_, Option<i64>>(column).map(Value::from),
        Type::INT4 => {
            row.try_get::<_, Option<i32>>(column).map(|number| number.map(i64::from).into())
        }
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column).map(Value::from),
        Type::TEXT | Type::VARCHAR | Type::NAME => {
            row.try_get::<_, Option<String>>(column).map(Value::from)
        }
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column).map(Value::from),
        _ => return Err(StoreError::Column { column }),
    };
    value.map_err(|_| StoreError::Column { column })
}
