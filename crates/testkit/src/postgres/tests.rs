//! Tests of the server itself and of the injected faults that tests of other crates rely on.

use super::*;

#[test]
fn a_killed_server_has_everything_that_was_committed() {
    let mut server = Postgres::start();
    server.psql("CREATE TABLE t (n INT); INSERT INTO t VALUES (7)");
    server.kill();
    server.restart();
    assert_eq!(server.psql("SELECT n FROM t"), "7");
    server.stop(StopMode::Immediate);
    server.restart();
    assert_eq!(server.psql("SELECT n FROM t"), "7");
}

#[test]
fn a_promoted_standby_has_every_commit_of_the_killed_primary() {
    let (mut primary, standby) = Postgres::start_with_standby();
    primary.psql("CREATE TABLE t (n INT); INSERT INTO t VALUES (7)");
    primary.kill();
    standby.promote();
    assert_eq!(standby.psql("SELECT n FROM t"), "7");
    standby.psql("INSERT INTO t VALUES (8)");
}

#[test]
fn a_dropped_server_leaves_nothing() {
    let server = Postgres::start();
    let (folder, pid) = (server.folder.clone(), server.pid());
    server.pause();
    drop(server);
    assert!(!folder.exists() && !processes::exists(pid));
}

#[test]
fn each_fresh_database_is_empty() {
    let shared = Postgres::shared();
    assert_ne!(shared.fresh_database(), shared.fresh_database());
    assert_eq!(shared.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0");
}

#[test]
fn a_server_whose_disk_was_full_has_everything_that_was_committed() {
    let Some(mut server) = Postgres::start_on_small_disk() else {
        return println!("skipped: no file system can be mounted here");
    };
    server.psql("CREATE TABLE t (n INT, filling TEXT); INSERT INTO t VALUES (7, '')");
    server.fill_disk();
    let more = "INSERT INTO t SELECT g, repeat('x', 2000) FROM generate_series(1, 50000) AS g";
    assert!(std::panic::catch_unwind(|| server.psql(more)).is_err());
    server.free_disk();
    assert_eq!(server.psql("SELECT n FROM t"), "7");
}
