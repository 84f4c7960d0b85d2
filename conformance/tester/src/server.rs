//! Tests of servers.
//!
//! A check starts the program with a map and a seed, talks to it from as many addresses as it needs, and compares the
//! answers with the specification. Only the program's output and messages count.

mod capabilities;
mod checks;
mod idle;
mod picture;
mod port;
mod test_client;
mod test_map;
mod test_run;
mod timeouts;
mod tracking;

pub use capabilities::Learned;
pub(crate) use test_client::TestClient;
pub use test_map::{TestMap, TestMapError};
pub use test_run::ServerTest;
