//! The chores of the project, behind one door: `cargo xtask`.

mod bench;
mod bless;
mod picture;
mod stage;
mod svg;
mod test;
mod tools;

use std::path::Path;

use clap::Parser;

/// The chores of the project.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
enum Chore {
    /// Set up what is missing, then check everything that is checked before a change lands
    Test,
    /// Draw the picture of the screen for the README
    Picture,
    /// Measure what things cost and write the report in docs/bench
    Bench {
        /// Make today's instruction counts the ones to compare with
        #[arg(long)]
        bless: bool,
    },
    /// A process that the benches measure
    #[command(hide = true)]
    BareLoop,
    /// A process that the benches count
    #[command(hide = true)]
    Subject {
        /// Which one
        name: String,
    },
    /// Write anew what tests compare with: the seed catalogue and the picture
    Bless,
}

fn main() -> anyhow::Result<()> {
    match Chore::parse() {
        Chore::Test => test::run(),
        Chore::Picture => picture::write(),
        Chore::Bench { bless } => bench::run(bless),
        Chore::BareLoop => bench::bare_loop(),
        Chore::Subject { name } => bench::run_subject(&name),
        Chore::Bless => bless::run(),
    }
}

/// The top of the project.
fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project")
}
