//! The programs as their users run them: real processes, sockets and terminals.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod appearance;
mod arena;
mod arguments;
mod bots;
mod conform_batch;
mod conform_own;
mod crash_recovery;
mod full_disk;
mod hosting;
mod journal;
mod maps;
mod networks;
mod operator;
mod own_game;
mod play;
mod playing;
mod preferences;
mod python_bot;
mod replay;
mod replay_watching;
mod restoring;
mod resuming;
mod room_screen;
mod screens;
mod scripted;
#[cfg(feature = "host")]
mod serve;
mod several_games;
mod starting;
mod temp_file;
mod transcripts;
#[cfg(feature = "host")]
mod web_host;
mod whole_game;
