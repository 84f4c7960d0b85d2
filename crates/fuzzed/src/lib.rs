//! What the fuzzer calls: for every door that takes bytes from outside, a function that takes any
//! bytes and panics when something is wrong.
//!
//! The targets in `fuzz/` are these functions and nothing more. The tests here call them without a
//! fuzzer: on the corpus in `fuzz/corpus`, and on inputs made from it by chance. No program depends on
//! this room.
//!
//! ```
//! for (name, body) in nuggets_fuzzed::ALL {
//!     body(name.as_bytes());
//! }
//! ```

mod client_message;
mod harmless;
mod map_file;
mod recording;
mod room;
mod script;
mod server_message;
mod sight;
#[cfg(test)]
mod tests;

pub use client_message::client_message;
pub use map_file::map_file;
pub use recording::recording;
pub use room::room;
pub use server_message::server_message;
pub use sight::sight;

/// A function that may be given any bytes.
pub type Body = fn(&[u8]);

/// All of them, by the names of the targets.
pub const ALL: [(&str, Body); 6] = [
    ("client_message", client_message),
    ("server_message", server_message),
    ("map_file", map_file),
    ("recording", recording),
    ("room", room),
    ("sight", sight),
];
