//! The catalogue: the requirements of each kind of program as its `requirements.toml` states them, and their checks.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{Check, ProgramKind, Requirement, Verdict};

/// Functions that test requirements, each with the id of its requirement.
pub(crate) type CheckTable<T> = &'static [(&'static str, fn(&mut T) -> Verdict)];

static OF_SERVERS: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::parse(include_str!("server/requirements.toml")));
static OF_CLIENTS: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::parse(include_str!("client/requirements.toml")));

/// The requirements of one kind of program.
#[derive(Debug, Deserialize)]
pub(crate) struct Catalogue {
    /// Families of ids, separated by blanks: each requirement depends on those before it.
    #[serde(borrow)]
    families: Vec<&'static str>,
    #[serde(rename = "section")]
    sections: Vec<Section>,
}

/// Requirements under one heading.
#[derive(Debug, Deserialize)]
struct Section {
    title: &'static str,
    /// The section of the specification that states those without a source of their own.
    source: &'static str,
    requirements: Vec<Requirement>,
}

impl Catalogue {
    pub(crate) fn of(kind: ProgramKind) -> &'static Self {
        match kind {
            ProgramKind::Server => &OF_SERVERS,
            ProgramKind::Client => &OF_CLIENTS,
        }
    }

    fn parse(text: &'static str) -> Self {
        let mut catalogue: Self = toml::from_str(text).expect("our own files are tested");
        for Section { title, source, requirements } in &mut catalogue.sections {
            for requirement in requirements {
                requirement.section = title;
                if requirement.source.is_empty() {
                    requirement.source = source;
                }
            }
        }
        catalogue
    }

    /// All requirements, in the order of the reports.
    pub(crate) fn requirements(&self) -> impl Iterator<Item = &Requirement> {
        self.sections.iter().flat_map(|section| &section.requirements)
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Requirement> {
        self.requirements().find(|requirement| requirement.id == id)
    }

    /// Returns the checks of all requirements, with their functions from these tables.
    pub(crate) fn checks<T>(&self, tables: &[CheckTable<T>]) -> Vec<Check<T>> {
        let functions = tables.concat();
        let check = |requirement: &Requirement| {
            let function = functions.iter().find(|(id, _)| *id == requirement.id);
            let (_, run) = *function.expect("every requirement has a function");
            Check { requirement: *requirement, run }
        };
        let checks: Vec<Check<T>> = self.requirements().map(check).collect();
        assert_eq!(checks.len(), functions.len(), "every function has a requirement");
        checks
    }

    /// Returns all requirements that the one with this id depends on, the nearest first.
    pub(crate) fn prerequisites(&self, id: &str) -> Vec<&'static str> {
        let mut found: Vec<&'static str> = self.direct_prerequisites(id).collect();
        let mut next = 0;
        while let Some(&needed) = found.get(next) {
            for further in self.direct_prerequisites(needed) {
                if !found.contains(&further) {
                    found.push(further);
                }
            }
            next += 1;
        }
        found
    }

    fn direct_prerequisites(&self, id: &str) -> impl Iterator<Item = &'static str> {
        let families = self.families.iter().map(|family| family.split(' '));
        let own = families.filter(move |family| family.clone().any(|it| it == id));
        let older = own.flat_map(move |family| family.take_while(move |it| *it != id));
        older.chain(self.find(id).into_iter().flat_map(|it| it.needs.split_whitespace()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nuggets_protocol::Dialect;

    use super::*;
    use crate::client::ClientTest;
    use crate::server::ServerTest;
    use crate::suite::TestRun;

    const KINDS: [ProgramKind; 2] = [ProgramKind::Server, ProgramKind::Client];

    fn all() -> impl Iterator<Item = &'static Requirement> {
        KINDS.into_iter().flat_map(|kind| Catalogue::of(kind).requirements())
    }

    #[test]
    fn every_requirement_has_an_id_of_its_own_a_check_and_a_whole_sentence() {
        let counts = [ServerTest::catalogue().len(), ClientTest::catalogue().len()];
        for (kind, checks) in KINDS.into_iter().zip(counts) {
            let ids: BTreeSet<&str> = Catalogue::of(kind).requirements().map(|it| it.id).collect();
            assert_eq!(ids.len(), checks);
        }
        for requirement in all() {
            assert!(requirement.text.ends_with('.'), "{}", requirement.id);
        }
    }

    #[test]
    fn every_section_has_one_group_of_ids() {
        for kind in KINDS {
            let requirements = || Catalogue::of(kind).requirements();
            let groups: BTreeSet<_> =
                requirements().map(|it| (it.id.split('.').next(), it.section)).collect();
            let sections: BTreeSet<_> = requirements().map(|it| it.section).collect();
            assert_eq!(groups.len(), sections.len());
        }
    }

    #[test]
    fn every_prerequisite_is_a_requirement_and_none_depends_on_itself() {
        for catalogue in KINDS.map(Catalogue::of) {
            let in_families = catalogue.families.iter().flat_map(|family| family.split(' '));
            let needed = catalogue.requirements().flat_map(|it| it.needs.split(' '));
            for id in in_families.chain(needed.filter(|id| !id.is_empty())) {
                assert!(catalogue.find(id).is_some(), "{id}");
            }
            for Requirement { id, .. } in catalogue.requirements() {
                let needed = catalogue.prerequisites(id);
                assert!(!needed.contains(id), "{id}: {needed:?}");
            }
        }
    }

    #[test]
    fn prerequisites_are_found_through_others() {
        let catalogue = Catalogue::of(ProgramKind::Server);
        let all = catalogue.prerequisites("swap.sprint");
        assert_eq!(all[..3], ["swap.step", "move.sprint-h", "join.own-letter"]);
        assert!(all.contains(&"join.ok") && !all.contains(&"over.taker"), "{all:?}");
        let siblings: Vec<&str> = catalogue.direct_prerequisites("move.sprint-k").collect();
        assert_eq!(siblings, ["move.sprint-h", "move.sprint-l", "move.k"]);
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
            let level = requirement.in_dialect(Dialect::V2019).level;
            assert!(level >= requirement.level, "{}", requirement.id);
        }
    }
}
