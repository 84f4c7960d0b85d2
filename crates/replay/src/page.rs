//! A recording in the browser: its data, and the parts of its page. The web host serves them, and
//! `nuggets replay --html` writes them into one file. Pure: no file, no socket.

mod bundle;
mod data;
mod markup;
mod standalone;
mod view_changes;

pub use data::{
    MAX_FRAMES, Proof, ReplayData, ReplayEnd, ReplayEvent, ReplayFrame, ReplayPlayer, results,
};
pub use markup::{ReplayLinks, replay_body, replay_title};
pub use standalone::standalone_page;
pub use view_changes::ViewChanges;
