//! What nobody should send: the client stays as it is, and the game goes on.

use std::time::Duration;

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::room::complaint;
use crate::client::stage::{Start, shown};
use crate::{Check, Dialects, Failure, Level, Verdict};

const ODD: Chapter =
    Chapter { section: "Odd messages", source: "Network protocol, Malformed messages" };

/// Where the documents of 2019 speak of unknown and malformed messages.
const PLAYER: &str = "Requirements, Player";

/// What a terminal would obey: a title for its window. Nobody writes that by chance.
const TITLE: &str = "\x1b]2;nuggets\x07";

/// So long it is looked at what a message has done where nothing else tells.
const SOON: Duration = Duration::from_millis(30);

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    ODD.must("odd.unknown", "Messages with unknown first words do no harm.", unknown)
        .in_2019(Level::Must, PLAYER),
    ODD.must("odd.empty", "An empty datagram does no harm.", empty).in_2019(Level::Must, PLAYER),
    ODD.must("odd.ok", "OK without a letter, or with more than one, does no harm.", ok)
        .in_2019(Level::Must, PLAYER),
    ODD.must(
        "odd.gold",
        "GOLD without its three numbers does no harm, and changes nothing on the status line.",
        gold,
    )
    .in_2019(Level::Must, PLAYER),
    ODD.must("odd.grid", "GRID without its two numbers does no harm.", grid)
        .in_2019(Level::Must, PLAYER),
    ODD.must(
        "odd.display",
        "DISPLAY without a map, or with one of another size, does no harm.",
        display,
    )
    .in_2019(Level::Must, PLAYER),
    ODD.must("odd.binary", "Bytes of every value do no harm.", binary).in_2019(Level::Must, PLAYER),
    ODD.must("odd.long", "A message as long as a datagram can be does no harm.", long)
        .in_2019(Level::Must, PLAYER),
    ODD.must("odd.early", "Odd messages before the answer to PLAY do no harm.", early)
        .in_2019(Level::Must, PLAYER),
    ODD.should(
        "odd.quitter",
        "A first word that only begins with QUIT, or is written small, ends nothing.",
        quitter,
    )
    .said_in("Network protocol"),
    ODD.may("odd.misordered", "The answer to PLAY may come in another order.", misordered)
        .only_in(Dialects::Only2021)
        .said_in("Network protocol, Misordered messages"),
    ODD.may("odd.repeated", "Messages that are repeated do no harm.", repeated)
        .only_in(Dialects::Only2021)
        .said_in("Network protocol, Misordered messages"),
    ODD.may("odd.another", "What somebody else than the server sends is not heard.", another)
        .said_in("Network protocol"),
    ODD.should(
        "odd.escape-note",
        "Control bytes in a complaint don't reach the terminal.",
        escape_note,
    )
    .in_2019(Level::Should, PLAYER),
    ODD.should("odd.escape-map", "Control bytes in a map don't reach the terminal.", escape_map)
        .in_2019(Level::Should, PLAYER),
    // The document lets the explanation be any string, and has the client print it.
    ODD.may(
        "odd.escape-quit",
        "Control bytes in an explanation don't reach the terminal.",
        escape_quit,
    )
    .only_in(Dialects::Only2021)
    .said_in("Network protocol, Server to clients"),
];

fn unknown(stage: &mut ClientStage) -> Verdict {
    survives(stage, &[b"HELLO", b"WELCOME to the mine", b"FOO 1 2 3", b"PLAY Ann", b"KEY h"])
}

fn empty(stage: &mut ClientStage) -> Verdict {
    survives(stage, &[b"", b" ", b"\n", b"   \n\n"])
}

fn ok(stage: &mut ClientStage) -> Verdict {
    survives(stage, &[b"OK", b"OK ", b"OK AB", b"OK 7", b"OK\nA", b"OKAY A"])
}

fn gold(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.tell_gold(0, 34, 211)?;
    // Whoever has no such line is judged elsewhere.
    let limit = stage.usual_wait() / 2;
    let tells = |it: &ClientStage| ["34", "211"].iter().all(|n| it.first_line().contains(n));
    let has_line = stage.comes_to(limit, tells);
    for message in [&b"GOLD"[..], b"GOLD ", b"GOLD 1", b"GOLD 1 2", b"GOLD a b c", b"GOLD %s %n %s"]
    {
        stage.say(message);
        fence_after(stage, message)?;
        if has_line {
            let wish =
                format!("after {} the first line tells 34 and 211 as before", shown(message));
            let gold = stage.room.gold();
            stage
                .expect_line(&wish, &[gold], |line| line.contains("34") && line.contains("211"))?;
        }
    }
    go_on(
        stage,
        &[
            b"GOLD -1 -2 -3",
            b"GOLD 99999999999999999999 99999999999999999999 99999999999999999999",
            b"GOLD 1 2 3 4",
        ],
    )
}

fn grid(stage: &mut ClientStage) -> Verdict {
    survives(
        stage,
        &[b"GRID", b"GRID ", b"GRID 5", b"GRID x y", b"GRID 0 0", b"GRID -5 -40", b"GRID %s %n"],
    )
}

