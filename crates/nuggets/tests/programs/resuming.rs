//! A server that is started again with its journal: what it tells whom, and when it has nothing left
//! to do.

use std::process::Command;

use nuggets_record::Recording;
use rustix::process::Signal;

use crate::host::{Client, Host};
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

    let refused = Command::new(env!("CARGO_BIN_EXE_server"))
        .args(Finished::args(&game.journal, "100"))
        .output()
        .unwrap();
    let why = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), &*refused.stdout), (Some(1), &b""[..]), "{why}");
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
