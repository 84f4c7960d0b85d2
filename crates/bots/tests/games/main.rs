//! Whole games in memory, through a real room: no brain stalls, and each beats the one before.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod deviating;
mod hiding;
mod lone;
mod lone_bot;
mod lossy;
mod table;
mod tournament;
