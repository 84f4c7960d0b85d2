//! Tests of a whole host over real sockets: pages, JSON, WebSockets, and attacks.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod admin;
mod classic_ports;
mod client;
mod database;
mod limits;
mod pages;
mod playing;
mod restart;
mod security;
mod tls;
