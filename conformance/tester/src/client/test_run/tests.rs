//! An untrusted program can neither hang the tester nor outlive it, and its exit is reported.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use nuggets_protocol::Dialect;

use super::*;

const LONG: Duration = Duration::from_secs(60);

/// A test of a shell script, with this limit for one reaction.
fn test_of(line: &str, longest_wait: Duration) -> ClientTest {
    let words: Vec<OsString> = ["sh", "-c", line].map(Into::into).to_vec();
    let command = CommandLine::new(&words, Path::new("/")).unwrap();
    let settings = TestSettings { longest_wait, ..TestSettings::new(command, Dialect::V2021) };
    ClientTest::new(&Arc::new(settings), "test", 4)
}

fn start(line: &str) -> ClientTest {
    let mut test = test_of(line, LONG);
    test.start(&ClientStart::PLAYER).unwrap();
    test
}

#[test]
fn stderr_does_not_reach_the_screen() {
    let mut test = start("echo log >&2; echo shown; tty; stty size; echo $TERM; cat");
    let lines = ["shown", "/dev/", "24 100", "xterm-256color"];
    test.wait_until("", |it| it.lines().len() == lines.len()).unwrap();
    for (shown, expected) in test.lines().iter().zip(lines) {
        assert!(shown.starts_with(expected), "{shown}");
    }
    assert_eq!(test.window().unwrap().stderr(), "log\n");
    assert_eq!(test.crash(), None);
}

#[test]
fn endless_output_is_bounded_and_the_wait_is_limited() {
    let mut test = test_of("yes", Duration::from_millis(300));
    test.start(&ClientStart::PLAYER).unwrap();
    let failure = test.wait_until("a map", ClientTest::shows_map).unwrap_err();
    assert!(failure.is_retryable, "{failure:?}");
    assert!(test.window().unwrap().raw.len() <= 1 << 20);
}

#[test]
fn a_crash_is_reported_with_what_was_sent_before() {
    let mut test = start("read key; kill -SEGV $$");
    test.type_keys(b"h\n");
    let failure = test.wait_until("a map", ClientTest::shows_map).unwrap_err();
    assert!(!failure.is_retryable && failure.actual.contains("SIGSEGV"), "{failure:?}");
    let crash = test.crash().unwrap();
    assert!(crash.contains("signal 11") && crash.ends_with("keyboard: h\\n"), "{crash}");
}

#[test]
fn the_program_sees_the_end_of_its_input() {
    let mut test = test_of("echo up; cat; echo over; exit 3", LONG);
    test.start(&ClientStart { input: KeySource::Pipe, ..ClientStart::PLAYER }).unwrap();
    test.wait_until("it is up", |it| it.lines() == ["up"]).unwrap();
    test.end_input();
    assert_eq!(test.wait_for_exit("it exits").unwrap(), Exit::Code(3));
    assert_eq!(test.lines(), ["up", "over"]);
    assert_eq!(test.crash(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn detached_descendants_are_killed_with_the_test() {
    let mut test = start(
        "trap '' HUP TERM INT; setsid sh -c 'trap \"\" HUP; sleep 1000' & echo up; sleep 1000",
    );
    test.wait_until("it is up", |it| it.lines() == ["up"]).unwrap();
    let marker = test.window().unwrap().marker().clone();
    assert!(!marker.pids().is_empty());
    let scratch = test.scratch.as_ref().unwrap().path().to_owned();
    drop(test);
    assert!(marker.pids().is_empty());
    assert!(!scratch.exists());
}

#[test]
fn a_program_that_sends_nothing_is_no_client() {
    let command = CommandLine::new(&["false".into()], Path::new("/")).unwrap();
    let settings = Arc::new(TestSettings::new(command, Dialect::V2021));
    let why = ClientTest::preflight(&settings).unwrap_err().to_string();
    assert_eq!(
        why,
        "`false`, started with a host, a port and a name, sends no message: it exited with code 1. \
         Start it in the same way by hand to see why"
    );
}
