//! Wrong arguments: whole stderr and exit code. Nothing goes to stdout.

use nuggets_testkit::{closed_port, run};

pub(crate) const NUGGETS: &str = env!("CARGO_BIN_EXE_nuggets");
const PLAYER: &str = env!("CARGO_BIN_EXE_player");
pub(crate) const SERVER: &str = env!("CARGO_BIN_EXE_server");

/// The program with these arguments must end with this exit code and print exactly this to stderr.
pub(crate) fn check(program: &str, words: &str, code: i32, stderr: &str) {
    let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    check_words(program, &words, code, stderr);
}

pub(crate) fn check_words(program: &str, words: &[&str], code: i32, stderr: &str) {
    let ended = run(program, words);
    assert_eq!(ended.stderr, stderr, "{program} {words:?}");
    assert_eq!(ended.stdout, "", "{program} {words:?}");
    assert_eq!(ended.status.code(), Some(code), "{program} {words:?}");
}

const PLAYER_USAGE: &str = "\
Usage: player [OPTIONS] <HOSTNAME> <PORT> [PLAYERNAME]
       player [OPTIONS] <LINK> [PLAYERNAME]
";

/// The last line of every message about wrong arguments.
pub(crate) const MORE: &str = "\nFor more information, try '--help'.\n";

