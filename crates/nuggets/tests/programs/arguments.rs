//! Wrong arguments: whole stderr and exit code. Nothing goes to stdout.

use std::process::{Command, Stdio};

use crate::host::closed_port;

pub(crate) const NUGGETS: &str = env!("CARGO_BIN_EXE_nuggets");
const PLAYER: &str = env!("CARGO_BIN_EXE_player");
pub(crate) const SERVER: &str = env!("CARGO_BIN_EXE_server");

/// The program called with these words ends with this exit code and says exactly this on stderr.
pub(crate) fn check(program: &str, words: &str, code: i32, stderr: &str) {
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    check_words(program, &words, code, stderr);
}

fn check_words(program: &str, words: &[&str], code: i32, stderr: &str) {
    let ended = Command::new(program).args(words).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), stderr, "{program} {words:?}");
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), "", "{program} {words:?}");
    assert_eq!(ended.status.code(), Some(code), "{program} {words:?}");
}

const MORE: &str = "\nFor more information, try '--help'.\n";

#[test]
fn the_server_needs_a_map_and_at_most_a_seed() {
    check(
        SERVER,
        "",
        2,
        &format!(
            "error: the following required arguments were not provided:\n  <MAP>\n\n\
             Usage: server <MAP> [SEED]\n{MORE}"
        ),
    );
    check(
        SERVER,
        "main 5 6",
        2,
        &format!(
            "error: unexpected argument '6' found\n\nUsage: server [OPTIONS] <MAP> [SEED]\n{MORE}"
        ),
    );
}

#[test]
fn a_bad_seed_is_refused_by_the_dialects_own_rule() {
    for seed in ["0", "-5", "x", "1.5", "9223372036854775808"] {
        let stderr = format!(
            "error: the seed '{seed}' can't be used: in the 2021 dialect it is a whole number from 1 \
             to 9223372036854775807. Leave it off to have one chosen\n"
        );
        check_words(SERVER, &["main", seed], 2, &stderr);
        check_words(NUGGETS, &["server", "main", seed], 2, &stderr);
        check_words(NUGGETS, &["play", "--seed", seed], 2, &stderr);
    }
    check(
        SERVER,
        "main x --dialect 2019",
        2,
        "error: the seed 'x' can't be used: in the 2019 dialect it is a whole number from \
         -9223372036854775808 to 9223372036854775807. Leave it off to have one chosen\n",
    );
}

#[test]
fn bad_options_of_the_server_are_refused() {
    check(
        SERVER,
        "main --dialect 2020",
        2,
        &format!(
            "error: invalid value '2020' for '--dialect <YEAR>'\n  [possible values: 2021, 2019]\n\n  \
             tip: a similar value exists: '2021'\n{MORE}"
        ),
    );
    check(
        SERVER,
        "main --port 99999",
        2,
        &format!(
            "error: invalid value '99999' for '--port <PORT>': 99999 is not in 0..=65535\n{MORE}"
        ),
    );
    check(
        SERVER,
        "main --bind nowhere",
        2,
        &format!(
            "error: invalid value 'nowhere' for '--bind <ADDRESS>': invalid IP address syntax\n{MORE}"
        ),
    );
    check(
        SERVER,
        "main --log loud",
        2,
        &format!(
            "error: invalid value 'loud' for '--log <LEVEL>'\n  \
             [possible values: off, error, warn, info, debug, trace]\n{MORE}"
        ),
    );
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let words = ["main", "--bind", "127.0.0.1", "--port", &port];
    let ended = Command::new(SERVER).args(words).stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(
        stderr.starts_with(&format!("error: can't listen on port {port} of 127.0.0.1 (")),
        "{stderr}"
    );
    assert!(
        stderr.ends_with(
            "): another program has that port. Choose another with --port, or 0 for any\n"
        ),
        "{stderr}"
    );
    assert_eq!((ended.stdout, ended.status.code()), (vec![], Some(1)));
}

#[test]
fn the_player_needs_a_host_and_a_port_and_at_most_a_name() {
    check(
        PLAYER,
        "",
        2,
        &format!(
            "error: the following required arguments were not provided:\n  <HOSTNAME>\n  <PORT>\n\n\
             Usage: player <HOSTNAME> <PORT> [PLAYERNAME]\n{MORE}"
        ),
    );
    check(
        PLAYER,
        "localhost",
        2,
        &format!(
            "error: the following required arguments were not provided:\n  <PORT>\n\n\
             Usage: player <HOSTNAME> <PORT> [PLAYERNAME]\n{MORE}"
        ),
    );
    check(
        PLAYER,
        "localhost 1 Ann Smith",
        2,
        &format!(
            "error: unexpected argument 'Smith' found\n\n\
             Usage: player [OPTIONS] <HOSTNAME> <PORT> [PLAYERNAME]\n{MORE}"
        ),
    );
}

