//! Two servers that Patroni manages with etcd: it promotes the standby by itself, and restarts the old primary as the new
//! standby. It needs root and the Debian packages patroni, python3-etcd and etcd-server.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;

use super::{processes, programs, programs_folder};
use crate::ports::free_port;
use crate::waiting::wait_for;

/// Two servers, Patroni for each, and their etcd. Dropping it ends all of them.
#[derive(Debug)]
pub struct Patroni {
    folder: TempDir,
    etcd: Child,
    etcd_port: u16,
    members: Vec<PatroniMember>,
}

#[derive(Debug)]
struct PatroniMember {
    name: &'static str,
    port: u16,
    child: Option<Child>,
}

impl Patroni {
    /// Starts two servers, the second of them as a synchronous standby.
    pub fn start() -> Self {
        let folder =
            TempDir::with_prefix("nuggets-patroni-").expect("a scratch folder can be created");
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
        let member = |name| PatroniMember { name, port: free_port(), child: None };
        let mut patroni =
            Self { folder, etcd, etcd_port: port, members: vec![member("a"), member("b")] };
        patroni.run(0);
        wait_for("a primary", || patroni.primary());
        patroni.psql("postgres", "CREATE DATABASE nuggets").expect("a primary");
        patroni.run(1);
        patroni.wait_for_standby();
        patroni
    }

    /// Starts a member.
    pub fn run(&mut self, member: usize) {
        let PatroniMember { name, port, .. } = self.members[member];
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
                "data_dir": data, "bin_dir": programs_folder().expect("PostgreSQL is installed"), "pgpass": folder.join(format!("{name}.pass")),
                "parameters": {"unix_socket_directories": ""}, "basebackup": [{"checkpoint": "fast"}],
                "authentication": {
                    "superuser": {"username": "nuggets"}, "replication": {"username": "replicator"},
                    "rewind": {"username": "nuggets"}
                }
            }
        });
        let path = folder.join(format!("{name}.yml"));
        // JSON is YAML, too.
        fs::write(&path, config.to_string()).expect("the configuration is writable");
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--", "patroni"])
            .arg(path);
        let child = quiet(command.current_dir("/"), &folder.join(format!("{name}.log")));
        self.members[member].child = Some(child);
    }

    /// Returns the URL of the database `nuggets` on whichever server accepts writes.
    pub fn url(&self) -> String {
        let [a, b] = [0, 1].map(|member| self.members[member].port);
        format!(
            "postgres://nuggets@127.0.0.1:{a},127.0.0.1:{b}/nuggets?target_session_attrs=read-write"
        )
    }

    /// Returns the member that accepts writes.
    pub fn primary(&self) -> Option<usize> {
        let is_primary = |member: &PatroniMember| {
            psql(member.port, "postgres", "SELECT pg_is_in_recovery()").as_deref() == Some("f")
        };
        self.members.iter().position(is_primary)
    }

    /// Returns the output of a statement at the primary; `None` if it fails or there is no primary.
    pub fn psql(&self, database: &str, sql: &str) -> Option<String> {
        psql(self.members[self.primary()?].port, database, sql)
    }

    /// Returns the output of a statement in the database `nuggets`, as soon as a server accepts it.
    pub fn query(&self, sql: &str) -> String {
        wait_for("an answer of the database", || self.psql("nuggets", sql))
    }

    /// Waits until every commit waits for the standby.
    pub fn wait_for_standby(&self) {
        let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        wait_for("a synchronous standby", || {
            (self.psql("postgres", synchronous)? == "1").then_some(())
        });
    }

    /// Kills the server of a member.
    pub fn kill(&self, member: usize) {
        let lock = self.folder.path().join(self.members[member].name).join("postmaster.pid");
        let text = fs::read_to_string(lock).expect("the server runs");
        let pid = text.lines().next().and_then(|pid| pid.parse().ok()).expect("a process id");
        processes::signal(pid, Signal::KILL);
    }

    /// Kills the Patroni process of a member, so that its server is not restarted.
    pub fn kill_manager(&mut self, member: usize) {
        let mut child = self.members[member].child.take().expect("Patroni runs");
        let _ = child.kill();
        let _ = child.wait();
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
    assert!(owned.is_ok_and(|status| status.success()), "only root can do that");
}

fn quiet(command: &mut Command, log: &Path) -> Child {
    let log = fs::File::create(log).expect("a log can be created");
    let output = log.try_clone().expect("a file can be shared");
    let command = command.stdin(Stdio::null()).stdout(output).stderr(log);
    command.spawn().unwrap_or_else(|why| panic!("can't start {command:?}: {why}"))
}

fn psql(port: u16, database: &str, sql: &str) -> Option<String> {
    let output = programs::psql(port, database, sql).output().expect("psql can be run");
    let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    output.status.success().then_some(text)
}
