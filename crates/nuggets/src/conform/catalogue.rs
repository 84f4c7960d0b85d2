//! Which checks are meant, and what there is.

use nuggets_conform::{Check, Clause, Dialects};
use nuggets_protocol::Dialect;

use crate::args::BadArgument;
use crate::args::conform::JudgeArgs;

/// So many clauses of similar name are told.
const MOST_NEAR: usize = 3;
/// Names are similar from here on, of 1.
const NEAR: f64 = 0.7;

/// What the checks are about.
pub(super) fn clauses<S>(checks: &[Check<S>]) -> Vec<Clause> {
    checks.iter().map(|check| check.clause).collect()
}

/// The checks as the documents of this dialect have their clauses.
pub(super) fn in_dialect<S>(checks: &[Check<S>], dialect: Dialect) -> Vec<Check<S>> {
    checks.iter().map(|check| check.in_dialect(dialect)).collect()
}

/// The checks of this dialect that are meant: all, if none is named.
pub(super) fn meant<'a, S>(checks: &'a [Check<S>], judging: &JudgeArgs) -> Vec<&'a Check<S>> {
    let named = |clause: &Clause| {
        judging.only.is_empty() || judging.only.iter().any(|word| clause.is_meant(word))
    };
    let wanted = |check: &&Check<S>| {
        holds_in(check.clause.dialects, judging.dialect) && named(&check.clause)
    };
    checks.iter().filter(wanted).collect()
}

/// Every word of `--only` has to mean something. The command shows what there is.
pub(super) fn check_words(
    clauses: &[Clause],
    judging: &JudgeArgs,
    command: &str,
) -> Result<(), BadArgument> {
    for word in &judging.only {
        let meant: Vec<&Clause> = clauses.iter().filter(|clause| clause.is_meant(word)).collect();
        if meant.is_empty() {
            return Err(unknown(word, clauses, command));
        }
        if meant.iter().all(|clause| !holds_in(clause.dialects, judging.dialect)) {
            return Err(of_another_dialect(word, judging.dialect));
        }
    }
    Ok(())
}

fn holds_in(dialects: Dialects, dialect: Dialect) -> bool {
    match dialects {
        Dialects::Both => true,
        Dialects::Only2021 => dialect == Dialect::V2021,
        Dialects::Only2019 => dialect == Dialect::V2019,
    }
}

fn unknown(word: &str, clauses: &[Clause], command: &str) -> BadArgument {
    let near = near(word, clauses);
    let advice = match near.split_last() {
        None => String::new(),
        Some((last, [])) => format!(" Did you mean {last}?"),
        Some((last, others)) => format!(" Did you mean {} or {last}?", others.join(", ")),
    };
    BadArgument(format!("there is no clause '{word}'.{advice} `{command}` shows all"))
}

fn of_another_dialect(word: &str, dialect: Dialect) -> BadArgument {
    let other = match dialect {
        Dialect::V2021 => Dialect::V2019,
        Dialect::V2019 => Dialect::V2021,
    };
    BadArgument(format!(
        "'{word}' is not asked in the {dialect} dialect. Add --dialect {other}, or choose another \
         clause"
    ))
}

/// Ids and sections of similar name, the most similar first. Those that have the word in them, or
/// are in it, are similar too.
fn near<'a>(word: &str, clauses: &[Clause]) -> Vec<&'a str> {
    let mut names: Vec<&'static str> = vec![];
    for clause in clauses {
        let section = clause.id.split('.').next().unwrap_or(clause.id);
        names.extend([section, clause.id]);
    }
    names.sort_unstable();
    names.dedup();
    let word = word.to_lowercase();
    let similar = |name: &'static str| {
        let has_it = !word.is_empty() && (name.contains(&word) || word.contains(name));
        let similarity = strsim::normalized_damerau_levenshtein(&word, name);
        (if has_it { similarity.max(NEAR) } else { similarity }, name)
    };
    let mut similar: Vec<(f64, &str)> = names.into_iter().map(similar).collect();
    similar.retain(|(similarity, _)| *similarity >= NEAR);
    similar.sort_by(|one, two| two.0.total_cmp(&one.0));
    similar.into_iter().take(MOST_NEAR).map(|(_, name)| name).collect()
}

/// Sections, and under each its clauses.
pub(super) fn list<S>(checks: &[&Check<S>]) -> String {
    let width = checks.iter().map(|check| check.clause.id.len()).max().unwrap_or(0);
    let line = |Check { clause, .. }: &&Check<S>| {
        format!("  {:<width$}  {:<6}  {}\n", clause.id, clause.level, clause.demand)
    };
    let part = |own: &[&Check<S>]| {
        let lines: String = own.iter().map(line).collect();
        format!("{}\n{lines}", own[0].clause.section)
    };
    let by_section = checks.chunk_by(|one, two| one.clause.section == two.clause.section);
    by_section.map(part).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use nuggets_conform::Level;

    use super::*;
    use crate::conform::doors::Door;
    use crate::conform::fake::{OfFakes, judging};

    fn refused(words: &[&str]) -> String {
        let clauses = clauses(&OfFakes::catalogue());
        check_words(&clauses, &judging(words), "nuggets conform server --list").unwrap_err().0
    }

    #[test]
    fn a_word_that_means_nothing_is_refused_with_what_is_near() {
        assert_eq!(
            refused(&["--only", "join.frist"]),
            "there is no clause 'join.frist'. Did you mean join.first or join? `nuggets conform \
             server --list` shows all"
        );
        assert_eq!(
            refused(&["--only", "join", "--only", "xyzzy"]),
            "there is no clause 'xyzzy'. `nuggets conform server --list` shows all"
        );
        assert!(refused(&["--only", "wall"]).contains("Did you mean keys.wall?"));
        assert!(refused(&["--only", "joining"]).contains("Did you mean join?"));
    }

    #[test]
    fn a_word_of_the_other_dialect_is_refused_with_the_way_there() {
        assert_eq!(
            refused(&["--only", "keys.old"]),
            "'keys.old' is not asked in the 2021 dialect. Add --dialect 2019, or choose another \
             clause"
        );
    }

    #[test]
    fn checks_are_chosen_by_dialect_and_by_words() {
        let catalogue = OfFakes::catalogue();
        let ids = |words: &[&str]| -> Vec<&str> {
            let judging = judging(words);
            check_words(&clauses(&catalogue), &judging, "").unwrap();
            meant(&catalogue, &judging).iter().map(|check| check.clause.id).collect()
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
    fn clauses_are_as_strong_as_the_documents_of_the_dialect_make_them() {
        let said = |dialect| {
            let checks = in_dialect(&nuggets_conform::server::catalogue(), dialect);
            let check = checks.iter().find(|check| check.clause.id == "odd.two-keys").unwrap();
            (check.clause.level, check.clause.source)
        };
        let in_2021 = (Level::Must, "Network protocol, Malformed messages");
        assert_eq!(said(Dialect::V2021), in_2021);
        assert_eq!(said(Dialect::V2019), (Level::Should, "Network protocol, Player to server"));
    }

    #[test]
    fn the_list_names_sections_ids_levels_and_demands() {
        let catalogue = OfFakes::catalogue();
        assert_eq!(
            list(&meant(&catalogue, &judging(&[]))),
            "Joining\n  join.first  must    It runs.\n  join.order  must    It keeps order.\n\n\
             Keys\n  keys.wall   should  It minds walls.\n"
        );
    }
}