fn display(stage: &mut ClientStage) -> Verdict {
    let huge = [b"DISPLAY\n".to_vec(), [&[b'.'; 500][..], b"\n"].concat().repeat(100)].concat();
    survives(
        stage,
        &[
            b"DISPLAY",
            b"DISPLAY ",
            b"DISPLAY\n",
            b"DISPLAY\n\n\n\n",
            b"DISPLAY\n|..@..|\n",
            b"DISPLAY\n+-+\n|.......|\n+",
            &huge,
        ],
    )
}

fn binary(stage: &mut ClientStage) -> Verdict {
    let all: Vec<u8> = (0..=255).collect();
    let high: Vec<u8> = (128..=255).cycle().take(1000).collect();
    survives(stage, &[&all, &high, b"\0", b"GOLD \0 1 2", b"OK \xff", b"\xffQUIT"])
}

fn long(stage: &mut ClientStage) -> Verdict {
    let words = format!("HELLO {}", "x".repeat(65_000));
    let complaint = complaint(stage.dialect(), &"y".repeat(65_000));
    let numbers = format!("GOLD {}", "9".repeat(65_000));
    survives(stage, &[words.as_bytes(), &complaint, numbers.as_bytes()])
}

fn early(stage: &mut ClientStage) -> Verdict {
    stage.start(&Start::PLAYER)?;
    stage.first()?;
    for message in [&b""[..], b"HELLO", b"GOLD", b"GRID x", b"DISPLAY", b"OK"] {
        stage.say(message);
        // So that it is seen which of them it was.
        stage.comes_to(SOON, |_| false);
        if let Some(ending) = stage.ending() {
            let wish = format!("after {} it still waits for the answer to PLAY", shown(message));
            return Err(Failure::new(wish, ending.to_string()));
        }
    }
    stage.welcome();
    let again = stage.room.welcome();
    let wish = "the map is shown, whatever was said before";
    stage.until(wish, &again, ClientStage::shows_room)?;
    stage.fence()
}

fn quitter(stage: &mut ClientStage) -> Verdict {
    survives(stage, &[b"QUITTING time", b"quit now", b"Quit", b" QUIT", b"GAMEOVERS"])
}

fn misordered(stage: &mut ClientStage) -> Verdict {
    stage.start(&Start::PLAYER)?;
    stage.first()?;
    for message in stage.room.welcome().iter().rev() {
        stage.say(message);
    }
    stage.tell_gold(17, 17, 233)?;
    stage.expect_words(&["A", "17", "233"])
}

fn repeated(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    for _ in 0..10 {
        stage.welcome();
    }
    stage.tell_gold(39, 39, 211)?;
    stage.expect_words(&["A", "39", "211"])?;
    stage.expect_grid()
}

fn another(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    stage.say_as_another(b"GOLD 99 88 77");
    stage.say_as_another(b"QUIT go away");
    let expected = "the game goes on: what another address sends is not heard";
    stage.fence().map_err(|failure| Failure { expected: expected.into(), ..failure })?;
    let line = stage.first_line();
    if line.contains("88") && line.contains("77") {
        return Err(Failure::new("the purse is as the server told it", format!("`{line}`")));
    }
    Ok(())
}

fn escape_note(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = complaint(stage.dialect(), &format!("beware {TITLE} of it"));
    stage.say(&message);
    stage.fence()?;
    no_title(stage)
}

fn escape_map(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let mut spoiled = stage.room.clone();
    spoiled.rows[0].replace_range(0..TITLE.len(), TITLE);
    stage.say(&spoiled.display());
    stage.fence()?;
    no_title(stage)
}

fn escape_quit(stage: &mut ClientStage) -> Verdict {
    stage.play()?;
    let message = format!("QUIT beware {TITLE} of it").into_bytes();
    stage.say(&message);
    stage.end("the client ends after QUIT", &[message])?;
    no_title(stage)
}

fn no_title(stage: &ClientStage) -> Verdict {
    let raw = stage.window()?.raw();
    if raw.windows(TITLE.len()).any(|bytes| bytes == TITLE.as_bytes()) {
        let came = format!("`{}` was written to it as it came", TITLE.escape_debug());
        return Err(Failure::new("no control byte of the server's reaches the terminal", came));
    }
    Ok(())
}

/// After each of them the next map is shown, and so is the next gold.
fn survives(stage: &mut ClientStage, messages: &[&[u8]]) -> Verdict {
    stage.play()?;
    go_on(stage, messages)
}

fn go_on(stage: &mut ClientStage, messages: &[&[u8]]) -> Verdict {
    for message in messages {
        stage.say(message);
        fence_after(stage, message)?;
    }
    stage.stroke(b'h')?;
    stage.tell_gold(0, 0, 211)
}

fn fence_after(stage: &mut ClientStage, message: &[u8]) -> Verdict {
    stage.fence().map_err(|failure| Failure {
        expected: format!("after {} the next map is shown", shown(message)),
        ..failure
    })
}
