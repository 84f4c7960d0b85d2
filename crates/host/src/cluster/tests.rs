//! The statements of a node against a real PostgreSQL: the answer for each entry of a batch while others write at the same
//! time.

mod mutual_tls;

use std::time::Duration;

use nuggets_testkit::Postgres;
use nuggets_time::unix_time_ms;

use super::commit_connection::CommitConnection;
use super::ownership::{Appended, Batch, BatchAnswer, BatchEntry, BatchNumber, GameRow, NodeRow};
use super::routes::{Epoch, Member, RunId};
use super::statements;
use crate::store::postgres::{DatabaseConnection, connect};
use crate::store::sql::Sql;
use crate::test_games::{id as game, meta};
use crate::{DatabaseUrl, Fence, GameId, Store, StoreError};

/// A database with nodes, and a connection that others write through.
struct World {
    url: DatabaseUrl,
    store: Store,
    other: tokio_postgres::Client,
}

fn member(name: &str, run: u64) -> Member {
    Member { name: name.into(), run: RunId(run), address: "127.0.0.1:1".into() }
}

fn entry(number: u8, row: u64, bytes: &[u8]) -> BatchEntry {
    BatchEntry {
        game: game(number),
        epoch: Epoch(1),
        row,
        predecessor: Epoch(1),
        bytes: bytes.to_vec(),
    }
}

fn batch(is_renewal: bool, entries: Vec<BatchEntry>) -> Batch {
    Batch { number: BatchNumber(1), is_renewal, entries }
}

impl World {
    /// Node `one`, run 7, owns games 1 and 2.
    async fn new() -> Self {
        Self::at(Postgres::shared().fresh_database()).await
    }

    async fn at(url: String) -> Self {
        let url: DatabaseUrl = url.parse().unwrap();
        let to = url.clone();
        let open = move || Store::open_database(&to, unix_time_ms()).unwrap().store;
        let store = tokio::task::spawn_blocking(open).await.unwrap();
        let DatabaseConnection { client: other, driver, .. } = connect(&url, None).await.unwrap();
        tokio::spawn(driver);
        let world = Self { url, store, other };
        world.run(|sql| statements::register(sql, &member("one", 7), "http://one")).await;
        for number in [1, 2] {
            let created =
                world.run(move |sql| statements::create(sql, &member("one", 7), &meta(number)));
            assert!(created.await);
        }
        world
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Sql) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.store.autocommit(work).await.unwrap()
    }

    fn commits(&self) -> CommitConnection {
        CommitConnection::new(member("one", 7), self.url.clone())
    }

    async fn row(&self, number: u8) -> Option<GameRow> {
        self.run(move |sql| statements::read_game(sql, game(number))).await
    }

    async fn journal(&self, number: u8) -> Vec<u8> {
        let id = game(number).to_string();
        let read = "SELECT bytes FROM journal WHERE game = $1 ORDER BY number";
        let rows = self.other.query(read, &[&id]).await.unwrap();
        rows.iter().flat_map(|row| row.get::<_, Vec<u8>>(0)).collect()
    }

    async fn execute(&self, sql: &str) {
        self.other.batch_execute(sql).await.unwrap();
    }
}

fn results(answer: &BatchAnswer) -> Vec<(GameId, Appended)> {
    let mut games = answer.games.clone();
    games.sort_unstable_by_key(|(game, _)| *game);
    games
}

