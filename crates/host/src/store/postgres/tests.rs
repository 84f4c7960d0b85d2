//! Tests of the database alone: URLs, migrations, failover, and nodes that do the same at the same time.

use nuggets_testkit::{Postgres, SelfSigned, StopMode, wait_until};

use super::*;
use crate::cluster::routes::Epoch;
use crate::store::tests::{FENCE, NOW, Place, TestGame, block_on, id, open_database};
use crate::store::{Fence, Rated, Store};
use crate::{AccountError, Ban, EndReason, PlayerId};

/// A statement that commits by itself.
const ANNOUNCE: &str = "INSERT INTO announcements (number, text) VALUES (1, 'once')";

fn error_of(url: &str) -> String {
    url.parse::<DatabaseUrl>().unwrap_err().to_string()
}

fn opened(url: &str) -> Store {
    open_database(&url.parse().unwrap(), NOW).unwrap().store
}

fn opening_error(url: &str) -> String {
    open_database(&url.parse().unwrap(), NOW).unwrap_err().to_string()
}

#[test]
fn a_wrong_url_is_rejected_with_what_to_do() {
    for (url, words) in [
        ("mysql://host/db", "begin with postgres://"),
        ("postgres://ann@h/db?sslmode=on", "disable, prefer, require or verify-full"),
        ("postgres://ann@h/db?sslmode=verify-ca", "use verify-full"),
        ("postgres://ann@h/db?sslrootcert=/x.pem", "add that"),
        ("postgres://ann@h/db?sslmode=verify-full&sslrootcert=%2Fnone.pem", "'/none.pem'"),
        ("postgres://ann@h/db?colour=red", "colour"),
        ("postgres:///db", "names no host"),
        ("postgres://ann:s3cret@h:port/db", "can't be read"),
    ] {
        let error = error_of(url);
        assert!(error.contains(words) && !error.contains("s3cret"), "{url}: {error}");
    }
}

#[test]
fn a_password_is_shown_nowhere() {
    let url: DatabaseUrl = "postgresql://ann:s3cret@h1,h2:6000/db?sslmode=require".parse().unwrap();
    for text in [url.to_string(), format!("{url:?}")] {
        assert!(text.contains("ann@h1") && !text.contains("s3cret"), "{text}");
    }
    assert_eq!(url.to_string(), "postgres://ann@h1:5432,h2:6000/db");
}

#[test]
fn a_database_of_others_or_of_the_future_is_rejected() {
    let server = Postgres::shared();
    let url = server.fresh_database();
    let name = url.rsplit('/').next().unwrap();
    server.psql_in(name, "CREATE TABLE players (x INT)");
    let error = opening_error(&url);
    assert!(error.contains("'players'") && error.contains("another database"), "{error}");

    let url = server.fresh_database();
    let name = url.rsplit('/').next().unwrap();
    drop(opened(&url));
    server.psql_in(name, "UPDATE nuggets_schema SET version = 99");
    drop(opened(&url));
    server.psql_in(name, "UPDATE nuggets_schema SET oldest = 98");
    let error = opening_error(&url);
    assert!(error.contains("version 99") && error.contains("newer version"), "{error}");

    let error = opening_error(&url.replace(name, "missing"));
    assert!(error.contains("missing") && error.contains("3D000"), "{error}");
}

#[test]
fn nodes_that_start_at_the_same_time_create_the_tables_once() {
    let server = Postgres::shared();
    let url = server.fresh_database();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| opened(&url).create_guest(None, NOW).wait().unwrap());
        }
    });
    let name = url.rsplit('/').next().unwrap();
    assert_eq!(server.psql_in(name, "SELECT value FROM counters WHERE name = 'players'"), "4");
    assert_eq!(server.psql_in(name, "SELECT count(*) FROM nuggets_schema"), "1");
    let options = server.psql_in(name, "SELECT reloptions FROM pg_class WHERE relname = 'journal'");
    assert!(options.contains("autovacuum_vacuum_threshold=5000"), "{options}");
}

#[test]
fn two_nodes_that_finish_the_same_game_rate_it_once() {
    let place = Place::in_database();
    let ann = place.guest("Ann");
    place.add(&TestGame::new(1, &[ann], 2));
    let other = place.open(NOW).unwrap().store;
    std::thread::scope(|scope| {
        for store in [place.store(), &other] {
            scope.spawn(|| {
                block_on(store.finish_game(id(1), EndReason::Over, NOW, Some(FENCE))).unwrap()
            });
        }
    });
    let table = place.store().ratings(10).wait().unwrap();
    assert!(table.iter().all(|row| row.games == 1), "{table:?}");
    assert_eq!((place.rows("games").len(), place.rows("journal").len()), (1, 0));
    assert!(place.rows("running")[0].contains("Integer(1)"));
}

