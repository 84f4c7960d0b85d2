//! The program `nuggets-sim`: whole outputs of small simulations.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::process::{Command, Output};

/// The last line of every message about wrong arguments.
const MORE: &str = "\nFor more information, try '--help'.\n";

fn sim(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nuggets-sim")).args(words).output().unwrap()
}

const RERUN: &str = "reproduce it: cargo run --release --package nuggets-sim -- ";

fn printed(words: &[&str]) -> (Option<i32>, String) {
    let ended = sim(words);
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "", "no progress bar without a terminal");
    (ended.status.code(), String::from_utf8(ended.stdout).unwrap())
}

#[test]
fn a_seed_is_the_same_run_every_time() {
    let (code, once) = printed(&["--seed", "7"]);
    assert_eq!(code, Some(0));
    assert!(once.starts_with("seed 7: no fault found\n"), "{once}");
    assert_eq!(once.lines().count(), 4, "{once}");
    let (_, traced) = printed(&["--seed", "7", "--trace"]);
    assert!(traced.ends_with(&once) && traced.lines().count() > 20, "{traced}");
    assert_eq!(printed(&["--seed", "7", "--trace"]).1, traced);
    assert_ne!(printed(&["--seed", "8", "--trace"]).1, traced);
}

#[test]
fn many_seeds_have_the_same_total_for_any_number_of_jobs() {
    let (code, once) = printed(&["--seeds", "1..21", "--jobs", "1"]);
    assert_eq!(code, Some(0));
    assert!(once.starts_with("20 games: no fault found\n"), "{once}");
    assert_eq!(once.lines().count(), 3, "{once}");
    assert_eq!(printed(&["--seeds", "1..21", "--jobs", "3"]).1, once);
    assert!(printed(&["--seeds", "1..2"]).1.starts_with("1 game: no fault found\n"));
    for option in ["--host", "--cluster"] {
        let (code, once) = printed(&[option, "--seeds", "0..6", "--jobs", "1"]);
        assert_eq!((code, once.starts_with("6 ")), (Some(0), true), "{once}");
        assert_eq!(printed(&[option, "--seeds", "0..6", "--jobs", "3"]).1, once);
    }
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["--seeds", "1..21", "--json"]).1).unwrap();
    assert_eq!((&json["games"], &json["failures"]), (&20.into(), &serde_json::json!([])));
    assert!(json["lost"].as_u64() > Some(0) && json["crashes"].as_u64() > Some(0));
}

#[test]
fn a_failure_prints_the_command_that_reproduces_it() {
    for (option, sabotage) in
        [(None, "resends"), (Some("--host"), "journals"), (Some("--cluster"), "shown")]
    {
        let words = [&["--seeds", "1..41", "--sabotage", sabotage], option.as_slice()].concat();
        let (code, report) = printed(&words);
        assert_eq!(code, Some(1));
        let line = report.lines().find_map(|line| line.strip_prefix(RERUN)).unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let (given, rest) = words.split_at(option.as_slice().len());
        assert_eq!(given, option.as_slice());
        assert_eq!((rest[0], &rest[2..]), ("--seed", &["--sabotage", sabotage][..]));
        let (code, again) = printed(&words);
        assert_eq!(code, Some(1));
        assert!(report.starts_with(&again), "{again}\nis not the beginning of\n{report}");
        assert!((4..=90).contains(&again.lines().count()), "{again}");
        let unbroken = &words[..words.len() - 2];
        assert_eq!(printed(unbroken).0, Some(0), "with the rule all is well");
    }
}

/// The program with these arguments must end with exit code 2 and print exactly this to stderr.
fn check(words: &str, stderr: &str) {
    let ended = sim(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), stderr, "{words}");
    assert_eq!((ended.status.code(), ended.stdout), (Some(2), vec![]), "{words}");
}

#[test]
fn wrong_arguments_are_rejected() {
    check(
        "--seeds 9..2",
        &format!(
            "error: invalid value '9..2' for '--seeds <A..B>': give two whole numbers, the smaller \
             first, such as 1..2000\n{MORE}"
        ),
    );
}

#[test]
fn rules_of_another_simulation_are_rejected() {
    let error = |word, known| format!("error: unknown rule '{word}': choose one of {known}\n");
    check("--seed 1 --sabotage shown", &error("shown", "resends, rules, idle, linger"));
    check("--host --seed 1 --sabotage idle", &error("idle", "journals"));
    let rules = "lock, epoch, predecessor, comparison, resend, answer, warning, skipped, shown, join, proof, read, lease, look, \
                 attempt, results, release, descriptors";
    check("--cluster --seed 1 --sabotage luck", &error("luck", rules));
}
