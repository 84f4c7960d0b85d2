//! `nuggets cluster status`: nodes and games as tables or as JSON.

use std::process::ExitCode;

use nuggets_host::{ClusterStatus, GameStatus, NodeStatus};

use crate::args::cluster::ClusterStatusArgs;
use crate::print::{self, Align, count};

/// Reads and prints the state of the cluster.
pub(super) fn run(args: &ClusterStatusArgs) -> anyhow::Result<ExitCode> {
    let status = nuggets_host::cluster_status(&super::database(&args.database)?)?;
    let text = if args.json { serde_json::to_string_pretty(&status)? } else { tables(&status) };
    print::text(&format!("{}\n", text.trim_end()))?;
    Ok(if status.orphans() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn tables(status: &ClusterStatus) -> String {
    let head = [
        "node",
        "condition",
        "lease",
        "games",
        "connections",
        "commits/s",
        "rows/commit",
        "waiting",
        "address",
    ];
    let nodes = if status.nodes.is_empty() {
        "no node has joined this database\n".to_owned()
    } else {
        table(&head, status.nodes.iter().map(node_row))
    };
    let running: Vec<&GameStatus> = status.games.iter().filter(|game| !game.is_over).collect();
    let heading = format!("\n{}\n", count(running.len() as u64, "game"));
    let games = if running.is_empty() {
        String::new()
    } else {
        table(&["game", "owner", "epoch", "rows"], running.into_iter().map(game_row))
    };
    let warnings = status.warnings.iter().map(|warning| format!("\nwarning: {warning}\n"));
    [nodes, heading, games].into_iter().chain(warnings).collect()
}

fn node_row(node: &NodeStatus) -> Vec<String> {
    let lease = match node.lease_age_ms {
        Some(age_ms) => format!("renewed {age_ms} ms ago"),
        None => "not renewed".to_owned(),
    };
    let load = &node.load;
    vec![
        node.name.clone(),
        node.condition().to_owned(),
        lease,
        load.games.to_string(),
        load.connections.to_string(),
        format!("{:.0}", load.commits_per_s),
        format!("{:.1}", load.records_per_commit),
        load.waiting.to_string(),
        node.address.clone(),
    ]
}

fn game_row(game: &GameStatus) -> Vec<String> {
    let owner =
        if game.has_owner { game.node.clone() } else { format!("nobody (was {})", game.node) };
    vec![game.game.clone(), owner, game.epoch.to_string(), game.rows.to_string()]
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head = head.iter().map(|&name| name.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    print::table(&rows, Align::Left).join("\n") + "\n"
}
