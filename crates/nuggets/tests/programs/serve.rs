//! `nuggets serve` as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::arguments::{MORE, NUGGETS, check, check_words};

/// A running host in a folder of its own.
struct Serving {
    child: Child,
    /// What it printed: where to open it, the admin page, the folder.
    printed: Vec<String>,
}

impl Serving {
    fn start(args: &[&str]) -> Self {
        let mut child = Command::new(NUGGETS)
            .arg("serve")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let printed = lines.take(3).map(Result::unwrap).collect();
        Self { child, printed }
    }

    fn address(&self) -> &str {
        self.printed[0].strip_prefix("Open http://").unwrap()
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address());
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks it to stop; what it logged.
    fn stop(mut self, signal: Signal) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(self.child.wait().unwrap().success(), "{log}");
        log
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_says_what_to_open_and_stops_on_signals() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new/folder");
    for signal in [Signal::TERM, Signal::INT] {
        let host = Serving::start(&["--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()]);
        let admin = format!("Admin page: http://{}/admin with the token ", host.address());
        assert!(host.printed[1].starts_with(&admin), "{:?}", host.printed);
        assert_eq!(host.printed[2], format!("Data: {}", data.display()));
        assert!(host.get("/healthz").ends_with("\r\n\r\nok\n"));
        assert!(host.get("/").starts_with("HTTP/1.1 200 OK\r\n"));
        let log = host.stop(signal);
        assert!(log.contains("the next start resumes all games"), "{log}");
    }
}

#[test]
fn what_prevents_the_start_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let host = Serving::start(&["--listen", "127.0.0.1:0", "--data", data]);
    let other = tempfile::tempdir().unwrap();
    check_words(
        NUGGETS,
        &[
            "serve",
            "--log",
            "error",
            "--listen",
            host.address(),
            "--data",
            other.path().to_str().unwrap(),
        ],
        1,
        &format!(
            "error: can't listen on {} (Address already in use (os error 98)): another program has that \
             port, maybe another `nuggets serve`. Stop it, or choose another port with --listen\n",
            host.address()
        ),
    );
    check_words(
        NUGGETS,
        &["serve", "--log", "error", "--listen", "127.0.0.1:0", "--data", data],
        1,
        &format!(
            "error: another host uses the folder '{data}'. Stop that one, or name another folder. The \
             folder is chosen with --data\n"
        ),
    );
    let cert = folder.path().join("none.pem");
    let cert = cert.to_str().unwrap();
    let ended = Command::new(NUGGETS)
        .args(["serve", "--listen", "127.0.0.1:0", "--data", other.path().to_str().unwrap()])
        .args(["--tls-cert", cert, "--tls-key", cert])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.starts_with(&format!("error: can't use '{cert}' for TLS: ")), "{stderr}");
    assert_eq!(ended.status.code(), Some(1));
}

#[test]
fn wrong_options_are_rejected() {
    check(NUGGETS, "serve --tls-cert a.pem", 2, "error: --tls-cert needs --tls-key, too\n");
    check(
        NUGGETS,
        "serve --listen localhost",
        2,
        &format!(
            "error: invalid value 'localhost' for '--listen <ADDRESS:PORT>': give an IP address and a port, \
             such as 127.0.0.1:8080 or [::]:8080\n{MORE}"
        ),
    );
    check(
        NUGGETS,
        "serve --udp 9000",
        2,
        &format!(
            "error: invalid value '9000' for '--udp <FIRST-LAST>': give the first and the last port, for \
             example 9000-9099\n{MORE}"
        ),
    );
}
