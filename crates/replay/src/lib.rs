//! Watching recorded games.
//!
//! Pure parts: [`ReplayApp`] takes keys and the time and controls the replay; [`screen`] turns it into
//! cells; [`cast()`] writes it as an asciinema file; [`page`] shows it in a browser. The shell [`run()`] joins a terminal and a clock to
//! it. Writing, verifying and replaying a recording is the task of `nuggets-record`.

mod app;
mod cast;
pub mod page;
mod playback_time;
mod playhead;
mod run;
pub mod screen;

pub use app::{NoSuchPlayer, ReplayApp};
pub use cast::cast;
pub use playback_time::{PlayTime, Speed};
pub use run::run;

#[cfg(test)]
mod tests;
