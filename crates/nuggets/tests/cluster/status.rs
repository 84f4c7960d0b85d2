//! `nuggets cluster status` as a process, while nodes come and go.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::http::create_game;
use crate::wait_for;

fn status(cluster: &Cluster, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nuggets"));
    command.args(["cluster", "status"]).args(args);
    command.env("NUGGETS_DATABASE", cluster.databases.primary().url()).output().unwrap()
}

fn report(cluster: &Cluster) -> Value {
    serde_json::from_slice(&status(cluster, &["--json"]).stdout).unwrap()
}

#[test]
fn nodes_and_games_are_shown_before_and_after_a_take_over() {
    let mut cluster = Cluster::start();
    let game = create_game(cluster.nodes[0].address(), &json!({"map": {"built_in": "main"}}));
    let owner = |report: &Value| {
        let games = report["games"].as_array().unwrap();
        let row = games.iter().find(|row| row["game"] == game.as_str()).unwrap();
        row["node"].as_str().unwrap().to_owned()
    };
    let before = report(&cluster);
    assert_eq!(owner(&before), "one", "{before}");
    let names = before["nodes"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["one", "three", "two"], "{before}");
    cluster.nodes[0].kill();
    wait_for("another owner", || (owner(&report(&cluster)) != "one").then_some(()));
    let Output { stdout, .. } = status(&cluster, &[]);
    let table = String::from_utf8(stdout).unwrap();
    assert!(table.starts_with("node ") && table.contains(&game), "{table}");
}
