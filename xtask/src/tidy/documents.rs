//! Checks that tables, links and file names in the documents are true.

use std::collections::BTreeSet;

use super::{Tree, has_extension};

const ARCHITECTURE: &str = "ARCHITECTURE.md";
const CONTRIBUTING: &str = "CONTRIBUTING.md";
/// The heading above the table of words, files and items.
const TABLE_HEADING: &str = "## Where is what";
/// The heading above the list of dependencies.
const DEPENDENCIES_HEADING: &str = "## Dependencies";
/// Words of a topic that lead nowhere.
const FILLERS: [&str; 3] = ["of", "on", "the"];
/// What can define an item.
const KEYWORDS: [&str; 8] = ["fn", "struct", "enum", "const", "static", "mod", "trait", "type"];
/// Folders whose files the documents name by their whole path.
const ROOTS: [&str; 8] =
    ["crates/", "conformance/", "docs/", "fuzz/", "maps/", "verify/", "xtask/", ".github/"];

/// ARCHITECTURE.md lists every member of the workspace once, and no folder that does not exist.
pub(super) fn crate_table(tree: &Tree, members: &[String]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut listed = BTreeSet::new();
    for row in rows(tree.text(ARCHITECTURE)) {
        let Some(path) = code(row[0]).filter(|path| is_folder_name(tree, path)) else { continue };
        if !tree.has_folder(path) {
            findings.push(format!("{ARCHITECTURE}: lists {path}, which does not exist"));
        } else if !listed.insert(path) {
            findings.push(format!("{ARCHITECTURE}: lists {path} twice"));
        }
    }
    for member in members.iter().filter(|member| !listed.contains(member.as_str())) {
        findings.push(format!("{ARCHITECTURE}: does not list the workspace member {member}"));
    }
    findings
}

/// The list of dependencies in ARCHITECTURE.md is that of the manifests: `crate -> crates`, by the
/// names of the packages without `nuggets-`.
pub(super) fn dependencies(tree: &Tree, members: &[String]) -> Vec<String> {
    let section = section(tree.text(ARCHITECTURE), DEPENDENCIES_HEADING);
    let listed: BTreeSet<String> = section
        .lines()
        .filter_map(|line| line.split_once("->"))
        .map(|(name, needs)| dependency_line(name.trim(), needs.split(", ").map(str::trim)))
        .collect();
    let declared: BTreeSet<String> = members
        .iter()
        .filter(|member| *member != "xtask")
        .map(|member| declared_dependencies(tree.text(&format!("{member}/Cargo.toml"))))
        .collect();
    let wrong = |line: &String, what: &str| format!("{ARCHITECTURE}: '{line}' {what}");
    let extra =
        listed.difference(&declared).map(|line| wrong(line, "is not what its manifest says"));
    let missing = declared.difference(&listed).map(|line| wrong(line, "is missing from the list"));
    extra.chain(missing).collect()
}

fn dependency_line<'a>(name: &str, needs: impl Iterator<Item = &'a str>) -> String {
    let needs: BTreeSet<&str> = needs.filter(|need| !need.is_empty()).collect();
    format!("{name} -> {}", needs.into_iter().collect::<Vec<_>>().join(", ")).trim_end().to_owned()
}

fn declared_dependencies(manifest: &str) -> String {
    let mut name = "";
    let mut table = "";
    let mut needs = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            table = line;
        } else if table == "[package]"
            && let Some(value) = line.strip_prefix("name = ")
        {
            name = value.trim_matches('"');
        } else if table == "[dependencies]"
            && let Some(need) = line.strip_prefix("nuggets-")
        {
            needs.push(need.split(['.', ' ', '=']).next().unwrap_or(need));
        }
    }
    dependency_line(name.strip_prefix("nuggets-").unwrap_or(name), needs.into_iter())
}

/// The text below a heading of the second level; empty if there is none.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let below = text.split_once(heading).map_or("", |(_, below)| below);
    below.split("\n## ").next().unwrap_or_default()
}

/// A row of another table may begin with a type or a command.
fn is_folder_name(tree: &Tree, path: &str) -> bool {
    ROOTS.iter().any(|root| path.starts_with(root)) || tree.has_folder(path)
}

