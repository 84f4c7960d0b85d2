//! What is told briefly on the first line, to the right.

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::complaint;
use crate::client::stage::shown;
use crate::client::view;
use crate::{Check, Failure, Level, Verdict};

const NOTES: Chapter = Chapter { section: "Notes", source: "Requirements, Client interface" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    NOTES.should("notes.gold", "Gold that was just found is told there: GOLD received: 39.", gold),
    NOTES.should(
        "notes.no-gold",
        "Where nothing was found (GOLD with n = 0), no such note is shown.",
        no_gold,
    ),
    NOTES.may(
        "notes.brief",
        "The note about gold goes when a key is pressed and the game goes on.",
        brief,
    ),
    NOTES
        .should(
            "notes.complaint",
            "The text of the server's complaint (ERROR, in 2019 NO) is shown there.",
            complains,
        )
        .said_in("Network protocol, Malformed messages")
        .in_2019(Level::Should, "Network protocol, Server to clients"),
    NOTES
        .should(
            "notes.unknown",
            "A message with an unknown first word is told by a brief note.",
            unknown,
        )
        .said_in("Requirements, Client"),
    NOTES
        .should("notes.malformed", "A malformed message is told by a brief note.", malformed)
        .said_in("Requirements, Client"),
    NOTES.should(
        "notes.key",
        "A key that means nothing is sent to the server all the same, or told to be unknown.",
        unknown_key,
    ),
];

fn gold(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.room.set_gold(39, 39, 211);
    let gold = stage.room.gold();
    stage.say(&gold);
    stage.fence_with(&gold)?;
    stage.expect_line("the note `GOLD received: 39` on the first line", &[gold], |line| {
        line.contains("GOLD received: 39")
    })
}

fn no_gold(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.tell_gold(0, 0, 211)?;
    stage.expect_words(&["211"])?;
    let line = stage.first_line();
    if line.to_lowercase().contains("received") {
        return Err(Failure::new("no note about gold: n was 0", format!("the line is `{line}`")));
    }
    Ok(())
}

fn brief(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.tell_gold(39, 39, 211)?;
    // One that shows no such note is judged elsewhere.
    stage.until("the first line tells of 39", &[], |it| it.first_line().contains("39"))?;
    stage.stroke(b'h')?;
    stage.tell_gold(0, 39, 205)?;
    let gold = stage.room.gold();
    stage.expect_line("the note about gold is gone", &[gold], |line| {
        line.contains("205") && !line.contains("received")
    })
}

fn complains(stage: &mut ClientStage) -> Verdict {
    const WHY: &str = "the mine is too dark";
    stage.play()?;
    let message = complaint(stage.dialect(), WHY);
    stage.say(&message);
    let wish = format!("`{WHY}` on the first line");
    stage.expect_line(&wish, &[message], |line| line.contains(WHY))
}

fn unknown(stage: &mut ClientStage) -> Verdict {
    is_noted(stage, b"HELLO there")
}

fn malformed(stage: &mut ClientStage) -> Verdict {
    is_noted(stage, b"GOLD much more gold")
}

fn is_noted(stage: &mut ClientStage, message: &[u8]) -> Verdict {
    stage.play()?;
    stage.tell_gold(0, 0, 211)?;
    stage.until("a first line that tells of 211", &[], |it| it.first_line().contains("211"))?;
    let before = stage.first_line();
    stage.say(message);
    let wish =
        format!("a brief note about {} on the first line, and 211 as before", shown(message));
    stage.expect_line(&wish, &[message.to_vec()], |line| {
        line != before && !line.is_empty() && tells_no_other_number(line, "211")
    })
}

/// Beside the number or in place of the whole line: but whoever reads numbers out of such a message
/// has not noted it.
fn tells_no_other_number(line: &str, right: &str) -> bool {
    let words = view::words(line);
    words.contains(&right) || !words.iter().any(|word| word.parse::<u32>().is_ok())
}

fn unknown_key(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let before = stage.first_line();
    stage.type_keys(b"%");
    let wish = "the message `KEY %`, or a note about an unknown keystroke";
    let limit = stage.usual_wait();
    let told = |it: &ClientStage| !it.heard().is_empty() || it.first_line() != before;
    stage.until_with(wish, limit, told, |it| it.type_keys(b"%"))?;
    stage.empty();
    match stage.heard().front() {
        Some(came) if came != b"KEY %" => Err(Failure::new(wish, shown(came))),
        _ => Ok(()),
    }
}
