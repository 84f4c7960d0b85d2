//! Journals: a server goes on with its game, or says why it doesn't. Killing it at random moments is
//! in `kills.rs`.

use std::process::{Command, Stdio};
use std::time::Duration;

use nuggets_record::{Recording, Tail, verify};
use rustix::process::Signal;

use crate::host::{Client, Host, LIMIT, now};
use crate::kept_file::KeptFile;

/// A server with a journal, one player and a spectator.
struct Played {
    journal: KeptFile,
    host: Host,
    ann: Client,
    watcher: Client,
}

impl Played {
    fn start(test: &str) -> Self {
        let journal = KeptFile::new(test);
        let host = Host::start(&["main", "1", "--journal", journal.path()]);
        let (ann, watcher) = (Client::new(host.port), Client::new(host.port));
        ann.play("Ann");
        watcher.say(b"SPECTATE");
        (0..3).for_each(|_| drop(watcher.hear()));
        Self { journal, host, ann, watcher }
    }

    /// So many keys that move Ann.
    fn after_keys(test: &str, count: usize) -> Self {
        let played = Self::start(test);
        for key in ["l", "h"].iter().cycle().take(count) {
            let told = press(&played.ann, key);
            assert!(told[0].starts_with("DISPLAY\n"), "{told:?}");
            assert_eq!(played.watcher.hear_text().len(), told[0].len());
        }
        played
    }

    fn killed(mut self) -> (KeptFile, Client, Client, u16) {
        self.host.signal(Signal::KILL);
        self.host.wait();
        (self.journal, self.ann, self.watcher, self.host.port)
    }
}

/// Presses a key; what is told until a key that moves nobody is answered, or the game has ended.
pub(crate) fn press(client: &Client, key: &str) -> Vec<String> {
    client.say(format!("KEY {key}").as_bytes());
    client.say(b"KEY ?");
    let mut told = vec![];
    loop {
        let text = client.hear_text();
        if text.starts_with("ERROR unknown") {
            return told;
        }
        let is_last = text.starts_with("QUIT");
        told.push(text);
        if is_last {
            return told;
        }
    }
}

/// A server that doesn't begin. What it says.
pub(crate) fn refused(args: &[&str], code: i32) -> String {
    let mut server = Command::new(env!("CARGO_BIN_EXE_server"));
    let server = server.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, started) = (server.spawn().unwrap(), now());
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("it begins a game: {args:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = child.wait_with_output().unwrap();
    let why = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), &*ended.stdout), (Some(code), &b""[..]), "{why}");
    why
}

pub(crate) fn again(journal: &KeptFile) -> Host {
    Host::start(&["main", "1", "--journal", journal.path()])
}

#[test]
fn clients_that_never_ask_again_go_on_after_a_crash_and_so_does_the_spectator() {
    let played = Played::start("go-on");
    press(&played.ann, "l");
    let before = press(&played.ann, "h");
    let (journal, ann, watcher, port) = played.killed();
    for _ in 0..2 {
        assert!(watcher.hear_text().starts_with("DISPLAY\n"));
    }

    let host = again(&journal);
    assert_eq!(host.port, port, "the port stands in the journal");
    assert_eq!(ann.hear_text(), "GOLD 0 0 250");
    assert_eq!([ann.hear_text()], before[..], "the picture that she was shown last");
    assert_eq!(watcher.hear_text(), "GRID 21 79", "it may not have been told yet");
    assert_eq!(watcher.hear_text(), "GOLD 0 0 250");
    let overseen = watcher.hear_text();
    assert!(overseen.starts_with("DISPLAY\n") && overseen.contains('A'));
    let after = press(&ann, "l");
    assert_ne!(after, before);
    assert_ne!(watcher.hear_text(), overseen);
    assert_eq!(ann.play("Ann")[0], "OK A", "and she may ask");
    assert_eq!(Client::new(port).play("Bob")[0], "OK B");
}

#[test]
fn a_server_that_was_told_to_stop_goes_on_too() {
    let played = Played::start("stopped");
    press(&played.ann, "l");
    played.host.signal(Signal::TERM);
    assert_eq!(played.ann.hear_text(), "QUIT The server is shutting down.");
    assert!(played.host.end().status.success());
    let host = again(&played.journal);
    let mut told = [played.ann.hear_text(), played.ann.hear_text()];
    told.sort();
    assert!(told[0].starts_with("DISPLAY\n") && told[1] == "GOLD 0 0 250");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("the game goes on where it was left"), "{log}");
}