#[tokio::test(flavor = "multi_thread")]
async fn records_are_appended_in_order_and_once_however_often_they_are_sent() {
    let world = World::new().await;
    let mut commits = world.commits();
    let first = batch(true, vec![entry(1, 0, b"ab"), entry(2, 0, b"xy")]);
    for _ in 0..2 {
        let answer = commits.commit(&first).await.unwrap();
        assert!(answer.has_lease);
        assert_eq!(results(&answer), [(game(1), Appended::Yes), (game(2), Appended::Yes)]);
    }
    let next = batch(false, vec![entry(1, 1, b"cd"), entry(2, 1, b"")]);
    let answer = commits.commit(&next).await.unwrap();
    assert_eq!(results(&answer), [(game(1), Appended::Yes), (game(2), Appended::Yes)]);
    assert_eq!(
        (world.journal(1).await, world.journal(2).await),
        (b"abcd".to_vec(), b"xy".to_vec())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_conflicts_with_another_transaction_is_not_committed() {
    let server = Postgres::shared();
    let url = server.fresh_database();
    let world = World::at(url.clone()).await;
    let mut commits = world.commits();
    let first = batch(true, vec![entry(1, 0, b"ab")]);
    for sqlstate in ["40001", "40P01"] {
        server.fail_inserts(url.rsplit('/').next().unwrap(), "journal", sqlstate, 1);
        assert_eq!(commits.commit(&first).await, None, "{sqlstate}");
    }
    assert_eq!(world.journal(1).await, b"");
    let answer = commits.commit(&first).await.unwrap();
    assert_eq!(results(&answer), [(game(1), Appended::Yes)]);
    assert_eq!(world.journal(1).await, b"ab");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_committed_with_a_warning_is_unanswered() {
    let (primary, standby) = Postgres::start_with_standby();
    let world = World::at(primary.url()).await;
    let mut commits = world.commits();
    // The first opens the connection, so that the next waits only for the standby.
    commits.commit(&batch(true, vec![])).await.unwrap();
    standby.pause();
    let batch = batch(true, vec![entry(1, 0, b"ab")]);
    let (answer, ()) = tokio::join!(commits.commit(&batch), async {
        tokio::task::block_in_place(|| primary.cancel_wait_for_standby());
    });
    assert_eq!(answer, None);
    assert_eq!(world.journal(1).await, b"ab", "it was committed here, but not at the standby");
    standby.resume();
    let answer = commits.commit(&batch).await.unwrap();
    assert_eq!(results(&answer), [(game(1), Appended::Yes)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_without_its_predecessor_and_one_in_the_place_of_another_are_lost() {
    let world = World::new().await;
    let mut commits = world.commits();
    let answer = commits.commit(&batch(false, vec![entry(1, 1, b"b"), entry(2, 0, b"a")])).await;
    assert_eq!(
        results(&answer.unwrap()),
        [(game(1), Appended::Lost), (game(2), Appended::Yes)],
        "and the other game is stored"
    );
    let answer = commits.commit(&batch(false, vec![entry(2, 0, b"other")])).await;
    assert_eq!(results(&answer.unwrap()), [(game(2), Appended::Lost)]);
    for bytes in [&b"b"[..], b""] {
        let after_another = BatchEntry { predecessor: Epoch(2), ..entry(2, 1, bytes) };
        let answer = commits.commit(&batch(false, vec![after_another])).await;
        assert_eq!(results(&answer.unwrap()), [(game(2), Appended::Lost)]);
    }
    assert_eq!((world.journal(1).await, world.journal(2).await), (vec![], b"a".to_vec()));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_lost_a_game_appends_nothing_to_it() {
    let world = World::new().await;
    let mut commits = world.commits();
    commits.commit(&batch(false, vec![entry(1, 0, b"a")])).await.unwrap();
    let row = world.row(1).await.unwrap();
    let claimed = world.run(move |sql| statements::claim(sql, row, &member("two", 8))).await;
    assert_eq!(claimed, Some(Epoch(2)));
    let again = world.run(move |sql| statements::claim(sql, row, &member("three", 9))).await;
    assert_eq!(again, None, "a claim is for one owner and epoch");
    let answer = commits.commit(&batch(true, vec![entry(1, 1, b"b"), entry(2, 0, b"x")])).await;
    assert_eq!(
        results(&answer.unwrap()),
        [(game(1), Appended::Superseded), (game(2), Appended::Yes)]
    );
    assert_eq!(world.journal(1).await, b"a");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_another_transaction_has_locked_is_skipped_and_holds_up_no_other() {
    let world = World::new().await;
    let mut commits = world.commits();
    world
        .execute(&format!("BEGIN; SELECT 1 FROM running WHERE game = '{}' FOR UPDATE", game(1)))
        .await;
    let both = batch(false, vec![entry(1, 0, b"a"), entry(2, 0, b"x")]);
    let answer = commits.commit(&both).await.unwrap();
    assert_eq!(results(&answer), [(game(1), Appended::Skipped), (game(2), Appended::Yes)]);
    // The claim of a successor, not committed yet: nothing may be appended beside it.
    let claim = "UPDATE running SET run = 8, epoch = epoch + 1 WHERE game";
    world.execute(&format!("{claim} = '{}'", game(1))).await;
    let answer = commits.commit(&batch(false, vec![entry(1, 0, b"a")])).await.unwrap();
    assert_eq!(results(&answer), [(game(1), Appended::Skipped)]);
    world.execute("COMMIT").await;
    let answer = commits.commit(&batch(false, vec![entry(1, 0, b"a")])).await.unwrap();
    assert_eq!(results(&answer), [(game(1), Appended::Superseded)]);
    assert_eq!(world.journal(1).await, b"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_waits_for_an_append_that_is_under_way_and_sees_it() {
    let world = World::new().await;
    // As the group commit does it, but slowly.
    world
        .execute(&format!(
            "BEGIN; SELECT 1 FROM running WHERE game = '{0}' FOR UPDATE; INSERT INTO journal VALUES ('{0}', 0, 1, 'a')",
            game(1)
        ))
        .await;
    let row = GameRow { game: game(1), run: RunId(7), epoch: Epoch(1), is_over: false };
    let claim = world.store.autocommit(move |sql| {
        let epoch = statements::claim(sql, row, &member("two", 8))?.unwrap();
        Ok((epoch, statements::read_journal(sql, game(1), Fence { run: RunId(8), epoch })?.bytes))
    });
    let committed = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        world.execute("COMMIT").await;
    };
    let (claimed, ()) = tokio::join!(claim, committed);
    assert_eq!(claimed.unwrap(), (Epoch(2), b"a".to_vec()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_whose_name_another_has_taken_has_no_lease() {
    let world = World::new().await;
    let mut commits = world.commits();
    assert!(commits.commit(&batch(true, vec![])).await.unwrap().has_lease);
    world.run(|sql| statements::register(sql, &member("one", 70), "http://one")).await;
    assert!(!commits.commit(&batch(true, vec![])).await.unwrap().has_lease);
    assert!(commits.commit(&batch(false, vec![])).await.unwrap().has_lease, "it was not asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_handed_over_once_and_forgotten_only_by_its_owner() {
    let world = World::new().await;
    let release = |epoch: u64| {
        world.run(move |sql| {
            let ours = Fence { run: RunId(7), epoch: Epoch(epoch) };
            statements::release(sql, game(1), ours, Some(&member("two", 8)))
        })
    };
    assert!(release(1).await);
    assert!(!release(1).await, "it is not ours any more");
    let row = world.row(1).await.unwrap();
    assert_eq!((row.run, row.epoch), (RunId(8), Epoch(2)));
    let old = GameRow { run: RunId(7), epoch: Epoch(1), ..row };
    world.run(move |sql| statements::forget(sql, old)).await;
    assert_eq!(world.row(1).await, Some(row));
    world.run(move |sql| statements::forget(sql, row)).await;
    assert_eq!(world.row(1).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_removed_only_without_games_and_renewals() {
    let world = World::new().await;
    let row =
        |name, run, renewal| NodeRow { member: member(name, run), renewal, is_draining: false };
    world.run(|sql| statements::register(sql, &member("two", 8), "http://two")).await;
    let mut counts = Vec::new();
    for gone in [row("one", 7, 0), row("two", 8, 1), row("two", 8, 0)] {
        world.run(move |sql| statements::remove_gone_node(sql, &gone)).await;
        counts.push(world.run(statements::scan_nodes).await.len());
    }
    assert_eq!(counts, [2, 2, 1], "it has games; it has renewed its lease; it is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_messages_and_secrets_are_shared() {
    let world = World::new().await;
    let figures = [(game(1), "one".to_owned()), (game(2), "two".to_owned())].into();
    world.run(move |sql| statements::save_figures(sql, RunId(7), &figures)).await;
    let shown = world.run(|sql| statements::figures_of_others(sql, RunId(8))).await;
    assert_eq!(shown.len(), 2);
    let own = world.run(|sql| statements::figures_of_others(sql, RunId(7))).await;
    assert!(own.is_empty());
    let others = [(game(1), "wrong".to_owned())].into();
    world.run(move |sql| statements::save_figures(sql, RunId(8), &others)).await;
    let shown = world.run(|sql| statements::figures_of_others(sql, RunId(8))).await;
    assert!(!shown.contains(&"wrong".to_owned()), "only the owner writes them");

    let announced = world.run(|sql| {
        statements::announce(sql, "first")?;
        statements::announce(sql, "second")?;
        statements::announcements(sql, 1)
    });
    assert_eq!(announced.await, [(2, "second".to_owned())]);
    let secrets = world.run(|sql| {
        Ok((statements::secret(sql, "nodes", "a")?, statements::secret(sql, "nodes", "b")?))
    });
    assert_eq!(secrets.await, ("a".to_owned(), "a".to_owned()), "the first node makes it");
}
