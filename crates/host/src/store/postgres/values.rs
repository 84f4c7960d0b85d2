//! Conversion of values to and from the binary format of PostgreSQL.

use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::store::StoreError;
use crate::store::sql::{SqlRow, Value};

impl ToSql for Value {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(is_true) => is_true.to_sql(ty, out),
            Self::Int(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Int(number) => number.to_sql(ty, out),
            Self::Real(number) => number.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
            Self::Texts(texts) => texts.to_sql(ty, out),
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
