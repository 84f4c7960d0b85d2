//! `cargo xtask bless`: writes anew what tests compare with. Look at the difference before you
//! commit it: a changed seed catalogue means that every game ever recorded changes.

use crate::{picture, tools};

pub(crate) fn run() -> anyhow::Result<()> {
    picture::write()?;
    bless(&["--package", "nuggets-game", "--test", "seed_catalogue"])?;
    bless(&["--package", "nuggets-record", "--lib", "kept"])
}

/// Runs tests so that they write what they compare with.
fn bless(tests: &[&str]) -> anyhow::Result<()> {
    let command = [&["test", "--quiet"], tests].concat();
    tools::cargo(&command).env("NUGGETS_BLESS", "1").run()
}