#[test]
fn only_the_node_that_runs_a_game_may_finish_it() {
    let place = Place::in_database();
    place.add(&TestGame::new(1, &[place.guest("Ann")], 2));
    let old = Fence { epoch: Epoch(0), ..FENCE };
    for fence in [None, Some(old)] {
        let finished = block_on(place.store().finish_game(id(1), EndReason::Over, NOW, fence));
        assert!(matches!(finished, Err(StoreError::NotOurs(_))), "{finished:?}");
    }
    assert_eq!((place.rows("games").len(), place.rows("journal").len()), (0, 2));
    let recording = block_on(place.store().recording(id(1))).unwrap();
    assert_eq!(recording, None, "it still runs");
    let game = TestGame::new(1, &[PlayerId(1)], 2);
    place.finish(&game);
    assert_eq!(block_on(place.store().recording(id(1))).unwrap(), Some(game.journal()));
}

#[test]
fn a_node_rereads_names_and_bans_that_another_has_changed() {
    let place = Place::in_database();
    let other = place.open(NOW).unwrap().store;
    let (known, _) = other.reread_claims(None).wait().unwrap().unwrap();
    let nothing = other.reread_claims(Some(known)).wait().unwrap();
    assert_eq!(nothing, None, "nothing has changed");
    let ann = place.guest("Ann");
    block_on(place.store().claim(ann, "correct horse".into())).unwrap();
    let ban = Ban::Person(PlayerId(9));
    place.store().save_ban(ban).wait().unwrap();
    assert!(!other.claimed_names().contains("Ann"));
    let (known, bans) = other.reread_claims(Some(known)).wait().unwrap().unwrap();
    assert_eq!(bans, [ban]);
    assert!(other.claimed_names().contains("Ann"));
    assert_eq!(other.reread_claims(Some(known)).wait().unwrap(), None);
}

#[test]
fn ratings_that_two_nodes_change_at_the_same_time_lose_nothing() {
    let place = Place::in_database();
    let people: Vec<PlayerId> = (0..4).map(|n| place.guest(&format!("Guest {n}"))).collect();
    let other = place.open(NOW).unwrap().store;
    for number in 1..=16 {
        let mut players = people.clone();
        players.rotate_left(usize::from(number % 4));
        place.add(&TestGame::new(number, &players, 1));
    }
    std::thread::scope(|scope| {
        for number in 1..=16 {
            let store = if number % 2 == 0 { place.store() } else { &other };
            scope.spawn(move || {
                block_on(store.finish_game(id(number), EndReason::Over, NOW, Some(FENCE))).unwrap()
            });
        }
    });
    let table = place.store().ratings(10).wait().unwrap();
    assert_eq!(table.len(), 5);
    for row in &table {
        assert_eq!(row.games, 16, "{row:?}");
        let history = place.store().player_history(row.who.clone(), None).wait().unwrap().unwrap();
        let points = history.points;
        assert_eq!(points.len(), 16);
        assert!((points[15] - row.rating).abs() < 1e-9, "the last game decides");
    }
    let broken = "SELECT count(*) FROM history a JOIN history b USING (who)
                  WHERE b.number = a.number + 1 AND b.mean_before <> a.mean";
    let broken = move |sql: &mut dyn crate::store::sql::Sql| sql.query_value::<i64>(broken, &[]);
    let broken = place.store().transaction::<_, StoreError>(broken).wait().unwrap();
    assert_eq!(broken, Some(0), "every game starts from the rating after the one before");
    assert_eq!(table.iter().filter(|row| matches!(row.who, Rated::Bot(_))).count(), 1);
}

#[test]
fn jobs_continue_after_the_server_was_killed_and_nothing_is_lost() {
    let mut server = Postgres::start();
    let store = opened(&server.url());
    let (account, token) = store.create_guest(Some("Ann".into()), NOW).wait().unwrap();
    server.kill();
    let waiting = store.create_guest(Some("Bob".into()), NOW);
    server.restart();
    assert_eq!(waiting.wait().unwrap().0.id, PlayerId(2));
    assert_eq!(store.session(&token, NOW).wait().unwrap(), Some(account));
    server.stop(StopMode::Fast);
    let failed = store.create_guest(None, NOW).wait().unwrap_err().to_string();
    assert!(failed.contains("not possible at the moment"), "{failed}");
}

