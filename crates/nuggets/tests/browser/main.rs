//! The pages of `nuggets serve` in a real browser: Chromium, driven over its `DevTools` protocol.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod axe;
mod browser;
mod cluster;
mod devtools;
mod harness;
mod host;
mod input;
mod modules;
mod network;
mod new_game;
mod page;
mod pages;
mod player;
mod playing;
mod reading;
mod replay_page;
mod screenshots;
mod sight;
#[expect(dead_code, reason = "shared with the tests of the programs, which use more of it")]
#[path = "../programs/terminal.rs"]
mod terminal;
mod whole_game;

use std::thread;
use std::time::{Duration, Instant};

use host::LIMIT;

/// The time between two looks at something that does not tell by itself.
const PAUSE: Duration = Duration::from_millis(15);

/// Asks again until there is an answer.
fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let started = now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(started.elapsed() < LIMIT, "waited too long for {what}");
        thread::sleep(PAUSE);
    }
}

#[expect(clippy::disallowed_methods, reason = "a limit on waiting for another process")]
fn now() -> Instant {
    Instant::now()
}
