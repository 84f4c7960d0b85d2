//! Servers: what is asked of them, and the stage on which they are asked.
//!
//! A check starts the program with a map and a seed, talks to it from as many addresses as it
//! likes, and judges what comes. Nothing is taken from the program but what it prints and sends.

mod caller;
mod checks;
mod drawing;
mod follow;
mod maps;
mod patience;
mod picture;
mod port;
mod settings;
mod stage;

pub use caller::{Caller, Heard};
pub use checks::catalogue;
pub use maps::{BadMap, TestMap};
pub use settings::Settings;
pub use stage::{ServerStage, preflight};
