//! Judging others: what can't be judged is refused at once, with what to do about it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::arguments::{NUGGETS, check};
use crate::maps::Scratch;

const MORE: &str = "\nFor more information, try '--help'.\n";

#[test]
fn a_program_is_needed_and_stands_behind_two_dashes() {
    for kind in ["server", "client"] {
        let ended = Command::new(NUGGETS).args(["conform", kind]).output().unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        assert!(stderr.contains("<PROGRAM>..."), "{stderr}");
        assert_eq!(ended.status.code(), Some(2));
        let ended = Command::new(NUGGETS).args(["conform", kind, "./it"]).output().unwrap();
        let stderr = String::from_utf8(ended.stderr).unwrap();
        let usage = format!("Usage: nuggets conform {kind} [OPTIONS] [-- <PROGRAM>...]\n");
        assert!(stderr.contains(&usage), "{stderr}");
        assert_eq!(ended.status.code(), Some(2));
    }
}

#[test]
fn a_program_that_is_not_there_or_cant_be_run_is_told() {
    for kind in ["server", "client"] {
        check(
            NUGGETS,
            &format!("conform {kind} -- ./no-such"),
            2,
            "error: there is no program './no-such', neither here nor on the PATH: give its path, as \
             ./server\n",
        );
        check(
            NUGGETS,
            &format!("conform {kind} -- ./Cargo.toml"),
            2,
            "error: './Cargo.toml' is there but can't be run: build it, or make it executable with \
             chmod +x\n",
        );
    }
}

#[test]
fn a_program_that_is_something_else_is_told_and_what_to_do() {
    check(
        NUGGETS,
        "conform server -- true",
        2,
        "error: `true`, started with a map and a seed, does not wait for messages: it exited with \
         code 0. Start it so by hand to see why\n",
    );
    check(
        NUGGETS,
        "conform client -- true",
        2,
        "error: `true`, started with a host, a port and a name, sends no message: it exited with \
         code 0. Start it so by hand to see why\n",
    );
}

#[test]
fn files_that_cant_be_written_are_told_before_anything_is_judged() {
    let scratch = Scratch::new("conform-files");
    let there = scratch.file("there.html", b"dear");
    check(
        NUGGETS,
        &format!("conform server --html {there} -- sh"),
        2,
        &format!(
            "error: '{there}' is there already. Give another name, or write over it with --force\n"
        ),
    );
    check(
        NUGGETS,
        "conform client --junit /nowhere/at/all.xml -- sh",
        2,
        "error: can't write '/nowhere/at/all.xml': No such file or directory (os error 2). Give a \
         path that you may write to\n",
    );
    let fresh = scratch.0.join("fresh").display().to_string();
    check(
        NUGGETS,
        &format!("conform server --json {fresh} --html {fresh} -- sh"),
        2,
        &format!("error: '{fresh}' is named for two reports. Give each a file of its own\n"),
    );
    assert!(!Path::new(&fresh).exists(), "a look leaves nothing behind");
    assert_eq!(fs::read(there).unwrap(), b"dear");
}

#[test]
fn a_clause_that_nobody_knows_is_refused() {
    for (kind, word) in [("server", "xyzzy"), ("client", "xyzzy.plugh")] {
        check(
            NUGGETS,
            &format!("conform {kind} --only {word} -- sh"),
            2,
            &format!(
                "error: there is no clause '{word}'. `nuggets conform {kind} --list` shows all\n"
            ),
        );
    }
}

#[test]
fn wrong_options_are_refused() {
    check(
        NUGGETS,
        "conform server --dialect 2020 -- sh",
        2,
        &format!(
            "error: invalid value '2020' for '--dialect <YEAR>'\n  [possible values: 2021, 2019]\n\n  \
             tip: a similar value exists: '2021'\n{MORE}"
        ),
    );
    check(
        NUGGETS,
        "conform server --jobs 0 -- sh",
        2,
        &format!("error: invalid value '0' for '--jobs <N>': 0 is not in 1..=256\n{MORE}"),
    );
    check(
        NUGGETS,
        "conform batch . --html x.html --kind bot",
        2,
        &format!(
            "error: invalid value 'bot' for '--kind <KIND>'\n  [possible values: server, client]\n\
             {MORE}"
        ),
    );
}

#[test]
fn a_map_that_is_not_there_is_refused() {
    check(
        NUGGETS,
        "conform server --map nowhere -- sh",
        2,
        "error: there is no map 'nowhere': no such file, and no built-in map of that name. Check \
         the path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, pretty\n",
    );
}

#[test]
fn a_batch_needs_folders_and_sound_patterns() {
    let scratch = Scratch::new("conform-batch");
    let empty = scratch.0.display();
    let html = scratch.0.join("index.html").display().to_string();
    check(
        NUGGETS,
        &format!("conform batch {empty}/nowhere --html {html}"),
        2,
        &format!(
            "error: can't read '{empty}/nowhere', which should hold a folder for each team: No such \
             file or directory (os error 2)\n"
        ),
    );
    check(
        NUGGETS,
        &format!("conform batch {empty} --html {html}"),
        2,
        &format!(
            "error: there is no folder in '{empty}'. Give the folder that has a folder for each \
             team\n"
        ),
    );
    check(
        NUGGETS,
        &format!("conform batch {empty} --html {html} --server a[b"),
        2,
        "error: 'a[b' names no program: Pattern syntax error near position 1: invalid range \
         pattern. Give a path such as build/server, where * stands for anything\n",
    );
}

#[test]
fn a_batch_in_which_nothing_can_be_run_still_has_its_table() {
    let scratch = Scratch::new("conform-nobody");
    let teams = scratch.0.join("teams");
    fs::create_dir_all(teams.join("alpha")).unwrap();
    let html = scratch.0.join("index.html");
    let mut command = Command::new(NUGGETS);
    command.args(["conform", "batch"]).arg(&teams).arg("--html").arg(&html);
    let ended = command.args(["--kind", "server"]).output().unwrap();
    assert_eq!(
        String::from_utf8(ended.stdout).unwrap(),
        "team   program     must   should      may\n\
         alpha  server   could not be run: no server found at server/server, server: build it, or \
         say where it is with --server\n"
    );
    assert_eq!(
        String::from_utf8(ended.stderr).unwrap(),
        "error: no team has a program that can be run. Build them, or say where they are with \
         --server and --client\n"
    );
    assert_eq!(ended.status.code(), Some(2));
    assert!(fs::read_to_string(html).unwrap().contains("href=\"alpha.html\""));
    assert!(scratch.0.join("alpha.html").exists());
}

#[test]
fn the_help_says_what_the_exit_codes_mean_and_hides_what_is_for_our_tests() {
    for kind in ["server", "client", "batch"] {
        let ended = Command::new(NUGGETS).args(["conform", kind, "--help"]).output().unwrap();
        let help = String::from_utf8(ended.stdout).unwrap();
        let flowing = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains("exit code is 0 if") && help.contains("Examples:"), "{help}");
        assert!(!help.contains("--loss"), "{help}");
    }
}
