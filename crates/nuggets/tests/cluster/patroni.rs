//! Two servers that Patroni manages with etcd: it promotes the standby by itself, and starts the old primary again as
//! the new standby. Only by command, with the Debian packages patroni, python3-etcd and etcd-server, as root:
//!
//! `NUGGETS_PATRONI=1 cargo test -p nuggets --features host --test cluster patroni -- --nocapture`

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nuggets_testkit::programs_folder;
use serde_json::json;
use tempfile::TempDir;

use crate::free_port::free_port;
use crate::http::create_game;
use crate::journals::Journals;
use crate::nodes::Node;
use crate::players::{Manner, Player, be_on_the_web};
use crate::{now, wait_for};

const PLAYERS: usize = 6;
/// In the last round Patroni is killed with its server: the standby waits for the end of a lease of 20 s.
const ROUNDS: usize = 4;

/// Two members and their etcd. They are killed when the test is over, however it ends.
struct Patroni {
    folder: TempDir,
    etcd: Child,
    etcd_port: u16,
    members: Vec<Member>,
}

struct Member {
    name: &'static str,
    port: u16,
    child: Option<Child>,
}

impl Patroni {
    fn start() -> Self {
        let folder = TempDir::with_prefix("nuggets-patroni-").unwrap();
        own(folder.path());
        let (port, peers) = (free_port(), free_port());
        let (client, peer) =
            (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{peers}"));
        let mut etcd = Command::new("etcd");
        etcd.arg("--data-dir").arg(folder.path().join("etcd")).args([
            "--listen-client-urls",
            &client,
            "--advertise-client-urls",
            &client,
            "--listen-peer-urls",
            &peer,
            "--initial-advertise-peer-urls",
            &peer,
            "--initial-cluster",
            &format!("default={peer}"),
        ]);
        let etcd = quiet(&mut etcd, &folder.path().join("etcd.log"));
        let member = |name| Member { name, port: free_port(), child: None };
        let mut patroni =
            Self { folder, etcd, etcd_port: port, members: vec![member("a"), member("b")] };
        patroni.run(0);
        wait_for("a primary", || patroni.primary());
        patroni.psql("postgres", "CREATE DATABASE nuggets").unwrap();
        patroni.run(1);
        patroni.wait_for_standby();
        patroni
    }

    /// Starts a member.
    fn run(&mut self, member: usize) {
        let Member { name, port, .. } = self.members[member];
        let (folder, etcd, rest) = (self.folder.path(), self.etcd_port, free_port());
        let data = folder.join(name);
        let config = json!({
            "scope": "nuggets", "name": name,
            "restapi": {"listen": format!("127.0.0.1:{rest}"), "connect_address": format!("127.0.0.1:{rest}")},
            "etcd3": {"host": format!("127.0.0.1:{etcd}")},
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 1, "retry_timeout": 3, "master_start_timeout": 0, "synchronous_mode": true,
                    "postgresql": {"use_pg_rewind": true, "parameters": {"wal_log_hints": "on", "wal_keep_size": "256MB"}}
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}],
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
            },
            "postgresql": {
                "listen": format!("127.0.0.1:{port}"), "connect_address": format!("127.0.0.1:{port}"),
                "data_dir": data, "bin_dir": programs_folder().unwrap(), "pgpass": folder.join(format!("{name}.pass")),
                "parameters": {"unix_socket_directories": ""}, "basebackup": [{"checkpoint": "fast"}],
                "authentication": {
                    "superuser": {"username": "nuggets"}, "replication": {"username": "replicator"},
                    "rewind": {"username": "nuggets"}
                }
            }
        });
        let path = folder.join(format!("{name}.yml"));
        // JSON is YAML, too.
        fs::write(&path, config.to_string()).unwrap();
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--", "patroni"])
            .arg(path);
        let child = quiet(command.current_dir("/"), &folder.join(format!("{name}.log")));
        self.members[member].child = Some(child);
    }

    fn url(&self) -> String {
        let [a, b] = [0, 1].map(|member| self.members[member].port);
        format!(
            "postgres://nuggets@127.0.0.1:{a},127.0.0.1:{b}/nuggets?target_session_attrs=read-write"
        )
    }

    /// The member that accepts writes.
    fn primary(&self) -> Option<usize> {
        let is_primary = |member: &Member| {
            psql(member.port, "postgres", "SELECT pg_is_in_recovery()").as_deref() == Some("f")
        };
        self.members.iter().position(is_primary)
    }

    fn psql(&self, database: &str, sql: &str) -> Option<String> {
        psql(self.members[self.primary()?].port, database, sql)
    }

    fn query(&self, sql: &str) -> String {
        wait_for("an answer of the database", || self.psql("nuggets", sql))
    }

    fn wait_for_standby(&self) {
        let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        wait_for("a synchronous standby", || {
            (self.psql("postgres", synchronous)? == "1").then_some(())
        });
    }

    /// Kills the server of a member, and Patroni itself if asked for.
    fn kill(&mut self, member: usize, with_patroni: bool) {
        if with_patroni {
            let mut child = self.members[member].child.take().unwrap();
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let lock = self.folder.path().join(self.members[member].name).join("postmaster.pid");
        let text = fs::read_to_string(lock).unwrap();
        let killed = Command::new("kill").args(["-9", text.lines().next().unwrap()]).status();
        assert!(killed.unwrap().success());
    }
}

