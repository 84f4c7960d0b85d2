//! The files that a report is written to. Whether they can be written is known before anything long
//! begins.

use std::path::Path;

use nuggets_conform::Report;
use nuggets_conform::report::{html, json, junit};

use crate::args::BadArgument;
use crate::args::conform::ReportArgs;
use crate::print;

/// How a report is written.
type Render = fn(&Report) -> String;

/// Which files, and how each is written.
pub(super) struct Outputs<'a> {
    files: Vec<(&'a Path, Render)>,
    force: bool,
}

impl<'a> Outputs<'a> {
    /// The wanted ones.
    pub(super) fn of(args: &'a ReportArgs, force: bool) -> Self {
        let wanted: [(&Option<_>, Render); 3] =
            [(&args.json, json::render), (&args.junit, junit::render), (&args.html, html::render)];
        let named = wanted.into_iter().filter_map(|(file, how)| Some((file.as_deref()?, how)));
        Self { files: named.collect(), force }
    }

    /// Can all be written?
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let paths: Vec<&Path> = self.files.iter().map(|(path, _)| *path).collect();
        check_files(&paths, self.force)
    }

    /// Writes all.
    pub(super) fn write(&self, report: &Report) -> anyhow::Result<()> {
        self.files
            .iter()
            .try_for_each(|(path, how)| print::file(path, how(report).as_bytes(), self.force))
    }
}

/// Can all these files be written, and are they different ones?
pub(super) fn check_files(paths: &[&Path], force: bool) -> anyhow::Result<()> {
    for (place, path) in paths.iter().enumerate() {
        if paths[..place].contains(path) {
            let path = path.display();
            let why = format!("'{path}' is named for two reports. Give each a file of its own");
            return Err(BadArgument(why).into());
        }
        print::check_file(path, force)?;
    }
    Ok(())
}
