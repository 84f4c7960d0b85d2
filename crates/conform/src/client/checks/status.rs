//! The first line.

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::Room;
use crate::{Check, Failure, Verdict};

const STATUS: Chapter =
    Chapter { section: "Status line", source: "Requirements, Client interface" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    STATUS.must(
        "status.player",
        "The first line tells a player's letter, purse and how much is unclaimed.",
        player,
    ),
    STATUS.must("status.letter", "The letter in it is the one that the server gave.", letter),
    STATUS.must("status.spectator", "The first line tells the spectator how much is unclaimed.", spectator),
    STATUS.must("status.update", "Every GOLD is told in it.", update),
    STATUS.should(
        "status.player-text",
        "A player's line reads as in the documents: Player A has 39 nuggets (211 nuggets unclaimed).",
        player_text,
    ),
    STATUS.should(
        "status.spectator-text",
        "The spectator's line reads as in the documents: Spectator: 211 nuggets unclaimed.",
        spectator_text,
    ),
    STATUS.should("status.at-once", "GOLD is told when it comes, even if no DISPLAY follows.", at_once),
    STATUS.should("status.clean", "Nothing of a longer line is left behind a shorter one.", clean),
];

fn player(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.tell_gold(39, 39, 211)?;
    stage.expect_words(&["A", "39", "211"])
}

fn letter(stage: &mut ClientStage) -> Verdict {
    stage.room = Room::new(Some('K'));
    stage.play()?;
    stage.tell_gold(39, 39, 211)?;
    stage.expect_words(&["K", "39", "211"])
}

fn spectator(stage: &mut ClientStage) -> Verdict {
    stage.watch()?;
    stage.tell_gold(0, 0, 211)?;
    stage.expect_words(&["211"])
}

fn update(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    for (found, purse, left) in [(12, 12, 238), (0, 12, 107), (30, 42, 77)] {
        stage.tell_gold(found, purse, left)?;
        stage.expect_words(&["A", &purse.to_string(), &left.to_string()])?;
    }
    Ok(())
}

fn player_text(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.tell_gold(39, 39, 211)?;
    stage.expect_status()
}

fn spectator_text(stage: &mut ClientStage) -> Verdict {
    stage.watch()?;
    stage.tell_gold(0, 0, 211)?;
    stage.expect_status()
}

fn at_once(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.room.set_gold(21, 21, 199);
    let gold = stage.room.gold();
    stage.say(&gold);
    stage.expect_words(&["21", "199"])
}

/// Behind the words of the documents nothing stands, or a note at some distance. Whoever has other
/// words for it is judged elsewhere.
fn clean(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.expect_words(&["0", "250"])?;
    stage.tell_gold(0, 0, 9)?;
    stage.expect_words(&["0", "9"])?;
    let line = stage.first_line();
    let status = stage.room.status();
    match line.strip_prefix(&status) {
        Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => {
            Err(Failure::new(format!("the line is `{status}`"), format!("it is `{line}`")))
        }
        _ => Ok(()),
    }
}