impl Drop for Patroni {
    fn drop(&mut self) {
        for member in 0..self.members.len() {
            let Some(child) = &mut self.members[member].child else { continue };
            // Patroni stops its server, too.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
        let _ = self.etcd.kill();
        let _ = self.etcd.wait();
    }
}

fn own(folder: &Path) {
    let owned = Command::new("chown").arg("postgres").arg(folder).status();
    assert!(owned.unwrap().success());
}

fn quiet(command: &mut Command, log: &Path) -> Child {
    let log = fs::File::create(log).unwrap();
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

fn psql(port: u16, database: &str, sql: &str) -> Option<String> {
    let mut command = Command::new("psql");
    command.args([
        "-X",
        "-q",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        "-U",
        "nuggets",
        "-h",
        "127.0.0.1",
    ]);
    command.args(["-p", &port.to_string(), "-d", database, "-c", sql]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    output.status.success().then_some(text)
}

fn seat(nodes: &[Node], game: &str, number: usize) -> Player {
    let mut addresses: Vec<_> = nodes.iter().map(Node::address).collect();
    addresses.rotate_left(number % nodes.len());
    let (seed, id) = (i64::try_from(number).unwrap(), game.to_owned());
    let manner =
        Manner { name: Some(format!("W{number}")), patience: Duration::from_secs(2), seed };
    Player::start(game, move |kept| be_on_the_web(kept, &addresses, &id, manner))
}

#[test]
fn games_go_on_when_patroni_promotes_the_standby() {
    if std::env::var_os("NUGGETS_PATRONI").is_none() {
        return println!("skipped: by command only");
    }
    let mut patroni = Patroni::start();
    let mut nodes: Vec<Node> =
        ["one", "two", "three"].map(|name| Node::new(name, &patroni.url())).into();
    nodes.iter_mut().for_each(Node::start);
    let rules = json!({"gold": 5_000, "min_piles": 60, "max_piles": 60});
    let game =
        create_game(nodes[0].address(), &json!({"map": {"built_in": "main"}, "rules": rules}));
    let mut players: Vec<Player> = (0..PLAYERS).map(|number| seat(&nodes, &game, number)).collect();
    let mut journals = Journals::of(std::slice::from_ref(&game));
    for round in 0..ROUNDS {
        thread::sleep(Duration::from_secs(2));
        let (at, old) = (now(), patroni.primary().unwrap());
        let with_patroni = round + 1 == ROUNDS;
        patroni.kill(old, with_patroni);
        wait_for("a new primary", || {
            patroni.psql("nuggets", "CREATE TEMPORARY TABLE probe (n INT)").map(|_| ())
        });
        let (away, promoted) = (at.elapsed(), now());
        wait_for("all players see the game move", || {
            players.iter().all(|player| player.has_news_since(promoted)).then_some(())
        });
        let pause = players.iter().map(|player| player.longest_pause(at, now())).max();
        println!("round {round}: Patroni needed {away:?}, longest pause {pause:?}");
        if with_patroni {
            patroni.run(old);
        }
        patroni.wait_for_standby();
        players.iter_mut().for_each(Player::collect);
        journals.read(|sql| patroni.query(sql));
        journals.game(&game).play();
        for player in &mut players {
            journals.game(&game).find(&mut player.shown);
        }
    }
    journals.check_unchanged(|sql| patroni.query(sql));
    println!("{} pictures found in {} rows", journals.found(), journals.size().0);
}
