//! Many teams' programs: a table of teams and clauses for whoever has to look at all of them.

pub mod html;
pub mod json;
pub mod text;

use super::{Kind, Report};

/// One team and what came of its programs.
#[derive(Clone, Debug)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// The file of its own page, beside the table.
    pub page: String,
    /// Its programs.
    pub tried: Vec<Tried>,
}

/// One program of a team.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What it is meant to be.
    pub kind: Kind,
    /// What was found out, or why it could not be run.
    pub result: Result<Report, String>,
}

impl Team {
    /// What came of its program of this kind.
    fn tried(&self, kind: Kind) -> Option<&Result<Report, String>> {
        self.tried.iter().find(|tried| tried.kind == kind).map(|tried| &tried.result)
    }
}

#[cfg(test)]
mod tests;
