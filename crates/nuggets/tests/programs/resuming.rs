//! A server that is started again with its journal: what it tells whom, and when it has nothing left
//! to do.

use nuggets_record::{Recording, Tail, verify};
use rustix::process::Signal;

use crate::host::{Client, Host};
use crate::journal::{press, refused};
use crate::kept_file::KeptFile;

/// A server that was killed while it told the end of its game to a spectator.
struct Finished {
    journal: KeptFile,
    watcher: Client,
    table: String,
}

impl Finished {
    fn killed(test: &str) -> Self {
        let journal = KeptFile::new(test);
        let mut host = Host::start_careful(&Self::args(&journal, "600000"));
        let (ann, watcher) = (Client::new(host.port), Client::new(host.port));
        ann.play("Ann");
        watcher.say(b"SPECTATE");
        ann.say(b"KEY Q");
        let table = hear_the_end(&watcher);
        host.signal(Signal::KILL);
        host.wait();
        forget_what_came(&watcher);
        Self { journal, watcher, table }
    }

    fn args<'a>(journal: &'a KeptFile, linger: &'a str) -> [&'a str; 7] {
        ["main", "1", "--end-when-empty", "--journal", journal.path(), "--linger", linger]
    }

    fn again(&self, linger: &str) -> Host {
        Host::start_careful(&Self::args(&self.journal, linger))
    }
}

/// Waits until a client is told the end.
fn hear_the_end(client: &Client) -> String {
    std::iter::repeat_with(|| client.hear_text()).find(|text| text.starts_with("QUIT")).unwrap()
}

/// What the server said before it was killed is no news of the next one.
fn forget_what_came(client: &Client) {
    client.socket.set_nonblocking(true).unwrap();
    while client.socket.recv(&mut [0; 1 << 14]).is_ok() {}
    client.socket.set_nonblocking(false).unwrap();
}

#[test]
fn a_server_killed_while_it_told_the_end_tells_it_again_and_then_has_nothing_left_to_do() {
    let game = Finished::killed("end-again");
    assert_eq!(game.table, "QUIT GAME OVER:\nA          0 Ann");
    let ended = game.again("100").end();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(ended.stdout, "GAME OVER:\nA          0 Ann\n");
    assert!(ended.stderr.contains("the end is told again"), "{}", ended.stderr);
    assert_eq!(hear_the_end(&game.watcher), game.table);

    let why = refused(&Finished::args(&game.journal, "100"), 1);
    assert!(why.contains("the game in it is over"), "{why}");
}

