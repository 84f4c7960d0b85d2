//! A bot on a lossy network: keys and pictures are lost, and it still ends the game.

use std::sync::Arc;

use nuggets_bots::BrainKind;
use nuggets_game::{Rng, Seed, Sight, SightRule, shipped};

use crate::lone_bot::play_over;

/// Plays with `lost_percent` of all messages lost after joining; true if the game ended.
fn play_lossy(sight: &Arc<Sight>, brain: BrainKind, lost_percent: u32, seed: i64) -> bool {
    let mut rng = Rng::new(Seed::new(seed));
    play_over(sight, brain, seed, &mut |bot, bytes| {
        let is_lost = !bot.is_joining() && rng.below(100) < lost_percent;
        (!is_lost).then(|| bytes.to_vec())
    })
}

#[test]
fn a_lone_bot_ends_the_game_though_messages_are_lost() {
    for map in ["main", "maze"] {
        let sight =
            Arc::new(Sight::new(shipped::find(map).unwrap().map(), SightRule::DarkPassages));
        for brain in [BrainKind::Scout, BrainKind::Miner] {
            for (percent, seed) in [(1, 1), (10, 2), (30, 3), (50, 4)] {
                assert!(
                    play_lossy(&sight, brain, percent, seed),
                    "{brain} on {map}, {percent} % lost"
                );
            }
        }
    }
}
