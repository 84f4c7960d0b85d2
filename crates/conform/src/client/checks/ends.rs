//! How the client ends.

use nuggets_protocol::Dialect;
use nuggets_stranger::Ending;

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::farewell;
use crate::client::stage::shown;
use crate::{Check, Dialects, Failure, Verdict};

const END: Chapter = Chapter { section: "End", source: "Network protocol, Server to clients" };

/// A table as the documents draw it.
const TABLE: [&str; 3] = ["A          4 Alice", "B         16 Bob", "C        230 Carol Ann"];

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    END.must("end.quit", "At QUIT the client ends.", quit),
    END.must(
        "end.words",
        "The explanation in QUIT stands on the terminal when the client has ended.",
        words,
    )
    .only_in(Dialects::Only2021),
    END.must(
        "end.table",
        "After QUIT GAME OVER the whole table stands on the terminal, line by line.",
        table,
    )
    .only_in(Dialects::Only2021),
    END.must(
        "end.gameover",
        "After GAMEOVER the whole table stands on the terminal, and the client ends.",
        gameover,
    )
    .only_in(Dialects::Only2019)
    .said_in("Network protocol of 2019, Server to clients"),
    END.must(
        "end.spectator",
        "The spectator's client ends at QUIT too, and tells why where that is said.",
        spectator,
    )
    .said_in("Network protocol, Spectator to server"),
    END.should(
        "end.thanks",
        "After Q the client waits for the server's QUIT and tells its words.",
        thanks,
    ),
    END.should(
        "end.only",
        "When it has ended, nothing else than the explanation stands on the terminal.",
        only,
    )
    .only_in(Dialects::Only2021)
    .said_in("Requirements, Client"),
    END.should("end.code", "A client that was told to quit exits with code 0.", code),
    END.should("end.silent", "After QUIT the client sends nothing any more.", silent),
];

fn quit(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = farewell(stage.dialect(), "The mine is closed.");
    stage.say(&message);
    stage.end("the client ends after QUIT", &[message]).map(|_| ())
}

fn words(stage: &mut ClientStage) -> Verdict {
    const WHY: &str = "The mine is closed for today.";
    stage.play()?;
    stage.send_away(&format!("QUIT {WHY}"), &[WHY])
}

fn table(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = format!("QUIT GAME OVER:\n{}\n", TABLE.join("\n"));
    stage.send_away(&message, &[&["GAME OVER:"], &TABLE[..]].concat())
}

fn gameover(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = format!("GAMEOVER\n{}\n", TABLE.join("\n"));
    stage.say(message.as_bytes());
    stage.send_away_again("QUIT", &[message.into_bytes()], &TABLE)
}

fn spectator(stage: &mut ClientStage) -> Verdict {
    const WHY: &str = "You have been replaced by a new spectator.";
    stage.watch()?;
    part(stage, WHY)
}

fn thanks(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.let_end();
    stage.stroke(b'Q')?;
    part(stage, "Thanks for playing!")
}

/// In 2019 there were no words.
fn part(stage: &mut ClientStage, words: &str) -> Verdict {
    let message = String::from_utf8_lossy(&farewell(stage.dialect(), words)).into_owned();
    match stage.dialect() {
        Dialect::V2021 => stage.send_away(&message, &[words]),
        Dialect::V2019 => stage.send_away(&message, &[]),
    }
}

fn only(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = format!("QUIT GAME OVER:\n{}", TABLE.join("\n"));
    let lines = [&["GAME OVER:"], &TABLE[..]].concat();
    stage.send_away(&message, &lines)?;
    // Without a screen of its own it can't clear away what it had drawn.
    if !stage.window()?.had_other_screen() || stage.lines() == lines {
        return Ok(());
    }
    let wish = "nothing but the explanation stands on the terminal";
    Err(Failure::new(wish, "more than that").drawn(stage.drawn()))
}

fn code(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = farewell(stage.dialect(), "GAME OVER:\nA        250 Ann");
    stage.say(&message);
    match stage.end("the client ends after QUIT", &[message])? {
        Ending::Exit(0) => Ok(()),
        other => Err(Failure::new("it exits with code 0", other.to_string())),
    }
}

fn silent(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.empty();
    let message = farewell(stage.dialect(), "The mine is closed.");
    stage.say(&message);
    stage.end("the client ends after QUIT", &[message])?;
    // A bare QUIT may come behind a table that was lost: that may be asked for.
    let is_question = |more: &[u8]| stage.dialect() == Dialect::V2019 && more == b"KEY Q";
    match stage.heard().iter().find(|more| !is_question(more)) {
        Some(more) => Err(Failure::new("no message after QUIT", shown(more))),
        None => Ok(()),
    }
}
