//! The fuzz entry points: for every parser of untrusted bytes a function that takes any bytes and panics when
//! a check fails.
//!
//! The targets in `fuzz/` are these functions and nothing more. The tests here call them without a fuzzer: on the
//! corpus in `fuzz/corpus`, and on random mutations of it.
//!
//! ```
//! for (name, target) in nuggets_sim::fuzz::ALL {
//!     target(name.as_bytes());
//! }
//! ```

mod client_message;
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

/// A function that accepts any bytes.
pub type FuzzTarget = fn(&[u8]);

/// All targets, with the names that they have in `fuzz/`.
pub const ALL: [(&str, FuzzTarget); 6] = [
    ("client_message", client_message),
    ("server_message", server_message),
    ("map_file", map_file),
    ("recording", recording),
    ("room", room),
    ("sight", sight),
];

/// Panics at a control character: the text would not be safe for a terminal or a log.
fn assert_printable(text: &str) {
    assert!(!text.contains(char::is_control), "a control character in {text:?}");
}

/// Panics at a control character other than a newline.
fn assert_printable_lines(text: &str) {
    text.split('\n').for_each(assert_printable);
}