/// Every row of the table in CONTRIBUTING.md names a file and an item that exist, and one of its
/// words stands in one of the two names.
pub(super) fn where_is_what(tree: &Tree) -> Vec<String> {
    let text = tree.text(CONTRIBUTING);
    if !text.contains(TABLE_HEADING) {
        return vec![format!("{CONTRIBUTING}: has no section '{TABLE_HEADING}'")];
    }
    let rows = rows(section(text, TABLE_HEADING));
    rows.filter_map(|row| wrong_row(tree, &row)).map(|what| in_table(&what)).collect()
}

fn in_table(what: &str) -> String {
    format!("{CONTRIBUTING}: {TABLE_HEADING}: {what}")
}

fn wrong_row(tree: &Tree, row: &[&str]) -> Option<String> {
    let &[topic, file, item] = row else {
        return Some(format!("a row has {} cells, not 3", row.len()));
    };
    let (Some(file), Some(item)) = (code(file), code(item)) else {
        return Some(format!("'{topic}': file and item stand in backticks"));
    };
    let Some(source) = tree.files.get(file) else {
        return Some(format!("'{topic}': there is no file {file}"));
    };
    if !item.split("::").all(|name| defines(source, name)) {
        return Some(format!("'{topic}': {file} has no item {item}"));
    }
    let names = format!("{file} {item}").to_lowercase();
    let leads = |word: &str| !FILLERS.contains(&word) && names.contains(&word.to_lowercase());
    if !topic.split([' ', '_']).any(leads) {
        return Some(format!("'{topic}': no word of it stands in {file} or {item}"));
    }
    None
}

/// True if the source defines an item of this name, or implements something for it.
fn defines(source: &str, name: &str) -> bool {
    source.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
        let words: Vec<&str> = line
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| !w.is_empty())
            .collect();
        words.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == name)
            || words.first() == Some(&"impl") && words.contains(&name)
    })
}

/// Every relative link in a document leads to a file or folder.
pub(super) fn links(tree: &Tree) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in tree.documents() {
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || target.contains("://") || target.contains(char::is_whitespace) {
                continue;
            }
            if resolve(path, file).is_none_or(|file| !tree.has(&file)) {
                findings.push(format!("{path}: links to {target}, which does not exist"));
            }
        }
    }
    findings
}

/// The path from the top of a link in a document.
fn resolve(document: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Every source file and every folder that a document names in backticks exists. A name may leave
/// off folders at its beginning (`room/tests/joining.rs`).
pub(super) fn named_files(tree: &Tree) -> Vec<String> {
    let exists = |name: &str| {
        let end = format!("/{name}");
        tree.has(name) || tree.files.keys().any(|file| file.ends_with(&end))
    };
    let mut findings = Vec::new();
    for (path, text) in tree.documents().filter(|(path, _)| *path != "CHANGELOG.md") {
        let quoted = text.lines().filter(|line| !line.starts_with("```")).flat_map(quoted);
        for name in quoted.filter(|name| is_file_name(name) && !exists(name)) {
            findings.push(format!("{path}: names {name}, which does not exist"));
        }
    }
    findings
}

fn is_file_name(name: &str) -> bool {
    let is_path = name.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    is_path && (has_extension(name, "rs") || ROOTS.iter().any(|root| name.starts_with(root)))
}

/// What stands between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The cells of every row of every table, without the rule under a heading.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter_map(|line| line.strip_prefix('|')?.trim_end().strip_suffix('|'));
    let rows = rows.filter(|row| !row.starts_with("---"));
    rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|row| row[0] != "words")
}

