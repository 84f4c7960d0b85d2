//! The differences between sessions of people and of bots: retry schedules, limits, and the condition for being
//! accepted.

use crate::RetryPolicy;

/// Retry schedules and time limits of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Retries of `PLAY` or `SPECTATE` while the server has sent nothing about a game. Once it has, we may have a
    /// seat and keep asking: see `max_silence_ms`.
    pub join: RetryPolicy,
    /// Tries to join the next game on the same port, if the server has announced one. The first is sent after the
    /// first pause.
    pub next_game: RetryPolicy,
    /// The condition for being accepted.
    pub acceptance: Acceptance,
    /// Retries of `KEY Q` when we leave.
    pub quit: RetryPolicy,
    /// Retries of the `KEY Q` that requests the final table after a `QUIT` without text.
    pub final_table: RetryPolicy,
    /// Maximum time to request the final table while the server shows that it is running or restarting, by another
    /// `QUIT` without text or by a closed port.
    pub max_final_table_ms: u64,
    /// Maximum time from our last key to a `QUIT` without text that counts as its answer. After a later `QUIT` we
    /// send nothing: the table may never have been sent, or the server resends it anyway. If `None`, we always ask.
    pub max_answer_ms: Option<u64>,
    /// True if an error reply to the second such `KEY Q` ends the wait, because the server doesn't know us any more.
    /// A client that sends keys fast can't tell which key the reply belongs to.
    pub error_ends_final_table: bool,
    /// Maximum time without a message about the game although keys were sent, and maximum time for joining if the
    /// server may have given us a seat; unlimited if `None`.
    pub max_silence_ms: Option<u64>,
    /// Maximum time that the port may stay closed once the server has accepted us, because it may be restarting;
    /// unlimited if `None`.
    pub max_closed_port_ms: Option<u64>,
}

/// The messages from the server that count as acceptance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Any well-formed `OK`, `GRID`, `GOLD` or `DISPLAY`. A person notices what is missing.
    AnyAnswer,
    /// A picture with our `@`, or our letter together with any `GOLD` or `DISPLAY`: the first step brings a picture
    /// that was lost.
    Playable,
}

impl SessionPolicy {
    /// For a person: constant pauses, and only the server or the person ends the game.
    pub const PERSON: Self = Self {
        join: RetryPolicy::steady(1_000, 12),
        next_game: RetryPolicy::steady(1_000, 60),
        acceptance: Acceptance::AnyAnswer,
        quit: RetryPolicy::steady(1_000, 3),
        // The program must have ended two seconds after the `QUIT`.
        final_table: RetryPolicy::steady(250, 7),
        max_final_table_ms: 1_750,
        max_answer_ms: Some(2_000),
        error_ends_final_table: true,
        max_silence_ms: None,
        max_closed_port_ms: None,
    };

    /// For a bot: quick first retries. Survives a server restart of less than a minute, and gives up on a server that
    /// has stopped answering for longer.
    pub const BOT: Self = Self {
        join: RetryPolicy { first_pause_ms: 250, growth: 2, max_pause_ms: 1_000, max_tries: 21 },
        next_game: RetryPolicy::steady(1_000, 60),
        acceptance: Acceptance::Playable,
        quit: RetryPolicy::steady(300, 3),
        // Longer than the default time that a server keeps answering after the end of a game (`--linger`).
        final_table: RetryPolicy::steady(250, 24),
        // A server that crashes while sending the final table may need several restarts to reach all players.
        max_final_table_ms: 20_000,
        max_answer_ms: None,
        error_ends_final_table: false,
        max_silence_ms: Some(60_000),
        max_closed_port_ms: Some(60_000),
    };
}
