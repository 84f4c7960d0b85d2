//! A PostgreSQL server in a scratch folder, on a free port of 127.0.0.1, run as an unprivileged user. It never touches a
//! database cluster of the system, and is removed with the process that started it, even if that is killed.

mod disk;
mod guardian;
mod patroni;
mod processes;
mod programs;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::ports::free_port;
use crate::waiting::{LIMIT, now, wait_until};
use guardian::Guardian;
pub use patroni::Patroni;
pub use programs::programs_folder;
use programs::{ServerUser, run};

/// Interval between two checks of a server.
const POLL: Duration = Duration::from_millis(20);
/// The name of the standby in `synchronous_standby_names`.
const STANDBY: &str = "standby";

/// A server. Dropping it kills it and removes its folder.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    port: u16,
    user: ServerUser,
    /// The size of its own disk, in MB, if it has one.
    disk_mb: Option<u32>,
    /// The postmaster, while it runs.
    running: Option<Child>,
    /// Cleans up if this process can't.
    guardian: Guardian,
}

/// The way a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Closes connections and writes a checkpoint.
    Fast,
    /// Like a crash: the next start recovers from the log.
    Immediate,
}

impl Postgres {
    /// Starts a new server with the empty database `nuggets`, whose owner is the user `nuggets`.
    pub fn start() -> Self {
        Self::start_on(None)
    }

    /// Starts a new server with its own small disk, which can be filled. `None` if mounting it fails: only root can.
    pub fn start_on_small_disk() -> Option<Self> {
        disk::can_mount().then(|| Self::start_on(Some(disk::MB)))
    }

    fn start_on(disk_mb: Option<u32>) -> Self {
        let mut server = Self::in_new_folder(disk_mb);
        let (data, user) = (server.data_folder(), "--username=nuggets");
        let options = ["--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"];
        let mut initdb = server.user.command("initdb");
        run(initdb.arg(user).args(options).arg("--pgdata").arg(&data));
        server.configure(
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = on\nshared_buffers = 32MB\n\
             max_connections = 200\nlogging_collector = off\nmin_wal_size = 32MB\nmax_wal_size = 64MB\n\
             wal_retrieve_retry_interval = 200ms\n",
        );
        server.run();
        server.psql_in("postgres", "CREATE DATABASE nuggets");
        server
    }

    /// Starts a primary and a standby that every commit waits for.
    pub fn start_with_standby() -> (Self, Self) {
        let primary = Self::start();
        let standby = primary.add_standby();
        (primary, standby)
    }

    /// Starts a standby that every commit waits for from now on. It may be promoted; its own commits then wait for no standby.
    #[must_use = "dropping it ends it"]
    pub fn add_standby(&self) -> Self {
        let standby = self.new_standby();
        standby.psql("ALTER SYSTEM RESET synchronous_standby_names");
        standby.psql("SELECT pg_reload_conf()");
        self.psql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'"));
        self.psql("SELECT pg_reload_conf()");
        let is_synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        wait_until("a synchronous standby", || self.psql(is_synchronous) == "1");
        standby
    }

