//! A thread's connection and the jobs on it: transactions at READ COMMITTED that are retried from the start after a
//! conflict or a broken connection. The outcome of a lost commit is unknown, so every job must be safe to run twice.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use futures_util::{FutureExt, TryStreamExt};
use nuggets_time::{Clock, Timestamp};
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use tokio::time::timeout;
use tokio_postgres::{Client, Error, Row, Statement};

use super::DatabaseUrl;
use super::connect::{
    DatabaseConnection, STATEMENT_TIMEOUT, alongside, code_of, connect, describe,
};
use super::values::{Parameter, row_of};
use crate::store::StoreError;
use crate::store::sql::{self, Sql, SqlRow};

/// Deadline of a job after its request, in milliseconds.
const MAX_TRYING_MS: u64 = 10_000;
/// Deadline of statements that commit by themselves and conflict with others, in milliseconds.
const MAX_CONFLICTS_MS: u64 = 2_000;
const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(1);

/// Run before the commit of a retry, whose job may have found the commit of an earlier attempt and written nothing: locking a
/// row is a write, so the commit waits for the standby, and with it for that earlier one.
const WAIT_FOR_STANDBY: &str = "SELECT 1 FROM nuggets_schema FOR SHARE";

/// SQLSTATEs after which the transaction is retried: serialization failure, deadlock, lock not available.
const CONFLICTS: [&str; 3] = ["40001", "40P01", "55P03"];
/// SQLSTATE classes of transient errors, which another connection or a later attempt may not have: connection, resources
/// (disk full, too many connections), operator intervention (shutdown).
const PASSING: [&str; 3] = ["08", "53", "57"];
/// The SQLSTATE of a server that has become a standby.
const READ_ONLY: &str = "25006";

/// A connection that is opened on demand.
#[derive(Debug)]
pub(crate) struct Worker {
    url: DatabaseUrl,
    /// Its own, so that a job depends on no other thread, even while the host stops.
    runtime: Runtime,
    clock: Clock,
    open: Option<OpenConnection>,
    /// The host that did not answer the last statement.
    avoid: Option<usize>,
}

#[derive(Debug)]
struct OpenConnection {
    connected: DatabaseConnection,
    statements: BTreeMap<String, Statement>,
}

/// The failure of a statement, and its text.
#[derive(Debug)]
struct Fault {
    kind: FaultKind,
    why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultKind {
    /// Permanent: the job gets the error.
    Rejected,
    /// The job is retried.
    Conflict,
    /// The job is retried on another connection.
    Broken,
    /// The job is retried on another connection, to another host if there is one.
    Unanswered,
}

impl Worker {
    pub(crate) fn new(url: &DatabaseUrl, clock: &Clock) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(StoreError::Thread)?;
        Ok(Self { url: url.clone(), runtime, clock: *clock, open: None, avoid: None })
    }

    /// Runs a job whose deadline starts now.
    pub(in crate::store) fn transaction_now<T, E: From<StoreError>>(
        &mut self,
        work: impl Fn(&mut dyn Sql) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction(self.clock.now(), work)
    }

    /// Runs a job until it is committed, fails permanently, or its deadline has passed.
    pub(in crate::store) fn transaction<T, E: From<StoreError>>(
        &mut self,
        asked_at: Timestamp,
        work: impl Fn(&mut dyn Sql) -> Result<T, E>,
    ) -> Result<T, E> {
        let (mut backoff, mut before_commit) = (MIN_BACKOFF, None);
        loop {
            let attempt = self.attempt(|transaction| {
                let done = transaction.run(&work, before_commit);
                if done.is_err() {
                    transaction.roll_back();
                }
                done
            });
            let why = match attempt {
                Ok((done, None)) => return done,
                Ok((_, Some(fault))) => fault.why,
                Err(StoreError::Unavailable { why }) => why,
                Err(why) => return Err(why.into()),
            };
            before_commit = Some(WAIT_FOR_STANDBY);
            if self.clock.now().since(asked_at) >= MAX_TRYING_MS {
                return Err(StoreError::Unavailable { why }.into());
            }
            sleep(backoff);
            backoff = (backoff * 2).min(MAX_BACKOFF);
        }
    }

    /// Runs a job whose statements commit by themselves, and again after a conflict, which has committed nothing. The caller
    /// handles other failures.
    pub(crate) fn autocommit<T>(
        &mut self,
        work: impl Fn(&mut dyn Sql) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let asked_at = self.clock.now();
        loop {
            let (done, fault) = self.attempt(|sql| sql.without_warning(|sql| work(sql)))?;
            let Some(Fault { kind, why }) = fault else { return done };
            let is_late = self.clock.now().since(asked_at) >= MAX_CONFLICTS_MS;
            if kind != FaultKind::Conflict || is_late {
                return Err(StoreError::Unavailable { why });
            }
            sleep(MIN_BACKOFF);
        }
    }

