//! What the documents demand, a sentence at a time.

use std::fmt;

use nuggets_protocol::Dialect;
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

/// What the documents of 2019 have of a clause, where that is not what those of 2021 have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Older {
    /// How strongly it is demanded there.
    pub level: Level,
    /// The section where it stands there.
    pub source: &'static str,
}

/// One demand, as the documents of 2021 have it, or the only ones that have it.
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
    /// What is otherwise in 2019.
    pub in_2019: Option<Older>,
}

/// Sections of 2021 that have another heading in 2019.
const HEADINGS: [(&str, &str); 4] = [
    ("Requirements, Client", "Requirements, Player"),
    ("Requirements, Client interface", "Requirements, Player interface"),
    (
        "Requirements, Client interface: Grid display",
        "Requirements, Player interface: Grid display",
    ),
    (
        "Requirements, Client interface: Spectator keystrokes",
        "Requirements, Player interface: Spectator keystrokes",
    ),
];

impl Clause {
    /// Is it meant by this word: its id, or the beginning of one up to a dot?
    pub fn is_meant(&self, word: &str) -> bool {
        let rest = self.id.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || word.ends_with('.'))
    }

    /// The clause as the documents of this dialect have it.
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        match (dialect, self.in_2019) {
            (Dialect::V2021, _) => self,
            (Dialect::V2019, Some(Older { level, source })) => Self { level, source, ..self },
            (Dialect::V2019, None) => Self { source: heading_of_2019(self.source), ..self },
        }
    }
}

fn heading_of_2019(source: &'static str) -> &'static str {
    let other = HEADINGS.iter().find(|(heading, _)| *heading == source);
    other.map_or(source, |(_, older)| older)
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

    const CLAUSE: Clause = Clause {
        id: "join.order",
        level: Level::Must,
        section: "Joining",
        source: "Requirements, Client",
        demand: "",
        dialects: Dialects::Both,
        in_2019: None,
    };

    #[test]
    fn a_clause_is_meant_by_its_id_or_its_section() {
        assert!(CLAUSE.is_meant("join.order") && CLAUSE.is_meant("join"));
        assert!(!CLAUSE.is_meant("join.ord") && !CLAUSE.is_meant("jo"));
    }

    /// The headings under which something is demanded, in both.
    const OF_BOTH: [&str; 11] = [
        "Network protocol",
        "Network protocol, Player to server",
        "Network protocol, Spectator to server",
        "Network protocol, Server to clients",
        "Requirements, introduction",
        "Requirements, Constants",
        "Requirements, Server",
        "Requirements, Maps",
        "Requirements, Valid maps",
        "Requirements, Visibility",
        "left open by the documents; a team's implementation spec",
    ];
    const OF_2021: [&str; 6] = [
        "Network protocol, Malformed messages",
        "Network protocol, Misordered messages",
        "Requirements, Client",
        "Requirements, Client interface",
        "Requirements, Client interface: Grid display",
        "Requirements, Client interface: Spectator keystrokes",
    ];
    const OF_2019: [&str; 9] = [
        "Requirements, Player",
        "Requirements of 2019, Player",
        "Requirements, Player interface",
        "Requirements, Player interface: Grid display",
        "Requirements, Player interface: Spectator keystrokes",
        "Network protocol of 2019, Server to clients",
        "Design of 2019, Testing plan",
        "Implementation of 2019, Client module",
        "Implementation of 2019, Server module",
    ];

    #[test]
    fn every_clause_names_a_section_that_its_documents_have() {
        let of_servers = crate::server::catalogue().into_iter().map(|check| check.clause);
        let of_clients = crate::client::catalogue().into_iter().map(|check| check.clause);
        for clause in of_servers.chain(of_clients) {
            let is_in = |dialect, own: &[&str]| {
                let source = clause.in_dialect(dialect).source;
                OF_BOTH.contains(&source) || own.contains(&source)
            };
            let is_there = match clause.dialects {
                Dialects::Both => {
                    is_in(Dialect::V2021, &OF_2021) && is_in(Dialect::V2019, &OF_2019)
                }
                Dialects::Only2021 => is_in(Dialect::V2021, &OF_2021),
                Dialects::Only2019 => is_in(Dialect::V2019, &OF_2019),
            };
            assert!(is_there, "{}", clause.id);
        }
    }

    #[test]
    fn nothing_is_demanded_more_strongly_by_the_older_documents() {
        let of_servers = crate::server::catalogue().into_iter().map(|check| check.clause);
        let of_clients = crate::client::catalogue().into_iter().map(|check| check.clause);
        for clause in of_servers.chain(of_clients) {
            assert!(clause.in_dialect(Dialect::V2019).level >= clause.level, "{}", clause.id);
        }
    }

    #[test]
    fn a_clause_has_the_level_and_the_section_of_the_dialects_own_documents() {
        let said = |clause: Clause, dialect| {
            let clause = clause.in_dialect(dialect);
            (clause.level, clause.source)
        };
        assert_eq!(said(CLAUSE, Dialect::V2021), (Level::Must, "Requirements, Client"));
        assert_eq!(said(CLAUSE, Dialect::V2019), (Level::Must, "Requirements, Player"));
        let older = Older { level: Level::May, source: "Requirements, Maps" };
        let other = Clause { in_2019: Some(older), ..CLAUSE };
        assert_eq!(said(other, Dialect::V2021), (Level::Must, "Requirements, Client"));
        assert_eq!(said(other, Dialect::V2019), (Level::May, "Requirements, Maps"));
    }
}