#[test]
fn a_journal_from_a_socket_for_both_is_taken_up_behind_one_for_ipv4_and_back() {
    let (journal, ann, watcher, port) = Played::start("sockets").killed();
    for bind in ["127.0.0.1", "::"] {
        if std::net::UdpSocket::bind((bind, 0)).is_err() {
            return; // This machine has no IPv6.
        }
        let args = ["main", "1", "--journal", journal.path(), "--bind", bind];
        let mut host = Host::start(&args);
        assert_eq!(host.port, port);
        for client in [&ann, &watcher] {
            let told = std::iter::repeat_with(|| client.hear_text());
            let told: Vec<String> = told.take_while(|it| !it.starts_with("DISPLAY\n")).collect();
            assert_eq!(told.last().unwrap(), "GOLD 0 0 250");
        }
        assert!(press(&ann, if bind == "::" { "h" } else { "l" })[0].starts_with("DISPLAY\n"));
        assert!(watcher.hear_text().starts_with("DISPLAY\n"));
        host.signal(Signal::KILL);
        host.wait();
    }
}

#[test]
fn a_torn_tail_is_cut_with_a_warning_and_the_game_goes_on() {
    let (journal, ann, ..) = Played::after_keys("torn", 3).killed();
    let bytes = std::fs::read(journal.path()).unwrap();
    std::fs::write(journal.path(), &bytes[..bytes.len() - 1]).unwrap();
    let host = again(&journal);
    assert_eq!(ann.hear_text(), "GOLD 0 0 250");
    ann.hear();
    assert!(press(&ann, "l")[0].starts_with("DISPLAY\n"), "the third key is not there any more");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("WARN") && log.contains("is torn: its last"), "{log}");
    let reading = Recording::read(&std::fs::read(journal.path()).unwrap()).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    verify(&reading.recording).unwrap();
}

#[test]
fn damage_in_the_middle_is_refused_with_the_place_and_nothing_is_changed() {
    let (journal, ..) = Played::after_keys("damaged", 70).killed();
    let mut bytes = std::fs::read(journal.path()).unwrap();
    let offset = Recording::read(&bytes).unwrap().recording.records[10].offset;
    bytes[offset + 1] ^= 4;
    std::fs::write(journal.path(), &bytes).unwrap();
    let why = refused(&["main", "1", "--journal", journal.path()], 1);
    assert!(why.contains(&format!("damaged at byte {offset}")), "{why}");
    assert!(why.contains(journal.path()), "{why}");
    assert_eq!(std::fs::read(journal.path()).unwrap(), bytes);
}

#[test]
fn a_journal_of_another_game_is_refused() {
    let (journal, ..) = Played::start("other").killed();
    for (args, why) in [
        (&["main", "2"][..], "holds a game with the seed 1"),
        (&["narrow", "1"], "holds a game with another map"),
        (&["main", "1", "--dialect", "2019"], "holds a game with the dialect 2021"),
        (&["main", "1", "--end-when-empty"], "holds a game with other rules"),
    ] {
        let said = refused(&[args, &["--journal", journal.path()]].concat(), 1);
        assert!(said.contains(why) && said.contains("Give the same arguments"), "{said}");
    }
    // Without a seed it is the journal's.
    Host::start(&["main", "--journal", journal.path()]);
}

#[test]
fn a_journal_of_a_game_that_is_over_is_refused() {
    let journal = KeptFile::new("over");
    let args = ["main", "1", "--end-when-empty", "--journal", journal.path()];
    let host = Host::start(&args);
    let ann = Client::new(host.port);
    ann.play("Ann");
    ann.say(b"KEY Q");
    assert!(host.end().status.success());
    let why = refused(&args, 1);
    assert!(why.contains("the game in it is over"), "{why}");
}

#[test]
fn what_is_no_journal_is_refused_and_left_as_it_is() {
    let file = KeptFile::new("no-journal");
    std::fs::write(file.path(), "dear diary").unwrap();
    let why = refused(&["main", "1", "--journal", file.path()], 1);
    assert!(why.contains("this is no recording of Nuggets"), "{why}");
    assert_eq!(file.text(), "dear diary");
    let folder = std::env::temp_dir();
    for (path, words) in [
        (folder.to_str().unwrap(), "it is a folder. Name a file in it"),
        ("/dev/null", "it is no plain file"),
        ("/nowhere/at/all", "can't use the journal '/nowhere/at/all'"),
        ("/nowhere/at/all", "its folder is not there. Make it"),
    ] {
        let why = refused(&["main", "1", "--journal", path], 1);
        assert!(why.contains(words), "{why}");
    }
}

