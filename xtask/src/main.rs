//! The developer commands of the project: `cargo xtask`.

mod bench;
mod service_unit;
mod test;
mod tidy;
mod tools;

use std::path::Path;

use clap::Parser;

/// The developer commands of the project.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Install missing tools, then run all checks and tests
    Test,
    /// Check that the documents name what exists, and that no file names a path of a machine
    Tidy,
    /// Check the systemd unit in dist
    ServiceUnit,
    /// Draw the pictures of the game's screens for the README and the documents
    Picture,
    /// Write pictures of every page of the host in target/screenshots
    Screenshots,
    /// Run the benchmarks and write the report in docs/bench
    Bench(bench::BenchArgs),
    /// The process that the server is compared with
    #[command(hide = true)]
    BareLoop,
    /// Rewrite what tests compare with: the seed catalogue, the kept recordings, the pictures and the transcripts
    Bless,
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Test => test::run(),
        Command::Tidy => tidy::run(),
        Command::ServiceUnit => service_unit::check(),
        Command::Picture => bless(PICTURES),
        Command::Screenshots => screenshots(),
        Command::Bench(args) => bench::run(&args),
        Command::BareLoop => bench::bare_loop(),
        Command::Bless => KEPT.iter().try_for_each(|tests| bless(tests)),
    }
}

/// The tests that compare pictures of the screens with those of the documents.
const PICTURES: &str = "nuggets-client --test pictures";
/// All tests that compare with files of the project.
const KEPT: [&str; 5] = [
    PICTURES,
    "nuggets-game --test seed_catalogue",
    "nuggets-record --lib kept",
    "nuggets --features host --test programs transcript",
    "nuggets --test programs transcript",
];

/// Rewrites what tests compare with. Review the difference before you commit it: with another seed
/// catalogue the same seed gives another game.
fn bless(tests: &str) -> anyhow::Result<()> {
    let command = format!("test --quiet --package {tests}");
    let command: Vec<&str> = command.split(' ').collect();
    tools::run(tools::cargo(&command).env("NUGGETS_BLESS", "1"))
}

/// Writes pictures of the pages, to be looked at. The browser tests know how to do that.
fn screenshots() -> anyhow::Result<()> {
    tools::install(&["chromium"])?;
    bless(
        "nuggets --features host --test browser -- --ignored --exact screenshots::write_screenshots",
    )?;
    tools::print_line("xtask: the pictures are in target/screenshots");
    Ok(())
}

/// The folder of the project.
fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project")
}
