//! A thread's connection and the jobs on it: transactions at READ COMMITTED that are retried from the start after a
//! conflict or a broken connection. The outcome of a lost commit is unknown, so every job must be safe to run twice.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use futures_util::TryStreamExt;
use nuggets_time::{Clock, Timestamp};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_postgres::{Error, Row, Statement};

use super::DatabaseUrl;
use super::connect::{DatabaseConnection, STATEMENT_TIMEOUT, code_of, connect, describe};
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
pub(in crate::store) struct Worker {
    url: DatabaseUrl,
    runtime: Handle,
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

/// The failure of a statement.
#[derive(Debug)]
enum StatementError {
    /// Permanent: the job gets the error.
    Rejected,
    /// The job is retried.
    Conflict { why: String },
    /// The job is retried on another connection.
    Broken { why: String },
    /// The job is retried on another connection, to another host if there is one.
    Unanswered,
}

impl Worker {
    pub(in crate::store) fn new(url: &DatabaseUrl, runtime: &Handle, clock: &Clock) -> Self {
        Self { url: url.clone(), runtime: runtime.clone(), clock: *clock, open: None, avoid: None }
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
            let why = match self.attempt(&work, before_commit) {
                Ok(done) => return done,
                Err(why) => why,
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
    pub(in crate::store) fn autocommit<T>(
        &mut self,
        work: impl Fn(&mut dyn Sql) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let asked_at = self.clock.now();
        loop {
            let mut open = self.take_open()?;
            let host = open.connected.host;
            let warnings = open.connected.warnings.count();
            let mut job = Transaction { open: &mut open, runtime: &self.runtime, fault: None };
            let (done, fault) = (work(&mut job), job.fault);
            match fault {
                None if open.connected.warnings.count() != warnings => {
                    return Err(StoreError::unavailable("a commit was answered with a warning"));
                }
                None | Some(StatementError::Rejected) => {
                    self.open = Some(open);
                    return done;
                }
                Some(StatementError::Conflict { why }) => {
                    self.open = Some(open);
                    if self.clock.now().since(asked_at) >= MAX_CONFLICTS_MS {
                        return Err(StoreError::Unavailable { why });
                    }
                    sleep(MIN_BACKOFF);
                }
                Some(StatementError::Broken { why }) => {
                    return Err(StoreError::Unavailable { why });
                }
                Some(StatementError::Unanswered) => {
                    self.avoid = Some(host);
                    return done;
                }
            }
        }
    }

    fn take_open(&mut self) -> Result<OpenConnection, StoreError> {
        match self.open.take() {
            Some(open) if !open.connected.client.is_closed() => Ok(open),
            _ => {
                let connected = self.runtime.block_on(connect(&self.url, self.avoid))?;
                Ok(OpenConnection { connected, statements: BTreeMap::new() })
            }
        }
    }

    /// Runs a job once. The inner result is final; the outer error is the reason for a retry.
    fn attempt<T, E: From<StoreError>>(
        &mut self,
        work: &impl Fn(&mut dyn Sql) -> Result<T, E>,
        before_commit: Option<&str>,
    ) -> Result<Result<T, E>, String> {
        let mut open = match self.take_open() {
            Ok(open) => open,
            Err(StoreError::Unavailable { why }) => return Err(why),
            Err(why) => return Ok(Err(why.into())),
        };
        let host = open.connected.host;
        let mut transaction = Transaction { open: &mut open, runtime: &self.runtime, fault: None };
        let done = transaction.run(work, before_commit);
        if done.is_err() {
            transaction.roll_back();
        }
        match transaction.fault {
            None | Some(StatementError::Rejected) => {
                self.open = Some(open);
                Ok(done)
            }
            Some(StatementError::Conflict { why }) => {
                self.open = Some(open);
                Err(why)
            }
            Some(StatementError::Broken { why }) => Err(why),
            Some(StatementError::Unanswered) => {
                self.avoid = Some(host);
                Err("the database does not answer".to_owned())
            }
        }
    }
}

/// A transaction in progress.
struct Transaction<'a> {
    open: &'a mut OpenConnection,
    runtime: &'a Handle,
    /// The first failure of a statement. Afterwards the server accepts only ROLLBACK.
    fault: Option<StatementError>,
}

impl Transaction<'_> {
    fn run<T, E: From<StoreError>>(
        &mut self,
        work: &impl Fn(&mut dyn Sql) -> Result<T, E>,
        before_commit: Option<&str>,
    ) -> Result<T, E> {
        let warnings = self.open.connected.warnings.count();
        self.control("BEGIN")?;
        let done = work(self)?;
        if self.fault.is_some() {
            // The job has ignored the failure of a statement; a commit would be a rollback.
            return Err(StoreError::Closed.into());
        }
        before_commit.map_or(Ok(()), |statement| self.control(statement))?;
        self.control("COMMIT")?;
        if self.open.connected.warnings.count() != warnings {
            let why = "a commit was answered with a warning".to_owned();
            self.fault = Some(StatementError::Broken { why: why.clone() });
            return Err(StoreError::Unavailable { why }.into());
        }
        Ok(done)
    }

