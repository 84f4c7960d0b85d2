//! Map files with faults: which are accepted with a warning, which are rejected and how.

use std::path::{Path, PathBuf};
use std::process::Command;

use nuggets_testkit::{UdpClient, run_command};
use rustix::process::Signal;

use crate::starting::start_server;

/// A directory of this test's own, gone when it is over.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("nuggets-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str, text: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// The server must reject this map: exit code 1, nothing on stdout, and this on stderr.
fn check_rejected(folder: &Path, map: &str, stderr: &str) {
    let server = env!("CARGO_BIN_EXE_server");
    let rejected = run_command(Command::new(server).arg(map).current_dir(folder), b"");
    assert_eq!(rejected.stderr, stderr);
    assert_eq!(rejected.stdout, "");
    assert_eq!(rejected.status.code(), Some(1));
}

#[test]
fn each_bad_map_is_rejected_with_place_fault_and_advice() {
    let scratch = Scratch::new("rejected");
    scratch.file("empty.txt", b"");
    scratch.file("foreign.txt", b"+--+\n|.x|\n+--+\n");
    scratch.file("few.txt", b"+--+\n|..|\n+--+\n");
    scratch.file("large.txt", &(".".repeat(300) + "\n").repeat(300).into_bytes());
    scratch.file("huge.txt", ".".repeat(300_000).as_bytes());
    let folder = &scratch.0;
    check_rejected(
        folder,
        "missing.txt",
        "error: there is no map 'missing.txt': no such file, and no built-in map of that name. \
         Check the path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, \
         pretty\n",
    );
    check_rejected(
        folder,
        "empty.txt",
        "error: can't use the map 'empty.txt': line 1, column 1: found nothing: the file is \
         empty. Draw a map in it\n",
    );
    check_rejected(
        folder,
        "foreign.txt",
        "error: can't use the map 'foreign.txt': line 2, column 3: found 'x', which is no map \
         character. A map is drawn with blanks and - | + . # only: put one of these there\n",
    );
    check_rejected(
        folder,
        "few.txt",
        "error: can't use the map 'few.txt': lines 1 to 3, columns 1 to 4: found 2 room spots '.', \
         but 56 are needed: 26 for players and 30 for piles of gold. Draw larger rooms, or more of \
         them\n",
    );
    check_rejected(
        folder,
        "large.txt",
        "error: can't use the map 'large.txt': line 218, column 1: found a map of 300x300 (lines x \
         columns); its picture must fit one datagram, so from here on it is too large. Make it \
         smaller: 217x300 fits, and so does 300x217\n",
    );
    check_rejected(
        folder,
        "huge.txt",
        "error: can't read the map 'huge.txt': it is larger than 262144 bytes, far more than any map \
         that fits one datagram. Give the path of a text file that you may read\n",
    );
    check_rejected(
        folder,
        ".",
        "error: can't read the map '.': Is a directory (os error 21). Give the path of a text file \
         that you may read\n",
    );
}

#[test]
fn crlf_missing_newline_and_stripped_blanks_are_accepted_with_a_warning() {
    let scratch = Scratch::new("corrected");
    let stripped: Vec<&str> =
        nuggets_game::shipped::ALL[0].text.lines().map(str::trim_end).collect();
    let map = scratch.file("windows.txt", stripped.join("\r\n").as_bytes());
    let host = start_server(&[&map, "42"]);
    let messages = UdpClient::new(host.port()).play("Ann");
    // The widest line of the stripped file has 67 columns.
    assert_eq!(messages[1], "GRID 21 67");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    for warning in [
        "lines that end in CR LF: 20; the CR is left off",
        "the last line has no newline",
        "lines shorter than the widest, which has 67 columns: 17, beginning with line 1;",
    ] {
        assert!(log.contains(warning), "{log}");
    }
    assert_eq!(log.matches("WARN").count(), 3, "{log}");
}

#[test]
fn a_map_with_faults_is_played_with_a_warning() {
    let scratch = Scratch::new("faulty");
    let room = format!("+{0}+\n|{1}|\n+{0}+   #\n", "-".repeat(60), ".".repeat(60));
    let host = start_server(&[&scratch.file("faulty.txt", room.as_bytes()), "1"]);
    assert_eq!(UdpClient::new(host.port()).play("Ann")[0], "OK A");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("line 3, column 66: this spot can't be reached"), "{log}");
}

#[test]
fn every_built_in_map_can_be_hosted_by_name_and_by_file() {
    for map in nuggets_game::shipped::ALL {
        let by_name = start_server(&[map.name, "7"]);
        let file = format!("{}/../../maps/{}.txt", env!("CARGO_MANIFEST_DIR"), map.name);
        let by_file = start_server(&[&file, "7"]);
        let joined = [by_name, by_file].map(|host| UdpClient::new(host.port()).play("Ann"));
        assert_eq!(joined[0], joined[1], "{}", map.name);
    }
}
