//! Connecting to the database host that accepts writes.

use std::error::Error as _;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Connection, Error};
use tracing::warn;

use super::DatabaseUrl;
use crate::store::StoreError;

/// Timeout of a statement; its connection is closed afterwards.
pub(crate) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of connecting to one host, including TLS and authentication.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Sent after connecting, so that a node that hangs in the middle of a transaction does not hold locks for long.
/// Correctness does not depend on it, because other servers may not support it.
const END_IDLE_TRANSACTIONS: &str = "SET idle_in_transaction_session_timeout = '5s'";

/// An open connection whose I/O is driven by its user while waiting for an answer, so that no other task has to run. Dropping
/// it closes the socket immediately, even during a statement.
pub(crate) struct DatabaseConnection {
    pub(crate) client: Client,
    /// The index of the host in the URL.
    pub(crate) host: usize,
    pub(crate) warnings: Warnings,
    pub(crate) driver: Driver,
}

/// Drives the I/O of a connection until it ends.
pub(crate) type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Counts the warnings of the server. A commit that was answered with a warning may not have reached the standby.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<AtomicU64>);

impl Warnings {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

impl fmt::Debug for DatabaseConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseConnection").field("host", &self.host).finish_non_exhaustive()
    }
}

/// Waits for an answer while driving the I/O of the connection. `None` if the connection has ended.
pub(crate) async fn alongside<T>(
    driver: &mut Driver,
    answer: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        answer = answer => Some(answer),
        () = driver => None,
    }
}

/// Connects to the first host that accepts writes. Tries `avoid` last, because a partitioned old primary also reports
/// that it accepts writes.
pub(crate) async fn connect(
    url: &DatabaseUrl,
    avoid: Option<usize>,
) -> Result<DatabaseConnection, StoreError> {
    let mut failures = Vec::new();
    let others = (0..url.hosts()).filter(|host| Some(*host) != avoid);
    for host in others.chain(avoid.filter(|host| *host < url.hosts())) {
        match timeout(CONNECT_TIMEOUT, connect_to(url, host)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(why)) if is_rejected(&why) => {
                let code = code_of(&why);
                let why = format!("{}: {}", url.host_name(host), describe(&why));
                return Err(StoreError::Server { code, why });
            }
            Ok(Err(why)) => failures.push(format!("{}: {}", url.host_name(host), describe(&why))),
            Err(_) => failures.push(format!("{}: no answer", url.host_name(host))),
        }
    }
    Err(StoreError::Unavailable { why: failures.join("; ") })
}

async fn connect_to(url: &DatabaseUrl, host: usize) -> Result<DatabaseConnection, Error> {
    let (client, connection) = url.config_of(host).connect(url.tls()).await?;
    let warnings = Warnings::default();
    let mut driver: Driver = Box::pin(drive(connection, warnings.clone()));
    // If the connection has ended, the next statement fails.
    match alongside(&mut driver, client.batch_execute(END_IDLE_TRANSACTIONS)).await {
        Some(Err(why)) if why.as_db_error().is_none() => Err(why),
        _ => Ok(DatabaseConnection { client, host, warnings, driver }),
    }
}

/// Drives the I/O until the connection ends, and counts warnings before the answer that they belong to is delivered.
async fn drive<S, T>(mut connection: Connection<S, T>, warnings: Warnings)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notice(notice) = message
            && notice.severity() == "WARNING"
        {
            warnings.0.fetch_add(1, Ordering::Release);
            warn!("the database warns: {}", notice.message());
        }
    }
}

/// True if retrying is useless: the password, the user or the name of the database is wrong.
fn is_rejected(why: &Error) -> bool {
    let code = code_of(why);
    code.starts_with("28") || code.starts_with("3D")
}

/// Returns the SQLSTATE of an error; empty if the error is not from the server.
pub(super) fn code_of(why: &Error) -> String {
    why.code().map(|code| code.code().to_owned()).unwrap_or_default()
}

/// Returns the message of an error with its causes, which the library does not print itself.
pub(crate) fn describe(why: &Error) -> String {
    if let Some(of_server) = why.as_db_error() {
        return format!("{} (SQLSTATE {})", of_server.message(), of_server.code().code());
    }
    match why.source() {
        Some(source) => format!("{why}: {source}"),
        None => why.to_string(),
    }
}
