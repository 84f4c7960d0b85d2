//! A stranger can neither hang the tester nor outlive it, and what it does is told.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use nuggets_stranger::CommandLine;

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// A stage for a line of shell, and how long one thing may take on it.
fn stage(line: &str, longest_wait: Duration) -> ClientStage {
    let words: Vec<OsString> = ["sh", "-c", line].map(Into::into).to_vec();
    let command = CommandLine::new(&words, Path::new("/")).unwrap();
    let settings = Settings { longest_wait, ..Settings::new(command, Dialect::V2021) };
    ClientStage::new(&Arc::new(settings), "test", 4)
}

fn start(line: &str) -> ClientStage {
    let mut stage = stage(line, LONG);
    stage.start(&Start::PLAYER).unwrap();
    stage
}

#[test]
fn what_is_said_on_stderr_is_kept_from_the_screen() {
    let mut stage = start("echo log >&2; echo shown; tty; stty size; echo $TERM; cat");
    let lines = ["shown", "/dev/", "24 100", "xterm-256color"];
    stage.until("", &[], |it| it.lines().len() == lines.len()).unwrap();
    for (shown, expected) in stage.lines().iter().zip(lines) {
        assert!(shown.starts_with(expected), "{shown}");
    }
    assert_eq!(stage.window().unwrap().said(), "log\n");
    assert_eq!(stage.crash(), None);
}

#[test]
fn who_writes_without_end_is_bounded_and_waited_for_no_longer_than_told() {
    let mut stage = stage("yes", Duration::from_millis(300));
    stage.start(&Start::PLAYER).unwrap();
    let failure = stage.until("a map", &[], ClientStage::shows_room).unwrap_err();
    assert!(failure.is_silence, "{failure:?}");
    assert!(stage.window().unwrap().raw().len() <= 1 << 20);
}

#[test]
fn an_end_that_nobody_asked_for_is_told_with_what_was_sent_before() {
    let mut stage = start("read key; kill -SEGV $$");
    stage.type_keys(b"h\n");
    let failure = stage.until("a map", &[], ClientStage::shows_room).unwrap_err();
    assert!(!failure.is_silence && failure.came.contains("SIGSEGV"), "{failure:?}");
    let crash = stage.crash().unwrap();
    assert!(crash.contains("signal 11") && crash.ends_with("keyboard: h\\n"), "{crash}");
}

#[test]
fn the_end_of_its_input_is_seen_by_the_program() {
    let mut stage = stage("echo up; cat; echo over; exit 3", LONG);
    stage.start(&Start { keys: Keys::Pipe, ..Start::PLAYER }).unwrap();
    stage.until("it is up", &[], |it| it.lines() == ["up"]).unwrap();
    stage.end_input();
    assert_eq!(stage.end("it ends", &[]).unwrap(), Ending::Exit(3));
    assert_eq!(stage.lines(), ["up", "over"]);
    assert_eq!(stage.crash(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn children_that_have_run_away_are_ended_with_the_stage() {
    let mut stage = start(
        "trap '' HUP TERM INT; setsid sh -c 'trap \"\" HUP; sleep 1000' & echo up; sleep 1000",
    );
    stage.until("it is up", &[], |it| it.lines() == ["up"]).unwrap();
    let mark = stage.window().unwrap().mark().clone();
    assert!(!mark.bearers().is_empty());
    let scratch = stage.scratch.as_ref().unwrap().path().to_owned();
    drop(stage);
    assert!(mark.bearers().is_empty());
    assert!(!scratch.exists());
}

#[test]
fn a_program_that_never_says_anything_is_no_client() {
    let command = CommandLine::new(&["false".into()], Path::new("/")).unwrap();
    let settings = Arc::new(Settings::new(command, Dialect::V2021));
    let why = preflight(&settings).unwrap_err();
    assert_eq!(
        why,
        "`false`, started with a host, a port and a name, sends no message: it exited with code 1. \
         Start it so by hand to see why"
    );
}
