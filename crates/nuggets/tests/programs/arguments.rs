//! Errors that depend on the machine or on the features of the build. Other wrong arguments are in
//! `transcripts/arguments.console`.

use nuggets_testkit::run;

use crate::starting::{NUGGETS, PLAYER, SERVER};

#[test]
fn the_error_names_a_port_that_is_in_use() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ended = run(SERVER, &["main", "--bind", "127.0.0.1", "--port", &port]);
    let stderr = &ended.stderr;
    let start = format!("error: can't listen on port {port} of 127.0.0.1 (");
    let end = "): another program has that port. Choose another with --port, or 0 for any\n";
    assert!(stderr.starts_with(&start) && stderr.ends_with(end), "{stderr}");
    assert_eq!((&*ended.stdout, ended.code()), ("", Some(1)));
}

/// Whether a lookup finds that there is no such host or fails altogether depends on the network of
/// the machine; each has its own message.
#[test]
fn an_unknown_host_has_its_own_message() {
    let ended = run(PLAYER, &["no-such-host.invalid", "1234", "Ann"]);
    let stderr = &ended.stderr;
    assert!(
        stderr.starts_with("error: there is no host named 'no-such-host.invalid': check")
            || stderr.starts_with(
                "error: the host name 'no-such-host.invalid' can't be looked up at the moment: "
            ),
        "{stderr}"
    );
    assert!(stderr.ends_with(", or give the server's IP address\n"), "{stderr}");
    assert_eq!((&*ended.stdout, ended.code()), ("", Some(1)));
}

/// The names in the help are typed by hand; the maps are not.
#[test]
fn the_help_names_every_built_in_map() {
    let names: Vec<&str> = nuggets_game::shipped::ALL.iter().map(|map| map.name).collect();
    for words in [["server", "--help"], ["play", "--help"]] {
        let stdout = run(NUGGETS, &words).stdout;
        let flowing = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(&names.join(", ")), "{stdout}");
    }
}
