//! What differs between sessions of people and of bots: retry schedules, limits, and when a client
//! counts as accepted.

use crate::RetryPolicy;

/// How long and how often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Retries of `PLAY` or `SPECTATE` while the server has sent nothing about a game. Once it has, we
    /// may have a seat, and keep asking: see `max_silence_ms`.
    pub join: RetryPolicy,
    /// Tries to join the next game on the same port, if the server has announced one. The first is sent after
    /// the first pause.
    pub next_game: RetryPolicy,
    /// What counts as being accepted.
    pub acceptance: Acceptance,
    /// Retries of `KEY Q` when we leave.
    pub quit: RetryPolicy,
    /// Retries of `KEY Q` that ask for the final table after a `QUIT` without text.
    pub final_table: RetryPolicy,
    /// How long the final table is asked for at most, if the server shows meanwhile that it is there or is being
    /// restarted: by another such `QUIT`, or by a closed port.
    pub max_final_table_ms: u64,
    /// How long after our last key such a `QUIT` may still be its answer. After a later one nothing is
    /// sent: the table may never have been sent, or comes again by itself. Always asks if `None`.
    pub max_answer_ms: Option<u64>,
    /// Whether an error reply to the second such `KEY Q` ends the wait: the server doesn't know us
    /// any more. A client that sends keys fast can't tell which key the reply is about.
    pub error_ends_final_table: bool,
    /// How long the server may send nothing about the game although keys were sent, and how long
    /// joining may take if the server may have given us a seat; unlimited if `None`.
    pub max_silence_ms: Option<u64>,
    /// How long the port of a server that had accepted us may be closed, because it may be restarted;
    /// unlimited if `None`.
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
        join: RetryPolicy::steady(1_000, 12),
        next_game: RetryPolicy::steady(1_000, 60),
        acceptance: Acceptance::AnyAnswer,
        quit: RetryPolicy::steady(1_000, 3),
        // The program has ended two seconds after the `QUIT`.
        final_table: RetryPolicy::steady(250, 7),
        max_final_table_ms: 1_750,
        max_answer_ms: Some(2_000),
        error_ends_final_table: true,
        max_silence_ms: None,
        max_closed_port_ms: None,
    };

    /// For a bot: quick first retries. It survives a restart of the server that takes less than a
    /// minute, and gives up on one that has stopped answering for longer.
    pub const BOT: Self = Self {
        join: RetryPolicy { first_pause_ms: 250, growth: 2, max_pause_ms: 1_000, max_tries: 21 },
        next_game: RetryPolicy::steady(1_000, 60),
        acceptance: Acceptance::Playable,
        quit: RetryPolicy::steady(300, 3),
        // Longer than a server answers by default after the end of a game (`--linger`).
        final_table: RetryPolicy::steady(250, 24),
        // A server that crashes while it sends the end may need some starts to send it to all.
        max_final_table_ms: 20_000,
        max_answer_ms: None,
        error_ends_final_table: false,
        max_silence_ms: Some(60_000),
        max_closed_port_ms: Some(60_000),
    };
}
