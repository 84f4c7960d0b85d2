//! Strangers that behave and strangers that don't.

use super::*;

const LIMIT: Duration = Duration::from_secs(60);

fn start(script: &str, folder: &Path) -> Stranger {
    let words = ["sh", "-c", script].map(Into::into);
    Stranger::start(&CommandLine::new(&words, folder).unwrap(), folder).unwrap()
}

#[test]
fn what_it_says_and_how_it_ends_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut stranger = start("echo hello; pwd >&2; exit 3", folder.path());
    assert_eq!(stranger.wait_for_end(LIMIT), Some(Ending::Exit(3)));
    let whole =
        |out: &[u8], err: &[u8]| (out.ends_with(b"\n") && err.ends_with(b"\n")).then_some(());
    stranger.wait_for_output(LIMIT, whole);
    assert_eq!(stranger.stdout(), b"hello\n");
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(stranger.stderr(), format!("{}\n", here.display()).as_bytes());
}

#[test]
fn a_signal_is_told_from_a_code() {
    let folder = tempfile::tempdir().unwrap();
    let mut stranger = start("kill -SEGV $$", folder.path());
    let ending = stranger.wait_for_end(LIMIT).unwrap();
    assert_eq!(ending, Ending::Signal(11));
    assert!(ending.to_string().contains("SIGSEGV"), "{ending}");
}

#[test]
fn it_is_waited_for_no_longer_than_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut stranger = start("sleep 1000", folder.path());
    assert_eq!(stranger.wait_for_end(Duration::from_millis(10)), None);
    let found = stranger.wait_for_output(Duration::from_millis(10), |_, _| None::<()>);
    assert_eq!(found, None);
}

#[test]
#[cfg(target_os = "linux")]
fn children_that_leave_its_group_and_session_end_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo ready; sleep 1000 & sleep 1000' & (sleep 1000 &) ; sleep 1000";
    // Some are ended when all are there, some while they are still being born.
    for wanted in [4, 1, 4, 1, 4, 1, 4, 1] {
        let stranger = start(script, folder.path());
        let ready = |out: &[u8], _: &[u8]| out.starts_with(b"ready").then_some(());
        stranger.wait_for_output(LIMIT, ready).unwrap();
        let mark = stranger.mark().clone();
        while mark.bearers().len() < wanted {
            std::thread::yield_now();
        }
        drop(stranger);
        assert!(mark.bearers().is_empty());
    }
}

#[test]
fn no_file_grows_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut stranger = start("exec cat /dev/zero > full", folder.path());
    let ending = stranger.wait_for_end(LIMIT).unwrap();
    assert_ne!(ending, Ending::Exit(0));
    assert!(folder.path().join("full").metadata().unwrap().len() <= 64 << 20);
}
