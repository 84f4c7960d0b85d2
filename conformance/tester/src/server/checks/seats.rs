//! Letters, and the limit of 26 players.

use std::collections::BTreeSet;

use super::NAMES;
use super::quitting::ensure_has_quit;
use crate::server::{ServerTest, TestClient};
use crate::{CheckTable, Verdict, ensure};

const FULL: &str = "Game is full: no more players can join.";

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("seats.letters", |test| {
        let players = full_game(test)?;
        let given: String = players.iter().filter_map(|player| player.letter).collect();
        let letters: BTreeSet<char> = given.chars().collect();
        ensure(letters.len() == 26, "26 letters, each once", given)
    }),
    ("seats.order", |test| {
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
    ("seats.full", |test| {
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
    }),
    ("seats.letter-once", |test| {
        let mut ann = test.start_with_ann()?;
        // A server may end the game when its only player quits.
        let _cat = test.player("Cat")?;
        ann.press('Q');
        let bob = test.player("Bob")?;
        let actual = "the letter of the player that quit";
        ensure(bob.letter != ann.letter, "a new letter for the next player", actual)
    }),
    ("seats.no-return", |test| {
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
    }),
];

fn full_game(test: &mut ServerTest) -> Verdict<Vec<TestClient>> {
    test.start_game()?;
    test.players(&NAMES).map_err(|failure| failure.or_because_of("seats.letters"))
}
