//! `nuggets cluster status` as a process, while nodes come and go.

use std::process::Command;

use nuggets_testkit::{ProcessEnd, run_command, wait_until};
use serde_json::{Value, json};

use crate::NUGGETS;
use crate::cluster::Cluster;
use crate::http::create_game;

fn status(cluster: &Cluster, args: &[&str]) -> ProcessEnd {
    let mut command = Command::new(NUGGETS);
    command.args(["cluster", "status"]).args(args);
    run_command(command.env("NUGGETS_DATABASE", cluster.databases.primary().url()), b"")
}

fn report(cluster: &Cluster) -> Value {
    serde_json::from_str(&status(cluster, &["--json"]).stdout).unwrap()
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
    wait_until("another owner", || owner(&report(&cluster)) != "one");
    let table = status(&cluster, &[]).stdout;
    assert!(table.starts_with("node ") && table.contains(&game), "{table}");
}