#[test]
fn a_journal_that_may_not_be_written_is_refused() {
    let (journal, ..) = Played::start("read-only").killed();
    let mut permissions = std::fs::metadata(journal.path()).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(journal.path(), permissions).unwrap();
    if std::fs::OpenOptions::new().write(true).open(journal.path()).is_ok() {
        return; // Whoever runs this may write everything.
    }
    let why = refused(&["main", "1", "--journal", journal.path()], 1);
    assert!(why.contains("it may not be written. Name a file"), "{why}");
}

#[test]
fn what_can_not_be_recorded_into_is_refused() {
    let folder = std::env::temp_dir();
    for (path, words) in [
        (folder.to_str().unwrap(), "it is a folder. Name a file in it"),
        ("/dev/null", "it is no plain file"),
        ("/nowhere/at/all", "can't record into '/nowhere/at/all'"),
    ] {
        let why = refused(&["main", "1", "--record", path], 1);
        assert!(why.contains(words), "{why}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_journal_that_never_ends_is_refused_at_once() {
    let why = refused(&["main", "1", "--journal", "/dev/full"], 1);
    assert!(why.contains("it is no plain file"), "{why}");
}

#[test]
fn two_servers_never_write_one_journal() {
    let played = Played::start("two");
    let why = refused(&["main", "1", "--journal", played.journal.path()], 1);
    assert!(why.contains("another server is writing it"), "{why}");
    assert!(press(&played.ann, "l")[0].starts_with("DISPLAY\n"));
}

#[test]
fn a_recording_and_a_journal_never_share_a_file_under_any_name() {
    let (file, other) = (KeptFile::new("shared"), KeptFile::new("shared-too"));
    std::fs::write(file.path(), "").unwrap();
    std::fs::hard_link(file.path(), other.path()).unwrap();
    for record in [&file, &other] {
        let words = ["main", "1", "--journal", file.path(), "--record", record.path()];
        let why = refused(&words, 1);
        assert!(why.contains("it is the journal, or another server is writing it"), "{why}");
        assert_eq!(file.text(), "");
    }
}

#[test]
fn two_servers_never_write_one_recording() {
    let file = KeptFile::new("recorded-once");
    let host = Host::start(&["main", "1", "--record", file.path()]);
    let why = refused(&["main", "1", "--record", file.path()], 1);
    assert!(why.contains("another server is writing it"), "{why}");
    drop(host);
}

#[test]
fn a_game_whose_port_is_taken_is_not_gone_on_with_elsewhere_unasked() {
    let (journal, _ann, _watcher, port) = Played::start("port-taken").killed();
    let taken = std::net::UdpSocket::bind(("127.0.0.1", port)).unwrap();
    // The port comes from the journal, also if any port would do.
    for options in [&[][..], &["--port", "0"]] {
        let words = ["main", "1", "--bind", "127.0.0.1", "--journal", journal.path()];
        let why = refused(&[&words, options].concat(), 1);
        assert!(why.contains(&format!("can't listen on port {port} of 127.0.0.1")), "{why}");
        assert!(why.contains("the players of this game speak to that port"), "{why}");
        assert!(!why.contains("0 for any"), "{why}");
    }
    drop(taken);
    assert_eq!(again(&journal).port, port);
}

#[test]
fn a_recording_is_never_written_over_and_is_no_journal() {
    let file = KeptFile::new("recorded");
    let host = Host::start(&["main", "1", "--record", file.path()]);
    Client::new(host.port).play("Ann");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    let bytes = std::fs::read(file.path()).unwrap();
    let why = refused(&["main", "1", "--record", file.path()], 1);
    assert!(why.contains("is there already"), "{why}");
    let why = refused(&["main", "1", "--journal", file.path()], 1);
    assert!(why.contains("it was written by --record"), "{why}");
    assert_eq!(std::fs::read(file.path()).unwrap(), bytes);
}

#[test]
fn a_whole_game_is_recorded_as_it_was() {
    let (file, journal) = (KeptFile::new("whole"), KeptFile::new("whole-journal"));
    let args = ["main", "5", "--record", file.path(), "--journal", journal.path()];
    let host = Host::start_careful(&[&args[..], &["--log", "warn", "--linger", "300"]].concat());
    let bots = Command::new(env!("CARGO_BIN_EXE_nuggets"))
        .args(["bot", "127.0.0.1", &host.port.to_string()])
        .args(["--count", "26", "--pace", "0", "--seed", "4", "--log", "off"])
        .output()
        .unwrap();
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
