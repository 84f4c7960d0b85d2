//! Names: which are refused, and what is kept of the others. They are shown only in the table at
//! the end, so a whole game is played for it.

use super::deeds::{has_not_heard, hears, hears_word, start_with_ann, still_moves};
use super::ending::is_between;
use super::harvest::play_to_the_end;
use crate::chapter::Chapter;
use crate::server::{Caller, ServerStage, TestMap};
use crate::{Check, Dialects, Failure, Verdict};

const CHAPTER: Chapter = Chapter { section: "Names", source: "Network protocol, Player to server" };
const NAMELESS: &str = "QUIT Sorry - you must provide player's name.";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .must(
            "name.empty",
            "PLAY and a blank, without a name, is refused in the document's words.",
            |stage| hears(&mut asks_to_play(stage, b"PLAY ")?, NAMELESS),
        )
        .only_in(Dialects::Only2021),
    CHAPTER
        .must("name.blanks", "A name of nothing but blanks is refused.", |stage| {
            is_refused(stage, b"PLAY     ")
        })
        .only_in(Dialects::Only2021),
    CHAPTER
        .may("name.tabs", "A name of nothing but tabs is refused.", |stage| {
            is_refused(stage, b"PLAY \t\t")
        })
        .only_in(Dialects::Only2021),
    CHAPTER
        .must("name.word-alone", "PLAY alone lets nobody in.", |stage| {
            let mut ann = start_with_ann(stage)?;
            let mut caller = stage.caller("nameless")?;
            caller.say_surely(b"PLAY");
            stage.fence()?;
            has_not_heard(
                &mut caller,
                0,
                &["OK", "GRID", "DISPLAY"],
                "nobody is let in by PLAY alone",
            )?;
            still_moves(stage, &mut ann)
        })
        .only_in(Dialects::Only2021),
    CHAPTER.must("name.kept", "A name with blanks in it is kept whole.", |stage| {
        is_listed_as(stage, b"Ann of the North", "Ann of the North")
    }),
    CHAPTER.must("name.digits", "A name with digits in it is taken, and kept.", |stage| {
        is_listed_as(stage, b"R2D2", "R2D2")
    }),
    CHAPTER
        .must("name.long", "A name is cut to 50 characters.", |stage| {
            let name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij";
            is_listed_as(stage, name.as_bytes(), &name[..50])
        })
        .only_in(Dialects::Only2021),
    CHAPTER
        .must(
            "name.odd",
            "Characters of a name that can't be shown are replaced by underscores.",
            |stage| is_listed_as(stage, b"A\x07n\x1bn\x01e", "A_n_n_e"),
        )
        .only_in(Dialects::Only2021),
];

fn asks_to_play(stage: &mut ServerStage, message: &[u8]) -> Result<Caller, Failure> {
    stage.start()?;
    let mut caller = stage.caller("nameless")?;
    caller.say(message);
    Ok(caller)
}

/// In whatever words: those of the document are asked for once.
fn is_refused(stage: &mut ServerStage, message: &[u8]) -> Verdict {
    let mut caller = asks_to_play(stage, message)?;
    hears_word(&mut caller, &["QUIT", "ERROR"]).map(|_| ())
}

fn is_listed_as(stage: &mut ServerStage, name: &[u8], listed: &str) -> Verdict {
    stage.start_on(&TestMap::shipped("narrow"))?;
    let mut ann = stage.caller("Ann")?;
    stage.join(&mut ann, name)?;
    let table = play_to_the_end(stage, &mut ann)?;
    let is_alone = |line: &str| {
        let before = line.trim_end_matches(is_between).strip_suffix(listed);
        before.is_some_and(|before| before.ends_with(is_between))
    };
    if table.lines().any(is_alone) {
        return Ok(());
    }
    let expected = format!("the table at the end lists '{listed}'");
    Err(Failure::new(expected, format!("the table: {}", table.escape_debug())))
}
