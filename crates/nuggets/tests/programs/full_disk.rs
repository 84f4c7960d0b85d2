//! Disks that are full: no move is shown that isn't kept, or everybody knows that none is kept any more.

use std::process::Command;

use nuggets_protocol::ServerMessage;
use nuggets_record::{Recording, Tail};
use rustix::process::Signal;

use crate::history::{History, Shown};
use crate::host::{Client, Host};
use crate::journal::{again, press, refused};
use crate::kept_file::KeptFile;

/// A server whose files may not grow beyond a few kilobytes.
fn start_cramped(options: &[&str]) -> Host {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 5 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_server")]);
    Host::start_command(shell.args(["main", "1", "--no-repeats", "--linger", "0"]).args(options))
}

#[test]
fn a_journal_that_is_full_stops_the_game_and_nothing_unkept_was_shown() {
    for options in [&[][..], &["--durable"]] {
        let journal = KeptFile::new(&format!("full-{}", options.len()));
        let host = start_cramped(&[&["--journal", journal.path()], options].concat());
        let (ann, mut shown) = (Client::new(host.port), Shown::default());
        let mut told = ann.play("Ann");
        for key in ["l", "h"].iter().cycle().take(5_000) {
            for text in told.drain(..) {
                shown.take(&ServerMessage::parse(text.as_bytes()).unwrap(), text.as_bytes());
            }
            if shown.is_told_the_end {
                break;
            }
            told = press(&ann, key);
        }
        assert!(shown.is_told_the_end);
        let ended = host.end();
        assert_eq!(ended.status.code(), Some(1));
        for words in ["ERROR", "The game STOPS", "before its time", journal.path()] {
            assert!(ended.stderr.contains(words), "{words:?} in {}", ended.stderr);
        }
        let bytes = std::fs::read(journal.path()).unwrap();
        assert_eq!(Recording::read(&bytes).unwrap().tail, Tail::Whole, "no torn end is left");
        History::begin(&bytes).extend(&bytes, &mut [&mut shown]);
        // With room on the disk it goes on.
        let _host = again(&journal);
        assert_eq!(ann.hear_text(), "GOLD 0 0 250");
    }
}

#[test]
fn a_journal_that_is_full_is_left_behind_loudly_if_the_host_wants_that() {
    let journal = KeptFile::new("full-go-on");
    let host = start_cramped(&["--journal", journal.path(), "--on-journal-error", "go-on"]);
    let ann = Client::new(host.port);
    ann.play("Ann");
    for key in ["l", "h"].iter().cycle().take(1_500) {
        assert!(press(&ann, key)[0].starts_with("DISPLAY\n"));
    }
    host.signal(Signal::TERM);
    let ended = host.end();
    assert!(ended.status.success());
    let log = ended.stderr;
    assert_eq!(log.matches("GOES ON WITHOUT A JOURNAL").count(), 1, "{log}");
    assert!(log.contains("What was written is now"), "{log}");
    let stale = format!("{}.stale", journal.path());
    let bytes = std::fs::read(&stale).unwrap();
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    assert!(reading.recording.records.len() > 50, "it was kept as long as there was room");

    // Nobody begins another game by mistake, or takes up an old one.
    let why = refused(&["main", "1", "--journal", journal.path()], 1);
    for words in [&*stale, "went on without its journal", "Remove it or name another file"] {
        assert!(why.contains(words), "{words:?} in {why}");
    }
    assert!(!std::path::Path::new(journal.path()).exists());
    std::fs::rename(&stale, journal.path()).unwrap();
    drop(again(&journal));
}

#[test]
fn a_journal_that_cannot_be_begun_begins_no_game() {
    let journal = KeptFile::new("full-from-the-start");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 1 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_server")]);
    let ended = shell.args(["main", "1", "--journal", journal.path()]).output().unwrap();
    let why = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), &*ended.stdout), (Some(1), &b""[..]), "{why}");
    assert!(why.contains("the game can't begin"), "{why}");
}
