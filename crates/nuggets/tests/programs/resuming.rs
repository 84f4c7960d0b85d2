//! A server that is restarted with its journal: what it sends to which client, and when it ends at once.

use nuggets_game::Name;
use nuggets_record::{Entry, RecordedEvent, Recording, Tail, Timestamp, Writer, verify};
use nuggets_server::udp;
use nuggets_testkit::{ServerProcess, UdpClient, free_port};
use rustix::process::Signal;

use crate::journal::{press, rejected};
use crate::starting::{start_server, start_server_with_resends};
use crate::temp_file::TempFile;

/// A server that was killed while it sent the end of its game to a spectator.
struct Finished {
    journal: TempFile,
    watcher: UdpClient,
    table: String,
}

impl Finished {
    fn killed(test: &str) -> Self {
        let journal = TempFile::new(test);
        let mut host = start_server_with_resends(&Self::args(&journal, "600000"));
        let ann = UdpClient::new(host.port());
        let watcher = UdpClient::new(host.port());
        ann.play("Ann");
        watcher.send(b"SPECTATE");
        ann.send(b"KEY Q");
        let table = receive_end(&watcher);
        host.kill();
        watcher.discard_received();
        Self { journal, watcher, table }
    }

    fn args<'a>(journal: &'a TempFile, linger: &'a str) -> [&'a str; 7] {
        ["main", "1", "--end-when-empty", "--journal", journal.path(), "--linger", linger]
    }

    fn again(&self, linger: &str) -> ServerProcess {
        start_server_with_resends(&Self::args(&self.journal, linger))
    }
}

/// Waits until a client receives the end.
fn receive_end(client: &UdpClient) -> String {
    std::iter::repeat_with(|| client.receive_text()).find(|text| text.starts_with("QUIT")).unwrap()
}

