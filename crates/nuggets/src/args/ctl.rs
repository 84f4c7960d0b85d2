//! The arguments of `nuggets ctl`.

use std::path::PathBuf;

use clap::Args;

/// Ask a running server for something.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CtlArgs {
    /// The socket that the server was given with --control
    pub(crate) socket: PathBuf,

    /// The request: `status`, `start`, `say WORDS`, `kick A`, `ban A`, `ban ADDRESS`, `unban ADDRESS`, `end`
    /// (this game) or `stop` (the server)
    #[arg(required = true, trailing_var_arg = true, value_name = "REQUEST")]
    pub(crate) request: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  nuggets server main --games forever --control nuggets.sock
  nuggets ctl nuggets.sock status            who plays, how much gold is left
  nuggets ctl nuggets.sock say Last game!    all clients show it
  nuggets ctl nuggets.sock kick B            remove a player
  nuggets ctl nuggets.sock end               end this game; the next one begins";
