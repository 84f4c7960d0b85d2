//! Journals: a server resumes its game, or rejects the journal with the reason. Kills at random times are
//! in `crash_recovery.rs`.

use std::process::{Command, Stdio};

use nuggets_record::{Recording, Tail, verify};
use nuggets_testkit::{ServerProcess, UdpClient, run};
use rustix::process::Signal;

use crate::starting::{
    NUGGETS, SERVER, start_server, start_server_command, start_server_with_resends,
};
use crate::temp_file::TempFile;

/// A server with a journal, one player and a spectator.
struct Played {
    journal: TempFile,
    host: ServerProcess,
    ann: UdpClient,
    watcher: UdpClient,
}

impl Played {
    fn start(test: &str) -> Self {
        let journal = TempFile::new(test);
        let host = start_server(&["main", "1", "--journal", journal.path()]);
        let ann = UdpClient::new(host.port());
        let watcher = UdpClient::new(host.port());
        ann.play("Ann");
        watcher.send(b"SPECTATE");
        (0..3).for_each(|_| drop(watcher.receive()));
        Self { journal, host, ann, watcher }
    }

    /// The game after this many keys that move Ann.
    fn after_keys(test: &str, count: usize) -> Self {
        let played = Self::start(test);
        for key in ["l", "h"].iter().cycle().take(count) {
            let messages = press(&played.ann, key);
            assert!(messages[0].starts_with("DISPLAY\n"), "{messages:?}");
            assert_eq!(played.watcher.receive_text().len(), messages[0].len());
        }
        played
    }

    fn killed(mut self) -> (TempFile, UdpClient, UdpClient, u16) {
        self.host.kill();
        (self.journal, self.ann, self.watcher, self.host.port())
    }
}

/// Presses a key; returns all messages until the reply to an unknown key, or until the game ends.
pub(crate) fn press(client: &UdpClient, key: &str) -> Vec<String> {
    client.send(format!("KEY {key}").as_bytes());
    client.send(b"KEY ?");
    let mut messages = vec![];
    loop {
        let text = client.receive_text();
        if text.starts_with("ERROR unknown") {
            return messages;
        }
        let is_last = text.starts_with("QUIT");
        messages.push(text);
        if is_last {
            return messages;
        }
    }
}

/// Starts a server that must end with this code; returns its stderr.
pub(crate) fn rejected(args: &[&str], code: i32) -> String {
    let mut command = Command::new(SERVER);
    let ended = ServerProcess::try_start(command.args(args).stderr(Stdio::piped()));
    let ended = ended.expect_err("it must not begin a game");
    assert_eq!((ended.code(), &*ended.stdout), (Some(code), ""), "{}", ended.stderr);
    ended.stderr
}

pub(crate) fn again(journal: &TempFile) -> ServerProcess {
    start_server(&["main", "1", "--journal", journal.path()])
}

#[test]
fn players_and_spectator_continue_after_a_crash_without_rejoining() {
    let played = Played::start("continue");
    press(&played.ann, "l");
    let before = press(&played.ann, "h");
    let (journal, ann, watcher, port) = played.killed();
    for _ in 0..2 {
        assert!(watcher.receive_text().starts_with("DISPLAY\n"));
    }

    let host = again(&journal);
    assert_eq!(host.port(), port, "the port stands in the journal");
    assert_eq!(ann.receive_text(), "GOLD 0 0 250");
    assert_eq!([ann.receive_text()], before[..], "the picture that she was shown last");
    assert_eq!(watcher.receive_text(), "GRID 21 79", "it may not have been sent yet");
    assert_eq!(watcher.receive_text(), "GOLD 0 0 250");
    let overseen = watcher.receive_text();
    assert!(overseen.starts_with("DISPLAY\n") && overseen.contains('A'));
    let after = press(&ann, "l");
    assert_ne!(after, before);
    assert_ne!(watcher.receive_text(), overseen);
    assert_eq!(ann.play("Ann")[0], "OK A", "and she may ask");
    assert_eq!(UdpClient::new(port).play("Bob")[0], "OK B");
}

#[test]
fn a_server_that_was_terminated_can_be_resumed() {
    let played = Played::start("stopped");
    press(&played.ann, "l");
    played.host.signal(Signal::TERM);
    assert_eq!(played.ann.receive_text(), "QUIT GAME OVER:\nA          0 Ann");
    assert_eq!(played.ann.receive_text(), "QUIT The server is shutting down.");
    assert!(played.host.end().status.success());
    let host = again(&played.journal);
    let mut messages = [played.ann.receive_text(), played.ann.receive_text()];
    messages.sort();
    assert!(messages[0].starts_with("DISPLAY\n") && messages[1] == "GOLD 0 0 250");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("resumed the game where it stopped"), "{log}");
}

