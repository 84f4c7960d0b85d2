//! The arguments of `nuggets completions` and `nuggets man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

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
    /// The folder to write them into; it is made if it isn't there
    pub(crate) dir: PathBuf,
}

const MAN_EXAMPLES: &str = "\
Examples:
  nuggets man ~/.local/share/man/man1    then: man nuggets, man nuggets-play
  nuggets man pages && man pages/nuggets-server.1";
