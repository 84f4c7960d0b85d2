//! A host in this process, and a browser that only knows HTTP and WebSocket.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use nuggets_host::{HostOptions, RunningHost};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A host in a folder of its own.
pub(crate) struct TestHost {
    pub(crate) folder: TempDir,
    runtime: Runtime,
    host: Option<RunningHost>,
}

impl TestHost {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    pub(crate) fn start_with(change: impl FnOnce(&mut HostOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let mut host = Self { folder, runtime, host: None };
        host.start_again(change);
        host
    }

    /// Starts it in the same folder.
    pub(crate) fn start_again(&mut self, change: impl FnOnce(&mut HostOptions)) {
        let mut options = HostOptions::new(self.folder.path().into());
        options.listen = "127.0.0.1:0".parse().unwrap();
        change(&mut options);
        self.host = Some(self.runtime.block_on(RunningHost::start(options)).unwrap());
    }

    pub(crate) fn stop(&mut self) {
        if let Some(host) = self.host.take() {
            self.runtime.block_on(host.stop());
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.host.as_ref().unwrap().address()
    }

    pub(crate) fn admin_token(&self) -> &str {
        self.host.as_ref().unwrap().admin_token()
    }

    /// Waits until the host has been drained.
    pub(crate) fn wait_until_drained(&self) {
        self.runtime.block_on(self.host.as_ref().unwrap().drained());
    }

    /// A browser without cookies.
    pub(crate) fn browser(&self) -> Browser {
        Browser { address: self.address(), cookies: Vec::new() }
    }
}

impl Drop for TestHost {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A browser: it keeps cookies, and sends its origin where browsers do.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) address: SocketAddr,
    pub(crate) cookies: Vec<(String, String)>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Browser {
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// As a script of a page of the host does.
    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Answer {
        let origin = self.origin();
        let headers = [("origin", origin.as_str()), ("content-type", "application/json")];
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    /// Sends exactly these headers besides `Host` and cookies.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        if !self.cookies.is_empty() {
            write!(head, "cookie: {}\r\n", self.cookie_header()).unwrap();
        }
        head.push_str("\r\n");
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // A host that rejects a large body closes before it has read all of it.
        let _ = stream.write_all(body);
        let answer = read_answer(stream);
        self.keep_cookies(&answer);
        answer
    }

    fn cookie_header(&self) -> String {
        let pairs: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("; ")
    }

    fn keep_cookies(&mut self, answer: &Answer) {
        let set = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
        for (_, cookie) in set {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.into(), value.into()));
        }
    }

    /// Opens the WebSocket of a game as the page does.
    pub(crate) fn connect(&self, game: &str) -> Socket {
        let origin = self.origin();
        self.try_connect(game, Some(&origin)).unwrap()
    }

    /// Opens the WebSocket of a game; the status if it is rejected.
    pub(crate) fn try_connect(&self, game: &str, origin: Option<&str>) -> Result<Socket, u16> {
        self.open(&format!("/g/{game}/ws"), origin)
    }

    /// The same at any path.
    pub(crate) fn open(&self, path: &str, origin: Option<&str>) -> Result<Socket, u16> {
        let url = format!("ws://{}{path}", self.address);
        let mut request = url.into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        if !self.cookies.is_empty() {
            request.headers_mut().insert("cookie", self.cookie_header().parse().unwrap());
        }
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        match tungstenite::client(request, MaybeTlsStream::Plain(stream)) {
            Ok((socket, _)) => Ok(Socket { socket, waiting: Vec::new() }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(why) => panic!("{why}"),
        }
    }
}

fn read_answer(stream: TcpStream) -> Answer {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {line:?}"));
    let status = status.parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut bytes = Vec::new();
    let _ = reader.read_to_end(&mut bytes);
    let is_chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    if is_chunked {
        bytes = unchunk(&bytes);
    }
    Answer { status, headers, bytes }
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") {
        let length = std::str::from_utf8(&bytes[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        whole.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 2 + length + 2..];
    }
    whole
}

/// A WebSocket that hands out lines.
pub(crate) struct Socket {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    waiting: Vec<Value>,
}

impl Socket {
    pub(crate) fn say(&mut self, line: &str) {
        self.socket.send(Message::text(line)).unwrap();
    }

    /// Sends what may be rejected while it is sent.
    pub(crate) fn try_say(&mut self, line: &str) {
        let _ = self.socket.send(Message::text(line));
    }

    /// The next line; the close code if there is none.
    pub(crate) fn next(&mut self) -> Result<Value, Option<u16>> {
        while self.waiting.is_empty() {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
                    self.waiting = lines.collect();
                }
                Ok(Message::Close(frame)) => {
                    return Err(frame.map(|frame| u16::from(frame.code)));
                }
                Ok(_) => {}
                Err(tungstenite::Error::Io(why))
                    if why.kind() == std::io::ErrorKind::WouldBlock =>
                {
                    panic!("the host sends nothing")
                }
                Err(_) => return Err(None),
            }
        }
        Ok(self.waiting.remove(0))
    }

    /// Reads until a line has this field, and returns the field.
    pub(crate) fn wait_for(&mut self, field: &str) -> Value {
        loop {
            let line =
                self.next().unwrap_or_else(|code| panic!("closed with {code:?}, no {field}"));
            if let Some(value) = line.get(field) {
                return value.clone();
            }
        }
    }

    /// Reads until the host closes; the code and all lines before it.
    pub(crate) fn read_to_end(&mut self) -> (Option<u16>, Vec<Value>) {
        let mut lines = Vec::new();
        loop {
            match self.next() {
                Ok(line) => lines.push(line),
                Err(code) => return (code, lines),
            }
        }
    }
}

/// A game on a built-in map without bots.
pub(crate) fn plain_game() -> Value {
    serde_json::json!({ "map": { "built_in": "main" } })
}

/// Creates a game and returns its id.
pub(crate) fn create(browser: &mut Browser, spec: &Value) -> String {
    let answer = browser.post("/api/games", spec);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["id"].as_str().unwrap().to_owned()
}
