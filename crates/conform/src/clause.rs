//! What the documents demand, a sentence at a time.

use std::fmt;

use serde::Serialize;

/// How strongly something is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Without it, other people's programs can't play with this one.
    Must,
    /// The documents ask for it; a game is possible without.
    Should,
    /// Good, and left to the team.
    May,
}

/// In which dialects a clause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialects {
    /// In both.
    Both,
    /// Only in that of 2021.
    Only2021,
    /// Only in that of 2019.
    Only2019,
}

/// One demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its name for ever, such as `join.order`: the section and a word.
    pub id: &'static str,
    /// How strongly it is demanded.
    pub level: Level,
    /// Under which heading it is reported.
    pub section: &'static str,
    /// The document's own section where it stands.
    pub source: &'static str,
    /// What is demanded, in one sentence.
    pub demand: &'static str,
    /// Where it holds.
    pub dialects: Dialects,
}

impl Clause {
    /// Is it meant by this word: its id, or the beginning of one up to a dot?
    pub fn is_meant(&self, word: &str) -> bool {
        let rest = self.id.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || word.ends_with('.'))
    }
}

impl Level {
    /// All, the strongest first.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::May];
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_meant_by_its_id_or_its_section() {
        let clause = Clause {
            id: "join.order",
            level: Level::Must,
            section: "Joining",
            source: "Protocol",
            demand: "",
            dialects: Dialects::Both,
        };
        assert!(clause.is_meant("join.order") && clause.is_meant("join"));
        assert!(!clause.is_meant("join.ord") && !clause.is_meant("jo"));
    }
}
