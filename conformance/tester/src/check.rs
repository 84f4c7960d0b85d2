//! A check: one requirement and the function that tests it.

use nuggets_protocol::Dialect;
use serde::Serialize;

use crate::Requirement;

/// A check. `T` is the test run that it needs: a fresh program under test and its surroundings.
#[derive(Debug)]
pub struct Check<T> {
    /// What it tests.
    pub requirement: Requirement,
    /// How it tests it.
    pub run: fn(&mut T) -> Verdict,
}

impl<T> Clone for Check<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Check<T> {}

impl<T> Check<T> {
    /// The check with its requirement as this dialect's specification has it.
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        Self { requirement: self.requirement.in_dialect(dialect), run: self.run }
    }
}

/// What a check, or a step of one, returns.
pub type Verdict<T = ()> = Result<T, CheckFailure>;

/// How the program under test broke a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckFailure {
    /// What the requirement demands at this point.
    pub expected: String,
    /// What was observed instead.
    #[serde(rename = "came")]
    pub actual: String,
    /// A drawing of the difference between two maps, or of the program's screen.
    pub drawing: Option<String>,
    /// How the program died or exited unasked, and what was sent to it just before.
    pub crash: Option<String>,
    /// True if `crash` was a plain exit and not a signal.
    #[serde(rename = "is_own_end")]
    pub is_exit: bool,
    /// True if something is only missing. A datagram may have been lost, so the check is retried
    /// before the failure counts.
    #[serde(rename = "is_silence")]
    pub is_retryable: bool,
}

impl CheckFailure {
    /// Something wrong was observed; this counts at once.
    pub fn new(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            actual: actual.into(),
            drawing: None,
            crash: None,
            is_exit: false,
            is_retryable: false,
        }
    }

    /// Something is missing, which may be due to a lost datagram; the check is retried.
    pub fn retryable(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { is_retryable: true, ..Self::new(expected, actual) }
    }

    /// Adds a drawing.
    #[must_use]
    pub fn with_drawing(self, drawing: impl Into<String>) -> Self {
        Self { drawing: Some(drawing.into()), ..self }
    }

    /// Replaces what was expected, where the caller knows the context better.
    #[must_use]
    pub(crate) fn with_expected(self, expected: impl Into<String>) -> Self {
        Self { expected: expected.into(), ..self }
    }

    /// The program was ended by a signal.
    #[must_use]
    pub fn with_crash(self, how: impl Into<String>) -> Self {
        Self { crash: Some(how.into()), is_retryable: false, ..self }
    }

    /// The program exited without being asked to.
    #[must_use]
    pub fn with_exit(self, how: impl Into<String>) -> Self {
        Self { is_exit: true, ..self.with_crash(how) }
    }

    /// The label of `crash` in reports.
    pub(crate) fn crash_label(&self) -> &'static str {
        if self.is_exit { "exited" } else { "crash" }
    }
}

/// Fails the check unless the condition holds.
pub(crate) fn ensure(
    holds: bool,
    expected: impl Into<String>,
    actual: impl Into<String>,
) -> Verdict {
    if holds { Ok(()) } else { fail(expected, actual) }
}

/// Fails the check.
pub(crate) fn fail<T>(expected: impl Into<String>, actual: impl Into<String>) -> Verdict<T> {
    Err(CheckFailure::new(expected, actual))
}