#[test]
fn the_server_takes_a_map_and_at_most_a_seed() {
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
fn a_bad_seed_is_rejected() {
    for seed in ["0", "-5", "x", "1.5", "9223372036854775808"] {
        let stderr = format!(
            "error: invalid seed '{seed}': in the 2021 dialect it is a whole number from 1 to \
             9223372036854775807. Leave it out to have one chosen\n"
        );
        check_words(SERVER, &["main", seed], 2, &stderr);
        check_words(NUGGETS, &["server", "main", seed], 2, &stderr);
        let range = "give a whole number from 1 to 9223372036854775807";
        for (command, if_omitted) in [("play", "to have one chosen"), ("arena", "to use 1")] {
            let stderr =
                format!("error: invalid seed '{seed}': {range}, or leave it out {if_omitted}\n");
            check_words(NUGGETS, &[command, "--seed", seed], 2, &stderr);
        }
    }
    check(
        SERVER,
        "main x --dialect 2019",
        2,
        "error: invalid seed 'x': in the 2019 dialect it is a whole number from \
         -9223372036854775808 to 9223372036854775807. Leave it out to have one chosen\n",
    );
}

#[test]
fn bad_options_of_the_server_are_rejected() {
    check(
        SERVER,
        "main --dialect 2020",
        2,
        &format!(
            "error: invalid value '2020' for '--dialect <YEAR>'\n  [possible values: 2021, 2019]\n\n  \
             tip: a similar value exists: '2021'\n{MORE}"
        ),
    );
    for port in ["99999", "abc", "1.5"] {
        check_words(
            SERVER,
            &["main", "--port", port],
            2,
            &format!(
                "error: invalid value '{port}' for '--port <PORT>': give a number from 1 to 65535, or 0 \
                 to let the system choose\n{MORE}"
            ),
        );
    }
    check(
        SERVER,
        "main --bind nowhere",
        2,
        &format!(
            "error: invalid value 'nowhere' for '--bind <ADDRESS>': give an IP address of this \
             machine, such as 127.0.0.1 or ::1\n{MORE}"
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
fn a_bad_number_is_rejected_with_the_possible_ones() {
    for (program, words, option, range) in [
        (SERVER, "main --gold", "--gold <N>", "1 to 1000000"),
        (SERVER, "main --players", "--players <N>", "1 to 26"),
        (SERVER, "main --vision", "--vision <N>", "1 to 65535"),
        (SERVER, "main --linger", "--linger <MS>", "0 to 4294967295"),
        (SERVER, "main --idle-timeout", "--idle-timeout <SECONDS>", "1 to 4294967295"),
        (NUGGETS, "play --bots", "--bots <N>", "0 to 26"),
        (NUGGETS, "play --pace", "--pace <MS>", "0 to 3600000"),
        (NUGGETS, "bot localhost 1 --seed", "--seed <SEED>", "0 to 18446744073709551615"),
        (NUGGETS, "bot localhost 1 --count", "--count <N>", "1 to 26"),
        (NUGGETS, "arena --games", "--games <N>", "1 to 10000000"),
        (NUGGETS, "map new --rows", "--rows <R>", "0 to 65535"),
    ] {
        for value in ["abc", "1.5", "99999999999999999999"] {
            let stderr = format!(
                "error: invalid value '{value}' for '{option}': give a whole number from {range}\n{MORE}"
            );
            check(program, &format!("{words} {value}"), 2, &stderr);
        }
    }
}

#[test]
fn the_simulator_is_named_where_it_went() {
    check(
        NUGGETS,
        "sim --seed 1",
        2,
        &format!(
            "error: unrecognized subcommand 'sim': the simulator is a program of its own, \
             'cargo run --release --package nuggets-sim' in the source tree\n\n\
             Usage: nuggets <COMMAND>\n{MORE}"
        ),
    );
}

#[test]
fn the_error_names_a_port_that_is_in_use() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let words = ["main", "--bind", "127.0.0.1", "--port", &port];
    let ended = run(SERVER, &words);
    let stderr = &ended.stderr;
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
    assert_eq!((&*ended.stdout, ended.code()), ("", Some(1)));
}

#[test]
fn the_player_takes_a_host_a_port_and_at_most_a_name() {
    check(
        PLAYER,
        "",
        2,
        &format!(
            "error: the following required arguments were not provided:\n  <HOSTNAME>\n\n{PLAYER_USAGE}{MORE}"
        ),
    );
    check(
        PLAYER,
        "localhost",
        2,
        "error: the port is missing: give the host and the port of a server, for example `localhost 9999`, \
         or the link of a game\n",
    );
    check(
        PLAYER,
        "localhost 1 Ann Smith",
        2,
        &format!("error: unexpected argument 'Smith' found\n\n{PLAYER_USAGE}{MORE}"),
    );
}

#[test]
fn the_player_takes_the_link_of_a_game_and_at_most_a_name() {
    for (arguments, why) in [
        (
            "https://example.org Ann",
            "'https://example.org' is no link of a game: it leads to no game: the link of a game ends with \
             /g/ and the id of the game",
        ),
        (
            "ftp://example.org/g/abc Ann",
            "'ftp://example.org/g/abc' is no link of a game: it does not begin with https:// or http://",
        ),
        (
            "https://example.org/g/abc Ann Smith",
            "unexpected argument 'Smith': a link is followed by nothing but a name. Quote a name that has \
             blanks",
        ),
    ] {
        check(PLAYER, arguments, 2, &format!("error: {why}\n"));
    }
    check(
        NUGGETS,
        "bot http://localhost:8080/g/abc 9999",
        2,
        "error: unexpected argument '9999': a link has its port in it, as in http://localhost:8080/g/…\n",
    );
}

#[test]
#[cfg(not(feature = "host"))]
fn without_the_feature_a_link_says_how_to_get_it() {
    let error = "error: this program was built without the games of web hosts, such as \
                 https://example.org/g/abc: build it with `cargo build --release --features host`\n";
    check(PLAYER, "https://example.org/g/abc Ann", 2, error);
    check(NUGGETS, "bot https://example.org/g/abc", 2, error);
}

#[test]
fn a_bad_port_number_is_rejected() {
    for port in ["abc", "0", "70000", "12 3", "1.5", ""] {
        let stderr = format!(
            "error: invalid port '{port}': give a number from 1 to 65535. The server announces its \
             port when it starts\n"
        );
        check_words(PLAYER, &["localhost", port, "Ann"], 2, &stderr);
        check_words(NUGGETS, &["player", "localhost", port], 2, &stderr);
    }
}

#[test]
fn bad_options_of_the_player_are_rejected() {
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
        "error: can't log to '/nowhere/at/all': No such file or directory (os error 2). Give a path \
         that you may write to\n",
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
            "error: nothing listens at 127.0.0.1:{closed}: the port is closed. Is a Nuggets server \
             running there?\n"
        ),
    );
}

/// Whether a lookup finds that there is no such host or fails altogether depends on the network of
/// the machine; each has its own message.
#[test]
fn an_unknown_host_has_its_own_message() {
    let words = ["no-such-host.invalid", "1234", "Ann"];
    let ended = run(PLAYER, &words);
    let stderr = &ended.stderr;
    assert!(
        stderr.starts_with("error: there is no host named 'no-such-host.invalid': check")
            || stderr.starts_with(
                "error: the host name 'no-such-host.invalid' can't be looked up at the moment: "
            ),
        "{stderr}"
    );
    assert!(stderr.ends_with(", or give the server's IP address\n"), "{stderr}");
    assert_eq!((&*ended.stdout, ended.code()), ("", Some(1)));
}

#[test]
fn an_unknown_command_is_rejected() {
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
fn every_program_has_help() {
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
        let ended = run(program, &words);
        let stdout = ended.stdout;
        assert!(stdout.contains(usage), "{stdout}");
        assert!(ended.status.success() && ended.stderr.is_empty());
    }
}

#[test]
fn the_examples_in_the_help_name_the_program() {
    for (program, example) in [
        (SERVER, "  server main --record game.nuggets  record the game, for nuggets replay\n"),
        (PLAYER, "  printf 'llLjQ' | player localhost 9999 Ann   play from a script\n"),
    ] {
        let ended = run(program, &["--help"]);
        let stdout = ended.stdout;
        assert!(stdout.contains(example), "{stdout}");
    }
}

/// The names in the help are typed by hand; the maps are not.
#[test]
fn the_help_names_every_built_in_map() {
    let names: Vec<&str> = nuggets_game::shipped::ALL.iter().map(|map| map.name).collect();
    for words in [["server", "--help"], ["play", "--help"]] {
        let ended = run(NUGGETS, &words);
        let stdout = ended.stdout;
        let flowing = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(&names.join(", ")), "{stdout}");
    }
}

/// Without the web host the command exists, and says how to get it.
#[cfg(not(feature = "host"))]
#[test]
fn serve_says_how_to_get_it() {
    let stderr = "error: this program was built without the web host. Get it with\n    \
                  cargo run --release --features host -- serve\n";
    check(NUGGETS, "serve", 2, stderr);
    let help = run(NUGGETS, &["serve", "--help"]);
    assert!(help.status.success());
}
