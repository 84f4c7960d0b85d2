//! A server that hosts one game after another and waits for its start, and our player on it.

use std::fs;
use std::process::Command;

use nuggets_testkit::{
    ORDINARY, ProcessEnd, PseudoTerminal, ServerProcess, UdpClient, run, run_command,
};
use tempfile::TempDir;

use crate::starting::{NUGGETS, PLAYER, SERVER, start_server_command};

/// One nugget in one pile on a map with few other spots: found by walking to and fro.
const TINY: &str = "+---+\n|...|\n|...|\n+---+\n";
pub(crate) const ONE_NUGGET: [&str; 8] =
    ["--gold", "1", "--min-piles", "1", "--max-piles", "1", "--players", "4"];

pub(crate) struct Scene {
    pub(crate) folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tiny.txt"), TINY).unwrap();
        fs::write(
            folder.path().join("wide.txt"),
            TINY.replace("---", "----").replace("...", "...."),
        )
        .unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn start(&self, args: &[&str]) -> ServerProcess {
        let mut command = Command::new(SERVER);
        let args =
            [&["tiny.txt", "7", "--linger", "0", "--no-resends"], &ONE_NUGGET[..], args].concat();
        start_server_command(command.current_dir(self.folder.path()).args(args))
    }

    pub(crate) fn ctl(&self, request: &[&str]) -> ProcessEnd {
        let args = [&["ctl", "sock"], request].concat();
        run_command(Command::new(NUGGETS).current_dir(self.folder.path()).args(args), b"")
    }

