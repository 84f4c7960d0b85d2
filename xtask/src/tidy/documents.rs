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

/// ARCHITECTURE.md lists every member of the workspace once, no other folder twice, and the dependencies that the manifests
/// declare: `crate -> crates`, by the names of the packages without `nuggets-`.
pub(super) fn architecture(tree: &Tree) -> Vec<String> {
    let text = tree.text(ARCHITECTURE);
    let folders = rows(text).filter_map(|row| code(row[0]).map(str::to_owned));
    let folders: Vec<String> = folders.filter(|path| tree.has_folder(path)).collect();
    let members = tree.members().map(|(folder, _)| folder.to_owned());
    let findings = wrong_counts(&folders, &members.chain(folders.iter().cloned()).collect());

    let listed = section(text, DEPENDENCIES_HEADING).lines().filter_map(|it| it.split_once("->"));
    let listed: Vec<String> = listed
        .map(|(name, needs)| dependency_line(name.trim(), needs.trim().split(", ")))
        .collect();
    let declared = tree.members().filter(|(folder, _)| *folder != "xtask").map(|(_, manifest)| {
        let name = manifest["package"]["name"].as_str().unwrap_or_default();
        let needs = manifest.get("dependencies").and_then(toml::Value::as_table);
        let needs = needs.into_iter().flat_map(toml::Table::keys);
        let needs = needs.filter_map(|need| need.strip_prefix("nuggets-"));
        dependency_line(name.strip_prefix("nuggets-").unwrap_or(name), needs)
    });
    [findings, wrong_counts(&listed, &declared.collect())].concat()
}

/// The lines that are not listed as often as they should be: once if they are expected.
fn wrong_counts(listed: &[String], expected: &BTreeSet<String>) -> Vec<String> {
    let all: BTreeSet<&String> = listed.iter().chain(expected).collect();
    let counts = all.into_iter().map(|line| {
        let found = listed.iter().filter(|known| *known == line).count();
        (line, found, usize::from(expected.contains(line)))
    });
    counts
        .filter(|(_, found, wanted)| found != wanted)
        .map(|(line, found, wanted)| {
            format!("{ARCHITECTURE}: lists '{line}' {found} times, not {wanted}")
        })
        .collect()
}

fn dependency_line<'a>(name: &str, needs: impl Iterator<Item = &'a str>) -> String {
    let needs: BTreeSet<&str> = needs.collect();
    format!("{name} -> {}", needs.into_iter().collect::<Vec<_>>().join(", "))
}

/// The text below a heading of the second level; empty if there is none.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let below = text.split_once(heading).map_or("", |(_, below)| below);
    below.split("\n## ").next().unwrap_or_default()
}

/// Every row of the table in CONTRIBUTING.md names an item of a file, and the file or the item is named after a search term
/// of that row.
pub(super) fn where_is_what(tree: &Tree) -> Vec<String> {
    let text = tree.text(CONTRIBUTING);
    if !text.contains(TABLE_HEADING) {
        return vec![format!("{CONTRIBUTING}: has no section '{TABLE_HEADING}'")];
    }
    let wrong = rows(section(text, TABLE_HEADING)).filter_map(|row| wrong_row(tree, &row));
    wrong.map(|what| format!("{CONTRIBUTING}: {TABLE_HEADING}: {what}")).collect()
}

