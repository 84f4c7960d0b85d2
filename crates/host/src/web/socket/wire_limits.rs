//! The limits of one WebSocket (docs/web-protocol.md, "Limits").

use std::time::Duration;

use nuggets_server::Rate;

use crate::ConnectionId;

/// Timeout for the first line of a client.
pub(super) const FIRST_LINE_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval between two pings of the server.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);

/// Returns the time until the first ping of a connection. Thousands of connections that arrive at once, for example after
/// a restart, are pinged at different times: a burst of pings would delay players.
pub(super) fn first_ping_after(ConnectionId(id): ConnectionId) -> Duration {
    let part = u32::try_from(id % u64::from(PING_TIMES)).unwrap_or(0) + 1;
    PING_EVERY * part / PING_TIMES
}

/// The number of different times, between two pings, that connections are spread over.
const PING_TIMES: u32 = 1000;

/// Idle timeout of a client.
pub(super) const MAX_SILENCE_MS: u64 = 60_000;

/// Timeout for writing a message. A client that reads more slowly is closed, and gets the latest picture when it
/// reconnects.
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(15);

/// The maximum size of a message of a client.
pub(super) const MAX_MESSAGE_BYTES: usize = 4096;

/// Size of the read buffer: messages of clients are a few bytes, and a watcher must cost little memory.
pub(super) const READ_BUFFER_BYTES: usize = 1024;

/// Rate limit of a client's lines; lines beyond it are dropped with an error.
pub(super) const LINE_RATE: Rate = Rate { burst: 100, per_s: 50 };

/// Rate limit of malformed or too frequent lines; a client beyond it is closed.
pub(super) const FAULT_RATE: Rate = Rate { burst: 20, per_s: 1 };

/// Maximum number of queued lines outside the stream; more are dropped.
pub(super) const MAX_WAITING_LINES: usize = 4;

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
