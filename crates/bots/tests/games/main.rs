//! Whole games in memory, through a real room: a bot ends each, whatever the server hides, loses or misspells.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod deviating;
mod hiding;
mod lone_bot;
mod lossy;
