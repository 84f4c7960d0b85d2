//! The teams' folders, and the programs in them.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use glob::{Pattern, glob};
use nuggets_conformance::{CannotRun, ProgramKind};
use nuggets_subprocess::CommandLine;

use crate::args::BadArgument;
use crate::args::conform::BatchArgs;

/// A team's folder.
#[derive(Debug)]
pub(super) struct Submission {
    /// The name of the folder.
    pub(super) team: String,
    pub(super) server: SubmittedProgram,
    pub(super) client: SubmittedProgram,
}

#[derive(Debug)]
pub(super) enum SubmittedProgram {
    Runnable(CommandLine),
    /// A file that is not executable.
    Unusable(CannotRun),
    Missing(CannotRun),
}

impl Submission {
    pub(super) fn program(&self, kind: ProgramKind) -> &SubmittedProgram {
        match kind {
            ProgramKind::Server => &self.server,
            ProgramKind::Client => &self.client,
        }
    }
}

/// All teams, by name. Hidden folders are left out.
pub(super) fn find_all(args: &BatchArgs) -> anyhow::Result<Vec<Submission>> {
    let dir = &args.dir;
    check_patterns(args)?;
    let here = std::env::current_dir().context("can't find the current directory")?;
    let unreadable =
        || format!("can't read '{}', which should contain a folder for each team", dir.display());
    let mut folders = vec![];
    for entry in dir.read_dir().with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.is_dir() && !name(&path).starts_with('.') {
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
    let submission = |folder: &PathBuf| Submission {
        team: name(folder),
        server: find_program(&here, folder, ProgramKind::Server, &args.server),
        client: find_program(&here, folder, ProgramKind::Client, &args.client),
    };
    Ok(folders.iter().map(submission).collect())
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

/// The first executable file that matches one of these patterns.
fn find_program(
    here: &Path,
    folder: &Path,
    kind: ProgramKind,
    patterns: &[String],
) -> SubmittedProgram {
    let mut unusable = None;
    for file in patterns.iter().flat_map(|pattern| matching_files(folder, pattern)) {
        match CommandLine::new(&[file.into_os_string()], here) {
            Ok(command) => return SubmittedProgram::Runnable(command),
            Err(why) => unusable = unusable.or(Some(CannotRun(why.to_string()))),
        }
    }
    let missing = || {
        let patterns = patterns.join(", ");
        CannotRun(format!(
            "no {kind} found at {patterns}: build it, or give its path with --{kind}"
        ))
    };
    unusable.map_or_else(|| SubmittedProgram::Missing(missing()), SubmittedProgram::Unusable)
}

fn matching_files(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    // Patterns are text, so nothing matches in a folder whose name is not.
    let Some(folder) = folder.to_str() else { return vec![] };
    let found = glob(&format!("{}/{pattern}", Pattern::escape(folder)));
    let found = found.map(|paths| paths.flatten().filter(|path| path.is_file()).collect());
    found.unwrap_or_default()
}
