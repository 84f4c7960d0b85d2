//! The programs: `nuggets` with its subcommands, and `server` and `player` of the seeds.
//!
//! Here raw arguments become checked settings, exactly once, and results become exit codes:
//! 0 for success, 1 when something could not be done, 2 for wrong arguments (and for a program that
//! can't be judged). The work itself is done in other rooms.

mod arena;
mod args;
mod bot;
mod chart_colors;
mod conform;
mod journal;
mod log;
mod manual;
mod map;
mod map_file;
mod play;
mod player;
mod print;
mod recording;
mod replay;
mod seed;
mod server;
mod signals;
mod sim;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::args::arena::ArenaArgs;
use crate::args::conform::ConformCommand;
use crate::args::manual::{CompletionsArgs, ManArgs};
use crate::args::map::MapCommand;
use crate::args::replay::ReplayArgs;
use crate::args::sim::SimArgs;
use crate::args::{
    BadArgument, BotArgs, PLAYER_EXAMPLES, PlayArgs, PlayerArgs, SERVER_EXAMPLES, ServerArgs,
};
use crate::conform::CouldNotRun;

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
    /// Play on this machine, in one command
    Play(PlayArgs),
    /// Host a game for others
    Server(ServerArgs),
    /// Join a game, as a player or as the spectator
    Player(PlayerArgs),
    /// Let bots join a game
    Bot(BotArgs),
    /// Let bots play many games against each other
    Arena(ArenaArgs),
    /// Watch a recorded game again, check it, or measure it
    Replay(ReplayArgs),
    /// Play games over a bad network in memory and check every step of them
    Sim(SimArgs),
    /// Check, make, show and measure maps
    #[command(subcommand)]
    Map(MapCommand),
    /// Judge whether anybody's server or client keeps to the documents
    #[command(subcommand)]
    Conform(ConformCommand),
    /// Print what a shell needs to complete our commands
    Completions(CompletionsArgs),
    /// Write manual pages
    Man(ManArgs),
}

/// `nuggets …`
pub fn nuggets() -> ExitCode {
    let command = Nuggets::parse().command;
    finish(match command {
        Command::Play(args) => play::run(&args),
        Command::Server(args) => server::run(&args),
        Command::Player(args) => player::run(&args),
        Command::Bot(args) => bot::run(&args),
        Command::Arena(args) => arena::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Sim(args) => sim::run(&args),
        Command::Map(command) => map::run(&command),
        Command::Conform(command) => conform::run(&command),
        Command::Completions(args) => manual::complete(Nuggets::command(), &args),
        Command::Man(args) => manual::write_pages(Nuggets::command(), &args),
    })
}

/// `server map.txt [seed]`
pub fn server() -> ExitCode {
    let about = "Hosts a game of Nuggets for others.";
    let args: ServerArgs = parse("server", about, SERVER_EXAMPLES);
    finish(server::run(&args))
}

/// `player hostname port [playername]`
pub fn player() -> ExitCode {
    let about = "Joins a game of Nuggets, as a player or spectator.";
    let args: PlayerArgs = parse("player", about, PLAYER_EXAMPLES);
    finish(player::run(&args))
}

/// Reads the arguments of a program that has no subcommands.
fn parse<A: Args + FromArgMatches>(program: &'static str, about: &'static str, help: &str) -> A {
    #[derive(Parser)]
    #[command(version)]
    struct Alone<A: Args> {
        #[command(flatten)]
        args: A,
    }
    let command = Alone::<A>::command().name(program).about(about);
    let help = help.replace(&format!("nuggets {program} "), &format!("{program} "));
    let matches = command.after_help(help).get_matches();
    A::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn finish(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        // Nobody can be told that nobody can be told.
        let _ = writeln!(std::io::stderr(), "error: {error:#}");
        let unusable = error.is::<BadArgument>() || error.is::<CouldNotRun>();
        ExitCode::from(if unusable { 2 } else { 1 })
    })
}
