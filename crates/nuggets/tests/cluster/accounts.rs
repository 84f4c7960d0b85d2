//! Names, bans and ratings are the same at all nodes, also while one of them dies.

use std::net::SocketAddr;
use std::thread;

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::http::{Answer, create_game, get, post};
use crate::players::{Manner, Player, be_on_the_web};
use crate::{LIMIT, wait_for};

/// People who want the same name, spread over the nodes.
const PEOPLE: usize = 6;
/// Small, so that a bot soon finds all gold.
const MAP: &str = "\
+----------+
|..........|
|..........|
|..........|
+----------+
";

/// Asks until the node can answer.
fn ask(node: SocketAddr, path: &str, cookie: &str, body: &Value) -> Answer {
    wait_for(path, || post(node, path, cookie, body).filter(|answer| answer.status != 503))
}

/// A new guest with this name, or the rejection.
fn guest(node: SocketAddr, name: &str) -> Answer {
    ask(node, "/api/me/name", "", &json!({"name": name}))
}

/// True if this name has this password, as a node knows it.
fn has_password(node: SocketAddr, name: &str, person: usize) -> bool {
    let body = json!({"name": name, "password": format!("password {person}")});
    ask(node, "/api/login", "", &body).status == 200
}

/// Several people who have the same name claim it at the same time, over all nodes, and one node is killed meanwhile.
fn claim_a_name(cluster: &mut Cluster, name: &str) {
    let address = |person: usize| cluster.nodes[person % cluster.nodes.len()].address();
    let cookies = (0..PEOPLE).map(|person| guest(address(person), name).cookie.expect("a session"));
    let cookies: Vec<String> = cookies.collect();
    let claim = |(person, cookie): (usize, String)| {
        let node = address(person);
        let body = json!({"password": format!("password {person}")});
        thread::spawn(move || post(node, "/api/me/claim", &cookie, &body))
    };
    let claims: Vec<_> = cookies.into_iter().enumerate().map(claim).collect();
    cluster.nodes[0].kill();
    let answers = claims.into_iter().map(|claim| claim.join().unwrap());
    let mut winners = 0;
    for (person, answer) in answers.enumerate() {
        let has_name = has_password(cluster.nodes[1].address(), name, person);
        winners += usize::from(has_name);
        let Some(told) = answer.filter(|answer| answer.status == 200) else { continue };
        // Who came later got another name, and that is claimed now.
        let own = told.body["name"].as_str().unwrap();
        assert_eq!(own == name, has_name, "the answer to person {person}: {}", told.body);
        assert!(has_password(cluster.nodes[2].address(), own, person), "{own}");
    }
    assert_eq!(winners, 1, "{name} is claimed once");
    cluster.nodes[0].start();
    for node in &cluster.nodes {
        wait_for("the name is rejected everywhere", || {
            (guest(node.address(), name).body["name"] != name).then_some(())
        });
    }
}

/// A game is over, and the node that ran it is killed at once.
fn finish_a_game(cluster: &mut Cluster, player: &str) {
    let spec = json!({
        "map": {"own": MAP}, "rules": {"gold": 4, "min_piles": 2, "max_piles": 2},
        "bots": {"count": 1, "pace_ms": 100}, "rated": true, "start": {"with_players": 1}
    });
    let id = create_game(cluster.nodes[0].address(), &spec);
    let (nodes, game) = (vec![cluster.nodes[1].address()], id.clone());
    let manner = Manner { name: Some(player.to_owned()), patience: LIMIT, seed: 1 };
    let person = Player::start(&id, move |kept| be_on_the_web(kept, &nodes, &game, manner));
    let stored = format!("SELECT count(*) FROM games WHERE id = '{id}'");
    wait_for("the end of the game", || (cluster.query(&stored) == "1").then_some(()));
    cluster.nodes[0].kill();
    drop(person);
    cluster.nodes[0].start();
    for node in &cluster.nodes {
        let row = wait_for("the rating", || {
            let players = get(node.address(), "/api/players")?.body;
            players.as_array()?.iter().find(|row| row["name"] == player).cloned()
        });
        assert_eq!(row["games"], 1, "{row}");
    }
}

/// A person who is banned at one node is rejected at another.
fn ban_a_person(cluster: &Cluster) {
    let [one, two] = [0, 1].map(|node| cluster.nodes[node].address());
    let cheat = guest(one, "Cheat");
    let (id, session) = (&cheat.body["id"], cheat.cookie.expect("a session"));
    let token = cluster.query("SELECT value FROM secrets WHERE name = 'admin'");
    let login = ask(one, "/api/admin/login", "", &json!({"token": token}));
    let admin = login.cookie.unwrap_or_else(|| panic!("{}", login.body));
    assert_eq!(ask(one, "/api/admin/ban", &admin, &json!({"player": id})).status, 200);
    for node in [one, two] {
        wait_for("the ban acts", || {
            let body = json!({"map": {"own": MAP}});
            (ask(node, "/api/games", &session, &body).status == 403).then_some(())
        });
    }
    // The cookie of one node is that of all.
    assert_eq!(ask(two, "/api/admin/unban", &admin, &json!({"player": id})).status, 200);
    wait_for("the ban ends", || {
        let body = json!({"map": {"own": MAP}});
        (ask(one, "/api/games", &session, &body).status != 403).then_some(())
    });
}

#[test]
fn accounts_are_the_same_at_all_nodes() {
    let mut cluster = Cluster::start();
    claim_a_name(&mut cluster, "Ann");
    finish_a_game(&mut cluster, "Bea");
    ban_a_person(&cluster);
}
