//! The programs: `nuggets` with its subcommands, and `server` and `player` of the specification.
//!
//! Here raw arguments become checked settings, exactly once, and results become exit codes:
//! 0 for success, 1 for failure, 2 for wrong arguments (and for a program that can't be tested). The
//! work itself is done in other crates.

mod arena;
mod args;
mod bot;
mod chart;
mod cluster;
mod config;
mod conform;
mod ctl;
mod history;
mod log;
mod manual;
mod map;
mod map_file;
mod play;
mod player;
mod print;
mod replay;
mod seed;
mod serve;
mod server;
mod signals;
mod user_folders;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use nuggets_conformance::CannotRun;
use nuggets_subprocess::Orphans;

use crate::args::arena::ArenaArgs;
use crate::args::cluster::ClusterCommand;
use crate::args::conform::ConformCommand;
use crate::args::map::MapCommand;
use crate::args::replay::ReplayArgs;
use crate::args::{
    BadArgument, BotArgs, CtlArgs, PLAYER_EXAMPLES, PLAYER_USAGE, PlayArgs, PlayerArgs,
    SERVER_EXAMPLES, ServeArgs, ServerArgs,
};
use crate::config::{Config, ConfigCommand};
use crate::manual::{CompletionsArgs, ManArgs};

/// A game of exploration: race the others for 250 hidden nuggets of gold.
#[derive(Debug, Parser)]
#[command(
    name = "nuggets",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "Start with `nuggets play`. In the game, ? shows the keys and Q quits."
)]
struct Nuggets {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play on this machine, against bots
    Play(PlayArgs),
    /// Host a game for others
    Server(ServerArgs),
    /// Ask a running server for something: status, say, kick, end
    Ctl(CtlArgs),
    /// Host many games, played in the browser
    Serve(ServeArgs),
    /// Look at hosts that share a database
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Join a game, as a player or as the spectator
    Player(PlayerArgs),
    /// Join a game with bots
    Bot(BotArgs),
    /// Play tournaments between bots
    Arena(ArenaArgs),
    /// Watch, verify or measure a recorded game
    Replay(ReplayArgs),
    /// Check, generate, show and measure maps
    #[command(subcommand)]
    Map(MapCommand),
    /// Test whether a server or client conforms to the specification
    #[command(subcommand)]
    Conform(ConformCommand),
    /// Show your preferences, and where each came from
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write manual pages
    Man(ManArgs),
}

impl Command {
    /// True if the command reads the config file. An invalid file does not stop other commands.
    fn has_preferences(&self) -> bool {
        match self {
            Self::Play(_) | Self::Player(_) | Self::Serve(_) => true,
            Self::Config(command) => matches!(command, ConfigCommand::Show),
            _ => false,
        }
    }

    /// True if the command runs other people's programs.
    fn runs_programs(&self) -> bool {
        match self {
            Self::Play(args) => !args.programs.bot_cmd.is_empty(),
            Self::Bot(args) => !args.programs.bot_cmd.is_empty(),
            Self::Arena(args) => !args.bot_cmd.is_empty(),
            Self::Conform(_) => true,
            _ => false,
        }
    }
}

/// `nuggets …`
pub fn nuggets() -> ExitCode {
    let (config, error) = Config::load_or_default();
    let mut command = Nuggets::command();
    for name in ["play", "player"] {
        command = command.mut_subcommand(name, |command| config.apply(command));
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == "sim") {
        let moved = "unrecognized subcommand 'sim': the simulator is a program of its own, \
                     'cargo run --release --package nuggets-sim' in the source tree";
        command.error(ErrorKind::InvalidSubcommand, moved).exit();
    }
    let parsed = Nuggets::from_arg_matches(&command.get_matches());
    let command = parsed.unwrap_or_else(|error| error.exit()).command;
    if let Some(error) = error.filter(|_| command.has_preferences()) {
        return finish(Err(error.into()));
    }
    // Other people's programs may leave processes behind.
    let orphans = command.runs_programs().then(Orphans::adopt);
    let code = finish(match command {
        Command::Play(args) => play::run(&args, config.keys()),
        Command::Server(args) => server::run(&args),
        Command::Ctl(args) => ctl::run(&args),
        Command::Serve(args) => serve::run(&args, &config),
        Command::Cluster(command) => cluster::run(&command),
        Command::Player(args) => player::run(&args, config.keys()),
        Command::Config(command) => config::run(&command, &config),
        Command::Bot(args) => bot::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Map(command) => map::run(&command),
        Command::Conform(command) => conform::run(&command),
        Command::Completions(args) => manual::complete(Nuggets::command(), &args),
        Command::Man(args) => manual::write_pages(Nuggets::command(), &args),
    });
    drop(orphans);
    code
}

/// `server map.txt [seed]`
pub fn server() -> ExitCode {
    let about = "Hosts a game of Nuggets for others.";
    let args: ServerArgs = parse("server", about, None, SERVER_EXAMPLES, |command| command);
    finish(server::run(&args))
}

/// `player hostname port [playername]`
pub fn player() -> ExitCode {
    let about = "Joins a game of Nuggets, as a player or spectator.";
    let config = match Config::load() {
        Ok(config) => config,
        Err(error) => return finish(Err(error.into())),
    };
    let apply = |command| config.apply(command);
    let args: PlayerArgs = parse("player", about, Some(PLAYER_USAGE), PLAYER_EXAMPLES, apply);
    finish(player::run(&args, config.keys()))
}

/// Reads the arguments of a program that has no subcommands.
fn parse<A: Args + FromArgMatches>(
    program: &'static str,
    about: &'static str,
    usage: Option<&str>,
    help: &str,
    prepare: impl FnOnce(clap::Command) -> clap::Command,
) -> A {
    #[derive(Parser)]
    #[command(version)]
    struct Alone<A: Args> {
        #[command(flatten)]
        args: A,
    }
    let mut command = Alone::<A>::command().name(program).about(about);
    let shortened =
        |text: &str| text.replace(&format!("nuggets {program} "), &format!("{program} "));
    if let Some(usage) = usage {
        command = command.override_usage(shortened(usage));
    }
    let matches = prepare(command.after_help(shortened(help))).get_matches();
    A::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn finish(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        print::to_stderr(format_args!("error: {error:#}"));
        let unusable = error.is::<BadArgument>() || error.is::<CannotRun>();
        ExitCode::from(if unusable { 2 } else { 1 })
    })
}
