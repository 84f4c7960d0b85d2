//! Rated games that end while something goes wrong: each is stored once, with its results and ratings.

use std::time::Duration;

use nuggets_testkit::wait_until;

use crate::cluster::Cluster;
use crate::http::{create_game, short_game};
use crate::journals::Journals;
use crate::players::{Manner, Player};

/// Creates a game at this node, played by a bot and a person at another node.
pub(super) fn start(cluster: &Cluster, node: usize, number: usize) -> Player {
    let id = create_game(cluster.nodes[node].address(), &short_game(300));
    let (name, seed) = (Some(format!("S{number}")), i64::try_from(1_000 + number).unwrap());
    let manner = Manner { name, patience: Duration::from_secs(2), seed };
    Player::on_the_web(cluster.addresses_from(node + 1), &id, manner)
}

/// Waits for the end of the game, and checks what is stored of it.
pub(super) fn check(cluster: &Cluster, mut player: Player) {
    let id = player.game.clone();
    let count = |sql: &str| cluster.query(&sql.replace("ID", &format!("'{id}'")));
    wait_until("the end of a short game", || {
        count("SELECT count(*) FROM recordings WHERE game = ID") == "1"
    });
    player.collect();
    let hex = count("SELECT encode(bytes, 'hex') FROM recordings WHERE game = ID");
    let mut recording = Journals::of_finished(&id, &hex);
    if player.shown.view.is_some() {
        recording.find_shown(std::slice::from_mut(&mut player));
    }
    let results = count("SELECT count(*) FROM results WHERE game = ID");
    assert_eq!(results, recording.seats(&id).len().to_string(), "results of game {id}");
    assert_eq!(count("SELECT count(*) FROM games WHERE id = ID"), "1");
    assert_eq!(count("SELECT count(*) FROM journal WHERE game = ID"), "0", "its journal goes");
    let wrong = "SELECT who, games FROM ratings
        WHERE games <> (SELECT count(*) FROM history WHERE history.who = ratings.who)";
    assert_eq!(cluster.query(wrong), "", "ratings that don't count each game once");
    let rated = "SELECT count(*) FROM history JOIN games USING (number) WHERE id = ID";
    assert_eq!(count(rated), results, "ratings of game {id}");
}
