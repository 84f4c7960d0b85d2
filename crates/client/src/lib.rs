//! The terminal client: what a person presses goes to the server, what the server says is shown.
//!
//! Inside are two rooms without clock, socket or terminal: [`App`], which turns keys and messages
//! into effects, and [`screen`], which turns an `App` into cells. Around them is the shell: [`run()`]
//! joins a terminal, a socket and signals to them. Of the game this crate knows only what the wire
//! shows.

mod app;
mod inbox;
mod ink;
mod job;
mod key;
mod keys;
mod link;
mod palette;
mod route;
mod run;
pub mod screen;
mod settings;
mod stage;
mod terminal;
mod text;

pub use app::{App, Effect, Ending, Join};
pub use ink::{write_cells, write_map};
pub use key::Key;
pub use link::{ResolveError, resolve};
pub use nuggets_time::Millis;
pub use palette::Palette;
pub use run::{run, run_and_tell, wants_color};
pub use settings::{ColorChoice, Settings, UnknownColorChoice};
pub use stage::{Cue, Stage};
pub use terminal::{Terminal, Wants};
