//! Whole games in memory, through a real room: no brain stalls, and each beats the one before.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod lone;
mod lossy;
mod table;
mod tournament;
