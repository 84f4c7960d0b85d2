//! Tests of a host whose database can't be reached.

use std::thread;

use nuggets_host::DatabaseOptions;
use nuggets_testkit::{Postgres, StopMode, wait_until};

use crate::client::{TestHost, plain_game};

#[test]
fn without_its_database_a_host_asks_visitors_to_try_again() {
    let mut server = Postgres::start();
    let host = TestHost::start_with(|options| {
        options.database = Some(DatabaseOptions {
            url: server.url().parse().unwrap(),
            node: "one".into(),
            advertise: None,
            node_ca: None,
            node_identity: None,
        });
    });
    let mut ann = host.visitor();
    let game = ann.create_game(&plain_game());
    server.stop(StopMode::Immediate);
    let create = plain_game().to_string();
    let requests =
        [("GET", "/players", ""), ("POST", "/api/games", &create), ("GET", "/api/players", "")];
    // At the same time, because each waits until the host gives up.
    thread::scope(|scope| {
        for (method, path, body) in requests {
            let mut visitor = ann.clone();
            scope.spawn(move || {
                let json = [("content-type", "application/json")];
                let answer = visitor.send(method, path, &json, body.as_bytes());
                let seen = (answer.status, answer.header("retry-after"));
                assert_eq!(seen, (503, Some("1")), "{method} {path}: {answer:?}");
                assert!(answer.text().contains("Saving is not possible"), "{path}: {answer:?}");
            });
        }
    });
    wait_until("an unhealthy node", || ann.get("/healthz").status == 503);
    assert_eq!(ann.get("/livez").status, 200);

    server.restart();
    wait_until("a healthy node", || ann.get("/healthz").status == 200);
    assert_eq!(ann.get(&format!("/g/{game}")).status, 200);
}