/// The one thing in backticks that a cell consists of.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`').filter(|inner| !inner.contains('`'))
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use super::*;

    const ROOM: &str = "//! fn fake\npub(crate) const RESEND_MS: u64 = 250;\nimpl Room {\n    pub fn resend(&self) {}\n}\n";

    fn findings_of(row: &str) -> Vec<String> {
        let table = format!("{TABLE_HEADING}\n\n| words | file | item |\n|---|---|---|\n{row}\n");
        where_is_what(&tree(&[(CONTRIBUTING, &table), ("src/room.rs", ROOM)]))
    }

    #[test]
    fn a_wrong_row_is_found_and_says_what_is_wrong() {
        for item in ["resend", "Room::resend", "RESEND_MS"] {
            let row = format!("| resend schedule | `src/room.rs` | `{item}` |");
            assert_eq!(findings_of(&row), Vec::<String>::new());
        }
        for (row, wrong) in [
            ("| resend schedule | `src/rooms.rs` | `resend` |", "no file src/rooms.rs"),
            ("| resend schedule | `src/room.rs` | `resent` |", "has no item resent"),
            ("| resend schedule | `src/room.rs` | `Hall::resend` |", "has no item Hall::resend"),
            ("| resend schedule | `src/room.rs` | `fake` |", "has no item fake"),
            ("| resend schedule | `src/room.rs` | `Room` |", "no word of it stands in"),
            ("| resend schedule | src/room.rs | resend |", "stand in backticks"),
            ("| resend schedule | `src/room.rs` |", "2 cells"),
        ] {
            let found = findings_of(row);
            assert!(found.iter().any(|finding| finding.contains(wrong)), "{row}: {found:?}");
        }
        assert_eq!(where_is_what(&tree(&[(CONTRIBUTING, "nothing")])).len(), 1);
    }

    #[test]
    fn the_crate_table_lists_exactly_the_members() {
        let game = "| crate | owns |\n|---|---|\n| `crates/game` | rules |\n| `maps` | maps |\n| `fuzz` | targets |\n";
        for (more, members, expected) in [
            ("", &["crates/game"][..], None),
            (
                "",
                &["crates/game", "crates/old"],
                Some("does not list the workspace member crates/old"),
            ),
            (
                "| `crates/gone` | |\n",
                &["crates/game"],
                Some("lists crates/gone, which does not exist"),
            ),
            ("| `crates/game` | |\n", &["crates/game"], Some("lists crates/game twice")),
        ] {
            let table = format!("{game}{more}");
            let files = [
                (ARCHITECTURE, table.as_str()),
                ("crates/game/Cargo.toml", "[package]"),
                ("fuzz/Cargo.toml", "[package]\n[workspace]"),
                ("maps/main.txt", ""),
            ];
            let members: Vec<String> = members.iter().map(ToString::to_string).collect();
            let expected: Vec<String> =
                expected.iter().map(|what| format!("{ARCHITECTURE}: {what}")).collect();
            assert_eq!(crate_table(&tree(&files), &members), expected);
        }
    }

    #[test]
    fn the_list_of_dependencies_is_that_of_the_manifests() {
        let manifest = "[package]\nname = \"nuggets-game\"\n[dependencies]\nnuggets-time.workspace = true\n\
                        nuggets-protocol = { workspace = true }\n[dev-dependencies]\nnuggets-sim = 1\n";
        for (list, findings) in [
            ("game -> protocol, time", 0),
            ("", 1),
            ("game -> protocol", 2),
            ("game -> protocol, sim, time", 2),
            ("game -> protocol, time\natlas -> ", 1),
        ] {
            let text = format!("# A\n\n{DEPENDENCIES_HEADING}\n\n{list}\n\n## Next\n\nx -> y\n");
            let files = [(ARCHITECTURE, text.as_str()), ("crates/game/Cargo.toml", manifest)];
            let found =
                dependencies(&tree(&files), &["crates/game".to_owned(), "xtask".to_owned()]);
            assert_eq!(found.len(), findings, "{list}: {found:?}");
        }
    }

    #[test]
    fn broken_links_and_names_of_missing_files_are_found() {
        let good = "[a](../README.md#x) [b](a.md) [c](https://example.org) [d](#x) `src/lib.rs` `crates/game` `map.txt` `x.rs y`";
        for (text, expected) in [
            (good, None),
            ("[a](b.md)", Some("links to b.md")),
            ("[a](../../README.md)", Some("links to ../../README.md")),
            ("see `rc/lib.rs`", Some("names rc/lib.rs")),
            ("see `crates/games`", Some("names crates/games")),
        ] {
            let tree =
                tree(&[("docs/a.md", text), ("README.md", ""), ("crates/game/src/lib.rs", "")]);
            let expected: Vec<String> = expected
                .iter()
                .map(|it| format!("docs/a.md: {it}, which does not exist"))
                .collect();
            assert_eq!([links(&tree), named_files(&tree)].concat(), expected);
        }
    }
}
