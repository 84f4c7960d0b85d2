//! Well-behaved programs and programs that escape, hang or write without end.

use tempfile::TempDir;

use super::*;

const LIMIT: Duration = Duration::from_secs(60);

/// Starts a shell script in a scratch directory.
pub(crate) fn start(script: &str) -> (Subprocess, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let words = ["sh", "-c", script].map(Into::into);
    let line = CommandLine::new(&words, folder.path()).unwrap();
    (Subprocess::start(&line, folder.path()).unwrap(), folder)
}

#[test]
fn output_and_exit_code_are_reported() {
    let (mut program, folder) = start("echo hello; pwd >&2; exit 3");
    assert_eq!(program.wait_for_exit(LIMIT), Some(Exit::Code(3)));
    assert_eq!(program.stdout(), b"hello\n");
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(program.stderr(), format!("{}\n", here.display()).as_bytes());
}

#[test]
fn a_fatal_signal_is_reported_by_name() {
    let (mut program, _folder) = start("kill -SEGV $$");
    let exit = program.wait_for_exit(LIMIT).unwrap();
    assert_eq!(exit, Exit::Signal(11));
    assert!(exit.to_string().contains("SIGSEGV"), "{exit}");
}

#[test]
fn waiting_stops_at_the_time_limit() {
    let (mut program, _folder) = start("sleep 1000");
    assert_eq!(program.wait_for_exit(Duration::from_millis(10)), None);
    let found = program.wait_for_output(Duration::from_millis(10), |_, _| None::<()>);
    assert_eq!(found, None);
}

#[test]
fn stdin_is_a_terminal_that_stays_open() {
    let (mut program, _folder) = start("[ -t 0 ] && echo terminal; cat; echo ended");
    let is_terminal = |out: &[u8], _: &[u8]| out.starts_with(b"terminal").then_some(());
    program.wait_for_output(LIMIT, is_terminal).expect("stdin is a terminal");
    assert_eq!((program.try_exit(), program.stdout()), (None, b"terminal\n".to_vec()));
}

#[test]
#[cfg(target_os = "linux")]
fn descendants_that_leave_the_group_and_session_are_killed() {
    let script = "setsid sh -c 'echo ready; sleep 1000 & sleep 1000' & (sleep 1000 &) ; sleep 1000";
    // Kills it once when all descendants run, once while some are still starting.
    for wanted in [4, 1, 4, 1, 4, 1, 4, 1] {
        let (program, _folder) = start(script);
        let ready = |out: &[u8], _: &[u8]| out.starts_with(b"ready").then_some(());
        program.wait_for_output(LIMIT, ready).unwrap();
        let marker = program.marker().clone();
        marker.wait_for(wanted);
        drop(program);
        assert!(marker.pids().is_empty());
    }
}

/// The daemon has neither our environment nor a parent, group or session in common with the program.
#[test]
#[cfg(target_os = "linux")]
fn a_daemon_is_killed_with_the_program_that_started_it() {
    let daemon = "(env -i setsid sh -c 'echo $$; cd /; exec sleep 1000 <&- >&- 2>&-' &)";
    // Once the program has exited before it is dropped, once it has not.
    for last in ["exit 0", "sleep 1000"] {
        let (mut program, _folder) = start(&format!("{daemon}; {last}"));
        let first_line = |out: &[u8], _: &[u8]| {
            let text = String::from_utf8_lossy(out).into_owned();
            text.ends_with('\n').then(|| text.trim().to_owned())
        };
        let pid = program.wait_for_output(LIMIT, first_line).unwrap();
        if last == "exit 0" {
            assert_eq!(program.wait_for_exit(LIMIT), Some(Exit::Code(0)));
        }
        let stat = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(!stat().is_empty() && !stat().contains(") Z "), "it runs");
        drop(program);
        // It may still be waiting for its new parent to reap it.
        assert!(stat().is_empty() || stat().contains(") Z "), "{}", stat());
    }
}

#[test]
fn file_size_is_limited() {
    let (mut program, folder) = start("exec cat /dev/zero > full");
    let exit = program.wait_for_exit(LIMIT).unwrap();
    assert_ne!(exit, Exit::Code(0));
    assert!(folder.path().join("full").metadata().unwrap().len() <= 64 << 20);
}
