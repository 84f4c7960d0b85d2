//! Map files with faults that are accepted with a warning, and the maps of the documentation. Those that are rejected are
//! in `transcripts/maps.console`.

use std::path::PathBuf;
use std::process::Command;

use nuggets_game::map::check::MapRule;
use nuggets_testkit::{UdpClient, run, run_command};
use rustix::process::Signal;

use crate::starting::{NUGGETS, start_server};

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

const DOCUMENTATION: &str = include_str!("../../../../docs/maps.md");

/// The part of the documentation between two texts.
fn documented(start: &str, end: &str) -> &'static str {
    DOCUMENTATION.split_once(start).unwrap().1.split_once(end).unwrap().0
}

#[test]
fn the_documentation_shows_a_real_report_and_a_real_new_map() {
    let scratch = Scratch::new("documented");
    let map = documented("in the file `faulty.txt`:\n\n```\n", "```");
    scratch.file("faulty.txt", map.as_bytes());
    let nuggets = |words: &str| {
        let mut command = Command::new(NUGGETS);
        run_command(command.args(words.split(' ')).current_dir(&scratch.0), b"").stdout
    };
    let shown = documented("$ nuggets map check faulty.txt\n", "\n...\n");
    assert!(
        shown.contains("\nclosed-rooms\n") && nuggets("map check faulty.txt").starts_with(shown)
    );
    for rule in MapRule::ALL {
        let row = format!("| `{}` | {} |", rule.id(), rule.text().replace('|', "\\|"));
        assert!(DOCUMENTATION.contains(&row), "{row}");
    }
    let words = "map new --rows 14 --cols 64 --seed 7";
    let example = documented(&format!("`nuggets {words}`\n"), "```\n\n|");
    let drawn = nuggets(words);
    let drawn: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    assert_eq!(drawn.join("\n").trim_end(), example.split_once("```\n").unwrap().1.trim_end());
}

#[test]
fn new_prints_the_chosen_seed_which_gives_the_same_map() {
    let ended = run(NUGGETS, &["map", "new", "--style", "halls"]);
    let printed = ended.stderr;
    let seed = printed.strip_prefix("seed ").unwrap().split(':').next().unwrap();
    assert_eq!(printed, format!("seed {seed}: repeat with --seed {seed}\n"));
    let again = run(NUGGETS, &["map", "new", "--style", "halls", "--seed", seed]);
    assert_eq!(ended.stdout, again.stdout);
}
