//! Recorded games, watched again.
//!
//! Inside are rooms without clock, file or terminal: [`Show`], which takes keys and the time and
//! knows where in the recording it stands; [`screen`], which turns a `Show` into cells; [`cast()`],
//! which plays a `Show` into a file of asciinema. Around them is the shell: [`run()`] joins a terminal
//! and a clock to a `Show`. How a recording is written and checked is not known here.

mod cast;
mod play_time;
mod playhead;
mod run;
pub mod screen;
mod show;
mod speed;
mod timeline;

pub use cast::cast;
pub use play_time::PlayTime;
pub use run::run;
pub use show::{NobodyThere, Show};
pub use speed::Speed;
pub use timeline::{Happening, Moment, Timeline};

#[cfg(test)]
mod tests;
