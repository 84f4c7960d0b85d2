//! The limits of one WebSocket (docs/web-protocol.md, "Limits").

use std::time::Duration;

use nuggets_server::Rate;

/// The first line must come within this time.
pub(super) const FIRST_LINE_TIMEOUT: Duration = Duration::from_secs(10);

/// The server pings this often.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);

/// A client that is silent for longer is gone.
pub(super) const MAX_SILENCE: Duration = Duration::from_secs(60);

/// A client that takes longer to read a message is closed; it comes back to the latest picture.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(15);

/// The maximum size of a message of a client.
pub(super) const MAX_MESSAGE_BYTES: usize = 4096;

/// Messages of clients are a few bytes: a watcher must cost little memory.
pub(super) const READ_BUFFER_BYTES: usize = 1024;

/// Lines of a client; more are dropped with an error.
pub(super) const LINE_RATE: Rate = Rate { burst: 100, per_s: 50 };

/// After this many malformed or too fast lines the connection is closed. The rate limit recovers one per second.
pub(super) const FAULT_RATE: Rate = Rate { burst: 20, per_s: 1 };

/// Errors of the game that wait to be sent; more are dropped.
pub(super) const MAX_WAITING_ERRORS: usize = 4;