#[test]
fn a_journal_can_be_resumed_on_an_ipv4_or_a_dual_stack_socket() {
    let (journal, ann, watcher, port) = Played::start("sockets").killed();
    for bind in ["127.0.0.1", "::"] {
        if std::net::UdpSocket::bind((bind, 0)).is_err() {
            return; // This machine has no IPv6.
        }
        let args = ["main", "1", "--journal", journal.path(), "--bind", bind];
        let mut host = start_server(&args);
        assert_eq!(host.port(), port);
        for client in [&ann, &watcher] {
            let messages = std::iter::repeat_with(|| client.receive_text());
            let messages: Vec<String> =
                messages.take_while(|it| !it.starts_with("DISPLAY\n")).collect();
            assert_eq!(messages.last().unwrap(), "GOLD 0 0 250");
        }
        assert!(press(&ann, if bind == "::" { "h" } else { "l" })[0].starts_with("DISPLAY\n"));
        assert!(watcher.receive_text().starts_with("DISPLAY\n"));
        host.kill();
    }
}

#[test]
fn a_truncated_journal_is_resumed_with_a_warning() {
    let (journal, ann, ..) = Played::after_keys("truncated", 3).killed();
    let bytes = std::fs::read(journal.path()).unwrap();
    std::fs::write(journal.path(), &bytes[..bytes.len() - 1]).unwrap();
    let host = again(&journal);
    assert_eq!(ann.receive_text(), "GOLD 0 0 250");
    ann.receive();
    assert!(press(&ann, "l")[0].starts_with("DISPLAY\n"), "the third key is not there any more");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("WARN") && log.contains("is torn: its last"), "{log}");
    let reading = Recording::read(&std::fs::read(journal.path()).unwrap()).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    verify(&reading.recording).unwrap();
}

/// The nugget counts and the picture depend on every key, so the game is the same only if all are there.
#[test]
fn one_flipped_bit_anywhere_in_a_journal_loses_nothing() {
    let played = Played::after_keys("flipped", 70);
    let shown = press(&played.ann, "l");
    press(&played.ann, "h");
    let shown_last = press(&played.ann, "l");
    assert_eq!(shown, shown_last);
    let (journal, ann, ..) = played.killed();
    let whole = std::fs::read(journal.path()).unwrap();
    let records = Recording::read(&whole).unwrap().recording.records;
    let [early, late] = [10, records.len() - 6].map(|index| records[index].offset + 1);
    // In the map, in its copy, before a checkpoint and among the last keys.
    let places = [500, records[0].offset - 500, early, late];
    for place in places {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x20;
        std::fs::write(journal.path(), &damaged).unwrap();
        let host = again(&journal);
        assert_eq!(ann.receive_text(), "GOLD 0 0 250");
        assert_eq!(ann.receive_text(), shown[0]);
        host.signal(Signal::TERM);
        assert!(ann.receive_text().starts_with("QUIT GAME OVER:\n"));
        assert_eq!(ann.receive_text(), "QUIT The server is shutting down.");
        let log = host.end().stderr;
        assert!(log.contains("was damaged at byte") && log.contains("is repaired"), "{log}");
        let mended = std::fs::read(journal.path()).unwrap();
        assert!(mended.starts_with(&whole), "byte {place} is as it was");
        std::fs::write(journal.path(), &whole).unwrap();
    }
}

#[test]
fn an_end_that_cannot_be_repaired_is_kept_beside_the_journal() {
    let (journal, ann, ..) = Played::after_keys("kept-end", 30).killed();
    let mut bytes = std::fs::read(journal.path()).unwrap();
    let records = Recording::read(&bytes).unwrap().recording.records;
    let offset = records[20].offset;
    bytes[offset + 1] ^= 4;
    bytes[offset + 2] ^= 4;
    bytes.extend([0; 5000]);
    std::fs::write(journal.path(), &bytes).unwrap();
    let host = again(&journal);
    assert_eq!(ann.receive_text(), "GOLD 0 0 250");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    let kept = format!("{}.damaged", journal.path());
    let cut = bytes.len() - offset;
    for words in [&*kept, &format!("its last {cut} bytes, from byte {offset} on"), "at most"] {
        assert!(log.contains(words), "{words:?} in {log}");
    }
    let lost = std::fs::read(&kept).unwrap();
    let _ = std::fs::remove_file(&kept);
    assert!(
        bytes[offset..].starts_with(&lost) && bytes[offset + lost.len()..].iter().all(|b| *b == 0)
    );
    assert!(lost.len() < 200, "zeros are not kept");
}