    /// Returns the shared server of this process, for tests that only need a database each.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    /// Creates an empty database on this server and returns its URL.
    pub fn fresh_database(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("nuggets{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.psql_in("postgres", &format!("CREATE DATABASE {name}"));
        self.url_of(&name)
    }

    /// Returns the URL of the database `nuggets`.
    pub fn url(&self) -> String {
        self.url_of("nuggets")
    }

    /// Returns the URL of the database `nuggets` on this server and another; clients use the one that accepts writes.
    pub fn url_of_both(&self, other: &Self) -> String {
        let (port, other) = (self.port, other.port);
        format!(
            "postgres://nuggets@127.0.0.1:{port},127.0.0.1:{other}/nuggets?target_session_attrs=read-write"
        )
    }

    /// Returns the TCP port, which stays the same after a restart.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the process id of the postmaster; the server must be running.
    pub fn pid(&self) -> u32 {
        self.running.as_ref().expect("the server runs").id()
    }

    /// Returns the process ids of the postmaster and all its child processes; the server must be running.
    pub fn pids(&self) -> Vec<u32> {
        let postmaster = self.pid();
        [vec![postmaster], processes::children(postmaster)].concat()
    }

    /// Returns the data folder (`PGDATA`).
    pub fn data_folder(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Runs a statement in the database `nuggets` with the program `psql` and returns its output: columns separated by `|`.
    pub fn psql(&self, sql: &str) -> String {
        self.psql_in("nuggets", sql)
    }

    /// Runs a statement in another database with the program `psql` and returns its output.
    pub fn psql_in(&self, database: &str, sql: &str) -> String {
        run(&mut programs::psql(self.port, database, sql)).trim_end().to_owned()
    }

    /// Makes the next inserts into a table fail with a SQLSTATE, as a database does when transactions conflict.
    pub fn fail_inserts(&self, database: &str, table: &str, sqlstate: &str, times: u32) {
        // The counter is a sequence, which a rollback does not reset.
        let counter = format!("{table}_{sqlstate}");
        self.psql_in(
            database,
            &format!(
                "CREATE SEQUENCE \"{counter}\";
                 CREATE FUNCTION \"fail_{counter}\"() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
                     IF nextval('\"{counter}\"') <= {times} THEN
                         RAISE EXCEPTION 'injected' USING ERRCODE = '{sqlstate}';
                     END IF;
                     RETURN NEW;
                 END $$;
                 CREATE TRIGGER \"{counter}\" BEFORE INSERT ON {table}
                     FOR EACH ROW EXECUTE FUNCTION \"fail_{counter}\"()"
            ),
        );
    }

    /// Waits for a commit that waits for the standby, and cancels the wait: the server answers it with a warning.
    pub fn cancel_wait_for_standby(&self) {
        let cancel = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
                      WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'";
        wait_until("a commit that waits for the standby", || self.psql(cancel) != "0");
    }

    /// Adds lines to `postgresql.conf`; they take effect at the next start.
    pub fn configure(&self, lines: &str) {
        let path = self.data_folder().join("postgresql.conf");
        let mut text = fs::read_to_string(&path).expect("the configuration is readable");
        writeln!(text, "{lines}").expect("a string grows");
        fs::write(&path, text).expect("the configuration is writable");
    }

    /// Gives a private file, such as the key of a certificate, to the user of the server.
    pub fn adopt(&self, file: &Path) {
        self.user.own(file);
    }

    /// Kills the server and all its processes at once, and waits until they are gone.
    pub fn kill(&mut self) {
        let Some(mut postmaster) = self.running.take() else { return };
        let children = processes::children(postmaster.id());
        // SIGKILL also ends stopped processes.
        let _ = postmaster.kill();
        let _ = postmaster.wait();
        for child in &children {
            processes::signal(*child, Signal::KILL);
        }
        wait_until("the end of all processes", || {
            !children.iter().any(|pid| processes::exists(*pid))
        });
    }

    /// Stops the server and waits for its end.
    pub fn stop(&mut self, mode: StopMode) {
        let signal = match mode {
            StopMode::Fast => Signal::INT,
            StopMode::Immediate => Signal::QUIT,
        };
        let Some(mut postmaster) = self.running.take() else { return };
        processes::signal(postmaster.id(), signal);
        let _ = postmaster.wait();
    }

    /// Starts the server again, after stopping it if it runs.
    pub fn restart(&mut self) {
        self.stop(StopMode::Fast);
        self.run();
    }

    /// Promotes a standby, and waits until it accepts writes.
    pub fn promote(&self) {
        self.psql("SELECT pg_promote()");
        wait_until("promotion", || self.psql("SELECT pg_is_in_recovery()") == "f");
    }

    /// Suspends all processes of the server: connections stay open, but nothing is answered.
    pub fn pause(&self) {
        self.signal_all(Signal::STOP);
    }

    /// Continues after [`Self::pause`].
    pub fn resume(&self) {
        self.signal_all(Signal::CONT);
    }

    /// Fills its small disk completely.
    pub fn fill_disk(&self) {
        disk::fill(&self.data_folder());
    }

    /// Frees the disk again, and restarts the server if it has ended meanwhile.
    pub fn free_disk(&mut self) {
        disk::free(&self.data_folder());
        if self.running.is_none() || !self.is_ready() {
            self.run();
        }
    }

    fn in_new_folder(disk_mb: Option<u32>) -> Self {
        let user = ServerUser::find();
        let folder = tempfile::Builder::new().prefix("nuggets-postgres-").tempdir();
        let folder = folder.expect("a scratch folder can be created").keep();
        user.own(&folder);
        let guardian = Guardian::of(&folder);
        let server = Self { folder, port: 0, user, disk_mb, running: None, guardian };
        if let Some(megabytes) = disk_mb {
            disk::mount(&server.data_folder(), megabytes);
            user.own(&server.data_folder());
        }
        server
    }

    fn new_standby(&self) -> Self {
        let mut standby = Self::in_new_folder(self.disk_mb);
        let source =
            format!("host=127.0.0.1 port={} user=nuggets application_name={STANDBY}", self.port);
        let mut backup = standby.user.command("pg_basebackup");
        backup.args([
            "--write-recovery-conf",
            "--checkpoint=fast",
            "--wal-method=stream",
            "--no-sync",
        ]);
        run(backup.args(["--dbname", &source]).arg("--pgdata").arg(standby.data_folder()));
        standby.run();
        standby
    }

    fn url_of(&self, database: &str) -> String {
        format!("postgres://nuggets@127.0.0.1:{}/{database}", self.port)
    }

    /// Starts the postmaster and waits until it answers. A new server tries another port if its port was taken meanwhile.
    fn run(&mut self) {
        let is_new = self.port == 0;
        for _ in 0..10 {
            if is_new {
                self.port = free_port();
            }
            self.running = Some(self.spawn());
            if self.is_ready() {
                return;
            }
        }
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        panic!("PostgreSQL does not start; its log:\n{log}");
    }

    fn spawn(&self) -> Child {
        let log = fs::File::options().create(true).append(true).open(self.log());
        let log = log.expect("the log is writable");
        let mut postgres = self.user.command("postgres");
        postgres.arg("-D").arg(self.data_folder()).args(["-p", &self.port.to_string()]);
        let postgres = postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        postgres.spawn().expect("PostgreSQL can be run")
    }

    /// Waits until the server answers; returns false if it ends instead.
    fn is_ready(&mut self) -> bool {
        let postmaster = self.running.as_mut().expect("it was just started");
        let started = now();
        while started.elapsed() < LIMIT {
            if !matches!(postmaster.try_wait(), Ok(None)) {
                return false;
            }
            let mut ready = Command::new(programs::program("pg_isready"));
            ready.args(["-q", "-h", "127.0.0.1", "-U", "nuggets", "-p", &self.port.to_string()]);
            if ready.status().is_ok_and(|status| status.success()) {
                return true;
            }
            sleep(POLL);
        }
        false
    }

    fn signal_all(&self, signal: Signal) {
        for pid in self.pids() {
            processes::signal(pid, signal);
        }
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.running.is_some() {
            self.resume();
        }
        // Unlike SIGKILL, an immediate stop leaves no shared memory behind.
        self.stop(StopMode::Immediate);
        self.guardian.clean_up();
    }
}

#[test]
fn a_dropped_server_leaves_nothing() {
    let server = Postgres::start();
    let (folder, pid) = (server.folder.clone(), server.pid());
    server.pause();
    drop(server);
    assert!(!folder.exists() && !processes::exists(pid));
}
