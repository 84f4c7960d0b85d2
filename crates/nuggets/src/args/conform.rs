//! The arguments of `nuggets conform …`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use nuggets_conform::Kind;
use nuggets_protocol::Dialect;

use super::dialect;

/// What to judge.
#[derive(Debug, Subcommand)]
pub(crate) enum ConformCommand {
    /// Judge a server: start it, play with it, see whether it keeps to the documents
    Server(JudgeServerArgs),
    /// Judge a client: run it in a terminal, be its server and its user
    Client(JudgeClientArgs),
    /// Judge the programs of many teams, a folder each, and draw a table of them
    Batch(BatchArgs),
}

/// Judge a server.
#[derive(Args, Debug)]
#[command(after_help = SERVER_EXAMPLES)]
pub(crate) struct JudgeServerArgs {
    /// The server, as it is started by hand. Map and seed are put behind it, or where it says {map}
    /// and {seed}
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "list")]
    pub(crate) program: Vec<OsString>,

    /// Walk on this map, too: a file or the name of a built-in map. May be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) judging: JudgeArgs,

    #[command(flatten)]
    pub(crate) reports: ReportArgs,
}

const SERVER_EXAMPLES: &str = "\
The program runs in a scratch directory and only on this machine; it and its children are always
ended. The exit code is 0 if every must holds, 1 if one doesn't, 2 if the program can't be tested.

Examples:
  nuggets conform server -- ./server                      every check
  nuggets conform server --only join -- ./server          one section; an id means one check
  nuggets conform server --list                           what is asked, without a program
  nuggets conform server --html report.html -- ./server   a page to hand in
  nuggets conform server -- ./server --verbose {map} {seed}
                                                          map and seed in their places
  nuggets conform server --dialect 2019 -- java -jar server.jar";

/// Judge a client.
#[derive(Args, Debug)]
#[command(after_help = CLIENT_EXAMPLES)]
pub(crate) struct JudgeClientArgs {
    /// The client, as it is started by hand. Host, port and name are put behind it, or where it says
    /// {host}, {port} and {name}
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "list")]
    pub(crate) program: Vec<OsString>,

    #[command(flatten)]
    pub(crate) judging: JudgeArgs,

    #[command(flatten)]
    pub(crate) reports: ReportArgs,
}

const CLIENT_EXAMPLES: &str = "\
The program runs in a scratch directory, in a terminal of its own, against a server of ours; it and
its children are always ended. The exit code is 0 if every must holds, 1 if one doesn't, 2 if the
program can't be tested.

Examples:
  nuggets conform client -- ./player                      every check
  nuggets conform client --only keys -- ./player          one section; an id means one check
  nuggets conform client --list                           what is asked, without a program
  nuggets conform client --html report.html -- ./player   a page to hand in";

/// Judge the programs of many teams.
#[derive(Args, Debug)]
#[command(after_help = BATCH_EXAMPLES)]
pub(crate) struct BatchArgs {
    /// The folder of the submissions: every folder in it is a team
    pub(crate) dir: PathBuf,

    /// The page with the table of teams and clauses. Each team has a page of its own beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: PathBuf,

    /// Write everything into this file for programs
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Judge only servers or only clients; else whatever the teams have
    #[arg(long, value_name = "KIND", value_parser = kind())]
    pub(crate) kind: Option<Kind>,

    /// Where in a team's folder its server is; * stands for anything. May be given several times,
    /// the first that is there counts
    #[arg(long, value_name = "NAME", default_values = ["server/server", "server"])]
    pub(crate) server: Vec<String>,

    /// The same for its client
    #[arg(long, value_name = "NAME", default_values = CLIENT_PLACES)]
    pub(crate) client: Vec<String>,

    #[command(flatten)]
    pub(crate) judging: JudgeArgs,
}

const CLIENT_PLACES: [&str; 5] =
    ["player/player", "client/client", "client/player", "player", "client"];

const BATCH_EXAMPLES: &str = "\
Build the programs first. A team whose program can't be run gets a row that says why. The exit code
is 0 if all programs could be run, whatever their scores, 1 if only some could, 2 if none could.

Examples:
  nuggets conform batch submissions --html index.html
  nuggets conform batch submissions --html out/index.html --kind server --server 'build/*/server'";

/// How programs are judged.
#[derive(Args, Debug)]
pub(crate) struct JudgeArgs {
    /// The generation of the documents to hold it to
    #[arg(long, value_name = "YEAR", default_value = "2021", value_parser = dialect())]
    pub(crate) dialect: Dialect,

    /// Check only this: a clause's id, or the part before the dot for all of them. May be given
    /// several times
    #[arg(long, value_name = "CLAUSE")]
    pub(crate) only: Vec<String>,

    /// How many checks at a time; one for each processor if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Write over files that are there already
    #[arg(long)]
    pub(crate) force: bool,

    /// Throw away so many of a hundred datagrams on purpose, to test the tester
    #[arg(long, value_name = "PERCENT", hide = true, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=50))]
    pub(crate) loss: u32,

    /// What fixes which datagrams are thrown away, and all other chance of the tester
    #[arg(long, value_name = "N", hide = true, default_value_t = 1)]
    pub(crate) loss_seed: u32,
}

/// What is written about one program, besides the terminal's report.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Write the report into this file for programs
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Write the report into this file for build servers (`JUnit`'s XML)
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write the report into this file as a page with all evidence
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Only print what is asked: each clause's id, its level and its demand
    #[arg(long)]
    pub(crate) list: bool,
}

fn kind() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(["server", "client"]).map(|word| match word.as_str() {
        "server" => Kind::Server,
        _ => Kind::Client,
    })
}
