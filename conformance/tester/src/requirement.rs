//! Requirements of the specification.

use std::fmt;

use nuggets_protocol::Dialect;
use serde::{Deserialize, Serialize};

/// The level of a requirement in the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Dialects {
    /// 2021 and 2019.
    #[default]
    Both,
    /// 2021 only.
    #[serde(rename = "2021")]
    Only2021,
    /// 2019 only.
    #[serde(rename = "2019")]
    Only2019,
}

/// The differences of a requirement in the 2019 specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Requirement2019 {
    /// The level in 2019.
    pub level: RequirementLevel,
    /// The section of the 2019 specification that states it.
    pub source: &'static str,
}

/// One requirement, as stated by the 2021 specification (or by that of 2019, if only that has it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// A stable name, such as `join.order`: the group and a word. Users grade by it.
    pub id: &'static str,
    /// The level of the requirement.
    pub level: RequirementLevel,
    /// The heading in reports.
    #[serde(skip)]
    pub section: &'static str,
    /// The section of the specification that states it.
    #[serde(default)]
    pub source: &'static str,
    /// One sentence that states it.
    pub text: &'static str,
    /// The dialects in which it applies.
    #[serde(default)]
    pub dialects: Dialects,
    /// The difference in 2019, if there is one.
    pub in_2019: Option<Requirement2019>,
    /// The ids of the requirements that its check depends on directly, separated by blanks.
    #[serde(default)]
    pub needs: &'static str,
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
        needs: "",
    };

    #[test]
    fn a_requirement_is_selected_by_its_id_or_its_group() {
        assert!(REQUIREMENT.matches("join.order") && REQUIREMENT.matches("join"));
        assert!(!REQUIREMENT.matches("join.ord") && !REQUIREMENT.matches("jo"));
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
