//! What was judged, the score, and how both are written: as [`text`] for a terminal, as one [`html`]
//! page, as [`json`] and [`junit`] for programs, and as a [`batch`] of many teams.

pub mod batch;
mod evidence;
pub mod html;
pub mod json;
pub mod junit;
mod paint;
mod picture;
pub mod text;
mod verdict;
mod visible;

pub use visible::visible;

use std::fmt;

use serde::Serialize;

use crate::{Clause, Exchange, Failure, Level};

/// Everything about one program.
#[derive(Clone, Debug)]
pub struct Report {
    /// A server or a client.
    pub kind: Kind,
    /// The command that was tested, as it was given.
    pub program: String,
    /// The dialect it was held to.
    pub dialect: String,
    /// The tester's version.
    pub tester: String,
    /// How long it took.
    pub millis: u64,
    /// One for each check, in the catalogue's order.
    pub results: Vec<Judged>,
}

/// What kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It holds the game.
    Server,
    /// It shows the game to a person.
    Client,
}

/// One check's result.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The clause's name.
    pub id: &'static str,
    /// How strongly it is demanded.
    pub level: Level,
    /// The heading.
    pub section: &'static str,
    /// Where it stands.
    pub source: &'static str,
    /// What is demanded.
    pub demand: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// How often it was tried.
    pub tries: u32,
    /// How long that took.
    pub millis: u64,
    /// What was exchanged, for a check that failed.
    pub exchanges: Vec<Exchange>,
    /// How many exchanges before those are not shown.
    pub left_out: usize,
    /// The command that does this one check again.
    pub repeat: String,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The clause holds.
    Passed,
    /// It doesn't.
    Failed(Failure),
    /// Nobody judged it, for this reason.
    Skipped {
        /// Why.
        why: String,
    },
}

/// How many of how many hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// So many hold.
    pub held: usize,
    /// Out of so many that were judged.
    pub of: usize,
}

impl Report {
    /// Does every `must` hold that was judged? And was at least one judged?
    pub fn all_musts_hold(&self) -> bool {
        let score = self.score_of(Level::Must);
        score.is_full() && self.score(|_| true).of > 0
    }

    /// The score of some of the results.
    pub fn score(&self, which: impl Fn(&Judged) -> bool) -> Score {
        let mut score = Score::default();
        for judged in self.results.iter().filter(|judged| which(judged)) {
            match judged.outcome {
                Outcome::Passed => score.held += 1,
                Outcome::Failed(_) => {}
                Outcome::Skipped { .. } => continue,
            }
            score.of += 1;
        }
        score
    }

    /// The headings in the catalogue's order.
    pub fn sections(&self) -> Vec<&'static str> {
        let mut sections = vec![];
        for judged in &self.results {
            if !sections.contains(&judged.section) {
                sections.push(judged.section);
            }
        }
        sections
    }

    /// The score of one level.
    pub fn score_of(&self, level: Level) -> Score {
        self.score(|judged| judged.level == level)
    }

    /// The score of one level under one heading.
    pub fn score_in(&self, section: &str, level: Level) -> Score {
        self.score(|judged| judged.section == section && judged.level == level)
    }

    /// What failed.
    pub fn failures(&self) -> impl Iterator<Item = (&Judged, &Failure)> {
        self.results.iter().filter_map(|judged| match &judged.outcome {
            Outcome::Failed(failure) => Some((judged, failure)),
            _ => None,
        })
    }
}

impl Score {
    /// Do all hold that were judged?
    pub fn is_full(self) -> bool {
        self.held == self.of
    }

    /// How many don't.
    pub fn broken(self) -> usize {
        self.of - self.held
    }
}

impl Judged {
    /// Nothing known yet but the clause.
    pub fn of(clause: &Clause, outcome: Outcome) -> Self {
        Self {
            id: clause.id,
            level: clause.level,
            section: clause.section,
            source: clause.source,
            demand: clause.demand,
            outcome,
            tries: 0,
            millis: 0,
            exchanges: vec![],
            left_out: 0,
            repeat: String::new(),
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.held, self.of))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Server => "server",
            Self::Client => "client",
        })
    }
}

#[cfg(test)]
mod made_up;
