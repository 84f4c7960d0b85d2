//! `cargo xtask tidy`: checks what the compiler can't: that the documents name files and items that
//! exist, that no file names a path of a machine, and that the declared Rust version is true.

mod documents;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::tools::{cargo, print_line, tool};
use crate::top;

/// Folders that belong to one machine or one person. Written without slashes, so that this file
/// passes its own check.
const MACHINE_FOLDERS: [&str; 8] =
    ["home", "root", "Users", "work", "workspace", "mnt", "media", "builds"];

/// Files that may name such a path, each with the reason.
const MACHINE_PATH_EXCEPTIONS: [(&str, &str); 0] = [];

/// Folders that are never part of the project, where there is no git to ask.
const SKIPPED_FOLDERS: [&str; 3] = [".git", "target", "proptest-regressions"];

/// Runs all checks and prints every finding; fails if there is one.
pub(crate) fn run() -> anyhow::Result<()> {
    let tree = Tree::read()?;
    let workspace = Workspace::read()?;
    let mut findings = machine_paths(&tree);
    findings.extend(workspace.newer_dependencies());
    findings.extend(documents::crate_table(&tree, &workspace.members));
    findings.extend(documents::dependencies(&tree, &workspace.members));
    findings.extend(documents::where_is_what(&tree));
    findings.extend(documents::links(&tree));
    findings.extend(documents::named_files(&tree));
    for finding in &findings {
        print_line(&format!("tidy: {finding}"));
    }
    match findings.len() {
        0 => Ok(()),
        found => bail!("{found} findings; each line above names the file to correct"),
    }
}

/// The files of the project by their path from its top, with `/` between folders.
#[derive(Default)]
struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    fn read() -> anyhow::Result<Self> {
        let mut files = BTreeMap::new();
        for path in tracked_files()? {
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

    /// The Markdown documents.
    fn documents(&self) -> impl Iterator<Item = (&String, &String)> {
        self.files.iter().filter(|(path, _)| has_extension(path, "md"))
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// Every file that git knows or would add; in a copy without git, every file.
fn tracked_files() -> anyhow::Result<Vec<String>> {
    let listed = tool("git", &["ls-files", "--cached", "--others", "--exclude-standard"]).output();
    if let Ok(listed) = listed {
        return Ok(listed.lines().map(str::to_owned).collect());
    }
    let mut found = Vec::new();
    walk(top(), "", &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder);
    for entry in entries.with_context(|| format!("can't list '{}'", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type()?.is_dir() {
            found.push(format!("{prefix}{name}"));
        } else if !SKIPPED_FOLDERS.contains(&name.as_str()) {
            walk(&entry.path(), &format!("{prefix}{name}/"), found)?;
        }
    }
    Ok(())
}

/// Lines that name a path of a machine: it exists nowhere else and tells who worked where.
fn machine_paths(tree: &Tree) -> Vec<String> {
    let needles = MACHINE_FOLDERS.map(|folder| format!("/{folder}/"));
    let excepted = |path: &str| MACHINE_PATH_EXCEPTIONS.iter().any(|(file, _)| *file == path);
    let mut findings = Vec::new();
    for (path, text) in tree.files.iter().filter(|(path, _)| !excepted(path)) {
        for (number, line) in text.lines().enumerate() {
            if let Some(needle) = needles.iter().find(|needle| begins_path(line, needle)) {
                findings.push(format!("{path}:{}: names the machine path {needle}", number + 1));
            }
        }
    }
    findings
}

/// Does an absolute path begin with this? A longer path or an address in front of it does not count.
fn begins_path(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "._~-/*}".contains(c)))
    })
}

/// What `cargo metadata` says about the workspace.
struct Workspace {
    /// The folders of the members, from the top.
    members: Vec<String>,
    rust_version: Version,
    /// Name, version and minimal Rust version of everything that is built.
    packages: Vec<(String, Version)>,
}

/// A Rust version, such as 1.89.0.
type Version = [u32; 3];

