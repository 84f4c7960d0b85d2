//! Tests of clients.
//!
//! A check runs the program in a pseudo-terminal, acts as its server and as its user, and compares
//! what it sends and shows with the specification. Nothing else of the program counts.

mod checks;
mod fake_game;
mod screen;
mod server_socket;
mod test_run;
mod window;

pub use test_run::ClientTest;
