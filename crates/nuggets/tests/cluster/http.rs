//! Requests to any node over HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::wait_for;

/// The longest time of one attempt to ask a node: it may hang.
const PATIENCE: Duration = Duration::from_secs(5);

/// An answer: its status, the cookie of the session if it sets one, and what it says.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) cookie: Option<String>,
    pub(crate) body: Value,
}

/// Reads something. `None` if the node does not answer.
pub(crate) fn get(node: SocketAddr, path: &str) -> Option<Answer> {
    request(node, &format!("GET {path} HTTP/1.1\r\nHost: {node}\r\nConnection: close\r\n\r\n"))
}

/// Asks a node as a page would. `None` if it does not answer.
pub(crate) fn post(node: SocketAddr, path: &str, cookie: &str, body: &Value) -> Option<Answer> {
    let body = body.to_string();
    let length = body.len();
    request(
        node,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: {node}\r\nOrigin: http://{node}\r\nCookie: {cookie}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ),
    )
}

fn request(node: SocketAddr, request: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect_timeout(&node, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
    let body = serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned()));
    Some(Answer { status, cookie, body })
}

/// Creates a game at a node; returns its id.
pub(crate) fn create_game(node: SocketAddr, spec: &Value) -> String {
    wait_for("a new game", || {
        let answer = post(node, "/api/games", "", spec).filter(|answer| answer.status != 503)?;
        let id = answer.body["id"].as_str().map(str::to_owned);
        Some(id.unwrap_or_else(|| panic!("no game was created: {} {}", answer.status, answer.body)))
    })
}

/// A game as a node describes it.
pub(crate) fn find_game(node: SocketAddr, id: &str) -> Option<Value> {
    get(node, &format!("/api/games/{id}")).map(|it| it.body).filter(|row| row["id"] == id)
}
