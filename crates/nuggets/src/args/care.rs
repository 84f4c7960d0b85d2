//! Care for bad networks and silent people, as it is typed.

use clap::Args;
use nuggets_server::Care;

/// What the server does about bad networks.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Bad networks (see docs/reliability.md)")]
pub(crate) struct CareArgs {
    /// Players who press no key for so many seconds are out; they never are if not given
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) idle_timeout: Option<u32>,

    /// Send every message once only: a last picture that is lost stays lost
    #[arg(long)]
    pub(crate) no_repeats: bool,

    /// How many milliseconds to go on telling the end of the game to whoever may not have heard it
    #[arg(long, value_name = "MS", default_value_t = 5000)]
    pub(crate) linger: u32,
}

impl CareArgs {
    pub(crate) fn care(self) -> Care {
        Care {
            repeats: !self.no_repeats,
            linger_ms: self.linger.into(),
            idle_timeout_ms: self.idle_timeout.map(|seconds| u64::from(seconds) * 1000),
        }
    }
}
