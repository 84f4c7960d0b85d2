//! The programs as their users run them: real processes, sockets and terminals.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod arena;
mod arguments;
mod auto;
mod bots;
mod conform;
mod conform_server;
mod conforming_player;
mod fake_server;
mod full_disk;
mod history;
mod host;
mod hosting;
mod joining;
mod journal;
mod kept_file;
mod kills;
mod looks;
mod manual;
mod map_check;
mod map_verbs;
mod maps;
mod networks;
mod play;
mod playing;
mod python_bot;
mod replay;
mod replay_watching;
mod restoring;
mod resuming;
mod scripted;
mod sim;
mod terminal;
mod variants;
mod whole_game;
