//! Seeds: the same seed, the same game.

use std::time::Duration;

use nuggets_protocol::Dialect;

use crate::chapter::Chapter;
use crate::server::picture::Picture;
use crate::server::{ServerStage, TestMap};
use crate::{Check, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Seeds", source: "Requirements, Server" };

/// The documents of 2019 demand `srandom(time(NULL))`: two starts within a second are the same game,
/// so the next start waits for another second.
const ANOTHER_SECOND: Duration = Duration::from_millis(1100);

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER.must(
        "seed.same",
        "The same seed gives the same game: gold and players land in the same places.",
        |stage| {
            let (one, two) = (landing(stage, Some(42))?, landing(stage, Some(42))?);
            if one == two {
                return Ok(());
            }
            let drawing = crate::server::drawing::difference(&one, &two);
            Err(Failure::new("the same game twice with seed 42", "two games").drawn(drawing))
        },
    ),
    CHAPTER.must("seed.other", "Other seeds give other games.", |stage| {
        let seeds = [1, 2, 3, 4].map(Some);
        differ(stage, &seeds, "seeds 1, 2, 3 and 4")
    }),
    CHAPTER.should("seed.none", "Without a seed no two games are alike.", |stage| {
        differ(stage, &[None; 4], "four starts without a seed")
    }),
];

fn landing(stage: &mut ServerStage, seed: Option<u64>) -> Result<Picture, Failure> {
    stage.start_with(&TestMap::shipped("main"), seed)?;
    let _players = (stage.player("Ann")?, stage.player("Bob")?, stage.player("Cat")?);
    stage.look()
}

fn differ(stage: &mut ServerStage, seeds: &[Option<u64>], which: &str) -> Verdict {
    let first = landing(stage, seeds[0])?;
    for seed in &seeds[1..] {
        if seed.is_none() && stage.dialect() == Dialect::V2019 {
            std::thread::sleep(ANOTHER_SECOND);
        }
        if landing(stage, *seed)? != first {
            return Ok(());
        }
    }
    Err(Failure::new(format!("different games from {which}"), "always the same game"))
}
