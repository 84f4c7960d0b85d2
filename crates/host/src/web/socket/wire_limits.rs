//! The limits of one WebSocket (docs/web-protocol.md, "Limits").

use std::time::Duration;

use nuggets_server::Rate;

use crate::ConnectionId;

/// The first line must come within this time.
pub(super) const FIRST_LINE_TIMEOUT: Duration = Duration::from_secs(10);

/// The server pings this often.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);

/// When a connection is pinged first. Thousands that came at once, for example after a restart, are pinged at different
/// times: a burst of pings would keep players waiting.
pub(super) fn first_ping_after(ConnectionId(id): ConnectionId) -> Duration {
    let part = u32::try_from(id % u64::from(PING_TIMES)).unwrap_or(0) + 1;
    PING_EVERY * part / PING_TIMES
}

/// How many times between two pings connections are spread over.
const PING_TIMES: u32 = 1000;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_came_at_once_are_pinged_at_different_times() {
        let mut pings = vec![0; 20];
        for id in 5_000..15_000 {
            let after = first_ping_after(ConnectionId(id));
            assert!(!after.is_zero() && after <= PING_EVERY, "{after:?}");
            let second = after.saturating_sub(Duration::from_millis(1)).as_secs();
            pings[usize::try_from(second).unwrap()] += 1;
        }
        assert_eq!(pings, [500; 20]);
    }
}
