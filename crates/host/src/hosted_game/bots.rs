//! The bots of a game: pure brains with seats in the room, like people.

use nuggets_bots::{Bot, BotProfile, BrainKind};
use nuggets_game::Seed;
use nuggets_session::{Effect, SessionPolicy};
use nuggets_time::Timestamp;

use crate::Bots;

/// Minimum interval between two keys of a bot.
const MIN_PACE_MS: u64 = 20;
/// No idle timeout, because bots run in the process of the host.
const POLICY: SessionPolicy = SessionPolicy { max_silence_ms: None, ..SessionPolicy::BOT };

/// One bot with its number, from 1.
#[derive(Debug)]
pub(super) struct BotSeat {
    pub(super) number: u8,
    pub(super) bot: Bot,
}

impl BotSeat {
    /// Creates all bots of a game. They send a request to join, or to return to their seats.
    pub(super) fn all(now: Timestamp, bots: &Bots, seed: Seed) -> Vec<Self> {
        let brain: BrainKind = bots.brain.parse().unwrap_or_default();
        let seat = |number: u8| {
            let seed = seed.number().cast_unsigned().wrapping_add(number.into());
            let profile = BotProfile {
                name: format!("{brain} {number}").into_bytes(),
                brain: brain.build(seed),
                pace_ms: bots.pace_ms.max(MIN_PACE_MS),
                seed,
                policy: POLICY,
            };
            Self { number, bot: Bot::new(now, profile) }
        };
        (1..=bots.count).map(seat).collect()
    }

    pub(super) fn handle_message(&mut self, now: Timestamp, payload: &[u8]) {
        self.bot.handle_message(now, payload).expect("a room sends well-formed messages");
    }

    pub(super) fn handle_timeout(&mut self, now: Timestamp) {
        if self.bot.poll_timeout().is_some_and(|due| due <= now) {
            self.bot.handle_timeout(now);
        }
    }

    /// Returns the next message that the bot sends.
    pub(super) fn poll_message(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.bot.poll_effect()? {
                Effect::Send(message) => return Some(message),
                Effect::Leave(_) => {}
            }
        }
    }
}
