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
fn the_client_shows_where_it_connects_until_the_first_reply() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    let connecting = format!("connecting to 127.0.0.1:{}", server.port);
    terminal.wait_for(|screen| screen.contents().starts_with(&connecting));
    server.accept();
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
fn the_spectator_sees_the_whole_map_and_no_cursor() {
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
fn the_spectator_has_no_cursor_even_on_a_player() {
    let server = FakeServer::new();
    let mut terminal = start(server.port, &[]);
    server.accept();
    terminal.wait_for_lines(&shown("Spectator: 250 nuggets unclaimed."));
    terminal.type_keys("Q");
    server.reply_to_quit("Thanks for watching!");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["Thanks for watching!"]);
    let raw = String::from_utf8(ended.raw).unwrap();
    assert_eq!(raw.matches("\x1b[?25h").count(), 1, "only at the end: {raw:?}");
}

#[test]
fn a_lost_play_message_is_retried() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    assert_eq!(server.receive_any(), "PLAY Ann");
    terminal.wait_for(|screen| screen.contents().trim_end().ends_with(" of 12)"));
    server.accept();
    wait_for_room(&terminal);
}

#[test]
fn a_silent_server_is_tried_twelve_times() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    for _ in 0..12 {
        assert_eq!(server.receive_any(), "PLAY Ann");
    }
    let ended = terminal.wait_for_end();
    assert_eq!(ended.code, 1);
    let words = format!(
        "error: no answer from 127.0.0.1:{} after 12 tries in 12 seconds. Is a Nuggets server running there?",
        server.port
    );
    assert_eq!(ended.lines.concat(), words);
    assert!(server.has_no_message(), "asked a thirteenth time");
}

#[test]
fn a_name_is_sent_as_typed() {
    let server = FakeServer::new();
    let _terminal = start(server.port, &["Ann Smith-é"]);
    assert_eq!(server.receive_any(), "PLAY Ann Smith-é");
}

#[test]
fn the_end_of_a_2021_game_is_printed_on_the_restored_screen() {
    let (server, terminal) = FakeServer::with_player();
    terminal.check_taken();
    server.send("QUIT GAME OVER:\nA        250 Ann\nB          0 Bob\n");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann", "B          0 Bob"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn the_end_of_a_2019_game_looks_the_same() {
    let (server, terminal) = FakeServer::with_player();
    server.send("GAMEOVER\nA        250 Ann\nB          0 Bob\n");
    server.send("QUIT");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann", "B          0 Bob"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn the_client_requests_the_2019_table_if_only_quit_answers_its_key() {
    let (server, mut terminal) = FakeServer::with_player();
    terminal.type_keys("l");
    assert_eq!(server.receive(), "KEY l");
    server.send("QUIT");
    assert_eq!(server.receive(), "KEY Q");
    server.send("GAMEOVER\nA        250 Ann\n");
    let ended = terminal.wait_for_end();
    assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann"]);
    assert_eq!(ended.code, 0);
}

#[test]
fn a_replaced_spectator_is_notified() {
    let host = Host::start(&["main", "1"]);
    let terminal = start(host.port, &[]);
    terminal.wait_for(|screen| screen.contents().starts_with("Spectator: 250"));
    Client::new(host.port).send(b"SPECTATE");
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
fn a_full_2021_game_is_reported() {
    let host = Host::start(&["main", "1"]);
    let _players = fill(&host);
    let ended = start(host.port, &["Ann"]).wait_for_end();
    assert_eq!(ended.lines, ["Game is full: no more players can join."]);
    assert_eq!(ended.code, 0);
}

#[test]
fn a_full_2019_game_is_reported() {
    let host = Host::start(&["main", "1", "--dialect", "2019"]);
    let _players = fill(&host);
    let ended = start(host.port, &["Ann"]).wait_for_end();
    let place = format!("127.0.0.1:{}", host.port);
    assert_eq!(ended.lines, [format!("error: {place} refused: the game is full")]);
    assert_eq!(ended.code, 1);
}

#[test]
fn a_rejection_is_shown_with_its_reason() {
    let server = FakeServer::new();
    let terminal = start(server.port, &["Ann"]);
    server.receive_any();
    server.send("NO names like that");
    let ended = terminal.wait_for_end();
    let place = format!("127.0.0.1:{}", server.port);
    assert_eq!(ended.lines, [format!("error: {place} refused: names like that")]);
    assert_eq!(ended.code, 1);
}

#[test]
fn messages_from_other_addresses_cannot_end_the_game() {
    let (server, terminal) = FakeServer::with_player();
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    other.send_to(b"QUIT go away", server.address()).unwrap();
    other.send_to(b"GOLD 9 9 9", server.address()).unwrap();
    // Messages of one machine to itself arrive in the order in which they were sent.
    server.send("GOLD 0 1 249");
    let status = "Player A has 1 nuggets (249 nuggets unclaimed).";
    terminal.wait_for_lines(&shown(status));
}