#[test]
fn a_bad_port_number_is_refused() {
    for port in ["abc", "0", "70000", "12 3", "1.5", ""] {
        let stderr = format!(
            "error: the port '{port}' is not a number from 1 to 65535. The server announces its \
             port when it starts\n"
        );
        check_words(PLAYER, &["localhost", port, "Ann"], 2, &stderr);
        check_words(NUGGETS, &["player", "localhost", port], 2, &stderr);
    }
}

#[test]
fn bad_options_of_the_player_are_refused() {
    check(
        PLAYER,
        "localhost 1 --color pink",
        2,
        &format!(
            "error: invalid value 'pink' for '--color <WHEN>'\n  \
             [possible values: auto, always, never]\n{MORE}"
        ),
    );
    check(
        PLAYER,
        "localhost 1 --log-file /nowhere/at/all",
        1,
        "error: can't log to '/nowhere/at/all': No such file or directory (os error 2)\n",
    );
}

#[test]
fn a_closed_port_has_its_own_message() {
    let (_held, closed) = closed_port();
    check(
        PLAYER,
        &format!("127.0.0.1 {closed} Ann"),
        1,
        &format!(
            "error: nobody listens at 127.0.0.1:{closed}: the port is closed. Is a Nuggets server \
             running there?\n"
        ),
    );
}

/// Whether a lookup finds that there is no such host or fails altogether depends on the network of
/// the machine; each has its own message.
#[test]
fn an_unknown_host_has_its_own_message() {
    let words = ["no-such-host.invalid", "1234", "Ann"];
    let ended = Command::new(PLAYER).args(words).stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(
        stderr.starts_with("error: there is no host named 'no-such-host.invalid'")
            || stderr
                .starts_with("error: the name 'no-such-host.invalid' can't be looked up just now"),
        "{stderr}"
    );
    assert_eq!((ended.stdout, ended.status.code()), (vec![], Some(1)));
}

#[test]
fn nuggets_needs_a_command_that_it_knows() {
    check(
        NUGGETS,
        "frob",
        2,
        &format!("error: unrecognized subcommand 'frob'\n\nUsage: nuggets <COMMAND>\n{MORE}"),
    );
    check(
        NUGGETS,
        "play --map nowhere",
        1,
        "error: there is no map 'nowhere': no such file, and no built-in map of that name. Check \
         the path, or choose one of main, cross, edges, grand, hall, hole, maze, narrow, pretty\n",
    );
}

#[test]
fn every_program_tells_how_it_is_used() {
    for (program, words, usage) in [
        (SERVER, vec!["--help"], "Usage: server [OPTIONS] <MAP> [SEED]"),
        (PLAYER, vec!["--help"], "Usage: player [OPTIONS] <HOSTNAME> <PORT> [PLAYERNAME]"),
        (NUGGETS, vec!["--help"], "Usage: nuggets <COMMAND>"),
        (NUGGETS, vec!["play", "--help"], "Usage: nuggets play [OPTIONS] [NAME]"),
        (NUGGETS, vec!["server", "--help"], "Usage: nuggets server [OPTIONS] <MAP> [SEED]"),
        (
            NUGGETS,
            vec!["player", "--help"],
            "Usage: nuggets player [OPTIONS] <HOSTNAME> <PORT> [PLAYERNAME]",
        ),
    ] {
        let ended = Command::new(program).args(&words).output().unwrap();
        let stdout = String::from_utf8(ended.stdout).unwrap();
        assert!(stdout.contains(usage), "{stdout}");
        assert!(ended.status.success() && ended.stderr.is_empty());
    }
}

#[test]
fn the_examples_of_a_program_can_be_typed_as_they_stand() {
    for (program, example) in [
        (SERVER, "  server main --record game.nuggets  write the game down, for nuggets replay\n"),
        (PLAYER, "  printf 'llLjQ' | player localhost 9999 Ann   play from a script\n"),
    ] {
        let ended = Command::new(program).arg("--help").output().unwrap();
        let stdout = String::from_utf8(ended.stdout).unwrap();
        assert!(stdout.contains(example), "{stdout}");
    }
}

/// The names in the help are typed by hand; the maps are not.
#[test]
fn the_help_names_every_built_in_map() {
    let names: Vec<&str> = nuggets_game::shipped::ALL.iter().map(|map| map.name).collect();
    for words in [["server", "--help"], ["play", "--help"]] {
        let ended = Command::new(NUGGETS).args(words).output().unwrap();
        let stdout = String::from_utf8(ended.stdout).unwrap();
        let flowing = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(&names.join(", ")), "{stdout}");
    }
}
