//! The teams' folders, and their programs in them.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use glob::{Pattern, glob};
use nuggets_conform::Kind;

use crate::args::BadArgument;
use crate::args::conform::BatchArgs;

/// A team's submission.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) server: Found,
    pub(super) client: Found,
}

/// A program, or why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Program(PathBuf),
    /// There is a file, but it can't be run.
    Unfit(String),
    Nothing(String),
}

impl Folder {
    pub(super) fn program(&self, kind: Kind) -> &Found {
        match kind {
            Kind::Server => &self.server,
            Kind::Client => &self.client,
        }
    }
}

/// All teams, by name. Hidden folders are nobody's.
pub(super) fn folders(args: &BatchArgs) -> anyhow::Result<Vec<Folder>> {
    let dir = &args.dir;
    check_patterns(args)?;
    let unread =
        || format!("can't read '{}', which should hold a folder for each team", dir.display());
    let mut paths = vec![];
    for entry in dir.read_dir().with_context(unread)? {
        let path = entry.with_context(unread)?.path();
        let hidden = name(&path).starts_with('.');
        if path.is_dir() && !hidden {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(anyhow!(
            "there is no folder in '{}'. Give the folder that has a folder for each team",
            dir.display()
        ));
    }
    let folder = |path: &PathBuf| Folder {
        name: name(path),
        server: find(path, Kind::Server, &args.server),
        client: find(path, Kind::Client, &args.client),
    };
    Ok(paths.iter().map(folder).collect())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn check_patterns(args: &BatchArgs) -> Result<(), BadArgument> {
    for pattern in args.server.iter().chain(&args.client) {
        if let Err(why) = Pattern::new(pattern) {
            return Err(BadArgument(format!(
                "'{pattern}' names no program: {why}. Give a path such as build/server, where * \
                 stands for anything"
            )));
        }
    }
    Ok(())
}

/// The first program at one of these places.
fn find(folder: &Path, kind: Kind, places: &[String]) -> Found {
    let mut unfit = None;
    for file in places.iter().flat_map(|place| files(folder, place)) {
        if is_executable(&file) {
            return Found::Program(file);
        }
        unfit.get_or_insert(file);
    }
    match unfit {
        Some(file) => Found::Unfit(format!(
            "'{}' is there but can't be run: build it, or make it executable with chmod +x",
            file.display()
        )),
        None => Found::Nothing(format!(
            "no {kind} found at {}: build it, or say where it is with --{kind}",
            places.join(", ")
        )),
    }
}

fn files(folder: &Path, place: &str) -> Vec<PathBuf> {
    // A folder whose name is no text has nothing that can be named here.
    let Some(folder) = folder.to_str() else { return vec![] };
    let found = glob(&format!("{}/{place}", Pattern::escape(folder)));
    let found = found.map(|paths| paths.flatten().filter(|path| path.is_file()).collect());
    found.unwrap_or_default()
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}
