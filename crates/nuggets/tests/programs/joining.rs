//! Into a game and out of it, seen in a real terminal.

use std::net::UdpSocket;

use crate::fake_server::{FakeServer, shown, wait_for_room};
use crate::host::{Client, Host};
use crate::terminal::{ORDINARY, PLAYER, Terminal, cursor};

/// Starts `player` in an ordinary terminal; without a name it is the spectator.
fn start(port: u16, name: &[&str]) -> Terminal {
    let port = port.to_string();
    Terminal::start(ORDINARY, PLAYER, &[&["127.0.0.1", &port], name].concat())
}

#[test]
fn until_the_first_answer_it_says_where_it_connects() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    let connecting = format!("connecting to 127.0.0.1:{}", server.port);
    terminal.wait_for(|screen| screen.contents().starts_with(&connecting));
    server.welcome();
    wait_for_room(&terminal);
}

#[test]
fn a_player_sees_status_line_and_map_with_the_cursor_on_itself() {
    let host = Host::start(&["main", "1"]);
    let terminal = start(host.port, &["Ann"]);
    terminal.wait_for_lines(&[
        "Player A has 0 nuggets (250 nuggets unclaimed).",
        "",
        "",
        "",
        "",
        "",
        "",
        "               +-----------+",
        "               #.....*.....#",
        "               |...@.......|",
        "               +-----------+",
    ]);
    terminal.wait_for(|screen| cursor(screen) == Some((9, 19)));
}

#[test]
fn the_spectator_sees_everything_and_no_cursor() {
    let host = Host::start(&["main", "1"]);
    let terminal = start(host.port, &[]);
    terminal.wait_for_lines(&[
        "Spectator: 250 nuggets unclaimed.",
        "  +----------+",
        "  |....*...*.|                 +---------+",
        "  |..........####              |.........|                +-------+",
        "  |*.*....*..|                 +-----#---+                |.....*.|",
        "  +---------#+                       #              #######..*....|",
        "            #                        #              #     +---#---+",
        "            #  +-----------+         #     +--------#+        #",
        "            ####.....*.....##############  |.........|        #",
        "               |...........|            #  |.*......*|        #",
        "               +-----------+            ####.........|        #",
        "                                           +----#----+        #",
        "                                                #    +--------#--+",
        "     +---------------------------------+        #    |......*....|",
        "     |..................*...*....*.....|        ######..*...*....|",
        "     |.......*.........*...............|        #    |*..........|",
        "     |......+---------------+......*.**|        #    |......*.*..|",
        "     |......|               |.*........##########    +-----------+",
        "     |...*..|               |....*.....|",
        "     |......|               |.*........|",
        "     |......|               |.......*..|",
        "     +------+               +----------+",
    ]);
    terminal.wait_for(|screen| cursor(screen).is_none());
}

#[test]
fn the_spectator_has_no_cursor_even_where_there_is_somebody() {
    let server = FakeServer::new();
    let mut terminal = start(server.port, &[]);
    server.welcome();
    terminal.wait_for_lines(&shown("Spectator: 250 nuggets unclaimed."));
    terminal.type_keys("Q");
    server.part("Thanks for watching!");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["Thanks for watching!"]);
    let raw = String::from_utf8(ended.raw).unwrap();
    assert_eq!(raw.matches("\x1b[?25h").count(), 1, "only at the end: {raw:?}");
}

#[test]
fn a_question_that_was_lost_is_asked_again() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    assert_eq!(server.hear_any(), "PLAY Ann");
    terminal.wait_for(|screen| screen.contents().trim_end().ends_with(" of 6)"));
    server.welcome();
    wait_for_room(&terminal);
}

#[test]
fn a_server_that_never_answers_is_asked_six_times() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    for _ in 0..6 {
        assert_eq!(server.hear_any(), "PLAY Ann");
    }
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 1);
    let words = format!(
        "error: no answer from 127.0.0.1:{} after 6 tries in 6 seconds. Is a Nuggets server running there?",
        server.port
    );
    assert_eq!(ended.lines.concat(), words);
    assert!(server.has_heard_all(), "asked a seventh time");
}

#[test]
fn a_name_goes_out_as_it_was_typed() {
    let server = FakeServer::new();
    let _terminal = start(server.port, &["Ann Smith-é"]);
    assert_eq!(server.hear_any(), "PLAY Ann Smith-é");
}

#[test]
fn the_end_of_a_2021_game_is_printed_on_the_screen_that_was_there_before() {
    let (server, terminal) = FakeServer::with_player();
    terminal.check_taken();
    server.say("QUIT GAME OVER:\nA        250 Ann\nB          0 Bob\n");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann", "B          0 Bob"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn the_end_of_a_2019_game_looks_the_same() {
    let (server, terminal) = FakeServer::with_player();
    server.say("GAMEOVER\nA        250 Ann\nB          0 Bob\n");
    server.say("QUIT");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann", "B          0 Bob"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn the_end_of_a_2019_game_is_asked_for_when_only_half_of_it_arrives() {
    let (server, terminal) = FakeServer::with_player();
    server.say("QUIT");
    assert_eq!(server.hear(), "KEY Q");
    server.say("GAMEOVER\nA        250 Ann\n");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn a_spectator_who_is_replaced_is_told_so() {
    let host = Host::start(&["main", "1"]);
    let terminal = start(host.port, &[]);
    terminal.wait_for(|screen| screen.contents().starts_with("Spectator: 250"));
    Client::new(host.port).say(b"SPECTATE");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["You have been replaced by a new spectator."]);
    assert_eq!(ended.code, 0);
}

/// All the players that a game can have. They stay: a new one must not get the port of an old one.
fn fill(host: &Host) -> Vec<Client> {
    let join = |n: u8| {
        let client = Client::new(host.port);
        assert_eq!(client.play(&n.to_string())[0], format!("OK {}", char::from(b'A' + n)));
        client
    };
    (0..26).map(join).collect()
}

#[test]
fn a_2021_server_that_is_full_says_quit() {
    let host = Host::start(&["main", "1"]);
    let _players = fill(&host);
    let ended = start(host.port, &["Ann"]).wait_for_end();
    assert_eq!(ended.lines, ["Game is full: no more players can join."]);
    assert_eq!(ended.code, 0);
}

#[test]
fn a_2019_server_that_is_full_says_no() {
    let host = Host::start(&["main", "1", "--dialect", "2019"]);
    let _players = fill(&host);
    let ended = start(host.port, &["Ann"]).wait_for_end();
    let place = format!("127.0.0.1:{}", host.port);
    assert_eq!(ended.lines, [format!("error: the server at {place} refused: the game is full.")]);
    assert_eq!(ended.code, 1);
}

#[test]
fn a_refusal_with_a_reason_gives_the_reason() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    server.hear_any();
    server.say("NO names like that");
    let ended = terminal.wait_for_end();
    let place = format!("127.0.0.1:{}", server.port);
    assert_eq!(ended.lines, [format!("error: the server at {place} refused: names like that")]);
    assert_eq!(ended.code, 1);
}

#[test]
fn nobody_but_the_server_can_end_a_game() {
    let (server, terminal) = FakeServer::with_player();
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.send_to(b"QUIT go away", server.address()).unwrap();
    stranger.send_to(b"GOLD 9 9 9", server.address()).unwrap();
    // Messages of one machine to itself arrive in the order in which they were sent.
    server.say("GOLD 0 1 249");
    let status = "Player A has 1 nuggets (249 nuggets unclaimed).";
    terminal.wait_for_lines(&shown(status));
}
