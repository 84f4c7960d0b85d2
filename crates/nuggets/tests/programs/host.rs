//! A server process to test, and clients that talk to it over UDP.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::free_port::free_port;

/// Long enough for the slowest machine; only a test that fails waits for it.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A running server. It is killed when the test is over, however it ends.
pub(crate) struct Host {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) port: u16,
}

/// How a server ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Host {
    /// Starts `server` with these arguments and waits for its announcement. It sends every message
    /// once and does not linger, so that messages can be counted.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::start_with_resends(&[args, &["--no-resends", "--linger", "0"]].concat())
    }

    /// The same with the default resends.
    pub(crate) fn start_with_resends(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        Self::start_command(command.args(args))
    }

    pub(crate) fn start_command(command: &mut Command) -> Self {
        Self::start_logging_to(command, Stdio::piped())
    }

    /// A new journal gets a port on which the server can be started again.
    pub(crate) fn start_logging_to(command: &mut Command, log: Stdio) -> Self {
        if begins_journal(command) {
            command.args(["--port", &free_port().to_string()]);
        }
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let port = line.strip_prefix("Ready to play, waiting at port ");
        let port = port.unwrap_or_else(|| panic!("announced {line:?}")).trim_end().parse().unwrap();
        Self { child, stdout, port }
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for a server that was killed.
    pub(crate) fn wait(&mut self) {
        self.child.wait().unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the server to end by itself; returns what it printed after its announcement.
    pub(crate) fn end(mut self) -> Ended {
        let started = now();
        while self.is_running() {
            assert!(started.elapsed() < LIMIT, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        let status = self.child.wait().unwrap();
        let mut stdout = String::new();
        let mut stderr = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        if let Some(mut log) = self.child.stderr.take() {
            log.read_to_string(&mut stderr).unwrap();
        }
        Ended { status, stdout, stderr }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// True if these arguments name a journal that does not exist yet, and no port.
fn begins_journal(command: &Command) -> bool {
    let args: Vec<&OsStr> = command.get_args().collect();
    let value = args.iter().position(|arg| *arg == "--journal").and_then(|at| args.get(at + 1));
    let folder = command.get_current_dir().unwrap_or(Path::new(""));
    value.is_some_and(|path| !folder.join(path).exists()) && !args.contains(&OsStr::new("--port"))
}

/// A client at the level of datagrams.
pub(crate) struct Client {
    pub(crate) socket: UdpSocket,
}

impl Client {
    pub(crate) fn new(port: u16) -> Self {
        Self::to(("127.0.0.1", port))
    }

    pub(crate) fn to(server: (&str, u16)) -> Self {
        let any = if server.0.contains(':') { "[::]:0" } else { "0.0.0.0:0" };
        let socket = UdpSocket::bind(any).unwrap();
        socket.connect(server).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        let client = Self { socket };
        client.discard_received();
        client
    }

    /// Discards what has arrived: for a new client, messages for the previous owner of its port.
    pub(crate) fn discard_received(&self) {
        self.socket.set_nonblocking(true).unwrap();
        while self.socket.recv(&mut [0; 16]).is_ok() {}
        self.socket.set_nonblocking(false).unwrap();
    }

    /// Sends again after an ICMP error: it is about an earlier datagram, which a server that has ended did not
    /// receive, and is reported instead of sending this one.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let sent = self.socket.send(bytes).or_else(|why| match why.kind() {
            ErrorKind::ConnectionRefused => self.socket.send(bytes),
            _ => Err(why),
        });
        assert_eq!(sent.expect("a datagram can be sent"), bytes.len());
    }

    pub(crate) fn receive(&self) -> Vec<u8> {
        let mut buffer = vec![0; 1 << 16];
        let mut receive = || unless_interrupted(|| self.socket.recv(&mut buffer));
        // An ICMP error is reported before the datagrams that have arrived.
        let received = receive().or_else(|why| match why.kind() {
            ErrorKind::ConnectionRefused => receive(),
            _ => Err(why),
        });
        let length = received.expect("a message");
        buffer.truncate(length);
        buffer
    }

    pub(crate) fn receive_text(&self) -> String {
        String::from_utf8(self.receive()).unwrap()
    }

    /// Joins and receives the four messages of the reply.
    pub(crate) fn play(&self, name: &str) -> Vec<String> {
        self.send(format!("PLAY {name}").as_bytes());
        (0..4).map(|_| self.receive_text()).collect()
    }

    /// True if no message is waiting. To be called when the server sends nothing more.
    pub(crate) fn has_no_message(&self) -> bool {
        self.socket.set_nonblocking(true).unwrap();
        self.socket.recv(&mut [0; 16]).is_err()
    }
}

/// Receives again after an interruption, such as a stopped test process that continues.
pub(crate) fn unless_interrupted<T>(mut receive: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match receive() {
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// A port that is closed to others while the socket exists: it receives only from itself.
pub(crate) fn closed_port() -> (UdpSocket, u16) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    socket.connect(address).unwrap();
    (socket, address.port())
}

#[expect(clippy::disallowed_methods, reason = "a limit on waiting for another process")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
