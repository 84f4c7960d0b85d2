//! The end of a game: its notifications, the table, stdout and the exit code.

mod table;

pub(super) use table::{is_separator, rows, table_in};

use std::collections::BTreeSet;

use nuggets_protocol::Dialect;
use nuggets_subprocess::Exit;

use super::NAMES;
use crate::server::test_client::{ReceivedGold, brief, has_word};
use crate::server::{ServerTest, TestClient, TestMap};
use crate::{CheckFailure, CheckTable, Verdict, ensure, ensure_none, fail};
use table::{ParsedRow, parse_row};

/// The number of players whose rows must be in order.
const PLAYERS_IN_ORDER: usize = 8;
/// The maximum number of characters quoted of an output or a table.
const MAX_QUOTED: usize = 600;

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("over.taker", |test| {
        let mut game = play_game(test)?;
        test.final_table(&mut game.ann).map(|_| ())
    }),
    ("over.others", |test| {
        let mut game = play_game(test)?;
        test.final_table(&mut game.bob).map(|_| ())
    }),
    ("over.head", |test| {
        let head: &[u8] = match test.settings.dialect {
            Dialect::V2021 => b"QUIT GAME OVER:\n",
            Dialect::V2019 => b"GAMEOVER\n",
        };
        let mut game = play_game(test)?;
        let expected = format!("'{}' and the table", head.escape_ascii());
        let table = |message: &[u8]| table_in(message).map(|_| message.to_vec());
        let message = game.ann.expect(&expected, table);
        let message = message.map_err(|failure| failure.because_of("over.taker"))?;
        ensure(message.starts_with(head), expected, brief(&message))
    }),
    ("over.spectator", |test| {
        test.ensure_spectators_are_sent_maps()?;
        let _game = play_game(test)?;
        test.spectator()?.expect("the spectator is sent the table", table_in).map(|_| ())
    }),
    ("over.not-early", |test| {
        let mut players = test.start_with_players("yard", ["Ann", "Bob"])?;
        test.need_finds(&mut players)?;
        for player in &mut players {
            player.expect_none_of(0, &["QUIT", "GAMEOVER"], "the game continues")?;
        }
        let [mut ann, _bob] = players;
        let (key, _) = test.approach_pile(&mut ann)?;
        test.allow_exit();
        let from = ann.mark();
        ann.press(key);
        test.final_table(&mut ann).map_err(|failure| failure.because_of("over.taker"))?;
        let mut new = ann.received[from..].iter().rev();
        let last =
            new.find_map(|it| ReceivedGold::parse(&it.bytes)).map_or(0, |gold| gold.remaining);
        let actual = format!("the game is over when {last} nuggets remain");
        ensure(last == 0, "the game continues while nuggets remain", actual)
    }),
    ("over.gold", |test| {
        let mut game = play_game(test)?;
        let purse = game.rows[0].purse;
        let gold = game.ann.expect_remaining(0, "a GOLD with 0 remaining nuggets")?;
        // Another check, gold.taker, covers n.
        let expected = format!("GOLD with the purse of {purse}, and 0 remaining");
        ensure(gold.purse == purse, expected, gold.to_string())
    }),
    ("over.rows", |test| {
        let (game, table) = table_of_game(test)?;
        // The 2019 specification leaves the order of the columns open.
        let is_open = test.settings.dialect == Dialect::V2019;
        let has_order = |row: &ParsedRow| is_open || row.is_in_order;
        expect_rows(&table, &game.rows[..2], "the table", has_order)
    }),
    ("over.quitters", |test| {
        let (game, table) = table_of_game(test)?;
        expect_rows(&table, &game.rows[2..], "the table", |_| true)
    }),
    ("over.purses", |test| {
        let (game, table) = table_of_game(test)?;
        has_purses(&game, &table)
    }),
    ("over.nobody-else", |test| {
        let (game, table) = table_of_game(test)?;
        // A table without a readable row proves nothing.
        let is_right = (1..=game.rows.len()).contains(&rows(&table).count());
        ensure(is_right, format!("a table of at most {} rows", game.rows.len()), quoted(&table))
    }),
    ("over.order", |test| {
        // Uses many players: rows in an order that depends on addresses are hardly ever right at random.
        test.ensure_letters_are_kept()?;
        test.start_game_on(&TestMap::named("yard"))?;
        // Without spectators, a crowd hides the first player's position.
        let count = if test.has_spectators() { PLAYERS_IN_ORDER } else { 3 };
        let mut players = test.players(&NAMES[..count])?;
        test.need_finds(&mut players[..1])?;
        let ann = &mut players[0];
        let (key, _) = test.approach_pile(ann)?;
        test.allow_exit();
        ann.press(key);
        let table = test.any_table(ann)?;
        let letters: Vec<char> = rows(&table).map(|row| row.letter).collect();
        let is_right = letters.is_sorted() && !letters.is_empty();
        ensure(is_right, "A, B, C and so on from the top down", quoted(&table))
    }),
    ("over.columns", |test| {
        let (_, table) = table_of_game(test)?;
        let drawn: Vec<String> = rows(&table)
            .map(|row| format!("{} {:>10} {}", row.letter, row.purse, row.name))
            .collect();
        ensure(
            !drawn.is_empty() && table.trim_end_matches('\n') == drawn.join("\n"),
            "each row a letter, a blank, the purse at the right of ten columns, a blank, the name",
            quoted(&table),
        )
    }),
    ("over.ends", |test| {
        let game = play_game(test)?;
        match wait_for_exit(test, game) {
            Some(Exit::Code(_)) => Ok(()),
            exit => fail("the server exits", describe_exit(exit)),
        }
    }),
    ("over.exit-code", |test| {
        let game = play_game(test)?;
        let exit = wait_for_exit(test, game);
        expect_exit_0(exit)
    }),
    ("over.printed", |test| {
        let (rows, out) = output_of_game(test)?;
        expect_rows(&out, &rows, "the output on stdout", |_| true)
    }),
    ("over.printed-head", |test| {
        let (_, out) = output_of_game(test)?;
        let after = out.split_once("GAME OVER:").map(|(_, after)| after);
        let has_table = after.is_some_and(|after| rows(after).next().is_some());
        ensure(has_table, "'GAME OVER:' and the table on stdout", quoted(&out))
    }),
    ("over.quiet", |test| {
        let (mut game, last_key) = play_to_last_key(test)?;
        let before = test.settled_stdout_length();
        game.ann.press(last_key);
        wait_for_exit(test, game);
        let port = test.port()?.to_string();
        let out = test.stdout();
        let earlier = String::from_utf8_lossy(&out[..before.min(out.len())]).into_owned();
        let earlier: BTreeSet<String> = earlier.lines().map(kind_of_line).collect();
        let out = String::from_utf8_lossy(whole_lines_from(&out, before)).into_owned();
        let is_allowed = |line: &&str| {
            let head = line.trim().replace(' ', "");
            // The announcement may arrive late here, if the port was also announced on stderr. Other output during the game
            // is the subject of another check.
            line.contains(&port)
                || earlier.contains(&kind_of_line(line))
                || parse_row(line).is_some()
                || head.is_empty()
                || head.trim_end_matches(':') == "GAMEOVER"
        };
        let expected = "nothing on stdout at the end but GAME OVER: and the table";
        ensure_none(out.lines().find(|line| !is_allowed(line)), expected, quoted)
    }),
    ("over.empty-goes-on", |test| {
        let [mut ann] = test.start_with_players("yard", ["Ann"])?;
        ann.press('Q');
        test.fence()?;
        let mut bob = test.player("Bob")?;
        test.expect_can_move(&mut bob)
    }),
    ("over.all-quit", |test| {
        test.start_game_on(&TestMap::named("yard"))?;
        let mut players = test.players(&NAMES)?;
        test.allow_exit();
        for player in &mut players {
            player.press('Q');
        }
        drop(players);
        expect_exit_0(test.wait_for_exit_briefly())
    }),
];