    /// Rolls a failed transaction back, unless its connection is dropped anyway.
    fn roll_back(&mut self) {
        if matches!(self.fault, Some(StatementError::Broken { .. } | StatementError::Unanswered)) {
            return;
        }
        let before = self.fault.take();
        if self.control("ROLLBACK").is_ok() {
            self.fault = before;
        }
    }

    fn control(&mut self, statement: &str) -> Result<(), StoreError> {
        let client = &self.open.connected.client;
        let answer = answer(self.runtime, client.batch_execute(statement));
        self.note(answer)
    }

    fn prepared(&mut self, statement: &str) -> Result<Statement, StoreError> {
        if let Some(prepared) = self.open.statements.get(statement) {
            return Ok(prepared.clone());
        }
        let prepared = answer(self.runtime, self.open.connected.client.prepare(statement));
        let prepared = self.note(prepared)?;
        self.open.statements.insert(statement.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// Converts the answer to a statement, and records its failure.
    fn note<T>(&mut self, answer: Option<Result<T, Error>>) -> Result<T, StoreError> {
        let (fault, why) = match answer {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(why)) => {
                let (code, text) = (code_of(&why), describe(&why));
                (fault_of(&code, &text), StoreError::Server { code, why: text })
            }
            None => {
                let why = "a statement was not answered".to_owned();
                (StatementError::Unanswered, StoreError::Unavailable { why })
            }
        };
        self.fault.get_or_insert(fault);
        Err(why)
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
        let client = &self.open.connected.client;
        let rows = client.query_raw(&prepared, &parameters);
        let rows = answer(self.runtime, async { rows.await?.try_collect::<Vec<Row>>().await });
        self.note(rows)?.iter().map(row_of).collect()
    }

    fn execute(
        &mut self,
        statement: &str,
        parameters: &[&dyn sql::ToSql],
    ) -> Result<u64, StoreError> {
        let prepared = self.prepared(statement)?;
        let parameters = all(parameters)?;
        let client = &self.open.connected.client;
        let changed = answer(self.runtime, client.execute_raw(&prepared, &parameters));
        self.note(changed)
    }
}

fn all<'a>(parameters: &[&'a dyn sql::ToSql]) -> Result<Vec<Parameter<'a>>, StoreError> {
    parameters.iter().map(|value| Parameter::new(*value)).collect()
}

/// Waits for the answer to a statement; `None` after the timeout.
fn answer<T>(
    runtime: &Handle,
    statement: impl Future<Output = Result<T, Error>>,
) -> Option<Result<T, Error>> {
    runtime.block_on(async { timeout(STATEMENT_TIMEOUT, statement).await.ok() })
}

fn fault_of(code: &str, why: &str) -> StatementError {
    let why = why.to_owned();
    if CONFLICTS.contains(&code) {
        StatementError::Conflict { why }
    } else if code.is_empty() || code == READ_ONLY || PASSING.contains(&&code[..2]) {
        StatementError::Broken { why }
    } else {
        StatementError::Rejected
    }
}
