//! Requirements of the specification, and the sections under which they are grouped.

use std::fmt;

use nuggets_protocol::Dialect;
use serde::Serialize;

use crate::{Check, Verdict};

/// The level of a requirement in the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RequirementLevel {
    /// Without it, other teams' programs can't play with this one.
    Must,
    /// The specification asks for it, but a game is possible without it.
    Should,
    /// Desirable, and left to the team.
    May,
}

/// The dialects in which a requirement applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialects {
    /// 2021 and 2019.
    Both,
    /// 2021 only.
    Only2021,
    /// 2019 only.
    Only2019,
}

/// The differences of a requirement in the 2019 specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement2019 {
    /// The level in 2019.
    pub level: RequirementLevel,
    /// The section of the 2019 specification that states it.
    pub source: &'static str,
}

/// One requirement, as stated by the 2021 specification (or by that of 2019, if only that has it).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// A stable name, such as `join.order`: the group and a word. Users grade by it.
    pub id: &'static str,
    /// The level of the requirement.
    pub level: RequirementLevel,
    /// The heading in reports.
    pub section: &'static str,
    /// The section of the specification that states it.
    pub source: &'static str,
    /// One sentence that states it.
    pub text: &'static str,
    /// The dialects in which it applies.
    pub dialects: Dialects,
    /// The difference in 2019, if there is one.
    pub in_2019: Option<Requirement2019>,
}

/// Section titles of the 2021 specification that differ in 2019.
const TITLES_2019: [(&str, &str); 4] = [
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

impl Requirement {
    /// True if `--only` selects it by this word: its whole id, or the start of one up to a dot.
    pub fn matches(&self, word: &str) -> bool {
        let rest = self.id.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || word.ends_with('.'))
    }

    /// The requirement with the level and the source of this dialect's specification.
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        match (dialect, self.in_2019) {
            (Dialect::V2021, _) => self,
            (Dialect::V2019, Some(Requirement2019 { level, source })) => {
                Self { level, source, ..self }
            }
            (Dialect::V2019, None) => {
                let renamed = TITLES_2019.iter().find(|(title, _)| *title == self.source);
                Self { source: renamed.map_or(self.source, |(_, older)| older), ..self }
            }
        }
    }
}

impl Dialects {
    /// True if this dialect is one of them.
    pub fn includes(self, dialect: Dialect) -> bool {
        match self {
            Self::Both => true,
            Self::Only2021 => dialect == Dialect::V2021,
            Self::Only2019 => dialect == Dialect::V2019,
        }
    }
}

impl RequirementLevel {
    /// All levels, the strongest first.
    pub const ALL: [Self; 3] = [Self::Must, Self::Should, Self::May];
}

impl fmt::Display for RequirementLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
        })
    }
}

/// Builds checks whose requirements share a heading and a source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    title: &'static str,
    source: &'static str,
    dialects: Dialects,
    in_2019: Option<Requirement2019>,
}

impl Section {
    pub(crate) const fn new(title: &'static str, source: &'static str) -> Self {
        Self { title, source, dialects: Dialects::Both, in_2019: None }
    }

    /// The same heading, for requirements that another section of the specification states.
    pub(crate) const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// The same heading, for requirements of one dialect.
    pub(crate) const fn only(self, dialects: Dialects) -> Self {
        Self { dialects, ..self }
    }

    /// The same heading, for requirements that have another level or source in 2019.
    pub(crate) const fn in_2019(self, level: RequirementLevel, source: &'static str) -> Self {
        Self { in_2019: Some(Requirement2019 { level, source }), ..self }
    }

    pub(crate) const fn must<T>(
        self,
        id: &'static str,
        text: &'static str,
        run: fn(&mut T) -> Verdict,
    ) -> Check<T> {
        self.check(RequirementLevel::Must, id, text, run)
    }

    pub(crate) const fn should<T>(
        self,
        id: &'static str,
        text: &'static str,
        run: fn(&mut T) -> Verdict,
    ) -> Check<T> {
        self.check(RequirementLevel::Should, id, text, run)
    }

    pub(crate) const fn may<T>(
        self,
        id: &'static str,
        text: &'static str,
        run: fn(&mut T) -> Verdict,
    ) -> Check<T> {
        self.check(RequirementLevel::May, id, text, run)
    }

    const fn check<T>(
        self,
        level: RequirementLevel,
        id: &'static str,
        text: &'static str,
        run: fn(&mut T) -> Verdict,
    ) -> Check<T> {
        let Self { title: section, source, dialects, in_2019 } = self;
        Check {
            requirement: Requirement { id, level, section, source, text, dialects, in_2019 },
            run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUIREMENT: Requirement = Requirement {
        id: "join.order",
        level: RequirementLevel::Must,
        section: "Joining",
        source: "Requirements, Client",
        text: "",
        dialects: Dialects::Both,
        in_2019: None,
    };

    #[test]
    fn a_requirement_is_selected_by_its_id_or_its_group() {
        assert!(REQUIREMENT.matches("join.order") && REQUIREMENT.matches("join"));
        assert!(!REQUIREMENT.matches("join.ord") && !REQUIREMENT.matches("jo"));
    }

    fn all() -> impl Iterator<Item = Requirement> {
        let of_servers = crate::server::catalogue().into_iter().map(|check| check.requirement);
        let of_clients = crate::client::catalogue().into_iter().map(|check| check.requirement);
        of_servers.chain(of_clients)
    }

    #[test]
    fn every_check_has_an_id_of_its_own_and_a_whole_sentence() {
        for ids in [
            crate::server::catalogue().iter().map(|check| check.requirement.id).collect::<Vec<_>>(),
            crate::client::catalogue().iter().map(|check| check.requirement.id).collect(),
        ] {
            let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(unique.len(), ids.len());
        }
        for requirement in all() {
            assert!(requirement.text.ends_with('.'), "{}", requirement.id);
        }
    }

    /// Section titles of both specifications.
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
        "left open by the specification; a team's implementation spec",
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
    fn every_requirement_names_a_section_of_its_specification() {
        for requirement in all() {
            for (dialect, own) in [(Dialect::V2021, &OF_2021[..]), (Dialect::V2019, &OF_2019)] {
                let source = requirement.in_dialect(dialect).source;
                let is_known = OF_BOTH.contains(&source) || own.contains(&source);
                let applies = requirement.dialects.includes(dialect);
                assert!(is_known || !applies, "{}: {source}", requirement.id);
            }
        }
    }

    #[test]
    fn no_level_is_stronger_in_2019() {
        for requirement in all() {
            assert!(
                requirement.in_dialect(Dialect::V2019).level >= requirement.level,
                "{}",
                requirement.id
            );
        }
    }

    #[test]
    fn level_and_source_depend_on_the_dialect() {
        let of = |requirement: Requirement, dialect| {
            let requirement = requirement.in_dialect(dialect);
            (requirement.level, requirement.source)
        };
        assert_eq!(
            of(REQUIREMENT, Dialect::V2021),
            (RequirementLevel::Must, "Requirements, Client")
        );
        assert_eq!(
            of(REQUIREMENT, Dialect::V2019),
            (RequirementLevel::Must, "Requirements, Player")
        );
        let older = Requirement2019 { level: RequirementLevel::May, source: "Requirements, Maps" };
        let other = Requirement { in_2019: Some(older), ..REQUIREMENT };
        assert_eq!(of(other, Dialect::V2021), (RequirementLevel::Must, "Requirements, Client"));
        assert_eq!(of(other, Dialect::V2019), (RequirementLevel::May, "Requirements, Maps"));
    }
}