/// A sparse file of three gigabytes.
#[test]
#[cfg(target_os = "linux")]
fn a_huge_journal_is_read_with_little_memory() {
    let (journal, ann, ..) = Played::after_keys("huge", 3).killed();
    let file = std::fs::OpenOptions::new().write(true).open(journal.path()).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(3 << 30).unwrap();
    drop(file);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 400000 && exec \"$0\" \"$@\"", SERVER]);
    let words = ["main", "1", "--journal", journal.path(), "--no-resends", "--linger", "0"];
    let host = start_server_command(shell.args(words));
    assert_eq!(ann.receive_text(), "GOLD 0 0 250");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains(&format!("from byte {length} on")) && log.contains("zeros"), "{log}");
}

#[test]
fn damage_in_the_middle_is_rejected_with_its_position_and_nothing_is_changed() {
    let (journal, ..) = Played::after_keys("damaged", 70).killed();
    let mut bytes = std::fs::read(journal.path()).unwrap();
    let offset = Recording::read(&bytes).unwrap().recording.records[10].offset;
    bytes[offset + 1] ^= 4;
    bytes[offset + 2] ^= 4;
    std::fs::write(journal.path(), &bytes).unwrap();
    let why = rejected(&["main", "1", "--journal", journal.path()], 1);
    assert!(why.contains(&format!("damaged at byte {offset}")), "{why}");
    assert!(why.contains(journal.path()), "{why}");
    assert_eq!(std::fs::read(journal.path()).unwrap(), bytes);
}

#[test]
fn a_journal_of_another_game_is_rejected() {
    let (journal, ..) = Played::start("other").killed();
    for (args, why) in [
        (&["main", "2"][..], "holds a game with the seed 1"),
        (&["narrow", "1"], "holds a game with another map"),
        (&["main", "1", "--dialect", "2019"], "holds a game with the dialect 2021"),
        (&["main", "1", "--end-when-empty"], "holds a game with other rules"),
    ] {
        let error = rejected(&[args, &["--journal", journal.path()]].concat(), 1);
        assert!(error.contains(why) && error.contains("Give the same arguments"), "{error}");
    }
    // Without a seed it is the journal's.
    start_server(&["main", "--journal", journal.path()]);
}

#[test]
fn two_servers_cannot_share_a_journal_or_a_recording() {
    let played = Played::start("two");
    for option in ["--journal", "--record"] {
        let why = rejected(&["main", "1", option, played.journal.path()], 1);
        assert!(why.contains("another server is writing it"), "{why}");
    }
    assert!(press(&played.ann, "l")[0].starts_with("DISPLAY\n"));
}

#[test]
fn a_game_is_not_resumed_on_another_port_without_the_option() {
    let (journal, _ann, _watcher, port) = Played::start("port-taken").killed();
    let taken = std::net::UdpSocket::bind(("127.0.0.1", port)).unwrap();
    // The port comes from the journal, also if any port would do.
    for options in [&[][..], &["--port", "0"]] {
        let words = ["main", "1", "--bind", "127.0.0.1", "--journal", journal.path()];
        let why = rejected(&[&words, options].concat(), 1);
        assert!(why.contains(&format!("can't listen on port {port} of 127.0.0.1")), "{why}");
        assert!(why.contains("the players of this game use that port"), "{why}");
        assert!(!why.contains("0 for any"), "{why}");
    }
    drop(taken);
    assert_eq!(again(&journal).port(), port);
}

#[test]
fn a_recording_is_never_overwritten_or_resumed() {
    let file = TempFile::new("recorded");
    let host = start_server(&["main", "1", "--record", file.path()]);
    UdpClient::new(host.port()).play("Ann");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    let bytes = std::fs::read(file.path()).unwrap();
    let why = rejected(&["main", "1", "--record", file.path()], 1);
    assert!(why.contains("already exists"), "{why}");
    let why = rejected(&["main", "1", "--journal", file.path()], 1);
    assert!(why.contains("it was written by --record"), "{why}");
    assert_eq!(std::fs::read(file.path()).unwrap(), bytes);
}

#[test]
fn a_whole_game_is_recorded_exactly() {
    let file = TempFile::new("whole");
    let journal = TempFile::new("whole-journal");
    let args = ["main", "5", "--record", file.path(), "--journal", journal.path()];
    let host =
        start_server_with_resends(&[&args[..], &["--log", "warn", "--linger", "300"]].concat());
    let bots = ["bot", "127.0.0.1", &host.port().to_string(), "--count", "26", "--pace", "0"];
    let bots = run(NUGGETS, &[&bots[..], &["--seed", "4", "--log", "off"]].concat());
    assert!(bots.status.success());
    let ended = host.end();
    for path in [file.path(), journal.path()] {
        let reading = Recording::read(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(reading.tail, Tail::Whole);
        let verified = verify(&reading.recording).unwrap();
        assert!(verified.states > 1);
        assert_eq!(ended.stdout, format!("GAME OVER:\n{}\n", verified.game.table()));
    }
}
