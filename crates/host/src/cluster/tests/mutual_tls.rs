//! Nodes that speak TLS with each other, over a real database.

use std::sync::Arc;
use std::time::Duration;

use nuggets_testkit::{Postgres, SelfSigned};
use tempfile::TempDir;

use super::super::neighbours::Neighbours;
use super::super::pass_on::PassOnError;
use super::super::routes::Member;
use crate::{DatabaseOptions, HostOptions, RunningHost, TlsFiles};

const DEADLINE: Duration = Duration::from_secs(60);

fn files(made: &SelfSigned) -> TlsFiles {
    TlsFiles { cert: made.cert.clone(), key: made.key.clone() }
}

/// A node whose certificate for people is `shared`, which all nodes trust; `shown` is the one that it shows to other nodes.
async fn start(
    name: &str,
    database: &Postgres,
    folder: &TempDir,
    shared: &SelfSigned,
    shown: Option<&SelfSigned>,
) -> RunningHost {
    let options = HostOptions {
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: Some(files(shared)),
        database: Some(DatabaseOptions {
            url: database.url().parse().unwrap(),
            node: name.into(),
            advertise: None,
            node_ca: Some(shared.cert.clone()),
            node_identity: shown.map(files),
        }),
        ..HostOptions::new(folder.path().into())
    };
    RunningHost::start(options).await.unwrap()
}

fn neighbours(host: &RunningHost) -> &Arc<Neighbours> {
    host.site().service.cluster.as_ref().unwrap().neighbours()
}

/// Waits until a host knows the other as a node that lives.
async fn known(by: &RunningHost, name: &str) -> Member {
    let find = async {
        loop {
            let mut members = neighbours(by).members().into_iter();
            if let Some(member) = members.find(|member| member.name == name) {
                return member;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(DEADLINE, find).await.expect("the nodes know each other")
}

/// Calls `to` once both know each other. There is nothing to call: a node that answers says so.
async fn call(from: &RunningHost, to: &RunningHost, name: &str) -> PassOnError {
    let me = neighbours(from).me().name.clone();
    known(to, &me).await;
    let member = known(from, name).await;
    neighbours(from).call(&member, "/node/nothing").await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_with_a_certificate_answers_only_nodes_that_show_one() {
    let database = Postgres::start();
    let folder = tempfile::tempdir().unwrap();
    let trusted = SelfSigned::create(folder.path(), "trusted", "IP:127.0.0.1");
    let unknown = SelfSigned::create(folder.path(), "unknown", "IP:127.0.0.1");
    let one = start("one", &database, &folder, &trusted, Some(&trusted)).await;
    let two = start("two", &database, &folder, &trusted, Some(&trusted)).await;
    let bare = start("bare", &database, &folder, &trusted, None).await;
    let forged = start("forged", &database, &folder, &trusted, Some(&unknown)).await;

    let is_answered = |why: PassOnError| why.to_string().contains("404");
    assert!(is_answered(call(&one, &two, "two").await));
    // Its signature is right, but it shows no certificate.
    assert!(matches!(call(&bare, &two, "two").await, PassOnError::NotOwner(_)));
    // The connection is refused.
    assert!(!is_answered(call(&forged, &two, "two").await));
    // A node without one does not ask others for theirs.
    assert!(is_answered(call(&two, &bare, "bare").await));

    for host in [one, two, bare, forged] {
        host.stop().await;
    }
}
