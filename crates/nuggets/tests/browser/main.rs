//! The pages of `nuggets serve` in a real browser: Chromium, driven over its `DevTools` protocol.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod cluster;
mod lobby;
mod modules;
mod new_game;
mod pages;
mod player;
mod playing;
mod reading;
mod replay_page;
mod screenshots;
mod sight;
mod whole_game;

const NUGGETS: &str = env!("CARGO_BIN_EXE_nuggets");
