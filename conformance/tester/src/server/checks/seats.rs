//! Letters, and the limit of 26 players.

use std::collections::BTreeSet;

use super::quitting::ensure_has_quit;
use super::{NAMES, PLAYER_TO_SERVER, SERVER};
use crate::server::{ServerTest, TestClient};
use crate::{Check, Section, Verdict, ensure};

const SECTION: Section = Section::new("Letters and seats", PLAYER_TO_SERVER);
const FULL: &str = "Game is full: no more players can join.";

pub(super) const CHECKS: &[Check<ServerTest>] = &[
    SECTION.must("seats.letters", "26 players can join, each with a letter of its own.", |test| {
        let players = full_game(test)?;
        let given: String = players.iter().filter_map(|player| player.letter).collect();
        let letters: BTreeSet<char> = given.chars().collect();
        ensure(letters.len() == 26, "26 letters, each once", given)
    }),
    SECTION.may("seats.order", "Letters are given in the order A, B, C and so on.", |test| {
        test.start_game()?;
        let mut players = vec![];
        for (letter, name) in ('A'..='F').zip(["Zoe", "Yan", "Xia", "Will", "Vera", "Uma"]) {
            let player = test.player(name)?;
            let actual = player.letter.map_or("none".to_owned(), String::from);
            ensure(player.letter == Some(letter), format!("the next letter, {letter}"), actual)?;
            players.push(player);
        }
        Ok(())
    }),
    SECTION.must(
        "seats.full",
        "The 27th player is refused because the game is full, even when one of the 26 has quit, and \
         the game continues.",
        full_game_stays_full,
    ),
    SECTION.source(SERVER).must(
        "seats.letter-once",
        "The letter of a player that quit is not given to another.",
        |test| {
            let mut ann = test.start_with_ann()?;
            // A server may end the game when its only player quits.
            let _cat = test.player("Cat")?;
            ann.press('Q');
            let bob = test.player("Bob")?;
            let actual = "the letter of the player that quit";
            ensure(bob.letter != ann.letter, "a new letter for the next player", actual)
        },
    ),
    SECTION.source(SERVER).must(
        "seats.no-return",
        "A player that has quit can't join again from its address.",
        |test| {
            let mut ann = test.start_with_ann()?;
            let _bob = test.player("Bob")?;
            ann.press('Q');
            ensure_has_quit(test, &mut ann, "quit.removed")?;
            let mut from = 0;
            test.expect_no_change("PLAY from the address of a player that quit", |_| {
                from = ann.mark();
                ann.send(b"PLAY Ann");
                Ok(())
            })?;
            ann.expect_none_of(from, &["OK"], "no OK for a player that has quit")
        },
    ),
];

fn full_game(test: &mut ServerTest) -> Verdict<Vec<TestClient>> {
    test.start_game()?;
    test.players(&NAMES).map_err(|failure| failure.or_because_of("seats.letters"))
}

fn full_game_stays_full(test: &mut ServerTest) -> Verdict {
    let mut players = full_game(test)?;
    let is_refused = |test: &mut ServerTest, name: &str| {
        let mut late = test.client(name)?;
        late.send(format!("PLAY {name}").as_bytes());
        test.expect_refusal(&mut late, FULL)
    };
    test.expect_no_change("a 27th PLAY", |test| is_refused(test, "Late"))?;
    players[3].press('Q');
    is_refused(test, "Later")?;
    test.expect_can_move(&mut players[25])
}
