//! The end of a game: who is told, the table, stdout and the exit code.

use nuggets_protocol::Dialect;
use nuggets_stranger::Ending;

use super::deeds::{NAMES, has_not_heard, has_word, still_moves};
use super::harvest::{collect, table};
use super::taking::{approach_pile, purse, take_nearest};
use super::walks::start_on;
use crate::chapter::Chapter;
use crate::server::caller::gold;
use crate::server::{Caller, ServerStage, TestMap};
use crate::{Check, Dialects, Failure, Level, Verdict};

const CHAPTER: Chapter = Chapter { section: "Game over", source: "Requirements, Server" };
const INTRODUCTION: &str = "Requirements, introduction";
const OPEN: &str = "left open by the documents; a team's implementation spec";
const TO_CLIENTS: &str = "Network protocol, Server to clients";

pub(super) const CHECKS: &[Check<ServerStage>] = &[
    CHAPTER
        .must("over.taker", "Whoever takes the last gold is sent the table.", |stage| {
            let mut end = plays(stage)?;
            table(stage, &mut end.ann).map(|_| ())
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("over.others", "The other players are sent the table at the end.", |stage| {
            let mut end = plays(stage)?;
            table(stage, &mut end.bob).map(|_| ())
        })
        .said_in(TO_CLIENTS),
    CHAPTER
        .must("over.spectator", "The spectator is sent the table at the end.", spectator_is_told)
        .said_in(TO_CLIENTS),
    CHAPTER
        .must(
            "over.not-early",
            "The game is not over while there is gold.",
            goes_on_to_the_last_pile,
        )
        .said_in(INTRODUCTION),
    CHAPTER
        .should(
            "over.gold",
            "The last find is told with GOLD like every other: 0 remain.",
            last_find_is_told,
        )
        .said_in(TO_CLIENTS),
    CHAPTER.must(
        "over.rows",
        "The table has three columns: letter, purse and name, a row for each player.",
        |stage| {
            let mut end = plays(stage)?;
            let table = any_table(&mut end.ann)?;
            has_rows(&table, &end.rows[..2], "the table")
        },
    ),
    CHAPTER
        .must("over.quitters", "Who quit early has a row in the table, too.", |stage| {
            let mut end = plays(stage)?;
            let table = any_table(&mut end.ann)?;
            has_rows(&table, &end.rows[2..], "the table")
        })
        .in_2019(Level::Should, TO_CLIENTS),
    CHAPTER.must("over.purses", "The table has everybody's purse.", purses_are_right),
    CHAPTER.must("over.nobody-else", "The table has no row for anybody else.", |stage| {
        let mut end = plays(stage)?;
        let table = any_table(&mut end.ann)?;
        let count = table.lines().filter_map(read).count();
        // A table without a row that can be read shows nothing.
        if (1..=end.rows.len()).contains(&count) {
            return Ok(());
        }
        Err(Failure::new(format!("a table of at most {} rows", end.rows.len()), shown(&table)))
    }),
    CHAPTER.may("over.order", "The rows are in the order of the letters.", |stage| {
        let mut end = plays(stage)?;
        let table = any_table(&mut end.ann)?;
        let letters: Vec<char> = table.lines().filter_map(read).map(|row| row.0).collect();
        if letters.is_sorted() && !letters.is_empty() {
            return Ok(());
        }
        Err(Failure::new("A, B, C from the top down", shown(&table)))
    }),
    CHAPTER
        .may(
            "over.columns",
            "The columns are as wide as in the document's example.",
            columns_are_as_wide,
        )
        .said_in(TO_CLIENTS),
    CHAPTER.must("over.ends", "The server ends by itself when the game is over.", |stage| {
        let end = plays(stage)?;
        match leaves(stage, end) {
            Some(Ending::Exit(_)) => Ok(()),
            Some(died) => Err(Failure::new("the server exits", died.to_string())),
            None => Err(Failure::new("the server exits", "it goes on running")),
        }
    }),
    CHAPTER.should("over.exit-code", "The server's exit code is 0 after a game.", |stage| {
        let end = plays(stage)?;
        exits_well(leaves(stage, end))
    }),
    CHAPTER.must("over.printed", "The server prints the table at the end.", |stage| {
        let end = plays(stage)?;
        let rows = end.rows.clone();
        leaves(stage, end);
        let out = String::from_utf8_lossy(&stage.stdout()).into_owned();
        has_rows(&out, &rows, "what is printed on stdout")
    }),
    CHAPTER
        .must("over.printed-head", "The table is printed behind the words GAME OVER:.", |stage| {
            let end = plays(stage)?;
            leaves(stage, end);
            let out = String::from_utf8_lossy(&stage.stdout()).into_owned();
            match out.split_once("GAME OVER:") {
                Some((_, behind)) if behind.lines().any(|line| read(line).is_some()) => Ok(()),
                _ => Err(Failure::new("'GAME OVER:' and the table on stdout", shown(&out))),
            }
        })
        .only_in(Dialects::Only2021),
    CHAPTER
        .should("over.quiet", "At the end nothing but the table is printed on stdout.", is_quiet)
        .only_in(Dialects::Only2021),
    CHAPTER
        .should(
            "over.empty-goes-on",
            "When the last player quits, others may still join.",
            |stage| {
                let [mut ann] = start_on(stage, "yard", ["Ann"])?;
                ann.press('Q');
                stage.fence()?;
                let mut bob = stage.player("Bob")?;
                still_moves(stage, &mut bob)
            },
        )
        .said_in(INTRODUCTION),
    CHAPTER
        .may("over.all-quit", "When all 26 have joined and quit, the game ends.", all_quit)
        .said_in(OPEN),
];

/// A row of the table as it must be.
#[derive(Clone, Debug)]
struct Row {
    letter: char,
    purse: u32,
    name: &'static str,
}

/// A game whose last pile has just been stepped on.
#[derive(Debug)]
struct End {
    ann: Caller,
    bob: Caller,
    /// Ann, Bob, and Cat, who has quit.
    rows: Vec<Row>,
    /// How much was on stdout before the last key.
    printed: usize,
}

/// Plays a whole game: Ann and Bob collect, Cat takes one pile and quits.
fn plays(stage: &mut ServerStage) -> Result<End, Failure> {
    let names = ["Ann", "Bob", "Cat"];
    stage.start_on(&TestMap::named("yard"))?;
    let (ann, bob) = (stage.player(names[0])?, stage.player(names[1])?);
    let mut cat = stage.player(names[2])?;
    take_nearest(stage, &mut cat)?;
    cat.press('Q');
    stage.fence()?;
    let mut players = [ann, bob];
    collect(stage, &mut players, 1)?;
    let [mut ann, mut bob] = players;
    let (key, _) = approach_pile(stage, &mut ann)?;
    // All that remains is in the last pile.
    let remaining =
        [&mut ann, &mut bob].into_iter().filter_map(Caller::last_gold).map(|told| told.2);
    let last = remaining.min().unwrap_or(0);
    let purses = [purse(&mut ann) + last, purse(&mut bob), purse(&mut cat)];
    let letters = [&ann, &bob, &cat].map(|player| player.letter.unwrap_or('?'));
    let row = |place| Row { letter: letters[place], purse: purses[place], name: names[place] };
    stage.may_end();
    for caller in [&mut ann, &mut bob, stage.watcher()?] {
        caller.skip();
    }
    let printed = stage.stdout().len();
    ann.press(key);
    Ok(End { ann, bob, rows: (0..3).map(row).collect(), printed })
}

/// Everybody hears the end, or doesn't, and goes; how the server ended.
fn leaves(stage: &mut ServerStage, mut end: End) -> Option<Ending> {
    let _ = end.ann.wait_for(|message| has_word(message, &["QUIT", "GAMEOVER"]).then_some(()));
    drop(end);
    stage.close_watchers();
    stage.wait_for_end()
}

fn exits_well(ending: Option<Ending>) -> Verdict {
    match ending {
        Some(Ending::Exit(0)) => Ok(()),
        Some(ending) => Err(Failure::new("it exits with code 0", ending.to_string())),
        None => Err(Failure::new("it exits with code 0", "it goes on running")),
    }
}

fn all_quit(stage: &mut ServerStage) -> Verdict {
    stage.start_on(&TestMap::named("yard"))?;
    let mut players = vec![];
    for name in NAMES {
        players.push(stage.player(name)?);
    }
    stage.may_end();
    for player in &mut players {
        player.press('Q');
    }
    drop(players);
    exits_well(stage.ends_soon())
}

fn spectator_is_told(stage: &mut ServerStage) -> Verdict {
    let _end = plays(stage)?;
    let words = match stage.dialect() {
        Dialect::V2021 => "QUIT GAME OVER:\n",
        Dialect::V2019 => "GAMEOVER\n",
    };
    let watcher = stage.watcher()?;
    let from = watcher.heard().len();
    if watcher.wait_for_start(words).is_some() {
        return Ok(());
    }
    let came = watcher.told_since(from);
    let expected = format!("the spectator is sent '{}' and the table", words.escape_debug());
    Err(Failure::silence(expected, came))
}

fn last_find_is_told(stage: &mut ServerStage) -> Verdict {
    let mut end = plays(stage)?;
    let from = end.ann.heard().len();
    let told = end.ann.wait_for(|message| gold(message).filter(|told| told.2 == 0));
    let purse = end.rows[0].purse;
    match told {
        // Whether n is right is for gold.taker to say.
        Some((_, has, 0)) if has == purse => Ok(()),
        Some((n, p, r)) => {
            let expected = format!("GOLD with the purse of {purse}, and 0 remaining");
            Err(Failure::new(expected, format!("'GOLD {n} {p} {r}'")))
        }
        None => {
            let came = end.ann.told_since(from);
            Err(Failure::silence("GOLD that tells of 0 remaining nuggets", came))
        }
    }
}

fn goes_on_to_the_last_pile(stage: &mut ServerStage) -> Verdict {
    let [ann, bob] = start_on(stage, "yard", ["Ann", "Bob"])?;
    let mut players = [ann, bob];
    collect(stage, &mut players, 1)?;
    for player in &mut players {
        has_not_heard(player, 0, &["QUIT", "GAMEOVER"], "the game goes on")?;
    }
    let (key, _) = approach_pile(stage, &mut players[0])?;
    stage.may_end();
    players[0].skip();
    let from = players[0].heard().len();
    players[0].press(key);
    any_table(&mut players[0])?;
    let told = players[0].heard()[from..].iter().filter_map(|heard| gold(&heard.bytes)).next_back();
    match told {
        Some((_, _, left)) if left > 0 => {
            let came = format!("the game is over when {left} nuggets remain");
            Err(Failure::new("the game goes on while nuggets remain", came))
        }
        _ => Ok(()),
    }
}

/// The table, whatever the words before it.
fn any_table(caller: &mut Caller) -> Result<String, Failure> {
    let from = caller.heard().len();
    let found = caller.wait_for(|message| {
        let text = String::from_utf8_lossy(message);
        let (head, table) = text.split_once('\n')?;
        has_word(head.as_bytes(), &["QUIT", "GAMEOVER"]).then(|| table.to_owned())
    });
    found.ok_or_else(|| Failure::silence("a table at the end of the game", caller.told_since(from)))
}

fn purses_are_right(stage: &mut ServerStage) -> Verdict {
    let mut end = plays(stage)?;
    let table = any_table(&mut end.ann)?;
    let purses: Vec<(char, u32)> =
        table.lines().filter_map(read).map(|(letter, purse, _)| (letter, purse)).collect();
    match end.rows.iter().find(|row| !purses.contains(&(row.letter, row.purse))) {
        None => Ok(()),
        Some(row) => {
            let expected = format!("{} with a purse of {}", row.letter, row.purse);
            Err(Failure::new(expected, shown(&table)))
        }
    }
}

fn columns_are_as_wide(stage: &mut ServerStage) -> Verdict {
    let mut end = plays(stage)?;
    let table = any_table(&mut end.ann)?;
    let drawn = |(letter, purse, name)| format!("{letter} {purse:>10} {name}");
    let rows: Vec<String> = table.lines().filter_map(read).map(drawn).collect();
    if !rows.is_empty() && table.trim_end_matches('\n') == rows.join("\n") {
        return Ok(());
    }
    let expected =
        "each row a letter, a blank, the purse at the right of ten columns, a blank, the name";
    Err(Failure::new(expected, shown(&table)))
}

fn is_quiet(stage: &mut ServerStage) -> Verdict {
    let end = plays(stage)?;
    let before = end.printed;
    leaves(stage, end);
    let port = stage.port()?.to_string();
    let out = stage.stdout();
    let out = String::from_utf8_lossy(&out[before.min(out.len())..]).into_owned();
    let is_due = |line: &&str| {
        let head = line.trim().replace(' ', "");
        // The announcement may arrive here later than where else it was announced.
        let is_announcement = line.contains(&port);
        is_announcement
            || read(line).is_some()
            || head.is_empty()
            || head.trim_end_matches(':') == "GAMEOVER"
    };
    match out.lines().find(|line| !is_due(line)) {
        None => Ok(()),
        Some(line) => Err(Failure::new(
            "nothing on stdout at the end but GAME OVER: and the table",
            shown(line),
        )),
    }
}

/// Letter, purse and name, whatever is between them. Whoever has no name has an empty one.
fn read(line: &str) -> Option<(char, u32, &str)> {
    let (first, rest) = line.trim_matches(is_between).split_once(is_between)?;
    let rest = rest.trim_start_matches(is_between);
    let (purse, name) = rest.split_once(is_between).unwrap_or((rest, ""));
    let mut letters = first.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    Some((letter, purse.parse().ok()?, name.trim_start_matches(is_between)))
}

/// Can it stand between two columns? The documents ask for a table, not for blanks.
pub(super) fn is_between(c: char) -> bool {
    c.is_whitespace() || ",;:|/".contains(c)
}

/// Is there a line with letter, any purse and name for each of these?
fn has_rows(text: &str, rows: &[Row], place: &str) -> Verdict {
    let has = |row: &Row| {
        text.lines()
            .filter_map(read)
            .any(|(letter, _, name)| (letter, name) == (row.letter, row.name))
    };
    match rows.iter().find(|row| !has(row)) {
        None => Ok(()),
        Some(Row { letter, name, .. }) => {
            let expected = format!("a line with {letter}, its purse and {name} in {place}");
            Err(Failure::new(expected, shown(text)))
        }
    }
}

fn shown(text: &str) -> String {
    format!("'{}'", text.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_whatever_is_between_its_columns() {
        assert_eq!(read("A          4 Alice"), Some(('A', 4, "Alice")));
        assert_eq!(read("  B\t16   Bob the Bold "), Some(('B', 16, "Bob the Bold")));
        assert_eq!(read("A, 144, Ann"), Some(('A', 144, "Ann")));
        assert_eq!(read("| C | 230 | Carol Ann |"), Some(('C', 230, "Carol Ann")));
        assert_eq!(read("D:7:Dan"), Some(('D', 7, "Dan")));
        assert_eq!(read("E 7"), Some(('E', 7, "")));
    }

    #[test]
    fn a_line_in_another_order_is_no_row() {
        for line in ["Alice 4 A", "A Alice 4", "A4 Alice", "A -4 Alice", "GAME OVER:", ""] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
