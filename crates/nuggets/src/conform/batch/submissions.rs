//! The teams' folders, and the programs in them.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use glob::{Pattern, glob};
use nuggets_conformance::{CannotRun, ProgramKind};
use nuggets_subprocess::CommandLine;

use crate::args::BadArgument;
use crate::args::conform::BatchArgs;

/// A team's folder.
#[derive(Clone, Debug)]
pub(super) struct Submission {
    /// The name of the folder.
    pub(super) team: String,
    pub(super) folder: PathBuf,
}

/// A program in a team's folder, or in a copy of it.
#[derive(Debug)]
pub(super) enum SubmittedProgram {
    Runnable(CommandLine),
    /// A file that is not executable.
    Unusable(CannotRun),
    Missing(CannotRun),
}

/// Finds the server and the client in this folder, which stands for the team's own.
pub(super) fn find_programs(args: &BatchArgs, own: &Path, folder: &Path) -> [SubmittedProgram; 2] {
    [(ProgramKind::Server, &args.server), (ProgramKind::Client, &args.client)]
        .map(|(kind, patterns)| find_program(own, folder, kind, patterns))
}

/// All teams, by name. Hidden folders are left out, and the one that the pages are written to.
pub(super) fn find_all(args: &BatchArgs) -> anyhow::Result<Vec<Submission>> {
    let dir = &args.dir;
    check_patterns(args)?;
    let unreadable =
        || format!("can't read '{}', which should contain a folder for each team", dir.display());
    let pages = args.html.parent().and_then(|folder| folder.canonicalize().ok());
    let mut folders = vec![];
    for entry in dir.read_dir().with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        let holds_pages = pages.is_some() && path.canonicalize().ok() == pages;
        if path.is_dir() && !name(&path).starts_with('.') && !holds_pages {
            folders.push(path);
        }
    }
    folders.sort();
    if folders.is_empty() {
        return Err(anyhow!(
            "'{}' contains no folders. Give the folder that contains a folder for each team",
            dir.display()
        ));
    }
    Ok(folders.into_iter().map(|folder| Submission { team: name(&folder), folder }).collect())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn check_patterns(args: &BatchArgs) -> Result<(), BadArgument> {
    for pattern in args.server.iter().chain(&args.client) {
        if let Err(why) = Pattern::new(pattern) {
            return Err(BadArgument(format!(
                "invalid pattern '{pattern}': {why}. Give a path such as build/server, where * \
                 matches anything"
            )));
        }
    }
    Ok(())
}

/// The first executable file that matches one of these patterns, shown as if it were in the team's own
/// folder.
fn find_program(
    own: &Path,
    folder: &Path,
    kind: ProgramKind,
    patterns: &[String],
) -> SubmittedProgram {
    let mut unusable = None;
    for file in patterns.iter().flat_map(|pattern| matching_files(folder, pattern)) {
        let shown = own.join(file.strip_prefix(folder).unwrap_or(&file));
        match CommandLine::new(&[absolute(&file).into_os_string()], folder) {
            Ok(command) => {
                return SubmittedProgram::Runnable(command.shown_as(&[shown.into_os_string()]));
            }
            Err(_) => unusable = unusable.or(Some(shown)),
        }
    }
    if let Some(file) = unusable {
        let why = CannotRun(format!(
            "'{}' is not executable: build it, or run chmod +x on it",
            file.display()
        ));
        return SubmittedProgram::Unusable(why);
    }
    let patterns = patterns.join(", ");
    SubmittedProgram::Missing(CannotRun(format!(
        "no {kind} found at {patterns}: build it, or give its path with --{kind}"
    )))
}

/// Makes a path absolute: the program runs in another directory.
fn absolute(file: &Path) -> PathBuf {
    std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
}

fn matching_files(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    // Patterns are text, so nothing matches in a folder whose name is not.
    let Some(folder) = folder.to_str() else { return vec![] };
    let found = glob(&format!("{}/{pattern}", Pattern::escape(folder)));
    let found = found.map(|paths| paths.flatten().filter(|path| path.is_file()).collect());
    found.unwrap_or_default()
}
