//! One clause and the deed that tries it.

use nuggets_protocol::Dialect;
use serde::Serialize;

use crate::Clause;

/// A check. It is done on a stage of its own, with a fresh program.
#[derive(Debug)]
pub struct Check<S> {
    /// What it tries.
    pub clause: Clause,
    /// How it tries it.
    pub run: fn(&mut S) -> Verdict,
}

impl<S> Clone for Check<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Check<S> {}

impl<S> Check<S> {
    /// The check as the documents of this dialect have its clause.
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        Self { clause: self.clause.in_dialect(dialect), run: self.run }
    }
}

/// What a check comes to.
pub type Verdict = Result<(), Failure>;

/// What was seen to be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What should have come.
    pub expected: String,
    /// What came instead.
    pub came: String,
    /// Two maps and where they differ, drawn.
    pub drawing: Option<String>,
    /// How the program died, and what was sent to it just before.
    pub crash: Option<String>,
    /// It was no crash: the program ended by itself, though nobody had asked it to.
    pub is_own_end: bool,
    /// Only something that did not come is held against it: a datagram may have been lost, so it is
    /// tried again before it counts.
    pub is_silence: bool,
}

impl Failure {
    /// Something else came.
    pub fn new(expected: impl Into<String>, came: impl Into<String>) -> Self {
        let (expected, came) = (expected.into(), came.into());
        Self { expected, came, drawing: None, crash: None, is_own_end: false, is_silence: false }
    }

    /// Nothing came.
    pub fn silence(expected: impl Into<String>, came: impl Into<String>) -> Self {
        Self { is_silence: true, ..Self::new(expected, came) }
    }

    /// With a drawing.
    #[must_use]
    pub fn drawn(self, drawing: impl Into<String>) -> Self {
        Self { drawing: Some(drawing.into()), ..self }
    }

    /// The program died.
    #[must_use]
    pub fn crashed(self, how: impl Into<String>) -> Self {
        Self { crash: Some(how.into()), is_silence: false, ..self }
    }

    /// What the program's death or end is called.
    pub(crate) fn end_word(&self) -> &'static str {
        if self.is_own_end { "ended" } else { "crash" }
    }

    /// The program ended by itself.
    #[must_use]
    pub fn ended(self, how: impl Into<String>) -> Self {
        Self { is_own_end: true, ..self.crashed(how) }
    }
}
