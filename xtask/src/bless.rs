//! `cargo xtask bless`: writes anew what tests compare with. Look at the difference before you
//! commit it: a changed seed catalogue means that every game ever recorded changes.

use crate::{picture, tools};

pub(crate) fn run() -> anyhow::Result<()> {
    picture::write()?;
    tools::cargo(&["test", "--quiet", "--package", "nuggets-game", "--test", "seed_catalogue"])
        .env("NUGGETS_BLESS", "1")
        .run()
}
