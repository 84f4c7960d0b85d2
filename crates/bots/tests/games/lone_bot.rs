//! A bot alone in a real room, in virtual time, over a network that the test controls.

use std::sync::Arc;

use nuggets_bots::{Bot, BotProfile, BrainKind};
use nuggets_game::{Game, Rules, Seed, Sight};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Room};
use nuggets_session::{Effect, SessionPolicy, Timestamp};

/// The network in either direction: returns the message as it arrives, or `None` if it is lost.
pub(crate) type Network<'a> = dyn FnMut(&Bot, &[u8]) -> Option<Vec<u8>> + 'a;

/// Plays until the game ends or the bot gives up; true if the game ended.
pub(crate) fn play_over(
    sight: &Arc<Sight>,
    brain: BrainKind,
    seed: i64,
    network: &mut Network<'_>,
) -> bool {
    let game = Game::with_sight(Arc::clone(sight), Rules::default(), Seed::new(seed)).unwrap();
    let mut room = Room::with_game(game, Dialect::default());
    let mut now = Timestamp(0);
    let mut bot = Bot::new(
        now,
        BotProfile {
            name: b"bot".to_vec(),
            brain: brain.build(1),
            pace_ms: 0,
            seed: 1,
            policy: SessionPolicy::BOT,
        },
    );
    bot.handle_start(now);
    while bot.keys() < 20_000 && !room.is_closed() {
        while let Some(effect) = bot.poll_effect() {
            let Effect::Send(bytes) = effect else { return room.is_closed() };
            let Some(bytes) = network(&bot, &bytes) else { continue };
            room.handle_message(Timestamp(0), Peer(1), &bytes);
            while let Some(sent) = room.poll_transmit() {
                if let Some(bytes) = network(&bot, sent.payload) {
                    bot.handle_message(now, &bytes).unwrap();
                }
            }
        }
        while room.poll_record().is_some() || room.poll_notice().is_some() {}
        now = now.max(bot.poll_timeout().expect("it has something to wait for"));
        bot.handle_timeout(now);
    }
    room.is_closed()
}
