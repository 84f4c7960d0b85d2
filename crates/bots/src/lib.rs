//! Players that think for themselves: brains, and a runner that plays them over the network.
//!
//! A [`Brain`] is pure: it sees what the wire shows and names the next key. It knows neither the
//! rules' own data nor who else is a bot, so it can't cheat. Everything that carries its keys to a
//! server is in the shell around it.
//!
//! ```
//! use nuggets_atlas::Scene;
//! use nuggets_bots::BrainKind;
//! use nuggets_protocol::ServerMessage;
//!
//! let mut scene = Scene::default();
//! let told = ServerMessage::parse(b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
//! scene.take(&told).unwrap();
//! let mut brain = "miner".parse::<BrainKind>().unwrap().build(7);
//! assert_eq!(brain.next_key(&scene).map(|stroke| stroke.key()), Some(b'L'), "one key is enough");
//! ```

mod brain;
mod chance;
mod link;
mod miner;
mod patience;
mod runner;
mod scout;
mod session;
mod wanderer;

pub use brain::{Brain, BrainKind, UnknownBrain};
pub use miner::Miner;
pub use runner::{Outcome, Settings, run};
pub use scout::Scout;
pub use session::{Effect, Ending, Limits, Session};
pub use wanderer::Wanderer;