    /// The exit code, and what was printed.
    pub(crate) fn ask(&self, request: &[&str]) -> (Option<i32>, String) {
        let ended = self.ctl(request);
        (ended.code(), ended.stdout + &ended.stderr)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

/// Joins the game; returns the first four messages of the welcome.
pub(crate) fn join(client: &UdpClient, name: &str) -> Vec<String> {
    let joined = client.play(name);
    assert!(joined[0].starts_with("OK "), "{joined:?}");
    joined
}

/// Walks over the whole map until the game is over; returns the table.
pub(crate) fn win(client: &UdpClient) -> String {
    for key in "HKLjHKLjHKLj".chars() {
        client.send(format!("KEY {key}").as_bytes());
    }
    loop {
        let message = client.receive_text();
        let table = message.strip_prefix("QUIT GAME OVER:\n");
        if let Some(table) = table.or_else(|| message.strip_prefix("GAMEOVER\n")) {
            return table.to_owned();
        }
    }
}

/// Waits until this is on the screen.
pub(crate) fn shows(terminal: &PseudoTerminal, words: &str) {
    terminal.wait_for(|screen| screen.contents().contains(words));
}

pub(crate) fn wait_for_start(client: &UdpClient) {
    while client.receive_text() != "ERROR Notice: the game has begun" {}
}

#[test]
fn the_next_game_begins_on_the_same_port_with_the_next_map_and_seed() {
    let scene = Scene::new();
    let args = ["--games", "3", "--pause", "0", "--rotate", "wide.txt", "--record", "r"];
    let host = scene.start(&[&args[..], &["--journal", "j", "--results", "results.csv"]].concat());
    let mut grids = Vec::new();
    for game in 1..=3 {
        let ann = UdpClient::new(host.port());
        let joined = join(&ann, "Ann");
        grids.push(joined[1].clone());
        if game < 3 {
            assert!(ann.receive_text().starts_with("ERROR House rules: gold 1"));
            let next = ann.receive_text();
            assert_eq!(next, "ERROR Next game: 0 seconds after this one, on this port");
        }
        assert_eq!(win(&ann), "A          1 Ann");
    }
    let ended = host.end();
    assert!(ended.status.success());
    assert_eq!(grids, ["GRID 4 5", "GRID 4 6", "GRID 4 5"]);
    assert_eq!(ended.stdout, "GAME OVER:\nA          1 Ann\n".repeat(3));
    let rows = "game,seed,map,end,left,letter,purse,name\n\
                1,7,tiny.txt,all gold taken,0,A,1,Ann\n\
                2,8,wide.txt,all gold taken,0,A,1,Ann\n\
                3,9,tiny.txt,all gold taken,0,A,1,Ann\n";
    assert_eq!(scene.read("results.csv"), rows);
    for (name, seed) in [("r.1", 7), ("r.2", 8), ("r", 9), ("j.1", 7), ("j.2", 8), ("j", 9)] {
        let bytes = fs::read(scene.path(name)).unwrap();
        let recording = nuggets_record::Recording::read(&bytes).unwrap().recording;
        assert_eq!(recording.header.setup.seed.number(), seed, "{name}");
        nuggets_record::verify(&recording).unwrap();
    }
    assert!(!ended.stderr.contains("can't be reached"), "{}", ended.stderr);
}

#[test]
fn a_server_that_is_killed_resumes_its_series_where_it_was() {
    let scene = Scene::new();
    let args =
        ["--games", "3", "--pause", "0", "--rotate", "wide.txt", "--journal", "j", "--record", "r"];
    let mut host = scene.start(&args);
    win_game(&host, "Ann");
    let bob = UdpClient::new(host.port());
    join(&bob, "Bob");
    host.kill();

    // In the middle of the second game.
    let port = host.port();
    let mut host = scene.start(&args);
    assert_eq!(host.port(), port, "its players look for it there");
    bob.send(b"PLAY Bob");
    while bob.receive_text() != "GRID 4 6" {}
    assert_eq!(win(&bob), "A          1 Bob");
    let carl = UdpClient::new(port);
    join(&carl, "Carl");
    host.kill();

    // Between the second and the third: its journal was renamed, and the next not yet begun.
    fs::remove_file(scene.path("j")).unwrap();
    fs::remove_file(scene.path("r")).unwrap();
    let host = scene.start(&[&args[..], &["--port", &port.to_string()]].concat());
    let dan = UdpClient::new(port);
    assert_eq!(join(&dan, "Dan")[1], "GRID 4 5");
    assert_eq!(win(&dan), "A          1 Dan");
    assert!(host.end().status.success());

    let mut again = Command::new(SERVER);
    again.current_dir(scene.folder.path());
    let all_over =
        run_command(again.args([&["tiny.txt", "7"], &ONE_NUGGET[..], &args].concat()), b"");
    assert_eq!(all_over.status.code(), Some(1));
    let stderr = all_over.stderr;
    assert!(stderr.contains("the game in it is over"), "{stderr}");
}

#[test]
fn a_game_that_is_killed_while_its_end_is_sent_has_one_result() {
    let scene = Scene::new();
    let files = ["--journal", "j", "--results", "r.csv"];
    let args = [&["tiny.txt", "7", "--linger", "60000"], &ONE_NUGGET[..], &files].concat();
    let mut command = Command::new(SERVER);
    let mut host = start_server_command(command.current_dir(scene.folder.path()).args(args));
    let ann = UdpClient::new(host.port());
    join(&ann, "Ann");
    win(&ann);
    host.kill();
    let again = scene.start(&files);
    assert_eq!(again.end().stdout, "GAME OVER:\nA          1 Ann\n");
    let rows = scene.read("r.csv");
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert!(rows.ends_with("\n1,7,tiny.txt,all gold taken,0,A,1,Ann\n"), "{rows}");
}

fn win_game(host: &ServerProcess, name: &str) {
    let client = UdpClient::new(host.port());
    join(&client, name);
    win(&client);
}

#[test]
fn our_player_joins_the_next_game_by_itself_and_prints_every_table() {
    for dialect in ["2021", "2019"] {
        let scene = Scene::new();
        let host = scene.start(&["--games", "2", "--pause", "0", "--dialect", dialect]);
        let port = host.port().to_string();
        let mut ann = PseudoTerminal::start(ORDINARY, PLAYER, &["127.0.0.1", &port, "Ann"]);
        shows(&ann, "Player A has 0 nuggets");
        // Another player ends the first game.
        win_game(&host, "Bob");
        shows(&ann, "The next game begins soon");
        shows(&ann, "Player A has 0 nuggets");
        ann.type_keys("HKLjHKLjHKLj");
        let ended = ann.wait_for_end();
        assert_eq!(ended.code, 0);
        let tables = [
            "GAME OVER:",
            "A          0 Ann",
            "B          1 Bob",
            "GAME OVER:",
            "A          1 Ann",
        ];
        assert_eq!(ended.lines, tables, "{dialect}");
        assert!(host.end().status.success());
    }
}

#[test]
fn without_a_picture_the_table_is_said_and_the_next_game_joined() {
    let scene = Scene::new();
    let host = scene.start(&["--games", "2", "--pause", "0"]);
    let port = host.port().to_string();
    let mut ann = PseudoTerminal::start((40, 100), PLAYER, &["127.0.0.1", &port, "Ann", "--lines"]);
    shows(&ann, "You are player A");
    win_game(&host, "Bob");
    shows(&ann, "B          1 Bob");
    shows(&ann, "The next game begins soon");
    ann.wait_for(|screen| screen.contents().matches("You are player A").count() == 2);
    ann.type_keys("Q");
    let ended = ann.wait_for_end();
    let tables = ended.lines.iter().filter(|line| line.contains("GAME OVER:")).count();
    assert_eq!((ended.code, tables), (0, 1), "{:?}", ended.lines);
    assert_eq!(ended.lines.last().unwrap(), "Thanks for playing!");
    let raw = String::from_utf8(ended.raw).unwrap();
    assert!(!raw.contains("\x1b[?1049h") && !raw.contains("\x1b[2J"), "{raw:?}");
}

#[test]
fn keys_from_a_pipe_are_for_one_game() {
    let scene = Scene::new();
    let host = scene.start(&["--games", "forever", "--pause", "0"]);
    let line = format!("printf HKLjHKLjHKLj | {PLAYER} 127.0.0.1 {} Ann", host.port());
    let output = run("sh", &["-c", &line]);
    assert!(output.status.success());
    let printed = output.stdout;
    assert!(printed.ends_with("GAME OVER:\nA          1 Ann\n"), "{printed}");
}
