//! `nuggets completions SHELL` and `nuggets man DIR`. Both are generated from the definitions of the
//! arguments, so they are never out of date.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::print;

/// Print completions for a shell.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  nuggets completions bash > ~/.local/share/bash-completion/completions/nuggets
  nuggets completions zsh > \"${fpath[1]}/_nuggets\"
  nuggets completions fish > ~/.config/fish/completions/nuggets.fish";

/// Write manual pages.
#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// The folder to write them into; it is created if it does not exist
    pub(crate) dir: PathBuf,
}

const MAN_EXAMPLES: &str = "\
Examples:
  nuggets man ~/.local/share/man/man1    then: man nuggets, man nuggets-play
  nuggets man pages && man pages/nuggets-server.1";

/// Prints the completions for a shell.
pub(crate) fn complete(mut nuggets: Command, args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let name = nuggets.get_name().to_owned();
    clap_complete::generate(args.shell, &mut nuggets, name, &mut script);
    print::out(|out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes one page for every command into a folder and lists them.
pub(crate) fn write_pages(nuggets: Command, args: &ManArgs) -> anyhow::Result<ExitCode> {
    let failed = |why: std::io::Error| {
        let folder = args.dir.display();
        anyhow!("can't write manual pages into '{folder}': {why}. Give a folder you may write to")
    };
    std::fs::create_dir_all(&args.dir).map_err(failed)?;
    clap_mangen::generate_to(nuggets.disable_help_subcommand(true), &args.dir).map_err(failed)?;
    let pages = pages(&args.dir).map_err(failed)?;
    let list = format!(
        "{} in '{}':\n  {}\n",
        print::count(pages.len(), "page"),
        args.dir.display(),
        pages.join("\n  ")
    );
    print::text(&list)?;
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