    /// Runs a job once. The fault, if there is one, is a reason to run it again. A connection that may be broken is dropped.
    fn attempt<T, E>(
        &mut self,
        job: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<(Result<T, E>, Option<Fault>), StoreError> {
        let mut open = self.take_open()?;
        let mut transaction = Transaction { open: &mut open, runtime: &self.runtime, fault: None };
        let (done, fault) = (job(&mut transaction), transaction.fault);
        match fault.as_ref().map(|fault| fault.kind) {
            Some(FaultKind::Unanswered) => self.avoid = Some(open.connected.host),
            Some(FaultKind::Broken) => {}
            None | Some(FaultKind::Rejected | FaultKind::Conflict) => self.open = Some(open),
        }
        Ok((done, fault.filter(|fault| fault.kind != FaultKind::Rejected)))
    }

    fn take_open(&mut self) -> Result<OpenConnection, StoreError> {
        if let Some(mut open) = self.open.take() {
            let has_ended = self.runtime.block_on(async {
                // The socket is looked at meanwhile.
                yield_now().await;
                (&mut open.connected.driver).now_or_never().is_some()
            });
            if !has_ended {
                return Ok(open);
            }
        }
        let connected = self.runtime.block_on(connect(&self.url, self.avoid))?;
        Ok(OpenConnection { connected, statements: BTreeMap::new() })
    }
}

/// A transaction in progress.
struct Transaction<'a> {
    open: &'a mut OpenConnection,
    runtime: &'a Runtime,
    /// The first failure of a statement. Afterwards the server accepts only ROLLBACK.
    fault: Option<Fault>,
}

impl Transaction<'_> {
    fn run<T, E: From<StoreError>>(
        &mut self,
        work: &impl Fn(&mut dyn Sql) -> Result<T, E>,
        before_commit: Option<&str>,
    ) -> Result<T, E> {
        self.control("BEGIN")?;
        let done = work(self)?;
        if self.fault.is_some() {
            // The job has ignored the failure of a statement; a commit would be a rollback.
            return Err(StoreError::Closed.into());
        }
        before_commit.map_or(Ok(()), |statement| self.control(statement))?;
        self.without_warning(|transaction| transaction.control("COMMIT"))?;
        Ok(done)
    }

    /// Runs statements that commit. It is not known whether a commit that was answered with a warning has reached the standby.
    fn without_warning<T>(
        &mut self,
        commit: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let before = self.open.connected.warnings.count();
        let done = commit(self)?;
        if self.open.connected.warnings.count() == before {
            return Ok(done);
        }
        let why = "a commit was answered with a warning".to_owned();
        self.fault = Some(Fault { kind: FaultKind::Broken, why: why.clone() });
        Err(StoreError::Unavailable { why })
    }

    /// Rolls a failed transaction back, unless its connection is dropped anyway.
    fn roll_back(&mut self) {
        let is_lost =
            |fault: &Fault| matches!(fault.kind, FaultKind::Broken | FaultKind::Unanswered);
        if self.fault.as_ref().is_some_and(is_lost) {
            return;
        }
        let before = self.fault.take();
        if self.control("ROLLBACK").is_ok() {
            self.fault = before;
        }
    }

    fn control(&mut self, statement: &str) -> Result<(), StoreError> {
        self.ask(async |client| client.batch_execute(statement).await)
    }

    fn prepared(&mut self, statement: &str) -> Result<Statement, StoreError> {
        if let Some(prepared) = self.open.statements.get(statement) {
            return Ok(prepared.clone());
        }
        let prepared = self.ask(async |client| client.prepare(statement).await)?;
        self.open.statements.insert(statement.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// Waits for the answer to a statement, and records its failure.
    fn ask<T>(
        &mut self,
        statement: impl AsyncFnOnce(&Client) -> Result<T, Error>,
    ) -> Result<T, StoreError> {
        let DatabaseConnection { client, driver, .. } = &mut self.open.connected;
        let answer = alongside(driver, statement(client));
        let answer = self.runtime.block_on(async { timeout(STATEMENT_TIMEOUT, answer).await });
        let (kind, code, why) = match answer {
            Ok(Some(Ok(answer))) => return Ok(answer),
            Ok(Some(Err(why))) => {
                let code = code_of(&why);
                (fault_of(&code), code, describe(&why))
            }
            Ok(None) => (FaultKind::Broken, String::new(), "the connection has ended".to_owned()),
            Err(_) => {
                let why = "the database does not answer".to_owned();
                self.fault.get_or_insert(Fault { kind: FaultKind::Unanswered, why: why.clone() });
                return Err(StoreError::Unavailable { why });
            }
        };
        self.fault.get_or_insert(Fault { kind, why: why.clone() });
        Err(StoreError::Server { code, why })
    }
}

impl Sql for Transaction<'_> {
    fn query(
        &mut self,
        statement: &str,
        parameters: &[&dyn sql::ToSql],
    ) -> Result<Vec<SqlRow>, StoreError> {
        let prepared = self.prepared(statement)?;
        let parameters = all(parameters)?;
        let rows = self.ask(async |client| {
            client.query_raw(&prepared, &parameters).await?.try_collect::<Vec<Row>>().await
        });
        rows?.iter().map(row_of).collect()
    }

    fn execute(
        &mut self,
        statement: &str,
        parameters: &[&dyn sql::ToSql],
    ) -> Result<u64, StoreError> {
        let prepared = self.prepared(statement)?;
        let parameters = all(parameters)?;
        self.ask(async |client| client.execute_raw(&prepared, &parameters).await)
    }
}

fn all<'a>(parameters: &[&'a dyn sql::ToSql]) -> Result<Vec<Parameter<'a>>, StoreError> {
    parameters.iter().map(|value| Parameter::new(*value)).collect()
}

fn fault_of(code: &str) -> FaultKind {
    if CONFLICTS.contains(&code) {
        FaultKind::Conflict
    } else if code.is_empty() || code == READ_ONLY || PASSING.contains(&&code[..2]) {
        FaultKind::Broken
    } else {
        FaultKind::Rejected
    }
}
