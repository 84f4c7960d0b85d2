//! Starting: arguments, exit codes, the announced port, seeds.

use std::time::Duration;

use nuggets_subprocess::{CommandLine, Exit};

use crate::server::picture::{ShownMap, difference};
use crate::server::{ServerTest, TestMap};
use crate::{CheckFailure, CheckTable, Verdict, ensure, ensure_none, fail};

/// The pause between starts that may depend on the time: games that start in the same second are the same. The 2019
/// specification demands `srandom(time(NULL))` for games without a seed, and some servers do that with any seed.
pub(super) const ANOTHER_SECOND: Duration = Duration::from_millis(1100);

pub(super) const CHECKS: CheckTable<ServerTest> = &[
    ("start.port", |test| {
        test.start()?;
        let actual = "it opened a port and printed no number";
        ensure(test.announces_port()?, "the number of its port is printed", actual)
    }),
    ("start.no-arguments", |test| exits_with_error(test, &test.bare_command_line())),
    ("start.too-many-arguments", |test| {
        let map = test.write_map(&TestMap::named("main"))?;
        // A program started without a seed may accept one.
        let more: &[&str] =
            if test.ensure_takes_seed().is_ok() { &["surplus"] } else { &["1", "surplus"] };
        let line = test.command_line(&map, Some("1")).with_args(more);
        exits_with_error(test, &line)
    }),
    ("start.missing-map", |test| {
        exits_with_error(test, &test.command_line("no-such-map.txt", Some("1")))
    }),
    ("start.seed-of-words", |test| rejects_seed(test, "seed")),
    ("start.negative-seed", |test| rejects_seed(test, "-5")),
    ("start.zero-seed", |test| rejects_seed(test, "0")),
    ("start.seed-with-tail", |test| rejects_seed(test, "12x")),
    ("start.says-why", |test| {
        for (line, id) in [
            (test.bare_command_line(), "start.no-arguments"),
            (test.command_line("no-such-map.txt", Some("1")), "start.missing-map"),
        ] {
            // A program that keeps running is the subject of another check.
            let (program, _) =
                test.run_to_exit(&line).map_err(|failure| failure.or_because_of(id))?;
            if program.stderr().is_empty() && program.stdout().is_empty() {
                let words: Vec<_> =
                    line.words().iter().map(|word| word.to_string_lossy()).collect();
                return fail("an error message", format!("`{}` prints nothing", words.join(" ")));
            }
        }
        Ok(())
    }),
    ("start.seedless", |test| {
        test.start_with(&TestMap::named("main"), None)?;
        // Its answer is the subject of other checks.
        test.client_that_sends("Ann", b"PLAY Ann")?.wait_for(|_| Some(()));
        ensure(!test.has_exited(), "it waits for players", "it exited")
    }),
    ("start.stdout", |test| {
        let mut ann = test.start_with_ann()?;
        for key in "hljkyubnHLJKYUBN!".chars() {
            ann.press(key);
        }
        // Once it is answered, all those keys have been handled.
        let _bob = test.player("Bob")?;
        let port = test.port()?.to_string();
        let stdout = String::from_utf8_lossy(&test.kill_and_read_stdout()).into_owned();
        let is_allowed = |line: &&str| line.trim().is_empty() || line.contains(&port);
        let wrong = stdout.lines().find(|line| !is_allowed(line));
        let expected = "nothing on stdout but the announcement of the port";
        ensure_none(wrong, expected, |line| format!("'{}'", line.escape_debug()))
    }),
    ("seed.same", |test| same_seed_same_game(test, 42)),
    ("seed.other", |test| {
        // If not even the same seed gives the same game, different games prove nothing.
        same_seed_same_game(test, 1).map_err(|failure| failure.or_because_of("seed.same"))?;
        games_differ(test, &[1, 2, 3, 4].map(Some), "seeds 1, 2, 3 and 4")
    }),
    ("seed.none", |test| games_differ(test, &[None; 4], "four starts without a seed")),
];

fn same_seed_same_game(test: &mut ServerTest, seed: u64) -> Verdict {
    test.ensure_takes_seed()?;
    let one = first_snapshot(test, Some(seed))?;
    std::thread::sleep(ANOTHER_SECOND);
    let two = first_snapshot(test, Some(seed))?;
    if one == two {
        return Ok(());
    }
    let expected = format!("the same game twice with seed {seed}");
    Err(CheckFailure::new(expected, "two different games").with_drawing(difference(&one, &two)))
}

fn rejects_seed(test: &mut ServerTest, seed: &str) -> Verdict {
    test.ensure_takes_seed()?;
    let map = test.write_map(&TestMap::named("main"))?;
    exits_with_error(test, &test.command_line(&map, Some(seed)))
}

fn exits_with_error(test: &mut ServerTest, line: &CommandLine) -> Verdict {
    match test.run_to_exit(line)?.1 {
        Exit::Code(code) if code != 0 => Ok(()),
        exit => fail("it exits by itself with a code other than 0", exit.to_string()),
    }
}

/// Three players, and all gold. Without spectators, one player in a room that it sees whole.
fn first_snapshot(test: &mut ServerTest, seed: Option<u64>) -> Verdict<ShownMap> {
    test.ensure_players_can_join()?;
    let (map, names): (&str, &[&str]) =
        if test.has_spectators() { ("main", &["Ann", "Bob", "Cat"]) } else { ("yard", &["Ann"]) };
    test.start_with(&TestMap::named(map), seed)?;
    let _players = test.players(names)?;
    test.snapshot()
}

fn games_differ(test: &mut ServerTest, seeds: &[Option<u64>], which: &str) -> Verdict {
    let first = first_snapshot(test, seeds[0])?;
    for seed in &seeds[1..] {
        if seed.is_none() {
            std::thread::sleep(ANOTHER_SECOND);
        }
        if first_snapshot(test, *seed)? != first {
            return Ok(());
        }
    }
    fail(format!("different games from {which}"), "always the same game")
}