impl Workspace {
    fn read() -> anyhow::Result<Self> {
        let metadata = cargo(&["metadata", "--format-version", "1", "--locked"]).output()?;
        let metadata = serde_json::from_str(&metadata).context("can't read `cargo metadata`")?;
        let manifest = std::fs::read_to_string(top().join("Cargo.toml"))?;
        Self::parse(&metadata, &manifest, top()).context("can't understand `cargo metadata`")
    }

    fn parse(metadata: &Value, manifest: &str, top: &Path) -> Option<Self> {
        let is_member =
            |id: &Value| metadata["workspace_members"].as_array().map(|m| m.contains(id));
        let mut members = Vec::new();
        let mut packages = Vec::new();
        for package in metadata["packages"].as_array()? {
            if is_member(&package["id"])? {
                let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
                members.push(folder.strip_prefix(top).ok()?.to_str()?.to_owned());
            }
            if let Some(needed) = package["rust_version"].as_str() {
                let name =
                    format!("{} {}", package["name"].as_str()?, package["version"].as_str()?);
                packages.push((name, version(needed)?));
            }
        }
        members.sort_unstable();
        let declared = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \""))?;
        Some(Self { members, rust_version: version(declared.trim_end_matches('"'))?, packages })
    }

    /// Packages that need a newer Rust than we promise to build with.
    fn newer_dependencies(&self) -> Vec<String> {
        let newer = self.packages.iter().filter(|(_, needed)| *needed > self.rust_version);
        let show = |[major, minor, patch]: Version| format!("{major}.{minor}.{patch}");
        let finding = |(name, needed): &(String, Version)| {
            let needed = show(*needed);
            let ours = show(self.rust_version);
            format!("Cargo.toml: rust-version is {ours}, but {name} needs Rust {needed}")
        };
        newer.map(finding).collect()
    }
}

fn version(text: &str) -> Option<Version> {
    let mut parts = text.split('.').map(|part| part.parse().ok());
    let version =
        [parts.next()??, parts.next().unwrap_or(Some(0))?, parts.next().unwrap_or(Some(0))?];
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        for text in [
            format!("https://example.org/{folder}/page"),
            format!("crates/{folder}/src"),
            format!("~/{folder}/x"),
            format!("./{folder}/x"),
            format!("{folder}/x"),
        ] {
            assert_eq!(machine_paths(&tree(&[("a.md", &text)])), Vec::<String>::new());
        }
    }

    #[test]
    fn a_dependency_that_needs_a_newer_rust_is_found() {
        let metadata = json!({
            "workspace_members": ["ours"],
            "packages": [
                {"id": "ours", "name": "ours", "version": "0.1.0", "rust_version": "1.70",
                 "manifest_path": "/top/crates/ours/Cargo.toml"},
                {"id": "old", "name": "old", "version": "1.2.3", "rust_version": "1.70.0",
                 "manifest_path": "/elsewhere/Cargo.toml"},
                {"id": "silent", "name": "silent", "version": "1.2.3", "rust_version": null,
                 "manifest_path": "/elsewhere/Cargo.toml"},
                {"id": "new", "name": "new", "version": "3.0.0", "rust_version": "1.70.1",
                 "manifest_path": "/elsewhere/Cargo.toml"},
            ],
        });
        let manifest = "[workspace.package]\nrust-version = \"1.70\"\n";
        let workspace = Workspace::parse(&metadata, manifest, Path::new("/top")).unwrap();
        assert_eq!(workspace.members, ["crates/ours"]);
        let found = workspace.newer_dependencies();
        assert_eq!(found, ["Cargo.toml: rust-version is 1.70.0, but new 3.0.0 needs Rust 1.70.1"]);
    }

    #[test]
    fn a_version_has_one_to_three_numbers() {
        assert_eq!(version("1.89"), Some([1, 89, 0]));
        assert_eq!(version("1.89.2"), Some([1, 89, 2]));
        for text in ["", "x", "1.x", "1.2.3.4"] {
            assert_eq!(version(text), None);
        }
    }
}