fn wrong_row(tree: &Tree, row: &[&str]) -> Option<String> {
    let &[topic, file, item] = row else {
        return Some(format!("a row has {} cells, not 3", row.len()));
    };
    let (Some(file), Some(item)) = (code(file), code(item)) else {
        return Some(format!("'{topic}': file and item stand in backticks"));
    };
    // A file that does not exist is a finding of its own.
    if !item.split("::").all(|name| defines(tree.text(file), name)) {
        return Some(format!("'{topic}': {file} has no item {item}"));
    }
    let names = format!("{file} {item}").to_lowercase();
    let leads = |word: &str| !FILLERS.contains(&word) && names.contains(&word.to_lowercase());
    let is_found = topic.split([' ', '_']).any(leads);
    (!is_found).then(|| format!("'{topic}': no word of it stands in {file} or {item}"))
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

/// Every relative link in a document leads to a file or folder, and so does every source file or folder that it names in
/// backticks. A name may leave off folders at its beginning (`room/tests/joining.rs`).
pub(super) fn references(tree: &Tree) -> Vec<String> {
    let exists = |name: &str| {
        let end = format!("/{name}");
        tree.has(name) || tree.files.keys().any(|file| file.ends_with(&end))
    };
    let mut findings = Vec::new();
    for (path, text) in tree.documents() {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let links =
            links.filter(|link| !link.contains("://") && !link.contains(char::is_whitespace));
        let wrong_links = links.filter(|link| {
            let file = link.split('#').next().unwrap_or_default();
            !file.is_empty() && resolve(path, file).is_none_or(|file| !tree.has(&file))
        });
        findings.extend(
            wrong_links.map(|link| format!("{path}: links to {link}, which does not exist")),
        );
        // The change log names files that were.
        let prose = text.lines().filter(|line| path != "CHANGELOG.md" && !line.starts_with("```"));
        let names = prose.flat_map(|line| line.split('`').skip(1).step_by(2));
        let wrong_names = names.filter(|name| is_file_name(name) && !exists(name));
        findings
            .extend(wrong_names.map(|name| format!("{path}: names {name}, which does not exist")));
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

fn is_file_name(name: &str) -> bool {
    let is_path = name.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    is_path && (has_extension(name, "rs") || ROOTS.iter().any(|root| name.starts_with(root)))
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
            ("| resend schedule | `src/rooms.rs` | `resend` |", "has no item resend"),
            ("| resend schedule | `src/room.rs` | `resent` |", "has no item resent"),
            ("| resend schedule | `src/room.rs` | `Hall::resend` |", "has no item Hall::resend"),
            ("| resend schedule | `src/room.rs` | `fake` |", "has no item fake"),
            ("| resend schedule | `src/room.rs` | `Room` |", "no word of it stands in"),
            ("| resend schedule | src/room.rs | resend |", "stand in backticks"),
            ("| resend schedule | `src/room.rs` |", "2 cells"),
        ] {
            let found = findings_of(row);
            assert!(found.len() == 1 && found[0].contains(wrong), "{row}: {found:?}");
        }
        assert_eq!(where_is_what(&tree(&[(CONTRIBUTING, "nothing")])).len(), 1);
    }

    #[test]
    fn the_architecture_lists_each_member_once_and_the_dependencies_of_the_manifests() {
        const GAME: &str = "[package]\nname = \"nuggets-game\"\n[dependencies]\nnuggets-time.workspace = true\n\
                            nuggets-protocol = { workspace = true }\n[dev-dependencies]\nnuggets-sim = 1\n";
        let members = ["`crates/game`", "`xtask`", "`maps`", "`key`"];
        let right = "game -> protocol, time";
        let twice = [&members[..], &["`maps`"]].concat();
        for (folders, list, expected) in [
            (&members[..], right, &[][..]),
            (&members[1..], right, &["'crates/game' 0 times, not 1"]),
            (&twice, right, &["'maps' 2 times, not 1"]),
            (&members, "", &["'game -> protocol, time' 0 times, not 1"]),
            (&members, "game -> time", &["-> protocol, time' 0 times", "-> time' 1 times, not 0"]),
            (&members, "game -> protocol, time\natlas -> ", &["'atlas -> ' 1 times, not 0"]),
        ] {
            let rows = format!("| {} | |\n", folders.join(" | |\n| "));
            let text = format!("{rows}\n{DEPENDENCIES_HEADING}\n\n{list}\n\n## Next\n\nx -> y\n");
            let files = [
                (ARCHITECTURE, text.as_str()),
                ("crates/game/Cargo.toml", GAME),
                ("xtask/Cargo.toml", "[package]"),
                ("fuzz/Cargo.toml", "[package]\n[workspace]"),
                ("maps/main.txt", ""),
            ];
            let found = architecture(&tree(&files));
            assert_eq!(found.len(), expected.len(), "{found:?}");
            assert!(
                found.iter().zip(expected).all(|(found, part)| found.contains(part)),
                "{found:?}"
            );
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
            assert_eq!(references(&tree), expected);
        }
    }
}
