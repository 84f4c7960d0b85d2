//! Full disks: no move is sent that is not in the journal, or the server warns that there is no journal.

use std::process::Command;

use nuggets_record::{Recording, Tail};
use nuggets_sim::host::{Screen, Truth};
use nuggets_testkit::{ServerProcess, UdpClient};
use nuggets_time::Timestamp;
use rustix::process::Signal;

use crate::journal::{again, press, rejected};
use crate::starting::start_server_command;
use crate::temp_file::TempFile;

/// A server whose files may not grow beyond a few kilobytes.
fn start_cramped(options: &[&str]) -> ServerProcess {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 10 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_server")]);
    start_server_command(shell.args(["main", "1", "--no-resends", "--linger", "0"]).args(options))
}

#[test]
fn a_full_disk_stops_the_game_and_nothing_unwritten_was_sent() {
    for options in [&[][..], &["--durable"]] {
        let journal = TempFile::new(&format!("full-{}", options.len()));
        let host = start_cramped(&[&["--journal", journal.path()], options].concat());
        let ann = UdpClient::new(host.port());
        let mut screen = Screen::default();
        let mut messages = ann.play("Ann");
        for key in ["l", "h"].iter().cycle().take(5_000) {
            for text in messages.drain(..) {
                screen.handle_datagram(text.as_bytes()).unwrap();
            }
            if screen.is_over {
                break;
            }
            messages = press(&ann, key);
        }
        assert!(screen.is_over);
        let ended = host.end();
        assert_eq!(ended.status.code(), Some(1));
        for words in ["ERROR", "The game is stopped", "ended early", journal.path()] {
            assert!(ended.stderr.contains(words), "{words:?} in {}", ended.stderr);
        }
        let bytes = std::fs::read(journal.path()).unwrap();
        assert_eq!(
            Recording::read(&bytes).unwrap().tail,
            Tail::Whole,
            "no truncated record is left"
        );
        let mut truth = Truth::default();
        truth.extend(Timestamp(0), &bytes).unwrap();
        truth.find(&mut screen.shown, Timestamp(0)).unwrap();
        // With space on the disk it is resumed.
        let _host = again(&journal);
        assert_eq!(ann.receive_text(), "GOLD 0 0 250");
    }
}

#[test]
fn a_full_disk_does_not_stop_the_game_if_the_option_says_so() {
    let journal = TempFile::new("full-continue");
    let host = start_cramped(&["--journal", journal.path(), "--on-journal-error", "go-on"]);
    let ann = UdpClient::new(host.port());
    ann.play("Ann");
    for key in ["l", "h"].iter().cycle().take(1_500) {
        assert!(press(&ann, key)[0].starts_with("DISPLAY\n"));
    }
    host.signal(Signal::TERM);
    let ended = host.end();
    assert!(ended.status.success());
    let log = ended.stderr;
    assert_eq!(log.matches("The game continues without a journal").count(), 1, "{log}");
    assert!(log.contains("What was written is now"), "{log}");
    let stale = format!("{}.stale", journal.path());
    let bytes = std::fs::read(&stale).unwrap();
    let reading = Recording::read(&bytes).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    assert!(reading.recording.records.len() > 50, "it was kept as long as there was room");

    // No server starts another game or resumes the old one by mistake.
    let why = rejected(&["main", "1", "--journal", journal.path()], 1);
    for words in [&*stale, "continued without its journal", "Remove it or name another file"] {
        assert!(why.contains(words), "{words:?} in {why}");
    }
    assert!(!std::path::Path::new(journal.path()).exists());
    std::fs::rename(&stale, journal.path()).unwrap();
    drop(again(&journal));
}

#[test]
fn no_game_starts_if_the_journal_cannot_be_written() {
    let journal = TempFile::new("full-from-the-start");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 1 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_server")]);
    let ended = shell.args(["main", "1", "--journal", journal.path()]).output().unwrap();
    let why = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), &*ended.stdout), (Some(1), &b""[..]), "{why}");
    assert!(why.contains("can't begin the game"), "{why}");
}
