//! The checks that `--dialect` and `--only` select, and the list of them.

use nuggets_conformance::{Check, Requirement};
use nuggets_protocol::Dialect;

use crate::args::BadArgument;
use crate::args::conform::SelectionArgs;

/// The maximum number of suggestions for an unknown name.
const MAX_SUGGESTIONS: usize = 3;
/// The minimum similarity of a suggestion, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.7;

pub(super) fn requirements<T>(checks: &[Check<T>]) -> Vec<Requirement> {
    checks.iter().map(|check| check.requirement).collect()
}

/// The checks that apply to the dialect and are named by `--only` (all, if nothing is named), each with
/// its requirement in the wording of that dialect's specification.
pub(super) fn select<T>(catalogue: &[Check<T>], args: &SelectionArgs) -> Vec<Check<T>> {
    let is_selected = |check: &&Check<T>| {
        let requirement = &check.requirement;
        let is_named =
            args.only.is_empty() || args.only.iter().any(|word| requirement.matches(word));
        is_named && requirement.dialects.includes(args.dialect)
    };
    catalogue.iter().filter(is_selected).map(|check| check.in_dialect(args.dialect)).collect()
}

/// Rejects values of `--only` that select nothing. `list_command` shows all requirements.
pub(super) fn ensure_known(
    requirements: &[Requirement],
    args: &SelectionArgs,
    list_command: &str,
) -> Result<(), BadArgument> {
    for word in &args.only {
        let mut named = requirements.iter().filter(|requirement| requirement.matches(word));
        if named.clone().next().is_none() {
            return Err(unknown(word, requirements, list_command));
        }
        if !named.any(|requirement| requirement.dialects.includes(args.dialect)) {
            return Err(of_other_dialect(word, args.dialect));
        }
    }
    Ok(())
}

fn unknown(word: &str, requirements: &[Requirement], list_command: &str) -> BadArgument {
    let similar = similar_names(word, requirements);
    let advice = match similar.split_last() {
        None => String::new(),
        Some((last, [])) => format!(" Did you mean {last}?"),
        Some((last, others)) => format!(" Did you mean {} or {last}?", others.join(", ")),
    };
    BadArgument(format!("unknown requirement '{word}'.{advice} `{list_command}` lists all"))
}

fn of_other_dialect(word: &str, dialect: Dialect) -> BadArgument {
    let other = match dialect {
        Dialect::V2021 => Dialect::V2019,
        Dialect::V2019 => Dialect::V2021,
    };
    BadArgument(format!(
        "'{word}' does not apply to the {dialect} dialect. Add --dialect {other}, or choose another \
         requirement"
    ))
}

/// Ids and section prefixes that resemble the word.
fn similar_names(word: &str, requirements: &[Requirement]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = vec![];
    for requirement in requirements {
        let prefix = requirement.id.split('.').next().unwrap_or(requirement.id);
        names.extend([prefix, requirement.id]);
    }
    similar(word, &names)
}

