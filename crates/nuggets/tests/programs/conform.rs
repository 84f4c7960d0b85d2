//! `nuggets conform`: what can't be tested is rejected at once, with advice.

use std::fs;
use std::path::Path;

use nuggets_testkit::run;

use crate::arguments::{MORE, check, check_words};
use crate::maps::Scratch;
use crate::starting::NUGGETS;

#[test]
fn a_program_is_required_after_two_dashes() {
    for kind in ["server", "client"] {
        let ended = run(NUGGETS, &["conform", kind]);
        let stderr = ended.stderr;
        assert!(stderr.contains("<PROGRAM>..."), "{stderr}");
        assert_eq!(ended.status.code(), Some(2));
        let ended = run(NUGGETS, &["conform", kind, "./it"]);
        let stderr = ended.stderr;
        let usage = format!("Usage: nuggets conform {kind} [OPTIONS] [-- <PROGRAM>...]\n");
        assert!(stderr.contains(&usage), "{stderr}");
        assert_eq!(ended.status.code(), Some(2));
    }
}

#[test]
fn a_missing_or_non_executable_program_is_reported() {
    for kind in ["server", "client"] {
        check(
            NUGGETS,
            &format!("conform {kind} -- ./no-such"),
            2,
            "error: program './no-such' not found, neither here nor on the PATH: give its path, \
             such as ./server\n",
        );
        check(
            NUGGETS,
            &format!("conform {kind} -- ./Cargo.toml"),
            2,
            "error: './Cargo.toml' is not executable: build it, or run chmod +x on it\n",
        );
    }
}

#[test]
fn a_program_that_can_not_be_tested_is_reported_with_its_stderr() {
    check_words(
        NUGGETS,
        &["conform", "server", "--", "sh", "-c", "echo Bad luck. >&2; exit 3"],
        2,
        "error: `sh -c 'echo Bad luck. >&2; exit 3'`, started with a map and a seed, does not wait for \
         messages: it exited with code 3; its stderr: Bad luck. Start it in the same way by hand to \
         see why\n",
    );
}

#[test]
fn unwritable_report_files_are_reported_before_any_test() {
    let scratch = Scratch::new("conform-files");
    let there = scratch.file("there.html", b"precious");
    check(
        NUGGETS,
        &format!("conform server --html {there} -- sh"),
        2,
        &format!(
            "error: '{there}' already exists. Give another name, or overwrite it with --force\n"
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
        &format!("error: '{fresh}' is given for two reports. Give each report its own file\n"),
    );
    assert!(!Path::new(&fresh).exists(), "checking leaves no file behind");
    assert_eq!(fs::read(there).unwrap(), b"precious");
}

#[test]
fn invalid_options_are_rejected() {
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
        &format!(
            "error: invalid value '0' for '--jobs <N>': give a whole number from 1 to 256\n{MORE}"
        ),
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
fn a_missing_map_is_rejected() {
    check(
        NUGGETS,
        "conform server --map nowhere -- sh",
        2,
        "error: there is no map 'nowhere': no such file, and no built-in map of that name. Check \
         the path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, pretty\n",
    );
}

#[test]
fn a_batch_needs_folders_and_valid_patterns() {
    let scratch = Scratch::new("conform-batch");
    let empty = scratch.0.display();
    let html = scratch.0.join("index.html").display().to_string();
    check(
        NUGGETS,
        &format!("conform batch {empty}/nowhere --html {html}"),
        2,
        &format!(
            "error: can't read '{empty}/nowhere', which should contain a folder for each team: No such \
             file or directory (os error 2)\n"
        ),
    );
    check(
        NUGGETS,
        &format!("conform batch {empty} --html {html}"),
        2,
        &format!(
            "error: '{empty}' contains no folders. Give the folder that contains a folder for each \
             team\n"
        ),
    );
    check(
        NUGGETS,
        &format!("conform batch {empty} --html {html} --server a[b"),
        2,
        "error: invalid pattern 'a[b': Pattern syntax error near position 1: invalid range \
         pattern. Give a path such as build/server, where * matches anything\n",
    );
}

#[test]
fn the_help_explains_exit_codes_and_hides_test_options() {
    for kind in ["server", "client", "batch"] {
        let ended = run(NUGGETS, &["conform", kind, "--help"]);
        let help = ended.stdout;
        let flowing = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains("exit code is 0 if") && help.contains("Examples:"), "{help}");
        assert!(!help.contains("--loss"), "{help}");
    }
}
