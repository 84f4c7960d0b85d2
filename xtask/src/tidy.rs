//! `cargo xtask tidy`: checks what the compiler can't: that the documents name files and items that
//! exist, and that no file names a path of a machine.

mod documents;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;

use crate::tools::{output, print_line, tool};
use crate::top;

/// Folders that belong to one machine or one person. Written without slashes, so that this file
/// passes its own check.
const MACHINE_FOLDERS: [&str; 8] =
    ["home", "root", "Users", "work", "workspace", "mnt", "media", "builds"];

/// Folders that are never part of the project, where there is no git to ask.
const SKIPPED_FOLDERS: [&str; 3] = [".git", "target", "proptest-regressions"];

/// Runs all checks and prints every finding; fails if there is one.
pub(crate) fn run() -> anyhow::Result<()> {
    let tree = Tree::read()?;
    let findings = [
        machine_paths(&tree),
        documents::architecture(&tree),
        documents::where_is_what(&tree),
        documents::references(&tree),
    ]
    .concat();
    for finding in &findings {
        print_line(&format!("tidy: {finding}"));
    }
    match findings.len() {
        0 => Ok(()),
        found => bail!("{found} findings; each line above names the file to correct"),
    }
}

/// The files of the project by their path from its top, with `/` between folders.
struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    fn read() -> anyhow::Result<Self> {
        let mut files = BTreeMap::new();
        for path in project_files()? {
            // A tracked file that was deleted, or a link to a folder, has no text.
            if let Ok(bytes) = std::fs::read(top().join(&path)) {
                files.insert(path, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        Ok(Self { files })
    }

    /// The text of a file; empty if there is none, which other checks report.
    fn text(&self, path: &str) -> &str {
        self.files.get(path).map_or("", String::as_str)
    }

    fn has_folder(&self, path: &str) -> bool {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        self.files.range(prefix.clone()..).next().is_some_and(|(file, _)| file.starts_with(&prefix))
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path) || self.has_folder(path)
    }

    /// The members of the workspace: folder and manifest. `fuzz` is a workspace of its own.
    fn members(&self) -> impl Iterator<Item = (&str, toml::Table)> {
        self.files.iter().filter_map(|(path, text)| {
            let folder = path.strip_suffix("/Cargo.toml")?;
            let manifest: toml::Table = text.parse().ok()?;
            (!manifest.contains_key("workspace")).then_some((folder, manifest))
        })
    }

    /// The Markdown documents.
    fn documents(&self) -> impl Iterator<Item = (&String, &String)> {
        self.files.iter().filter(|(path, _)| has_extension(path, "md"))
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// Every file that git knows or would add; in a copy without git, every file.
fn project_files() -> anyhow::Result<Vec<String>> {
    let listed =
        output(&mut tool("git", &["ls-files", "--cached", "--others", "--exclude-standard"]));
    let skipped = SKIPPED_FOLDERS.map(|name| ["-name", name, "-prune", "-o"]).concat();
    let all = [&["."], &skipped[..], &["-type", "f", "-print"]].concat();
    let files = listed.or_else(|_| output(&mut tool("find", &all)))?;
    Ok(files.lines().map(|path| path.trim_start_matches("./").to_owned()).collect())
}

/// Lines that name a path of a machine: it exists nowhere else and tells who worked where.
fn machine_paths(tree: &Tree) -> Vec<String> {
    let needles = MACHINE_FOLDERS.map(|folder| format!("/{folder}/"));
    let mut findings = Vec::new();
    for (path, text) in &tree.files {
        for (number, line) in text.lines().enumerate() {
            if let Some(needle) = needles.iter().find(|needle| begins_path(line, needle)) {
                findings.push(format!("{path}:{}: names the machine path {needle}", number + 1));
            }
        }
    }
    findings
}

/// True if an absolute path begins with this. A longer path or an address in front of it does not count.
fn begins_path(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "._~-/*}".contains(c)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn tree(files: &[(&str, &str)]) -> Tree {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Tree { files: files.iter().map(owned).collect() }
    }

    #[test]
    fn paths_of_a_machine_are_found_and_others_are_not() {
        let bad = MACHINE_FOLDERS.map(|folder| format!("first\nsee /{folder}/ann/nuggets\n"));
        for text in &bad {
            let found = machine_paths(&tree(&[("docs/a.md", text)]));
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].starts_with("docs/a.md:2: "), "{found:?}");
        }
        let folder = MACHINE_FOLDERS[0];
        for before in ["https://example.org/", "crates/", "~/", "./", ""] {
            let text = format!("{before}{folder}/x");
            assert_eq!(machine_paths(&tree(&[("a.md", &text)])), Vec::<String>::new());
        }
    }
}