#[test]
fn a_transaction_that_conflicts_with_another_is_run_again() {
    let server = Postgres::shared();
    let url = server.fresh_database();
    let name = url.rsplit('/').next().unwrap();
    let store = opened(&url);
    for sqlstate in ["40001", "40P01"] {
        server.fail_inserts(name, "players", sqlstate, 2);
        server.fail_inserts(name, "announcements", sqlstate, 2);
    }
    assert_eq!(store.create_guest(None, NOW).wait().unwrap().0.id, PlayerId(1));
    block_on(store.autocommit(|sql| sql.execute(ANNOUNCE, &[]))).unwrap();
    assert_eq!(server.psql_in(name, "SELECT number, text FROM announcements"), "1|once");
    let tries = "SELECT sum(last_value) FROM pg_sequences";
    assert_eq!(server.psql_in(name, tries), "16", "each of the four failed twice");
    server.fail_inserts(name, "announcements", "57P01", 1);
    let broken = block_on(store.autocommit(|sql| sql.execute(ANNOUNCE, &[]))).unwrap_err();
    assert!(matches!(broken, StoreError::Unavailable { .. }), "not rejected: {broken}");
    server.fail_inserts(name, "players", "23514", 1);
    let failed = store.create_guest(None, NOW).wait().unwrap_err();
    let is_final = matches!(failed, AccountError::Store(StoreError::Server { .. }));
    assert!(is_final, "not a conflict: {failed}");
}

#[test]
fn a_commit_that_is_answered_with_a_warning_is_run_again() {
    let (primary, standby) = Postgres::start_with_standby();
    let store = opened(&primary.url());
    standby.pause();
    let waiting = store.create_guest(None, NOW);
    primary.cancel_wait_for_standby();
    wait_until("the end of the first commit", || {
        !primary.psql("SELECT id FROM players").is_empty()
    });
    // The next attempt finds what the first has committed, and must wait for the standby all the same.
    primary.cancel_wait_for_standby();
    standby.resume();
    assert_eq!(waiting.wait().unwrap().0.id, PlayerId(1), "it is done once");

    standby.pause();
    let waiting = store.autocommit(|sql| sql.execute(ANNOUNCE, &[]));
    primary.cancel_wait_for_standby();
    let failed = block_on(waiting).unwrap_err();
    assert!(failed.to_string().contains("warning"), "{failed}");
    standby.resume();
}

#[test]
fn the_host_that_accepts_writes_is_found_also_after_a_fail_over() {
    let (primary, standby) = Postgres::start_with_standby();
    let store = opened(&standby.url_of_both(&primary));
    let (account, token) = store.create_guest(None, NOW).wait().unwrap();
    // The primary hangs as if partitioned: its connections stay open.
    primary.pause();
    standby.promote();
    assert_eq!(store.session(&token, NOW).wait().unwrap(), Some(account));
    store.create_guest(None, NOW).wait().unwrap();
    assert_eq!(standby.psql("SELECT count(*) FROM players"), "2");
}

#[test]
fn a_certificate_is_checked_against_the_name() {
    let mut server = Postgres::start();
    let folder = server.data_folder();
    let SelfSigned { cert: certificate, key } =
        SelfSigned::create(&folder, "server", "DNS:localhost");
    server.adopt(&key);
    server.configure("ssl = on");
    server.restart();

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let connected = |host: &str, settings: &str| {
        let (port, root) = (server.port(), certificate.display());
        let url = format!("postgres://nuggets@{host}:{port}/nuggets?{settings}");
        let url: DatabaseUrl = url.replace("ROOT", &root.to_string()).parse().unwrap();
        runtime.block_on(async {
            let mut connected = connect(&url, None).await.map_err(|why| why.to_string())?;
            let is_encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            let row = connected.client.query_one(is_encrypted, &[]);
            let row = alongside(&mut connected.driver, row).await.unwrap();
            Ok::<bool, String>(row.unwrap().get(0))
        })
    };
    assert_eq!(connected("localhost", "sslmode=verify-full&sslrootcert=ROOT"), Ok(true));
    assert_eq!(connected("127.0.0.1", "sslmode=require"), Ok(true));
    assert_eq!(connected("127.0.0.1", "sslmode=disable"), Ok(false));
    for (host, settings) in [
        ("127.0.0.1", "sslmode=verify-full&sslrootcert=ROOT"),
        ("localhost", "sslmode=verify-full"),
    ] {
        let error = connected(host, settings).unwrap_err();
        assert!(error.contains("certificate"), "{host} {settings}: {error}");
    }
}