/// A row that the table must have.
#[derive(Clone, Debug)]
struct Row {
    letter: char,
    purse: u32,
    name: &'static str,
}

/// A game whose last pile has just been taken.
#[derive(Debug)]
struct CollectedGame {
    ann: TestClient,
    bob: TestClient,
    /// Ann, Bob, and Cat, who has quit.
    rows: Vec<Row>,
}

/// Plays a whole game: Ann and Bob collect, Cat takes one pile and quits.
fn play_game(test: &mut ServerTest) -> Verdict<CollectedGame> {
    let (mut game, last_key) = play_to_last_key(test)?;
    game.ann.press(last_key);
    Ok(game)
}

/// Like `play_game`, but Ann has yet to press the key that takes the last pile.
fn play_to_last_key(test: &mut ServerTest) -> Verdict<(CollectedGame, char)> {
    test.ensure_letters_are_kept()?;
    test.start_game_on(&TestMap::named("yard"))?;
    let mut players = [test.player("Ann")?, test.player("Bob")?];
    let mut cat = test.player("Cat")?;
    test.need_find(&mut cat)?;
    cat.press('Q');
    test.fence()?;
    test.need_finds(&mut players)?;
    let [mut ann, mut bob] = players;
    let (key, _) = test.approach_pile(&mut ann)?;
    // All remaining gold is in the last pile.
    let last_gold = [&mut ann, &mut bob].into_iter().filter_map(TestClient::last_gold);
    let last_pile = last_gold.map(|gold| gold.remaining).min().unwrap_or(0);
    let row = |name, client: &mut TestClient, more: u32| Row {
        letter: client.shown_letter(),
        purse: client.purse() + more,
        name,
    };
    let rows =
        vec![row("Ann", &mut ann, last_pile), row("Bob", &mut bob, 0), row("Cat", &mut cat, 0)];
    test.allow_exit();
    if test.capabilities().spectators_are_sent_maps {
        test.spectator()?.skip_received();
    }
    ann.skip_received();
    bob.skip_received();
    Ok((CollectedGame { ann, bob, rows }, key))
}

