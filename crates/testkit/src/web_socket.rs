//! One end of a WebSocket that carries lines of JSON: a client of a host, or the host that a client of ours talks to.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::TcpStream;

use serde_json::Value;
use tungstenite::client::{IntoClientRequest, client_with_config};
use tungstenite::handshake::HandshakeError;
use tungstenite::http::{HeaderName, HeaderValue};
use tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tungstenite::{Error, Message, Utf8Bytes, WebSocket};

/// The reason why there is no WebSocket.
#[derive(Debug, PartialEq, Eq)]
pub enum WebSocketError {
    /// The host answers with this status.
    Rejected(u16),
    /// The connection fails.
    Failed(String),
}

/// The result of a read.
#[derive(Debug)]
pub enum SocketRead {
    /// A message: one line or several.
    Text(Utf8Bytes),
    /// No message within the read timeout; or no message yet, on a stream that does not block.
    Nothing,
    /// The other end has closed the connection, perhaps with a code and a reason.
    Closed(Option<CloseFrame>),
}

/// One end of a WebSocket.
#[derive(Debug)]
pub struct WebSocketPeer {
    socket: WebSocket<TcpStream>,
    /// Lines of the last message that were not read yet.
    waiting: VecDeque<Value>,
}

impl WebSocketPeer {
    /// Requests a WebSocket from the host at the other end of a connection, with these headers.
    pub fn connect(
        stream: TcpStream,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, WebSocketError> {
        let failed = |why: &dyn ToString| WebSocketError::Failed(why.to_string());
        let address = stream.peer_addr().map_err(|why| failed(&why))?;
        let mut request = format!("ws://{address}{path}").into_client_request().expect("a URL");
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("the name of a header");
            let value = HeaderValue::from_str(value).expect("the value of a header");
            request.headers_mut().insert(name, value);
        }
        // The buffers are small, because a load generator has thousands of them.
        let config = WebSocketConfig::default().read_buffer_size(4096).write_buffer_size(0);
        match client_with_config(request, stream, Some(config)) {
            Ok((socket, _)) => Ok(Self { socket, waiting: VecDeque::new() }),
            Err(HandshakeError::Failure(Error::Http(response))) => {
                Err(WebSocketError::Rejected(response.status().as_u16()))
            }
            Err(why) => Err(failed(&why)),
        }
    }

    /// Accepts the WebSocket that the client at the other end of a connection requests.
    pub fn accept(stream: TcpStream) -> Self {
        let socket = tungstenite::accept(stream).expect("a client that asks for a WebSocket");
        Self { socket, waiting: VecDeque::new() }
    }

    /// Returns the connection, to set its timeout or to wait for it.
    pub fn stream(&self) -> &TcpStream {
        self.socket.get_ref()
    }

    /// Sends a message.
    pub fn send(&mut self, text: &str) {
        self.try_send(text).expect("the other end is there");
    }

    /// Sends a message; fails if the other end is gone, or rejects the message while it is sent.
    pub fn try_send(&mut self, text: &str) -> io::Result<()> {
        self.socket.send(Message::text(text)).map_err(io::Error::other)
    }

    /// Closes the connection with this code.
    pub fn close(&mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "".into() };
        self.socket.close(Some(frame)).expect("the other end is there");
    }

    /// Reads a message.
    pub fn read(&mut self) -> SocketRead {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return SocketRead::Text(text),
                Ok(Message::Close(frame)) => return SocketRead::Closed(frame),
                Ok(_) => {}
                Err(Error::Io(why)) if is_timeout(why.kind()) => return SocketRead::Nothing,
                Err(_) => return SocketRead::Closed(None),
            }
        }
    }

    /// Returns the next line; the close code if there is none.
    pub fn next_line(&mut self) -> Result<Value, Option<u16>> {
        while self.waiting.is_empty() {
            match self.read() {
                SocketRead::Text(text) => self.waiting = parse_lines(&text),
                SocketRead::Nothing => panic!("the host sends nothing"),
                SocketRead::Closed(frame) => return Err(frame.map(|frame| frame.code.into())),
            }
        }
        Ok(self.waiting.pop_front().expect("a line"))
    }

    /// Skips lines until one has this field, and returns the field.
    pub fn wait_for(&mut self, field: &str) -> Value {
        loop {
            let line = self.next_line();
            let line = line.unwrap_or_else(|code| panic!("closed with {code:?}, no {field}"));
            if let Some(value) = line.get(field) {
                return value.clone();
            }
        }
    }

    /// Reads until the host closes; returns the code and all lines before it.
    pub fn read_to_end(&mut self) -> (Option<u16>, Vec<Value>) {
        let mut lines = Vec::new();
        loop {
            match self.next_line() {
                Ok(line) => lines.push(line),
                Err(code) => return (code, lines),
            }
        }
    }
}

/// Reads the lines of a message.
pub fn parse_lines(text: &str) -> VecDeque<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn is_timeout(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
