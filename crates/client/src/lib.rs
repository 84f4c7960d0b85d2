//! The terminal client: sends a person's keys to the server, and shows what the server sends.
//!
//! The pure part: [`App`] turns keys and messages into effects, and [`screen`] draws an `App` as
//! cells. The shell is [`run()`], which connects terminal, socket and signals to them. Of the game
//! this crate knows only what the wire shows.

mod app;
pub mod end;
mod events;
mod layout;
mod lines;
mod run;
pub mod screen;
mod settings;

pub use app::{App, AppOptions, GameStart, JoinTarget};
pub use lines::{LineKey, Narrator};
pub use nuggets_session::{Effect, SessionOutcome, Timestamp};
pub use run::{ClientEnd, OwnGame, exit_code, run, run_in_own_game};
pub use settings::ClientSettings;