/// Returns a finished game and its table, whatever its form.
fn table_of_game(test: &mut ServerTest) -> Verdict<(CollectedGame, String)> {
    let mut game = play_game(test)?;
    let table = test.any_table(&mut game.ann)?;
    Ok((game, table))
}

/// Returns the rows of a game whose server has exited or does not, and its stdout.
fn output_of_game(test: &mut ServerTest) -> Verdict<(Vec<Row>, String)> {
    let game = play_game(test)?;
    let rows = game.rows.clone();
    wait_for_exit(test, game);
    Ok((rows, String::from_utf8_lossy(&test.stdout()).into_owned()))
}

/// Missing rows are the subject of other checks.
fn has_purses(game: &CollectedGame, table: &str) -> Verdict {
    let mut is_empty = true;
    for row in rows(table) {
        is_empty = false;
        if let Some(Row { letter, purse, .. }) = game.rows.iter().find(|it| it.letter == row.letter)
        {
            let expected = format!("{letter} with a purse of {purse}");
            ensure(row.purse == *purse, expected, quoted(table))?;
        }
    }
    let missing = || CheckFailure::new("rows of players", quoted(table)).because_of("over.rows");
    if is_empty { Err(missing()) } else { Ok(()) }
}

/// Waits until the server has sent the end, if it does, closes all clients and waits for its exit.
fn wait_for_exit(test: &mut ServerTest, mut game: CollectedGame) -> Option<Exit> {
    let is_end = |message: &[u8]| has_word(message, &["QUIT", "GAMEOVER"]).then_some(());
    let _ = game.ann.wait_for(is_end);
    drop(game);
    // A server may keep resending the end to them.
    test.spectators.clear();
    test.wait_for_exit()
}

fn expect_exit_0(exit: Option<Exit>) -> Verdict {
    ensure(exit == Some(Exit::Code(0)), "it exits with code 0", describe_exit(exit))
}

fn describe_exit(exit: Option<Exit>) -> String {
    exit.map_or("it keeps running".to_owned(), |exit| exit.to_string())
}

/// Returns a line's words, without numbers and single letters such as keys. All rows of maps are of one kind.
fn kind_of_line(line: &str) -> String {
    let is_on_map = |c: char| "+-|#.*@ ".contains(c) || c.is_ascii_uppercase();
    if line.contains(['+', '|', '#', '.']) && line.chars().all(is_on_map) {
        return "+".to_owned();
    }
    let words = line.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() > 1);
    let words: Vec<&str> = words.collect();
    if words.is_empty() { line.trim().to_owned() } else { words.join(" ") }
}

/// Returns the output from this offset on, without the rest of a line that begins before it.
fn whole_lines_from(out: &[u8], from: usize) -> &[u8] {
    let begins_line = |at: usize| at == 0 || out[at - 1] == b'\n';
    let start = (from.min(out.len())..=out.len()).find(|at| begins_line(*at));
    &out[start.unwrap_or(out.len())..]
}

/// Expects a line that fits with letter, any purse and name for each of these.
fn expect_rows(
    text: &str,
    expected: &[Row],
    place: &str,
    fits: impl Fn(&ParsedRow) -> bool,
) -> Verdict {
    for Row { letter, name, .. } in expected {
        let is_there =
            rows(text).any(|row| row.letter == *letter && row.name == *name && fits(&row));
        let expected = format!("a line with {letter}, its purse and {name} in {place}");
        ensure(is_there, expected, quoted(text))?;
    }
    Ok(())
}

/// The end of a text, where the table is.
fn quoted(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(MAX_QUOTED);
    let end: String = text.chars().skip(skipped).collect();
    let more = if skipped > 0 { "… " } else { "" };
    format!("{more}'{}'", end.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_other_numbers_and_rows_of_maps_are_of_one_kind() {
        assert_eq!(kind_of_line("KEY from 127.0.0.1:41706"), kind_of_line("KEY from 127.0.0.1:5"));
        assert_eq!(kind_of_line("|..A.*.|"), kind_of_line("+---+ "));
        assert_eq!(kind_of_line("'KEY h'"), kind_of_line("'KEY l'"));
        assert_ne!(kind_of_line("Ready at 5"), kind_of_line("Bye!"));
        assert_ne!(kind_of_line("====="), kind_of_line(""));
        assert_ne!(kind_of_line("A 5 Ann"), kind_of_line("|..A..|"));
    }

    #[test]
    fn a_line_that_begins_before_is_left_out() {
        assert_eq!(whole_lines_from(b"log 1\nlog 2\nA 1 Ann\n", 9), b"A 1 Ann\n");
        assert_eq!(whole_lines_from(b"log 1\nA 1 Ann\n", 6), b"A 1 Ann\n");
        assert_eq!(whole_lines_from(b"A 1 Ann", 0), b"A 1 Ann");
        assert_eq!(whole_lines_from(b"log 1", 3), b"");
    }
}
