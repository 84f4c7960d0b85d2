//! What differs between sessions of people and of bots: retry schedules, limits, and when a client
//! counts as accepted.

use crate::RetryPolicy;

/// How long and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Retries of `PLAY` or `SPECTATE`.
    pub join: RetryPolicy,
    /// What counts as being accepted.
    pub acceptance: Acceptance,
    /// Retries of `KEY Q` when we leave.
    pub quit: RetryPolicy,
    /// Retries of `KEY Q` that ask for the final table after a `QUIT` without text. A server that has
    /// just ended a game answers for longer than that.
    pub final_table: RetryPolicy,
    /// Whether an error reply to the second such `KEY Q` ends the wait: the server doesn't know us
    /// any more. A client that sends keys fast can't tell which key the reply is about.
    pub error_ends_final_table: bool,
    /// How long the server may send nothing about the game although keys were sent; unlimited if
    /// `None`.
    pub max_silence_ms: Option<u64>,
    /// How long to wait for messages that the server sent before its port was closed; unlimited if
    /// `None`.
    pub max_closed_port_ms: Option<u64>,
}

/// Which messages from the server mean that it has accepted us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Any well-formed `OK`, `GRID`, `GOLD` or `DISPLAY`. A person sees what is missing.
    AnyAnswer,
    /// A picture with our `@`, or our letter together with any `GOLD` or `DISPLAY`: a picture that was
    /// lost comes with the first step.
    Playable,
}

impl SessionPolicy {
    /// For a person: steady retries, and nothing ends the game but the server and the person.
    pub const PERSON: Self = Self {
        join: RetryPolicy { first_pause_ms: 1_000, growth: 1, max_tries: 6 },
        acceptance: Acceptance::AnyAnswer,
        quit: RetryPolicy { first_pause_ms: 1_000, growth: 1, max_tries: 3 },
        final_table: RetryPolicy { first_pause_ms: 1_000, growth: 1, max_tries: 4 },
        error_ends_final_table: true,
        max_silence_ms: None,
        max_closed_port_ms: None,
    };

    /// For a bot: quick first retries, and it gives up on a server that has stopped answering.
    pub const BOT: Self = Self {
        join: RetryPolicy { first_pause_ms: 250, growth: 2, max_tries: 6 },
        acceptance: Acceptance::Playable,
        quit: RetryPolicy { first_pause_ms: 300, growth: 1, max_tries: 3 },
        final_table: RetryPolicy { first_pause_ms: 250, growth: 1, max_tries: 16 },
        error_ends_final_table: false,
        max_silence_ms: Some(30_000),
        max_closed_port_ms: Some(1_000),
    };

    /// For a bot in a game of a web host, which may restart: the link connects again by itself.
    pub const WEB_BOT: Self =
        Self { max_silence_ms: Some(60_000), max_closed_port_ms: Some(60_000), ..Self::BOT };
}
