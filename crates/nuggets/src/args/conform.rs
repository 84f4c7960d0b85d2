//! The arguments of `nuggets conform …`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use nuggets_conformance::ProgramKind;
use nuggets_protocol::Dialect;

use super::{dialect, number};

/// The subcommands of `nuggets conform`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConformCommand {
    /// Test a server: start it, play with it, check it against the specification
    Server(ConformServerArgs),
    /// Test a client: run it in a terminal, with a simulated server and user
    Client(ConformClientArgs),
    /// Test the programs of many teams, one folder each, and write a table of results
    Batch(BatchArgs),
}

/// Test a server.
#[derive(Args, Debug)]
#[command(after_help = SERVER_EXAMPLES)]
pub(crate) struct ConformServerArgs {
    /// The command that starts the server. Map and seed are appended, or replace {map} and {seed}
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "list")]
    pub(crate) program: Vec<OsString>,

    /// Also test on this map: a file or the name of a built-in map. May be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) checks: SelectionArgs,

    #[command(flatten)]
    pub(crate) reports: ReportArgs,
}

const SERVER_EXAMPLES: &str = "\
The program runs in a scratch directory, with network traffic on this machine only; it and its
children are always killed at the end. The exit code is 0 if all musts pass, 1 if one fails, 2 if
the program can't be tested.

Examples:
  nuggets conform server -- ./server                      every check
  nuggets conform server --only join -- ./server          one section, or one check by its id
  nuggets conform server --list                           all requirements, without a program
  nuggets conform server --html report.html -- ./server   a page to hand in
  nuggets conform server -- ./server --verbose {map} {seed}
                                                          map and seed in other places
  nuggets conform server --dialect 2019 -- java -jar server.jar";

/// Test a client.
#[derive(Args, Debug)]
#[command(after_help = CLIENT_EXAMPLES)]
pub(crate) struct ConformClientArgs {
    /// The command that starts the client. Host, port and name are appended, or replace {host}, {port}
    /// and {name}
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "list")]
    pub(crate) program: Vec<OsString>,

    #[command(flatten)]
    pub(crate) checks: SelectionArgs,

    #[command(flatten)]
    pub(crate) reports: ReportArgs,
}

const CLIENT_EXAMPLES: &str = "\
The program runs in a scratch directory, in a terminal of its own, with a simulated server; it and
its children are always killed at the end. The exit code is 0 if all musts pass, 1 if one fails, 2
if the program can't be tested.

Examples:
  nuggets conform client -- ./player                      every check
  nuggets conform client --only keys -- ./player          one section, or one check by its id
  nuggets conform client --list                           all requirements, without a program
  nuggets conform client --html report.html -- ./player   a page to hand in";

/// Test the programs of many teams.
#[derive(Args, Debug)]
#[command(after_help = BATCH_EXAMPLES)]
pub(crate) struct BatchArgs {
    /// The folder of submissions, with a folder for each team
    pub(crate) dir: PathBuf,

    /// Write the table of teams and requirements to this page, and a page for each team beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: PathBuf,

    /// Write all results as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write scores and grades as CSV to this file, for a spreadsheet
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Build each team's programs with this shell command, in a copy of its folder
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,

    /// Time limit of a build, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "build", value_parser = number::<u64>(1..=86_400))]
    pub(crate) build_timeout: u64,

    /// Compute grades with the weights in this TOML file
    #[arg(long, value_name = "FILE")]
    pub(crate) rubric: Option<PathBuf>,

    /// Continue an earlier batch: keep the results of teams whose files have not changed since, and
    /// overwrite its tables
    #[arg(long)]
    pub(crate) resume: bool,

    /// Test only servers or only clients; by default, what the teams have
    #[arg(long, value_name = "KIND", value_parser = kind())]
    pub(crate) kind: Option<ProgramKind>,

    /// The path of the server in a team's folder; * matches anything. May be given several times;
    /// the first match counts
    #[arg(long, value_name = "NAME", default_values = ["server/server", "server"])]
    pub(crate) server: Vec<String>,

    /// The path of the client in a team's folder, as for --server
    #[arg(long, value_name = "NAME", default_values = CLIENT_PLACES)]
    pub(crate) client: Vec<String>,

    #[command(flatten)]
    pub(crate) checks: SelectionArgs,
}

const CLIENT_PLACES: [&str; 5] =
    ["player/player", "client/client", "client/player", "player", "client"];

const BATCH_EXAMPLES: &str = "\
Build the programs first, or give the command with --build. A team whose program can't be built or run
gets a row with the reason. The exit code is 0 if all programs ran, whatever their results, 1 if only
some did, 2 if none did. Beside each team's page, its results are kept as JSON for --resume.

Examples:
  nuggets conform batch submissions --html index.html
  nuggets conform batch submissions --html out/index.html --build make --csv out/scores.csv
  nuggets conform batch submissions --html out/index.html --rubric rubric.toml --resume
  nuggets conform batch submissions --html out/index.html --kind server --server 'build/*/server'";

/// The selection of checks, and the options for running them.
#[derive(Args, Debug)]
pub(crate) struct SelectionArgs {
    /// The version of the specification to test against
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// Run only these checks: a requirement's id, or the part before the dot for its section. May be
    /// given several times
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,

    /// The number of checks to run at the same time; by default, one for each processor
    #[arg(long, value_name = "N", value_parser = number::<u16>(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,

    /// Percentage of datagrams to drop on purpose, to test the tester
    #[arg(long, value_name = "PERCENT", hide = true, default_value_t = 0, value_parser = number::<u32>(0..=50))]
    pub(crate) loss: u32,

    /// The seed of the dropped datagrams and of all other random choices of the tester
    #[arg(long, value_name = "N", hide = true, default_value_t = 1, value_parser = number::<u32>(0..=u32::MAX))]
    pub(crate) loss_seed: u32,
}

/// The report files for one program, besides the report on stdout.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Write the report as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the report as JUnit XML to this file, for build servers
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write the report as an HTML page with all evidence to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Only list the requirements: id, level and text
    #[arg(long)]
    pub(crate) list: bool,
}

fn kind() -> impl TypedValueParser<Value = ProgramKind> {
    PossibleValuesParser::new(["server", "client"]).map(|word| match word.as_str() {
        "server" => ProgramKind::Server,
        _ => ProgramKind::Client,
    })
}
