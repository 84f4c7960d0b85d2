//! Clients: what is asked of them, and the stage on which they are asked.
//!
//! A check runs the program in a pseudo-terminal, is the server it talks to and the person in front
//! of it, and judges what it sends and what it shows. Nothing is taken from the program but that.

mod checks;
mod door;
mod drawing;
mod inbox;
mod patience;
mod room;
mod settings;
mod stage;
mod view;
mod window;

pub use checks::catalogue;
pub use settings::Settings;
pub use stage::{ClientStage, preflight};
