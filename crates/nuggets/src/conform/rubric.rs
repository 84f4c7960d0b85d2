//! Reads a rubric: a TOML file with the weights for grades.
//!
//! ```toml
//! points = 100                 # a program that passes everything; this is the default
//! not-judged = "failed"        # or "left-out": what was not judged earns nothing, or does not count
//!
//! [levels]                     # the weight of a requirement that nothing below names
//! must = 1
//! should = 0.5
//! may = 0
//!
//! [server.sections]            # shares of sections; those not named count nothing
//! Moving = 30
//! Sight = 20
//!
//! [server.requirements]        # weights within their sections: an id or a group, as for --only
//! "sight.walks" = 3
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use nuggets_conformance::Requirement;
use nuggets_conformance::report::rubric::{NotJudgedRule, Rubric, Weights};
use serde::Deserialize;
use toml::Spanned;

use super::selection::similar;
use crate::args::BadArgument;

/// The largest weight and grade.
const MAX_NUMBER: f64 = 1_000_000.0;

/// Reads and checks the file. Names must be those of these requirements of servers and clients.
pub(super) fn read(
    path: &Path,
    servers: &[Requirement],
    clients: &[Requirement],
) -> Result<Rubric, BadArgument> {
    let bad =
        |why: String| BadArgument(format!("can't use the rubric '{}': {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|why| bad(why.to_string()))?;
    parse(&text, servers, clients).map_err(bad)
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct RubricFile {
    points: Spanned<f64>,
    not_judged: NotJudgedRule,
    levels: Levels,
    server: WeightTables,
    client: WeightTables,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Levels {
    must: Spanned<f64>,
    should: Spanned<f64>,
    may: Spanned<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WeightTables {
    sections: Table,
    requirements: Table,
}

type Table = BTreeMap<Spanned<String>, Spanned<f64>>;

impl Default for RubricFile {
    fn default() -> Self {
        Self {
            points: unplaced(Rubric::default().points),
            not_judged: NotJudgedRule::default(),
            levels: Levels::default(),
            server: WeightTables::default(),
            client: WeightTables::default(),
        }
    }
}

impl Default for Levels {
    fn default() -> Self {
        let [must, should, may] = Rubric::default().levels.map(unplaced);
        Self { must, should, may }
    }
}

/// A value that stands nowhere in the file.
fn unplaced(number: f64) -> Spanned<f64> {
    Spanned::new(0..0, number)
}

fn parse(text: &str, servers: &[Requirement], clients: &[Requirement]) -> Result<Rubric, String> {
    let file: RubricFile = toml::from_str(text).map_err(|why| {
        let place = why.span().map(|span| place(text, &span)).unwrap_or_default();
        format!("{place}{}", why.message())
    })?;
    let number = |number: &Spanned<f64>| check_number(text, number);
    let points = number(&file.points)?;
    if points == 0.0 {
        return Err(format!("{}points must be more than 0", place(text, &file.points.span())));
    }
    let Levels { must, should, may } = &file.levels;
    Ok(Rubric {
        points,
        not_judged: file.not_judged,
        levels: [number(must)?, number(should)?, number(may)?],
        server: file.server.check(text, servers, "server")?,
        client: file.client.check(text, clients, "client")?,
    })
}

impl WeightTables {
    fn check(
        &self,
        text: &str,
        requirements: &[Requirement],
        kind: &str,
    ) -> Result<Weights, String> {
        let is_section = |name: &str| requirements.iter().any(|it| it.section == name);
        let is_requirement = |name: &str| requirements.iter().any(|it| it.matches(name));
        let sections = requirements.iter().map(|it| it.section);
        let groups = requirements.iter().filter_map(|it| it.id.split('.').next());
        let ids = requirements.iter().map(|it| it.id).chain(groups);
        Ok(Weights {
            sections: check_table(text, &self.sections, is_section, |name| {
                unknown(name, "section", kind, sections.clone())
            })?,
            requirements: check_table(text, &self.requirements, is_requirement, |name| {
                unknown(name, "requirement", kind, ids.clone())
            })?,
        })
    }
}

fn check_table(
    text: &str,
    table: &Table,
    is_known: impl Fn(&str) -> bool,
    unknown: impl Fn(&str) -> String,
) -> Result<Vec<(String, f64)>, String> {
    let mut weights = vec![];
    for (name, weight) in table {
        if !is_known(name.get_ref()) {
            return Err(format!("{}{}", place(text, &name.span()), unknown(name.get_ref())));
        }
        weights.push((name.get_ref().clone(), check_number(text, weight)?));
    }
    Ok(weights)
}

fn unknown<'a>(name: &str, what: &str, kind: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let advice = match similar(name, &known).first() {
        Some(similar) => format!(" Did you mean {similar}?"),
        None => String::new(),
    };
    format!(
        "unknown {what} '{name}' of a {kind}.{advice} `nuggets conform {kind} --list` lists all"
    )
}

fn check_number(text: &str, number: &Spanned<f64>) -> Result<f64, String> {
    let value = *number.get_ref();
    if (0.0..=MAX_NUMBER).contains(&value) {
        return Ok(value);
    }
    let place = place(text, &number.span());
    Err(format!("{place}{value} is no weight: give a number from 0 to {MAX_NUMBER}"))
}

/// `line 3, column 5: `, both counted from 1.
fn place(text: &str, span: &Range<usize>) -> String {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    format!("line {line}, column {column}: ")
}

#[cfg(test)]
mod tests {
    use nuggets_conformance::client::ClientTest;
    use nuggets_conformance::server::ServerTest;
    use nuggets_conformance::suite::TestRun;

    use super::super::selection::requirements;
    use super::*;

    fn parse(text: &str) -> Result<Rubric, String> {
        let servers = requirements(&ServerTest::catalogue());
        let clients = requirements(&ClientTest::catalogue());
        super::parse(text, &servers, &clients)
    }

    #[test]
    fn an_empty_rubric_has_the_defaults() {
        assert_eq!(parse(""), Ok(Rubric::default()));
    }

    #[test]
    fn everything_can_be_given() {
        let text = "points = 20\nnot-judged = \"left-out\"\n[levels]\nmust = 2\nshould = 0.5\n\
                    [server.sections]\nSight = 20\n\"Letters and seats\" = 5\n\
                    [server.requirements]\n\"sight.walks\" = 3\nodd = 0\n\
                    [client.requirements]\n\"keys.quit\" = 1.5\n";
        let pair = |name: &str, weight| (name.to_owned(), weight);
        assert_eq!(
            parse(text),
            Ok(Rubric {
                points: 20.0,
                not_judged: NotJudgedRule::LeftOut,
                levels: [2.0, 0.5, 0.0],
                server: Weights {
                    sections: vec![pair("Letters and seats", 5.0), pair("Sight", 20.0)],
                    requirements: vec![pair("odd", 0.0), pair("sight.walks", 3.0)],
                },
                client: Weights { sections: vec![], requirements: vec![pair("keys.quit", 1.5)] },
            })
        );
    }

    #[test]
    fn the_rubric_in_the_documents_is_valid() {
        let example = include_str!("../../../../docs/rubric.toml");
        let rubric = parse(example).unwrap();
        assert_eq!(rubric.server.sections.len(), 7);
        let document = include_str!("../../../../docs/conformance.md");
        assert!(document.contains(&format!("```toml\n{example}```\n")), "it shows another one");
    }

    #[test]
    fn errors_name_the_line_and_the_column() {
        for (text, expected) in [
            ("points = 0\n", "line 1, column 10: points must be more than 0"),
            (
                "\n[levels]\nmust = -1\n",
                "line 3, column 8: -1 is no weight: give a number from 0 to 1000000",
            ),
            (
                "[levels]\nmust = nan\n",
                "line 2, column 8: NaN is no weight: give a number from 0 to 1000000",
            ),
            (
                "[levels]\nmsut = 1\n",
                "line 2, column 1: unknown field `msut`, expected one of `must`, `should`, `may`",
            ),
            (
                "[server.sections]\n  Sigth = 1\n",
                "line 2, column 3: unknown section 'Sigth' of a server. Did you mean Sight? `nuggets \
                 conform server --list` lists all",
            ),
            (
                "[client.requirements]\n\"keys.quitt\" = 1\n",
                "line 2, column 1: unknown requirement 'keys.quitt' of a client. Did you mean \
                 keys.quit? `nuggets conform client --list` lists all",
            ),
            (
                "[client.requirements]\n\"sight.walks\" = 1\n",
                "line 2, column 1: unknown requirement 'sight.walks' of a client. `nuggets conform \
                 client --list` lists all",
            ),
            (
                "not-judged = \"ignored\"\n",
                "line 1, column 14: unknown variant `ignored`, expected `failed` or `left-out`",
            ),
        ] {
            assert_eq!(parse(text), Err(expected.to_owned()), "{text}");
        }
        let syntax = parse("points = \n").unwrap_err();
        assert!(syntax.starts_with("line 1, column "), "{syntax}");
        let twice = parse("points = 1\npoints = 2\n").unwrap_err();
        assert!(twice.starts_with("line 2, column 1: duplicate key"), "{twice}");
        let kind = parse("é = 1").unwrap_err();
        assert!(kind.starts_with("line 1, column 1: "), "{kind}");
    }
}