/// Those names that resemble the word, or contain it, or are contained in it; the most similar first.
pub(super) fn similar<'a>(word: &str, names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names.dedup();
    let word = word.to_lowercase();
    let rated = |name: &'a str| {
        let lower = name.to_lowercase();
        let is_part = !word.is_empty() && (lower.contains(&word) || word.contains(&lower));
        let similarity = strsim::normalized_damerau_levenshtein(&word, &lower);
        (if is_part { similarity.max(MIN_SIMILARITY) } else { similarity }, name)
    };
    let mut rated: Vec<(f64, &str)> = names.into_iter().map(rated).collect();
    rated.retain(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    rated.sort_by(|one, two| two.0.total_cmp(&one.0));
    rated.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// The sections in order of first appearance, each with all its requirements.
pub(super) fn list<T>(checks: &[Check<T>]) -> String {
    let width = checks.iter().map(|check| check.requirement.id.len()).max().unwrap_or(0);
    let mut sections: Vec<(&str, String)> = vec![];
    for Check { requirement, .. } in checks {
        let Requirement { id, level, text, section, .. } = requirement;
        let line = format!("  {id:<width$}  {level:<6}  {text}\n");
        match sections.iter_mut().find(|(name, _)| name == section) {
            Some((_, lines)) => lines.push_str(&line),
            None => sections.push((section, line)),
        }
    }
    let printed = sections.iter().map(|(name, lines)| format!("{name}\n{lines}"));
    printed.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use nuggets_conformance::RequirementLevel;
    use nuggets_conformance::server::ServerTest;
    use nuggets_conformance::suite::TestRun;

    use super::*;
    use crate::conform::fake::{FakeTest, check_args};

    fn error_for(words: &[&str]) -> String {
        let requirements = requirements(&FakeTest::catalogue());
        ensure_known(&requirements, &check_args(words), "nuggets conform server --list")
            .unwrap_err()
            .0
    }

    #[test]
    fn an_unknown_requirement_is_rejected_with_suggestions() {
        assert_eq!(
            error_for(&["--only", "join.frist"]),
            "unknown requirement 'join.frist'. Did you mean join.first or join? `nuggets conform \
             server --list` lists all"
        );
        assert_eq!(
            error_for(&["--only", "join", "--only", "xyzzy"]),
            "unknown requirement 'xyzzy'. `nuggets conform server --list` lists all"
        );
        assert!(error_for(&["--only", "wall"]).contains("Did you mean keys.wall?"));
        assert!(error_for(&["--only", "joining"]).contains("Did you mean join?"));
    }

    #[test]
    fn a_requirement_of_the_other_dialect_is_rejected_with_advice() {
        assert_eq!(
            error_for(&["--only", "keys.old"]),
            "'keys.old' does not apply to the 2021 dialect. Add --dialect 2019, or choose another \
             requirement"
        );
    }

    #[test]
    fn checks_are_selected_by_dialect_and_by_name() {
        let catalogue = FakeTest::catalogue();
        let ids = |words: &[&str]| -> Vec<&str> {
            let args = check_args(words);
            ensure_known(&requirements(&catalogue), &args, "").unwrap();
            select(&catalogue, &args).iter().map(|check| check.requirement.id).collect()
        };
        assert_eq!(ids(&[]), ["join.first", "join.order", "keys.wall"]);
        assert_eq!(
            ids(&["--dialect", "2019"]),
            ["join.first", "join.order", "keys.wall", "keys.old"]
        );
        assert_eq!(ids(&["--only", "join"]), ["join.first", "join.order"]);
        assert_eq!(ids(&["--only", "keys", "--only", "join.order"]), ["join.order", "keys.wall"]);
    }

    #[test]
    fn requirements_have_the_level_of_the_dialects_specification() {
        let said = |dialect| {
            let args = SelectionArgs { dialect, ..check_args(&[]) };
            let checks = select(&ServerTest::catalogue(), &args);
            let check = checks.iter().find(|check| check.requirement.id == "odd.two-keys").unwrap();
            (check.requirement.level, check.requirement.source)
        };
        let in_2021 = (RequirementLevel::Must, "Network protocol, Malformed messages");
        assert_eq!(said(Dialect::V2021), in_2021);
        assert_eq!(
            said(Dialect::V2019),
            (RequirementLevel::Should, "Network protocol, Player to server")
        );
    }

    #[test]
    fn the_list_has_sections_ids_levels_and_texts() {
        let catalogue = FakeTest::catalogue();
        assert_eq!(
            list(&select(&catalogue, &check_args(&[]))),
            "Joining\n  join.first  must    It runs.\n  join.order  must    It keeps order.\n\n\
             Keys\n  keys.wall   should  It stops at walls.\n"
        );
    }

    #[test]
    fn a_section_whose_checks_are_apart_is_listed_once() {
        let [first, order, wall, _] = FakeTest::catalogue().try_into().ok().unwrap();
        assert_eq!(
            list(&[first, wall, order]),
            "Joining\n  join.first  must    It runs.\n  join.order  must    It keeps order.\n\n\
             Keys\n  keys.wall   should  It stops at walls.\n"
        );
    }

    #[test]
    fn the_list_of_server_checks_has_every_section_once() {
        let list = list(&ServerTest::catalogue());
        let mut sections: Vec<&str> =
            list.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
        let count = sections.len();
        sections.sort_unstable();
        sections.dedup();
        assert_eq!(sections.len(), count, "{list}");
    }
}
