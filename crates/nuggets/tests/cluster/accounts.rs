//! Names, bans and ratings are the same at all nodes, also while one of them dies.

use std::net::SocketAddr;
use std::thread;

use nuggets_testkit::{HttpAnswer, HttpClient, LIMIT, wait_for, wait_until};
use serde_json::json;

use crate::cluster::Cluster;
use crate::http::{SMALL_MAP, create_game, get, post, short_game, visitor};
use crate::players::{Manner, Player};

/// People who want the same name, spread over the nodes.
const PEOPLE: usize = 6;
/// A new guest with this name, or the rejection.
fn guest(node: SocketAddr, name: &str) -> (HttpClient, HttpAnswer) {
    let mut guest = visitor(node);
    let answer = post(&mut guest, "/api/me/name", &json!({"name": name}));
    (guest, answer)
}

/// True if this name has this password, as a node knows it.
fn has_password(node: SocketAddr, name: &str, person: usize) -> bool {
    let body = json!({"name": name, "password": format!("password {person}")});
    post(&mut visitor(node), "/api/login", &body).status == 200
}

/// Several people who have the same name claim it at the same time, over all nodes, and one node is killed meanwhile.
fn claim_a_name(cluster: &mut Cluster, name: &str) {
    let address = |person: usize| cluster.nodes[person % cluster.nodes.len()].address();
    let guests: Vec<HttpClient> =
        (0..PEOPLE).map(|person| guest(address(person), name).0).collect();
    let claim = |(person, mut guest): (usize, HttpClient)| {
        let body = json!({"password": format!("password {person}")});
        thread::spawn(move || guest.try_post("/api/me/claim", &body).ok())
    };
    let claims: Vec<_> = guests.into_iter().enumerate().map(claim).collect();
    cluster.nodes[0].kill();
    let answers = claims.into_iter().map(|claim| claim.join().unwrap());
    let mut winners = 0;
    for (person, answer) in answers.enumerate() {
        let has_name = has_password(cluster.nodes[1].address(), name, person);
        winners += usize::from(has_name);
        let Some(told) = answer.filter(|answer| answer.status == 200) else { continue };
        // Who came later got another name, and that is claimed now.
        let told = told.json();
        let own = told["name"].as_str().unwrap();
        assert_eq!(own == name, has_name, "the answer to person {person}: {told}");
        assert!(has_password(cluster.nodes[2].address(), own, person), "{own}");
    }
    assert_eq!(winners, 1, "{name} is claimed once");
    cluster.nodes[0].start_when_possible();
    for node in &cluster.nodes {
        wait_until("the name is rejected everywhere", || {
            guest(node.address(), name).1.json()["name"] != name
        });
    }
}

/// A game is over, and the node that ran it is killed at once.
fn finish_a_game(cluster: &mut Cluster, player: &str) {
    let id = create_game(cluster.nodes[0].address(), &short_game(100));
    let manner = Manner { name: Some(player.to_owned()), patience: LIMIT, seed: 1 };
    let person = Player::on_the_web(vec![cluster.nodes[1].address()], &id, manner);
    let stored = format!("SELECT count(*) FROM games WHERE id = '{id}'");
    wait_until("the end of the game", || cluster.query(&stored) == "1");
    cluster.nodes[0].kill();
    drop(person);
    cluster.nodes[0].start_when_possible();
    for node in &cluster.nodes {
        let row = wait_for("the rating", || {
            let players = get(node.address(), "/api/players")?.json();
            players.as_array()?.iter().find(|row| row["name"] == player).cloned()
        });
        assert_eq!(row["games"], 1, "{row}");
    }
}

/// A person who is banned at one node is rejected at another.
fn ban_a_person(cluster: &Cluster) {
    let [one, two] = [0, 1].map(|node| cluster.nodes[node].address());
    let (mut cheat, answer) = guest(one, "Cheat");
    let id = &answer.json()["id"];
    let token = cluster.query("SELECT value FROM secrets WHERE name = 'admin'");
    let mut admin = visitor(one);
    assert_eq!(post(&mut admin, "/api/admin/login", &json!({"token": token})).status, 200);
    assert_eq!(post(&mut admin, "/api/admin/ban", &json!({"player": id})).status, 200);
    let mut is_rejected = |node| {
        cheat.address = node;
        post(&mut cheat, "/api/games", &json!({"map": {"own": SMALL_MAP}})).status == 403
    };
    for node in [one, two] {
        wait_until("the ban acts", || is_rejected(node));
    }
    // The cookie of one node is that of all.
    admin.address = two;
    assert_eq!(post(&mut admin, "/api/admin/unban", &json!({"player": id})).status, 200);
    wait_until("the ban ends", || !is_rejected(one));
}

#[test]
fn accounts_are_the_same_at_all_nodes() {
    let mut cluster = Cluster::start();
    claim_a_name(&mut cluster, "Ann");
    finish_a_game(&mut cluster, "Bea");
    ban_a_person(&cluster);
}