#[test]
fn whoever_speaks_to_a_server_that_was_killed_at_the_end_hears_it() {
    let game = Finished::killed("end-asked");
    let _host = game.again("600000");
    for _ in 0..3 {
        game.watcher.say(b"KEY x");
        assert_eq!(hear_the_end(&game.watcher), game.table);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_killed_at_the_end_waits_for_nobody_who_is_gone() {
    let Finished { journal, watcher, .. } = Finished::killed("end-alone");
    drop(watcher);
    let ended = Host::start_careful(&Finished::args(&journal, "600000")).end();
    assert!(ended.status.success(), "{}", ended.stderr);
}

/// The journal as it is when a server is killed right behind writing a record, before it sent
/// anything of it.
#[test]
fn whoever_joined_in_the_moment_of_a_crash_is_answered_also_if_it_never_asks_again() {
    let journal = KeptFile::new("unanswered");
    let args = ["main", "1", "--journal", journal.path()];
    let mut host = Host::start(&args);
    let (ann, bob) = (Client::new(host.port), Client::new(host.port));
    let welcome = ann.play("Ann");
    ann.say(b"KEY l");
    let shown = ann.hear_text();
    bob.play("Bob");
    host.signal(Signal::KILL);
    host.wait();
    assert_eq!(welcome[..2], ["OK A", "GRID 21 79"]);
    forget_what_came(&ann);

    let host = Host::start(&args);
    let told: Vec<String> = (0..4).map(|_| bob.hear_text()).collect();
    assert_eq!(told[..3], ["OK B", "GRID 21 79", "GOLD 0 0 250"]);
    assert!(told[3].starts_with("DISPLAY\n"));
    assert_eq!(bob.play("Bob"), told, "and asking again gives the same");
    assert_eq!(ann.hear_text(), "GOLD 0 0 250", "she has had her answer");
    assert!(ann.hear_text().starts_with("DISPLAY\n") && shown.starts_with("DISPLAY\n"));
    drop(host);
    let reading = Recording::read(&std::fs::read(journal.path()).unwrap()).unwrap();
    assert_eq!(reading.recording.records.len(), 4, "two joins, a key, and that it went on");
}

/// A server that records its game beside its journal, and may be killed.
struct Recorded {
    journal: KeptFile,
    recording: KeptFile,
}

impl Recorded {
    fn new(test: &str) -> Self {
        let recording = KeptFile::new(&format!("{test}-recording"));
        Self { journal: KeptFile::new(test), recording }
    }

    fn args(&self) -> [&str; 6] {
        let (journal, recording) = (self.journal.path(), self.recording.path());
        ["main", "1", "--journal", journal, "--record", recording]
    }

    /// The recording tells the same as the journal, but for addresses.
    fn check(&self) -> usize {
        let read = |file: &KeptFile| {
            let reading = Recording::read(&std::fs::read(file.path()).unwrap()).unwrap();
            assert_eq!(reading.tail, Tail::Whole);
            verify(&reading.recording).unwrap();
            reading.recording
        };
        let (journal, recording) = (read(&self.journal), read(&self.recording));
        assert_eq!(recording.header, journal.header);
        let shared = journal.entries().filter_map(|entry| entry.clone().shared());
        assert!(recording.entries().cloned().eq(shared));
        recording.records.len()
    }
}

#[test]
fn a_recording_goes_on_after_a_crash_with_the_same_arguments() {
    let files = Recorded::new("record-again");
    let mut host = Host::start(&files.args());
    let ann = Client::new(host.port);
    ann.play("Ann");
    press(&ann, "l");
    for torn in [0, 1, 12] {
        press(&ann, "h");
        press(&ann, "l");
        host.signal(Signal::KILL);
        host.wait();
        // The recording may be behind the journal, and torn.
        let bytes = std::fs::read(files.recording.path()).unwrap();
        std::fs::write(files.recording.path(), &bytes[..bytes.len() - torn]).unwrap();
        host = Host::start(&files.args());
        assert_eq!(ann.hear_text(), "GOLD 0 0 250");
        ann.hear();
    }
    press(&ann, "h");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    assert_eq!(files.check(), 1 + 1 + 3 * 3 + 1 + 1);
}

#[test]
fn a_recording_can_begin_when_its_game_goes_on_and_has_it_from_the_start() {
    let files = Recorded::new("record-late");
    let mut host = Host::start(&files.args()[..4]);
    let ann = Client::new(host.port);
    ann.play("Ann");
    host.signal(Signal::KILL);
    host.wait();
    let host = Host::start(&files.args());
    press(&ann, "l");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    assert_eq!(files.check(), 4, "a join, that it went on, a key, an end");
}

#[test]
fn a_recording_of_another_game_is_not_gone_on_with_and_left_as_it_is() {
    let (files, other) = (Recorded::new("record-mine"), Recorded::new("record-other"));
    for files in [&files, &other] {
        let mut host = Host::start(&files.args());
        Client::new(host.port).play("Ann");
        host.signal(Signal::KILL);
        host.wait();
    }
    let before = std::fs::read(other.recording.path()).unwrap();
    let args = ["main", "1", "--journal", files.journal.path(), "--record", other.recording.path()];
    let why = refused(&args, 1);
    assert!(why.contains("another game than the journal. Name another file"), "{why}");
    assert_eq!(std::fs::read(other.recording.path()).unwrap(), before);
}
