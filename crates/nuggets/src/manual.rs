//! `nuggets completions SHELL` and `nuggets man DIR`: what shells and `man` are told of the commands.
//! Both are made from the arguments themselves, so they are never out of date.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Command;

use crate::args::manual::{CompletionsArgs, ManArgs};
use crate::print;

/// Prints the completions for a shell.
pub(crate) fn complete(mut nuggets: Command, args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let name = nuggets.get_name().to_owned();
    clap_complete::generate(args.shell, &mut nuggets, name, &mut script);
    print::out(|out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes one page for every command into a folder, and says which.
pub(crate) fn write_pages(nuggets: Command, args: &ManArgs) -> anyhow::Result<ExitCode> {
    let failed = |why: std::io::Error| {
        let folder = args.dir.display();
        anyhow!("can't write manual pages into '{folder}': {why}. Give a folder you may write to")
    };
    std::fs::create_dir_all(&args.dir).map_err(failed)?;
    clap_mangen::generate_to(nuggets.disable_help_subcommand(true), &args.dir).map_err(failed)?;
    let pages = pages(&args.dir).map_err(failed)?;
    let told =
        format!("{} pages in '{}':\n  {}\n", pages.len(), args.dir.display(), pages.join("\n  "));
    print::out(|out| out.write_all(told.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}

fn pages(dir: &Path) -> std::io::Result<Vec<String>> {
    let files = std::fs::read_dir(dir)?.collect::<std::io::Result<Vec<_>>>()?;
    let names = files.iter().filter_map(|file| file.file_name().into_string().ok());
    let mut pages: Vec<String> =
        names.filter(|name| name.starts_with("nuggets") && name.ends_with(".1")).collect();
    pages.sort_unstable();
    Ok(pages)
}
