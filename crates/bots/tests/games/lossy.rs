//! A bot at the end of a bad line: keys and pictures are lost, and it still ends the game.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use nuggets_bots::{BrainKind, Effect, Limits, Session};
use nuggets_game::{Chance, Game, Rules, Seed, Sight, SightRule, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Millis, Room};

/// Plays alone in virtual time, with so many percent of all messages lost after the first ones;
/// true if the game ended.
fn play(sight: &Arc<Sight>, brain: BrainKind, lost_percent: u32, seed: i64) -> bool {
    let game = Game::new(Arc::clone(sight), Rules::default(), Seed::new(seed)).unwrap();
    let (mut room, mut chance) =
        (Room::new(game, Dialect::default()), Chance::new(Seed::new(seed)));
    let (mut now, pace, peer) =
        (Duration::ZERO, Duration::ZERO, SocketAddr::from(([127, 0, 0, 1], 1)));
    let mut bot = Session::new(now, b"bot", brain.build(1), pace, 1, Limits::default());
    bot.handle_go(now);
    let mut is_lost = |bot: &Session| !bot.is_joining() && chance.below(100) < lost_percent;
    while bot.keys() < 20_000 && !room.is_closed() {
        while let Some(effect) = bot.poll_effect() {
            let Effect::Send(bytes) = effect else { return room.is_closed() };
            if is_lost(&bot) {
                continue;
            }
            room.handle_message(Millis(0), peer.into(), &bytes);
            while let Some(told) = room.poll_transmit() {
                if !is_lost(&bot) {
                    bot.handle_message(now, told.payload).unwrap();
                }
            }
        }
        while room.poll_notice().is_some() {}
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
