//! Computer players: brains, and a runner that plays them over the network.
//!
//! A [`Brain`] is pure: it sees what the wire shows and chooses the next key. It knows neither the state of the game
//! nor which players are bots, so it can't cheat. [`Bot`], pure as well, adds the session with the server and the pace;
//! [`run()`] is the shell with clocks, sockets and threads. A [`BotProgram`] decides keys in another process.
//!
//! ```
//! use nuggets_atlas::Scene;
//! use nuggets_bots::BrainKind;
//!
//! let mut scene = Scene::default();
//! scene.handle_bytes(b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
//! let mut brain = "miner".parse::<BrainKind>().unwrap().build(7);
//! assert_eq!(brain.next_key(&scene).map(|stroke| stroke.key()), Some(b'L'), "one key is enough");
//! ```

mod bot;
mod brain;
mod deadlock;
mod miner;
mod program;
mod rng;
mod runner;
mod scout;
mod wanderer;

pub use bot::{Bot, BotProfile};
pub use brain::{Brain, BrainKind, UnknownBrain};
pub use miner::Miner;
pub use program::{
    AnswerLimits, BotProgram, MAX_LOST_TURNS, ProgramFailure, ProgramFault, numbered, stderr_lines,
};
pub use runner::{BotResult, BotSettings, BotTeam, run, run_games};
pub use scout::Scout;
pub use wanderer::Wanderer;
