//! What a server writes down of its game, as it is typed.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nuggets_server::OnJournalError;

/// Where a game is written down.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Recordings (see docs/reliability.md)")]
pub(crate) struct RecordArgs {
    /// Record the game into this file, for `nuggets replay`; nobody's address stands in it
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Keep a journal in this file. Started again with it, the server goes on with the game
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,

    /// Every move is on the disk before anybody sees it: it survives a power failure, too
    #[arg(long, requires = "journal")]
    pub(crate) durable: bool,

    /// What to do when the journal can't be written any more. After `go-on` it is renamed to
    /// FILE.stale
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "stop",
        requires = "journal",
        value_parser = on_error()
    )]
    pub(crate) on_journal_error: OnJournalError,
}

fn on_error() -> impl TypedValueParser<Value = OnJournalError> {
    PossibleValuesParser::new(["stop", "go-on"]).map(|word| match word.as_str() {
        "go-on" => OnJournalError::GoOn,
        _ => OnJournalError::Stop,
    })
}
