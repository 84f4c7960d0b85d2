//! A visitor of a web host without a browser: requests over HTTP, cookies, and the WebSocket of a game.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use socket2::{Domain, Socket, Type};

use crate::waiting::LIMIT;
use crate::web_socket::{WebSocketError, WebSocketPeer};

/// A visitor: it keeps cookies, and sends its origin where browsers do.
#[derive(Clone, Debug)]
pub struct HttpClient {
    /// The address of the host.
    pub address: SocketAddr,
    /// The cookies: names and values.
    pub cookies: Vec<(String, String)>,
    /// The address that it connects from; by default, the system chooses.
    pub source: Option<Ipv4Addr>,
    /// The timeout for a connection, and for each part of an answer.
    pub patience: Duration,
}

/// An answer of the host.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body.
    pub bytes: Vec<u8>,
}

impl HttpAnswer {
    /// Returns the body as text.
    pub fn text(&self) -> &str {
        str::from_utf8(&self.bytes).expect("a text")
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    fn new_cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        let set = self.headers.iter().filter(|(name, _)| name == "set-cookie");
        set.filter_map(|(_, cookie)| cookie.split(';').next()?.split_once('='))
    }
}

impl HttpClient {
    /// Creates a visitor without cookies.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, cookies: Vec::new(), source: None, patience: LIMIT }
    }

    /// Returns the origin of the pages of this host.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sends a GET request.
    pub fn get(&mut self, path: &str) -> HttpAnswer {
        self.send("GET", path, &[], b"")
    }

    /// Posts JSON, as a script of a page of the host does.
    pub fn post(&mut self, path: &str, body: &Value) -> HttpAnswer {
        self.try_post(path, body).expect("the host answers")
    }

    /// The same; fails if the host does not answer.
    pub fn try_post(&mut self, path: &str, body: &Value) -> io::Result<HttpAnswer> {
        let origin = self.origin();
        let headers = [("origin", origin.as_str()), ("content-type", "application/json")];
        self.try_send("POST", path, &headers, body.to_string().as_bytes())
    }

    /// Creates a game; returns its id.
    pub fn create_game(&mut self, spec: &Value) -> String {
        let answer = self.post("/api/games", spec);
        assert_eq!(answer.status, 200, "no game was created: {answer:?}");
        answer.json()["id"].as_str().expect("a game has an id").to_owned()
    }

    /// Returns a game as the lobby lists it.
    pub fn game(&mut self, id: &str) -> Value {
        self.get(&format!("/api/games/{id}")).json()
    }

    /// Sends a request with exactly these headers besides `Host` and cookies.
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> HttpAnswer {
        self.try_send(method, path, headers, body).expect("the host answers")
    }

    /// The same; fails if the host does not answer.
    pub fn try_send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<HttpAnswer> {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        let cookies = (!self.cookies.is_empty()).then(|| self.cookie_header());
        let cookies = cookies.iter().map(|cookies| ("cookie", cookies.as_str()));
        for (name, value) in headers.iter().copied().chain(cookies) {
            write!(head, "{name}: {value}\r\n").expect("a string grows");
        }
        head.push_str("\r\n");
        let mut stream = self.connect()?;
        stream.write_all(head.as_bytes())?;
        // A host that rejects a large body closes before it has read all of it.
        let _ = stream.write_all(body);
        let answer = read_answer(stream)?;
        for (name, value) in answer.new_cookies() {
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        Ok(answer)
    }

    /// Opens the WebSocket of a game as its page does.
    pub fn join_socket(&self, game: &str) -> WebSocketPeer {
        let opened = self.open_socket(&format!("/g/{game}/ws"), Some(&self.origin()));
        opened.unwrap_or_else(|why| panic!("no WebSocket: {why:?}"))
    }

    /// Opens a WebSocket at a path, from this origin.
    pub fn open_socket(
        &self,
        path: &str,
        origin: Option<&str>,
    ) -> Result<WebSocketPeer, WebSocketError> {
        let cookies = self.cookie_header();
        let cookies = (!cookies.is_empty()).then_some(("cookie", cookies.as_str()));
        let headers: Vec<_> =
            origin.map(|origin| ("origin", origin)).into_iter().chain(cookies).collect();
        let stream = self.connect().map_err(|why| WebSocketError::Failed(why.to_string()))?;
        WebSocketPeer::connect(stream, path, &headers)
    }

    /// Opens a connection to the host.
    pub fn connect(&self) -> io::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        if let Some(source) = self.source {
            socket.bind(&SocketAddr::from((source, 0)).into())?;
        }
        socket.connect_timeout(&self.address.into(), self.patience)?;
        socket.set_read_timeout(Some(self.patience))?;
        socket.set_tcp_nodelay(true)?;
        Ok(socket.into())
    }

    fn cookie_header(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }
}

fn read_answer(stream: TcpStream) -> io::Result<HttpAnswer> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no status: {line:?}")))?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut bytes = Vec::new();
    let _ = reader.read_to_end(&mut bytes);
    let is_chunked =
        |(name, value): &(String, String)| name == "transfer-encoding" && value == "chunked";
    if headers.iter().any(is_chunked) {
        bytes = unchunk(&bytes);
    }
    Ok(HttpAnswer { status, headers, bytes })
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") {
        let length = str::from_utf8(&bytes[..end]).expect("a length");
        let length = usize::from_str_radix(length, 16).expect("a length");
        whole.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 2 + length + 2..];
    }
    whole
}
