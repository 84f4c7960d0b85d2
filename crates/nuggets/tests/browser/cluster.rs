//! The page of a game whose node dies: it resumes by itself through the node that it is connected to.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::browser::Browser;
use crate::host::{Host, free_port};
use crate::player::Player;
use crate::playing::{ROOM, check_step, walk_to_middle};
use crate::wait_for;

/// One broker. It is killed when the test is over, however it ends.
struct Broker {
    child: Child,
    port: u16,
    _data: TempDir,
}

impl Broker {
    fn start() -> Self {
        let data = TempDir::with_prefix("nuggets-broker-").unwrap();
        let port = free_port();
        let mut command = Command::new(program());
        command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(data.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        wait_for("the broker", || TcpStream::connect(("127.0.0.1", port)).ok());
        Self { child, port, _data: data }
    }

    fn start_node(&self, name: &str) -> Host {
        let url = format!("nats://127.0.0.1:{}", self.port);
        Host::start(&["--cluster", &url, "--node", name, "--cluster-replicas", "1"])
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What `cargo xtask test` installs, or what `NATS_SERVER` names.
fn program() -> PathBuf {
    let chosen = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/pypi/bin/nats-server");
    chosen.unwrap_or_else(|| Path::new(installed).to_owned())
}

#[test]
fn a_page_goes_on_by_itself_when_the_node_that_runs_its_game_dies() {
    let broker = Broker::start();
    let (mut one, two) = (broker.start_node("one"), broker.start_node("two"));
    let browser = Browser::start();
    let page = browser.profile().page("ann");
    page.open(&one.url("/"));
    let spec = json!({"map": {"own": ROOM}, "rules": {"gold": 3, "min_piles": 3, "max_piles": 3}});
    let id = page.create_game(&spec);
    let mut ann = Player::join(page, &two.url(&format!("/g/{id}")));
    walk_to_middle(&mut ann);
    let before = ann.picture();
    one.kill();
    // The page is not reloaded, and the key is not lost.
    check_step(&mut ann, |page| page.press("l"), (0, 1));
    check_step(&mut ann, |page| page.press("h"), (0, -1));
    assert_eq!(ann.picture(), before);
}
