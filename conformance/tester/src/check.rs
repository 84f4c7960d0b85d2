//! A check: one requirement and the function that tests it.

use nuggets_protocol::Dialect;
use serde::{Deserialize, Serialize};

use crate::Requirement;

/// A check. `T` is the test run that it needs: a fresh program under test and its surroundings.
#[derive(Debug)]
pub struct Check<T> {
    /// The requirement that it tests.
    pub requirement: Requirement,
    /// The function that tests it.
    pub run: fn(&mut T) -> Verdict,
}

impl<T> Clone for Check<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Check<T> {}

impl<T> Check<T> {
    /// Returns the check with its requirement as this dialect's specification states it.
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        Self { requirement: self.requirement.in_dialect(dialect), run: self.run }
    }
}

/// The result of a check or of one of its steps.
pub type Verdict<T = ()> = Result<T, CheckFailure>;

/// A violation of a requirement by the program under test, or an obstacle that kept the check from judging it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct CheckFailure {
    /// The behaviour that the requirement demands at this point.
    pub expected: String,
    /// The behaviour observed instead.
    #[serde(rename = "came")]
    pub actual: String,
    /// A drawing of the difference between two maps, or of the program's screen.
    pub drawing: Option<String>,
    /// The signal or unexpected exit of the program, and the messages sent to it just before.
    pub crash: Option<Box<str>>,
    /// True if `crash` was a plain exit and not a signal.
    #[serde(rename = "is_own_end")]
    pub is_exit: bool,
    /// True if something is only missing. A datagram may have been lost, so the check is retried
    /// before the failure counts.
    #[serde(rename = "is_silence")]
    pub is_retryable: bool,
    /// Set if this is not a failure of the check's own requirement: something that the check needs did not work, so
    /// that the check can't judge.
    #[serde(skip)]
    pub obstacle: Option<Obstacle>,
    /// True if another seed may help, even if the same was missing in other checks.
    #[serde(skip)]
    pub depends_on_seed: bool,
}

/// An obstacle that kept a check from judging its requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Something that the requirement with this id covers.
    Requirement(&'static str),
    /// Something that no requirement covers.
    Other,
}

impl CheckFailure {
    /// Creates a failure for a wrong observation; it counts at once.
    pub fn new(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            actual: actual.into(),
            drawing: None,
            crash: None,
            is_exit: false,
            is_retryable: false,
            obstacle: None,
            depends_on_seed: false,
        }
    }

    /// Creates a failure for something missing, perhaps due to a lost datagram; the check is retried.
    pub(crate) fn retryable(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { is_retryable: true, ..Self::new(expected, actual) }
    }

    /// Creates a failure for gold or players in unusable positions. The check is retried, each time with another seed.
    pub(crate) fn for_this_seed(expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { depends_on_seed: true, ..Self::retryable(expected, actual) }
    }

    /// Creates a failure for a check that can't judge its requirement, because something that it needs is missing and
    /// no requirement covers that. The check is retried.
    pub(crate) fn not_judged(needed: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { obstacle: Some(Obstacle::Other), ..Self::retryable(needed, actual) }
    }

    /// Marks this as a failure of the requirement with this id, which the check needs. The check is not judged, unless
    /// that requirement is its own.
    #[must_use]
    pub(crate) fn because_of(self, id: &'static str) -> Self {
        Self { obstacle: Some(Obstacle::Requirement(id)), ..self }
    }

    /// Like `because_of`, if the condition holds.
    #[must_use]
    pub(crate) fn because_of_if(self, id: &'static str, holds: bool) -> Self {
        if holds { self.because_of(id) } else { self }
    }

    /// Like `because_of`, unless this is already known to be a failure of another requirement.
    #[must_use]
    pub(crate) fn or_because_of(self, id: &'static str) -> Self {
        if self.obstacle.is_some() { self } else { self.because_of(id) }
    }

    /// Like `because_of`, if something is missing altogether, and not only wrong.
    #[must_use]
    pub(crate) fn if_missing_because_of(self, id: &'static str) -> Self {
        if self.is_retryable { self.or_because_of(id) } else { self }
    }

    /// Adds a drawing.
    #[must_use]
    pub(crate) fn with_drawing(self, drawing: impl Into<String>) -> Self {
        Self { drawing: Some(drawing.into()), ..self }
    }

    /// Replaces the expectation, where the caller knows the context better.
    #[must_use]
    pub(crate) fn with_expected(self, expected: impl Into<String>) -> Self {
        Self { expected: expected.into(), ..self }
    }

    /// Notes that a signal ended the program.
    #[must_use]
    pub(crate) fn with_crash(self, how: impl Into<String>) -> Self {
        Self { crash: Some(how.into().into()), is_retryable: false, ..self }
    }

    /// The label of `expected` in reports.
    pub(crate) fn expected_label(&self) -> &'static str {
        if self.obstacle.is_some() { "needed" } else { "expected" }
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

/// Fails the check if something wrong was found.
pub(crate) fn ensure_none<T>(
    wrong: Option<T>,
    expected: impl Into<String>,
    describe: impl FnOnce(T) -> String,
) -> Verdict {
    wrong.map_or(Ok(()), |wrong| fail(expected, describe(wrong)))
}

/// Fails a check that needs this, but is not about it, because of the requirement with this id.
pub(crate) fn ensure_for_check(
    holds: bool,
    expected: impl Into<String>,
    actual: impl Into<String>,
    id: &'static str,
) -> Verdict {
    let failure = || CheckFailure::retryable(expected, actual).because_of(id);
    if holds { Ok(()) } else { Err(failure()) }
}

/// Fails the check.
pub(crate) fn fail<T>(expected: impl Into<String>, actual: impl Into<String>) -> Verdict<T> {
    Err(CheckFailure::new(expected, actual))
}
