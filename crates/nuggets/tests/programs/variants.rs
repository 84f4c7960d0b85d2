//! The variants of the house on the real server.

use nuggets_testkit::UdpClient;
use rustix::process::Signal;

use crate::arguments::check;
use crate::starting::{SERVER, start_server};

#[test]
fn house_rules_are_logged_and_sent_to_players_that_join() {
    let host = start_server(&["main", "1", "--vision", "3", "--steal", "--lifetime", "40"]);
    let ann = UdpClient::new(host.port());
    ann.play("Ann");
    assert_eq!(ann.receive_text(), "ERROR House rules: vision 3, steal, lifetime 40, food 0");
    assert_eq!(ann.receive_text(), "ERROR 40 steps left");
    host.signal(Signal::TERM);
    let log = host.end().stderr;
    assert!(log.contains("house rules: vision 3, steal, lifetime 40, food 0"), "{log}");
}

#[test]
fn plain_is_the_game_of_the_specification() {
    let joined = |args: &[&str]| {
        let host = start_server(args);
        let ann = UdpClient::new(host.port());
        let joined = ann.play("Ann");
        ann.send(b"KEY ?");
        (joined, ann.receive_text())
    };
    let odd = ["main", "42", "--plain", "--gold", "7", "--vision", "1", "--steal", "--food", "9"];
    assert_eq!(joined(&odd), joined(&["main", "42"]));
}

#[test]
fn invalid_house_rules_are_rejected_with_the_reason() {
    let invalid = "error: invalid house rules:";
    for (words, reason) in [
        (
            "main --min-piles 9 --max-piles 3",
            "the fewest piles can't be more than the most: 9 is more than 3",
        ),
        (
            "main --steal --players 1",
            "with a single player, steal has no effect: allow more players",
        ),
        (
            "main --food 9",
            "--food without --lifetime has no effect. Add --lifetime N, or leave --food off",
        ),
    ] {
        check(SERVER, words, 2, &format!("{invalid} {reason}\n"));
    }
}

#[test]
fn a_map_must_have_enough_spots_for_food_too() {
    check(
        SERVER,
        "narrow --lifetime 9 --food 5000",
        1,
        "error: can't use the map 'narrow': lines 1 to 40, columns 1 to 15: found 174 room spots '.', \
         but 5056 are needed: 26 for players, 30 for piles of gold and 5000 for food. Draw larger \
         rooms, or more of them\n",
    );
}
