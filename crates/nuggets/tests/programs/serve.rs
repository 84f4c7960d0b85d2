//! `nuggets serve` as a process.

use std::process::{Command, Stdio};

use nuggets_testkit::{HttpClient, ServerProcess};
use rustix::process::Signal;

use crate::arguments::{MORE, check, check_words};
use crate::starting::NUGGETS;

/// Starts a host on any port with this folder.
fn start(data: &str) -> ServerProcess {
    let mut command = Command::new(NUGGETS);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", data]);
    ServerProcess::start(command.stderr(Stdio::piped()))
}

#[test]
fn it_says_what_to_open_and_stops_on_signals() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new/folder");
    for signal in [Signal::TERM, Signal::INT] {
        let host = start(data.to_str().unwrap());
        let address = host.address();
        assert_eq!(host.announcement(), format!("Open http://{address}"));
        let admin = format!("Admin page: http://{address}/admin with the token ");
        assert!(host.next_line().unwrap().starts_with(&admin));
        assert_eq!(host.next_line().unwrap(), format!("Data: {}", data.display()));
        let mut visitor = HttpClient::new(address);
        assert_eq!(visitor.get("/healthz").text(), "ok\n");
        assert_eq!(visitor.get("/").status, 200);
        host.signal(signal);
        let ended = host.end();
        assert!(ended.status.success(), "{}", ended.stderr);
        assert!(ended.stderr.contains("the next start resumes all games"), "{}", ended.stderr);
    }
}

#[test]
fn what_prevents_the_start_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let host = start(data);
    let address = host.address().to_string();
    let other = tempfile::tempdir().unwrap();
    check_words(
        NUGGETS,
        &[
            "serve",
            "--log",
            "error",
            "--listen",
            &address,
            "--data",
            other.path().to_str().unwrap(),
        ],
        1,
        &format!(
            "error: can't listen on {address} (Address already in use (os error 98)): another program has that \
             port, maybe another `nuggets serve`. Stop it, or choose another port with --listen\n"
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
