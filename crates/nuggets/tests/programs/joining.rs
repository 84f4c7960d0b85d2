//! Into a game and out of it, seen in a real terminal.

use nuggets_testkit::{FakeServer, ORDINARY, PseudoTerminal};

use crate::room_screen::join_fake_server;
use crate::starting::PLAYER;

/// Starts `player` in an ordinary terminal; without a name it is the spectator.
fn start(port: u16, name: &[&str]) -> PseudoTerminal {
    let port = port.to_string();
    PseudoTerminal::start(ORDINARY, PLAYER, &[&["127.0.0.1", &port], name].concat())
}

#[test]
fn the_end_of_a_game_is_printed_on_the_restored_screen_in_both_dialects() {
    for (table, quit) in [("QUIT GAME OVER:", None), ("GAMEOVER", Some("QUIT"))] {
        let (server, terminal) = join_fake_server();
        terminal.check_taken();
        server.send(format!("{table}\nA        250 Ann\nB          0 Bob\n"));
        quit.inspect(|quit| server.send(quit));
        let ended = terminal.wait_for_end();
        assert_eq!(ended.lines, ["GAME OVER:", "A        250 Ann", "B          0 Bob"]);
        assert_eq!(ended.code, 0);
    }
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
