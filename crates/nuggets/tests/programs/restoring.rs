//! The terminal is given back whole, however a game is left or put aside. `wait_for_end` checks it
//! in every test.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use nuggets_testkit::{FakeServer, ORDINARY, PseudoTerminal, closed_port, cursor};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::room_screen::{STATUS, join_fake_server, shown, wait_for_room};
use crate::starting::{NUGGETS, PLAYER, start_player};

/// Leaves in this way: the server must receive the key that quits, and the client waits for its QUIT.
fn check_leaving(leave: impl FnOnce(&mut PseudoTerminal)) {
    let (server, mut terminal) = join_fake_server();
    terminal.check_taken();
    leave(&mut terminal);
    server.reply_to_quit("Thanks for playing!");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["Thanks for playing!"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn after_a_key_or_a_signal_that_ends_the_program() {
    for key in ["Q", "\x03", "\x04"] {
        check_leaving(|terminal| terminal.type_keys(key));
    }
    for signal in [Signal::INT, Signal::TERM, Signal::QUIT] {
        check_leaving(|terminal| terminal.signal(signal));
    }
}

#[test]
fn after_a_hangup_without_waiting_for_quit() {
    let (server, terminal) = join_fake_server();
    terminal.signal(Signal::HUP);
    let ended = terminal.wait_for_end();
    assert_eq!(server.receive(), "KEY Q");
    assert_eq!((ended.lines, ended.code), (vec![], 0));
}

#[test]
fn after_the_end_of_a_game_whose_table_is_printed() {
    for (table, quit) in [("QUIT GAME OVER:", None), ("GAMEOVER", Some("QUIT"))] {
        let (server, terminal) = join_fake_server();
        server.send(format!("{table}\nA        250 Ann\nB          0 Bob\n"));
        quit.inspect(|quit| server.send(quit));
        let ended = terminal.wait_for_end();
        assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann", "B          0 Bob"]);
        assert_eq!(ended.code, 0);
    }
}

#[test]
fn closing_the_window_leaves_the_game() {
    let (server, terminal) = join_fake_server();
    let code = terminal.close_window(|| server.send("ERROR the lights go out"));
    assert_eq!(server.receive(), "KEY Q");
    assert_eq!(code, 0);
}

#[test]
fn when_the_port_is_closed() {
    let (_held, port) = closed_port();
    let ended = start_player(port, &[], &[]).wait_for_end();
    assert_eq!(
        ended.lines.concat(),
        format!(
            "error: nothing listens at 127.0.0.1:{port}: the port is closed. Is a Nuggets server \
             running there?"
        )
    );
    assert_eq!(ended.code, 1);
}

/// A session at a shell: a game, and after it was suspended, `fg`.
const LOGIN: &str = r#""$@"; echo "put aside"; read -r _; fg; echo "ended with $?""#;

/// A game under a shell is put aside like this. The shell has the terminal as it was, until the
/// game is brought back: whole, and up to date.
fn check_putting_aside(put_aside: impl FnOnce(&mut PseudoTerminal)) {
    let server = FakeServer::new();
    let port = server.port.to_string();
    let mut terminal = PseudoTerminal::start_in_shell(LOGIN, PLAYER, &["127.0.0.1", &port, "Ann"]);
    server.accept();
    wait_for_room(&terminal);
    terminal.check_taken();

    put_aside(&mut terminal);
    wait_for_shell(&terminal);
    terminal.check_given_back();
    server.send("GOLD 0 3 247");
    terminal.resize(12, 60);

    terminal.type_keys("\n");
    terminal.wait_for_lines(&shown("Player A has 3 nuggets (247 nuggets unclaimed)."));
    terminal.wait_for(|screen| cursor(screen) == Some((2, 9)));
    terminal.check_taken();
    terminal.type_keys("h");
    assert_eq!(server.receive(), "KEY h");
    terminal.type_keys("Q");
    server.reply_to_quit("Thanks for playing!");
    let ended = terminal.wait_for_end();
    assert!(ended.lines.ends_with(&["Thanks for playing!".into(), "ended with 0".into()]));
}

/// The shell continues, which it does when the program in the foreground has stopped.
fn wait_for_shell(terminal: &PseudoTerminal) {
    terminal.wait_for(|screen| screen.contents().contains("put aside"));
}

#[test]
fn while_suspended_by_a_key_or_a_signal_and_even_continued_in_the_background() {
    check_putting_aside(|terminal| terminal.type_keys("\x1a"));
    check_putting_aside(|terminal| {
        let game = terminal.in_front();
        terminal.signal(Signal::TSTP);
        wait_for_shell(terminal);
        kill_process(game, Signal::CONT).unwrap();
    });
}

/// A shell wakes what it asks to end.
#[test]
fn a_suspended_game_can_be_terminated() {
    let server = FakeServer::new();
    let port = server.port.to_string();
    let line = r#""$@"; echo "put aside"; read -r _"#;
    let mut terminal = PseudoTerminal::start_in_shell(line, PLAYER, &["127.0.0.1", &port, "Ann"]);
    server.accept();
    wait_for_room(&terminal);
    let game = terminal.in_front();
    terminal.type_keys("\x1a");
    wait_for_shell(&terminal);
    kill_process(game, Signal::TERM).unwrap();
    kill_process(game, Signal::CONT).unwrap();
    server.reply_to_quit("Thanks for playing!");
    terminal.wait_for_lines(&["put aside", "Thanks for playing!"]);
    terminal.check_given_back();
    terminal.type_keys("\n");
    assert_eq!(terminal.wait_for_end().code, 0);
}

const PLAY: [&str; 8] = ["play", "Ann", "--bots", "0", "--map", "main", "--seed", "1"];

#[test]
fn play_restores_the_terminal_too() {
    let leave: [fn(&mut PseudoTerminal); 3] = [
        |terminal| terminal.type_keys("\x03"),
        |terminal| terminal.signal(Signal::INT),
        |terminal| terminal.signal(Signal::TERM),
    ];
    for leave in leave {
        let mut terminal = PseudoTerminal::start(ORDINARY, NUGGETS, &PLAY);
        terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
        leave(&mut terminal);
        let ended = terminal.wait_for_end();
        assert_eq!((ended.lines, ended.code), (vec!["Thanks for playing!".to_owned()], 0));
    }
}

#[test]
fn play_and_the_table_after_it_can_be_suspended_too() {
    let mut terminal = PseudoTerminal::start_in_shell(
        r#""$@"; echo "put aside"; read -r _; fg; echo "put aside twice"; read -r _; fg; echo "ended with $?""#,
        NUGGETS,
        &PLAY,
    );
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    terminal.type_keys("\x1a");
    wait_for_shell(&terminal);
    terminal.check_given_back();
    terminal.type_keys("\n");
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
    terminal.type_keys("Q");
    terminal.wait_for(|screen| screen.contents().contains("  r  play again"));
    terminal.type_keys("\x1a");
    terminal.wait_for(|screen| screen.contents().contains("put aside twice"));
    terminal.check_given_back();
    terminal.type_keys("\n");
    crate::play::leave_end_screen(&mut terminal);
    let ended = terminal.wait_for_end();
    assert!(ended.lines.ends_with(&["ended with 0".into()]), "{:?}", ended.lines);
}

/// There a stopped game would hang.
#[test]
fn without_a_shell_a_game_cannot_be_suspended() {
    let (server, mut terminal) = join_fake_server();
    terminal.type_keys("\x1a");
    terminal.wait_for_lines(&shown(&format!("{STATUS}  unknown keystroke")));
    terminal.signal(Signal::TSTP);
    terminal.type_keys("h");
    assert_eq!(server.receive(), "KEY h");
    terminal.check_taken();
}

/// Without a controlling terminal no signal tells that it is gone.
#[test]
fn a_terminal_that_disappears_without_a_signal_ends_the_game() {
    let server = FakeServer::new();
    let (window, terminal) = bare_terminal();
    let mut player = Command::new(PLAYER)
        .args(["127.0.0.1", &server.port.to_string(), "Ann"])
        .stdin(terminal.try_clone().unwrap())
        .stdout(terminal)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.accept();
    drop(window);
    while server.receive() != "KEY Q" {}
    player.wait().unwrap();
}

/// A terminal without a process, and the master side of it.
fn bare_terminal() -> (OwnedFd, File) {
    let window = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    fcntl_setfd(&window, FdFlags::CLOEXEC).unwrap();
    grantpt(&window).unwrap();
    unlockpt(&window).unwrap();
    let name = ptsname(&window, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    (window, terminal)
}

/// More than the player reads at once, in lines that a shell would take for commands.
const TYPED_LINES: usize = 300;

/// Reads a line as a shell does after the player has ended.
const SHELL: &str =
    r#""$@"; printf 'the shell reads\n'; IFS= read -r line; printf 'it got <%s>\n' "$line""#;

#[test]
fn keys_typed_while_the_player_ends_do_not_reach_the_shell() {
    let server = FakeServer::new();
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let player = [
        "-c",
        SHELL,
        "sh",
        "sh",
        "-c",
        r#"echo $$ >"$0"; exec "$@""#,
        pid_file.to_str().unwrap(),
        PLAYER,
        "127.0.0.1",
        &server.port.to_string(),
        "Ann",
    ];
    let mut terminal = PseudoTerminal::start(ORDINARY, "sh", &player);
    server.accept();
    wait_for_room(&terminal);
    let pid: i32 = std::fs::read_to_string(pid_file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    // While it is stopped, the end arrives and keys are typed: all of them are waiting when it continues.
    kill_process(pid, Signal::STOP).unwrap();
    server.send("QUIT GAME OVER:\nA          0 Ann");
    for _ in 0..TYPED_LINES {
        terminal.type_keys("hjkl rm\r");
    }
    kill_process(pid, Signal::CONT).unwrap();
    terminal.wait_for(|screen| screen.contents().contains("the shell reads"));
    terminal.type_keys("typed later\r");
    let screen = terminal.wait_for(|screen| screen.contents().contains("it got <"));
    assert!(screen.contents().contains("it got <typed later>"), "{}", screen.contents());
    assert_eq!(terminal.wait_for_end().code, 0);
}
