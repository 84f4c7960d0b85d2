//! A bot on a lossy network: keys and pictures are lost, and it still ends the game.

use std::sync::Arc;

use nuggets_bots::{Bot, BotProfile, BrainKind};
use nuggets_game::{Game, Rng, Rules, Seed, Sight, SightRule, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Peer, Room};
use nuggets_session::{Effect, SessionPolicy, Timestamp};

/// Plays alone in virtual time, with `lost_percent` of all messages lost after joining; true if the game
/// ended.
fn play(sight: &Arc<Sight>, brain: BrainKind, lost_percent: u32, seed: i64) -> bool {
    let game = Game::with_sight(Arc::clone(sight), Rules::default(), Seed::new(seed)).unwrap();
    let (mut room, mut rng) =
        (Room::with_game(game, Dialect::default()), Rng::new(Seed::new(seed)));
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
    let mut is_lost = |bot: &Bot| !bot.is_joining() && rng.below(100) < lost_percent;
    while bot.keys() < 20_000 && !room.is_closed() {
        while let Some(effect) = bot.poll_effect() {
            let Effect::Send(bytes) = effect else { return room.is_closed() };
            if is_lost(&bot) {
                continue;
            }
            room.handle_message(Timestamp(0), Peer(1), &bytes);
            while let Some(sent) = room.poll_transmit() {
                if !is_lost(&bot) {
                    bot.handle_message(now, sent.payload).unwrap();
                }
            }
        }
        while room.poll_record().is_some() || room.poll_notice().is_some() {}
        now = now.max(bot.poll_timeout().expect("it has something to wait for"));
        bot.handle_timeout(now);
    }
    room.is_closed()
}

#[test]
fn a_lone_bot_ends_the_game_though_messages_are_lost() {
    for map in ["main", "maze"] {
        let sight =
            Arc::new(Sight::new(shipped::find(map).unwrap().map(), SightRule::DarkPassages));
        for brain in [BrainKind::Scout, BrainKind::Miner] {
            for (percent, seed) in [(1, 1), (10, 2), (30, 3), (50, 4)] {
                assert!(play(&sight, brain, percent, seed), "{brain} on {map}, {percent} % lost");
            }
        }
    }
}
