//! The terminal toolkit of the client and of replays: terminal modes, key mapping, signals, job
//! control, the palette and the escape sequences.
//!
//! It must not know messages, sockets or the content of a screen.

mod ansi;
mod color_choice;
mod events;
mod full_screen;
mod job_control;
mod key;
mod key_bindings;
mod key_mapping;
mod map_view;
mod page;
mod palette;
mod terminal;
mod viewport;

pub use ansi::{write_cells, write_map};
pub use color_choice::{ColorChoice, UnknownColorChoice, wants_color};
pub use events::{CHANNEL_CAPACITY, KeyReader, TerminalEvent, read_keys, start_thread};
pub use full_screen::{FullScreen, Wakeup};
pub use key::{Key, is_sendable};
pub use key_bindings::KeyBindings;
pub use map_view::MapView;
pub use page::{draw_page, fold, put, window_too_small};
pub use palette::{ColorDepth, Palette};
pub use terminal::{Terminal, TerminalModes};
pub use viewport::{Viewport, drag_offset, stroke_offset};