#[test]
fn a_server_killed_while_sending_the_end_resends_it_and_marks_the_journal_complete() {
    let game = Finished::killed("end-again");
    assert_eq!(game.table, "QUIT GAME OVER:\nA          0 Ann");
    let ended = game.again("100").end();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert_eq!(ended.stdout, "GAME OVER:\nA          0 Ann\n");
    assert!(ended.stderr.contains("it is sent again"), "{}", ended.stderr);
    assert_eq!(receive_end(&game.watcher), game.table);

    let why = rejected(&Finished::args(&game.journal, "100"), 1);
    assert!(why.contains("the game in it is over"), "{why}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_killed_at_the_end_does_not_wait_for_clients_that_left() {
    let Finished { journal, watcher, .. } = Finished::killed("end-alone");
    drop(watcher);
    let ended = start_server_with_resends(&Finished::args(&journal, "600000")).end();
    assert!(ended.status.success(), "{}", ended.stderr);
}

/// A server that records its game beside its journal, and may be killed.
struct Recorded {
    journal: TempFile,
    recording: TempFile,
}

impl Recorded {
    fn new(test: &str) -> Self {
        let recording = TempFile::new(&format!("{test}-recording"));
        Self { journal: TempFile::new(test), recording }
    }

    fn args(&self) -> [&str; 6] {
        let journal = self.journal.path();
        let recording = self.recording.path();
        ["main", "1", "--journal", journal, "--record", recording]
    }

    /// The recording tells the same as the journal, but for addresses.
    fn check(&self) -> usize {
        let read = |file: &TempFile| {
            let reading = Recording::read(&std::fs::read(file.path()).unwrap()).unwrap();
            assert_eq!(reading.tail, Tail::Whole);
            verify(&reading.recording).unwrap();
            reading.recording
        };
        let journal = read(&self.journal);
        let recording = read(&self.recording);
        assert_eq!(recording.header, journal.header);
        let shared = journal.entries().filter_map(|entry| entry.clone().shared());
        assert!(recording.entries().cloned().eq(shared));
        recording.records.len()
    }
}

#[test]
fn a_recording_continues_after_a_crash() {
    let files = Recorded::new("record-again");
    let mut host = start_server(&files.args());
    let ann = UdpClient::new(host.port());
    ann.play("Ann");
    press(&ann, "l");
    for missing in [0, 1, 12] {
        press(&ann, "h");
        press(&ann, "l");
        host.kill();
        // The recording may be shorter than the journal, and truncated.
        let bytes = std::fs::read(files.recording.path()).unwrap();
        std::fs::write(files.recording.path(), &bytes[..bytes.len() - missing]).unwrap();
        host = start_server(&files.args());
        assert_eq!(ann.receive_text(), "GOLD 0 0 250");
        ann.receive();
    }
    press(&ann, "h");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    assert_eq!(files.check(), 1 + 1 + 3 * 3 + 1 + 1);
}

#[test]
fn a_recording_started_on_resume_has_the_whole_game() {
    let files = Recorded::new("record-late");
    let mut host = start_server(&files.args()[..4]);
    let ann = UdpClient::new(host.port());
    ann.play("Ann");
    host.kill();
    let host = start_server(&files.args());
    press(&ann, "l");
    host.signal(Signal::TERM);
    assert!(host.end().status.success());
    assert_eq!(files.check(), 4, "a join, that it went on, a key, an end");
}

#[test]
fn a_recording_of_another_game_is_rejected_and_left_unchanged() {
    let files = Recorded::new("record-mine");
    let other = Recorded::new("record-other");
    for files in [&files, &other] {
        let mut host = start_server(&files.args());
        UdpClient::new(host.port()).play("Ann");
        host.kill();
    }
    let before = std::fs::read(other.recording.path()).unwrap();
    let args = ["main", "1", "--journal", files.journal.path(), "--record", other.recording.path()];
    let why = rejected(&args, 1);
    assert!(why.contains("another game than the journal. Name another file"), "{why}");
    assert_eq!(std::fs::read(other.recording.path()).unwrap(), before);
}

/// The journal of an older server, in format version 1, with one player at this client's address.
fn version_1_journal(client: &UdpClient) -> Vec<u8> {
    let old = include_bytes!("../../../record/tests/kept_v1_journal.nuggets");
    let start = Recording::read(old).unwrap().recording.checkpoints[0].offset;
    let reading = Recording::read(&old[..start]).unwrap();
    let mut game = reading.recording.header.game().unwrap();
    let (mut writer, more) = Writer::resume(&reading, Timestamp(0), &game).unwrap();
    let mut bytes = [&old[..start], &more].concat();
    let peer = Some(udp::token(client.socket.local_addr().unwrap()));
    let join = RecordedEvent::Join { name: Name::new(b"Ann").unwrap(), peer };
    game.apply(join.input().unwrap(), &mut vec![]);
    writer.append(&Entry::new(Timestamp(10), join), &game, &mut bytes);
    assert_eq!(bytes[8..10], [1, 0], "version 1");
    bytes
}

#[test]
fn a_server_that_was_upgraded_resumes_the_journal_of_its_predecessor() {
    let port = free_port();
    let ann = UdpClient::new(port);
    let journal = TempFile::new("upgraded");
    let before = version_1_journal(&ann);
    std::fs::write(journal.path(), &before).unwrap();
    let port = port.to_string();
    let args = ["narrow", "1", "--bind", "127.0.0.1", "--port", &port, "--journal", journal.path()];
    for restart in 0..2 {
        let mut host = start_server(&args);
        let answer: Vec<String> = (0..4 - 2 * restart).map(|_| ann.receive_text()).collect();
        assert!(answer.last().unwrap().starts_with("DISPLAY\n"), "{answer:?}");
        if restart == 0 {
            assert_eq!(answer[0], "OK A");
            let moved: Vec<bool> =
                ["h", "l", "j", "k"].iter().map(|key| !press(&ann, key).is_empty()).collect();
            assert!(moved.contains(&true), "a key must move her");
        }
        host.kill();
    }
    let after = std::fs::read(journal.path()).unwrap();
    assert!(after.starts_with(&before), "the journal continues in its own format");
    let reading = Recording::read(&after).unwrap();
    assert_eq!(reading.tail, Tail::Whole);
    let verified = verify(&reading.recording).unwrap();
    assert_eq!(verified.game.players().len(), 1);
    assert!(verified.entries > 4);
}
