//! The programs of PostgreSQL and the user who runs the server: `initdb` and `postgres` refuse to run as root.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the server programs on Debian, where they are not in the search path.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Returns the folder of the server programs of the newest installed version.
pub fn programs_folder() -> Option<PathBuf> {
    let configured = Command::new("pg_config").arg("--bindir").output().ok();
    let configured = configured.and_then(|output| String::from_utf8(output.stdout).ok());
    let configured = configured.map(|folder| PathBuf::from(folder.trim()));
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort_unstable();
    let debian = versions.into_iter().rev().map(|(_, folder)| folder);
    // The folder from `pg_config` may have no server, if only the library is installed.
    configured.into_iter().chain(debian).find(|folder| folder.join("initdb").exists())
}

/// Returns the path of a program of PostgreSQL.
pub(super) fn program(name: &str) -> PathBuf {
    let folder = programs_folder();
    folder.expect("PostgreSQL is not installed: `cargo xtask test` installs it").join(name)
}

/// Returns the command that runs a statement and prints its output: columns separated by `|`.
pub(super) fn psql(port: u16, database: &str, sql: &str) -> Command {
    let mut psql = Command::new(program("psql"));
    psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "nuggets"]);
    psql.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-d", database, "-c", sql]);
    psql
}

/// The user who runs a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerUser {
    /// The ids of user and group, if the user of this process can't run the server.
    other: Option<(u32, u32)>,
}

impl ServerUser {
    /// Returns the current user, or an unprivileged one in place of root.
    pub(super) fn find() -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self { other: None };
        }
        let ids = ["postgres", "nobody"].iter().find_map(|name| ids_of(name));
        Self { other: Some(ids.expect("there is a user postgres or nobody")) }
    }

    /// Changes the owner of a file or folder to this user.
    pub(super) fn own(self, path: &Path) {
        if let Some((user, group)) = self.other {
            chown(path, Some(user), Some(group)).expect("root may change the owner");
        }
    }

    /// Returns a command that runs a program of PostgreSQL as this user.
    pub(super) fn command(self, name: &str) -> Command {
        let Some((user, group)) = self.other else { return Command::new(program(name)) };
        let mut command = Command::new("setpriv");
        command.args([format!("--reuid={user}"), format!("--regid={group}")]);
        command.arg("--clear-groups").arg("--").arg(program(name));
        // That user may have no access to the working directory of the caller.
        command.current_dir("/");
        command
    }
}

/// Runs a program and returns its output; panics if it fails.
pub(super) fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|why| panic!("can't run {command:?}: {why}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?} failed: {}", text(&output.stderr));
    text(&output.stdout)
}

fn ids_of(name: &str) -> Option<(u32, u32)> {
    let passwd = fs::read_to_string("/etc/passwd").ok()?;
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
