//! `nuggets serve` as a process.

use std::process::{Command, Stdio};

use nuggets_testkit::{HttpClient, ServerProcess, run};
use rustix::process::Signal;

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
    let other = other.path().to_str().unwrap();
    let cert = folder.path().join("none.pem");
    let cert = cert.to_str().unwrap();
    let taken = format!(
        "can't listen on {address} (Address already in use (os error 98)): another program has that port, maybe another \
         `nuggets serve`. Stop it, or choose another port with --listen\n"
    );
    let used = format!(
        "another host uses the folder '{data}'. Stop that one, or name another folder. The folder is chosen with --data\n"
    );
    let no_tls = format!("can't use '{cert}' for TLS: ");
    let any = "127.0.0.1:0";
    for (words, error) in [
        (&["--listen", &address, "--data", other][..], &taken),
        (&["--listen", any, "--data", data], &used),
        (&["--listen", any, "--data", other, "--tls-cert", cert, "--tls-key", cert], &no_tls),
    ] {
        let ended = run(NUGGETS, &[&["serve", "--log", "error"], words].concat());
        assert!(ended.stderr.starts_with(&format!("error: {error}")), "{}", ended.stderr);
        assert_eq!((&*ended.stdout, ended.code()), ("", Some(1)));
    }
}
