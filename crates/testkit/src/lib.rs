//! Servers that the tests of several crates start. Only for tests and chores: a server that can't be started is a panic
//! that says why.

mod certificate;
#[cfg(unix)]
mod postgres;
mod proxy;

pub use certificate::SelfSigned;
#[cfg(unix)]
pub use postgres::{Postgres, StopMode, programs_folder};
pub use proxy::{Cut, Proxy};
