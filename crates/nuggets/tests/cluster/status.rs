//! `nuggets cluster status` as a process: what it says when something is missing.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

use crate::brokers::Brokers;
use crate::cluster::Cluster;
use crate::free_port::free_port;

fn status(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nuggets"));
    command.args(["cluster", "status"]).args(args).output().unwrap()
}

/// It ends with code 1 and says this.
fn check_error(urls: &str, expected: &str) {
    let Output { status, stdout, stderr } = status(&[urls]);
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!((status.code(), stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.starts_with("error: ") && stderr.contains(expected), "{stderr}");
}

#[test]
fn without_a_broker_it_says_so() {
    let url = format!("nats://127.0.0.1:{}", free_port());
    check_error(&url, &format!("no broker of {url} can be used"));
}

#[test]
fn a_broker_that_is_too_old_is_named_with_what_to_do() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    // What Debian's broker sends first, and its answer to the first ping.
    let broker = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let info = r#"{"server_id":"A","server_name":"a","version":"2.9.10","proto":1,"go":"go1.19","host":"127.0.0.1","port":4222,"headers":true,"max_payload":1048576,"client_id":1}"#;
        write!(stream, "INFO {info}\r\n").unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            if line == "PING" {
                stream.write_all(b"PONG\r\n").unwrap();
            }
        }
    });
    check_error(&url, "the nats-server has version 2.9.10, and 2.11 or later is needed");
    broker.join().unwrap();
}

#[test]
fn brokers_without_nodes_are_no_cluster() {
    let brokers = Brokers::start(|config| config);
    let urls = brokers.urls(Ipv4Addr::LOCALHOST);
    check_error(&urls, "the brokers are there, but no node of the cluster answers");
    let wrong = urls.replace("nuggets:nuggets", "nuggets:wrong");
    check_error(&wrong, "--cluster-creds, or name and password in the URL");
}

#[test]
fn all_nodes_are_shown() {
    let cluster = Cluster::start(None);
    let Output { status: ended, stdout, stderr } = status(&[&cluster.urls(), "--json"]);
    assert_eq!(ended.code(), Some(0), "{}", String::from_utf8_lossy(&stderr));
    let report: Value = serde_json::from_slice(&stdout).unwrap();
    for (row, node) in report["nodes"].as_array().unwrap().iter().zip(["one", "three", "two"]) {
        assert_eq!((&row["node"], &row["condition"]), (&node.into(), &"ready".into()), "{report}");
    }
    let table = String::from_utf8(status(&[&cluster.urls()]).stdout).unwrap();
    assert!(table.starts_with("NODE ") && table.contains("\nLOG "), "{table}");
}
