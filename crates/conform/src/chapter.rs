//! A part of a catalogue: checks under one heading, written down one after the other.

use crate::{Check, Clause, Dialects, Level, Older, Verdict};

/// A heading, and where in the documents its clauses stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chapter {
    pub(crate) section: &'static str,
    pub(crate) source: &'static str,
}

impl Chapter {
    /// A check of what must be so.
    pub(crate) const fn must<S>(
        &self,
        id: &'static str,
        demand: &'static str,
        run: fn(&mut S) -> Verdict,
    ) -> Check<S> {
        self.check(Level::Must, id, demand, run)
    }

    /// A check of what should be so.
    pub(crate) const fn should<S>(
        &self,
        id: &'static str,
        demand: &'static str,
        run: fn(&mut S) -> Verdict,
    ) -> Check<S> {
        self.check(Level::Should, id, demand, run)
    }

    /// A check of what may well be so.
    pub(crate) const fn may<S>(
        &self,
        id: &'static str,
        demand: &'static str,
        run: fn(&mut S) -> Verdict,
    ) -> Check<S> {
        self.check(Level::May, id, demand, run)
    }

    const fn check<S>(
        &self,
        level: Level,
        id: &'static str,
        demand: &'static str,
        run: fn(&mut S) -> Verdict,
    ) -> Check<S> {
        let Self { section, source } = *self;
        Check {
            clause: Clause {
                id,
                level,
                section,
                source,
                demand,
                dialects: Dialects::Both,
                in_2019: None,
            },
            run,
        }
    }
}

impl<S> Check<S> {
    /// The same, only for one dialect.
    pub(crate) const fn only_in(self, dialects: Dialects) -> Self {
        Self { clause: Clause { dialects, ..self.clause }, run: self.run }
    }

    /// The same, from another section of the documents.
    pub(crate) const fn said_in(self, source: &'static str) -> Self {
        Self { clause: Clause { source, ..self.clause }, run: self.run }
    }

    /// The same, with what the documents of 2019 have of it.
    pub(crate) const fn in_2019(self, level: Level, source: &'static str) -> Self {
        let in_2019 = Some(Older { level, source });
        Self { clause: Clause { in_2019, ..self.clause }, run: self.run }
    }
}
