//! How long a bot waits for what.

use std::time::Duration;

/// How long and how often to try. The default is for people's networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often to ask to join.
    pub join_tries: u32,
    /// The first pause between two of these; each is twice as long as the one before.
    pub join_pause: Duration,
    /// How often to say that we leave.
    pub quit_tries: u32,
    /// The pause between two of these.
    pub quit_pause: Duration,
    /// How long a server may tell nothing although keys were pressed.
    pub silence: Duration,
    /// How long to listen to a server whose port is closed: it may have spoken before it went.
    pub last_words: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            join_tries: 6,
            join_pause: Duration::from_millis(250),
            quit_tries: 3,
            quit_pause: Duration::from_millis(300),
            silence: Duration::from_secs(30),
            last_words: Duration::from_secs(1),
        }
    }
}
