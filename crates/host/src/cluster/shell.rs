//! Drives the decisions of this node: statements to the database, events to the games. One task, which sleeps until an answer, a
//! record or a deadline.

use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use nuggets_server::Commit;
use nuggets_time::{Clock, Timestamp};
use tokio::sync::Mutex;
use tracing::{debug, error, info, warn};

use super::commit_connection::CommitConnection;
use super::ownership::{Answer, BatchNumber, NodeEvent, Statement};
use super::routes::{Epoch, Member};
use super::{Cluster, statements};
use crate::GameId;
use crate::service::{Dismissal, Service};

/// People wait this long at a node without a database; then they are sent away, to come back elsewhere.
const UNAVAILABLE_LIMIT: Duration = Duration::from_secs(3);
/// Time between two looks whether a socket can be opened, and the looks in vain after which the node gives its games away.
const DESCRIPTORS_EVERY: Duration = Duration::from_millis(500);
const MAX_LOOKS_IN_VAIN: u32 = 2;
/// A call to another node takes at most this long.
const CALL_TIMEOUT: Duration = Duration::from_secs(1);

impl Cluster {
    /// Runs until the node has stopped.
    pub(super) async fn drive(self: Arc<Self>, service: Arc<Service>) {
        let commits = CommitConnection::new(self.me.clone(), self.database.clone());
        let commits = Arc::new(Mutex::new(commits));
        // Not tasks of their own: a commit is answered in as few steps as possible.
        let mut running = FuturesUnordered::new();
        let (mut looks, mut in_vain) = (tokio::time::interval(DESCRIPTORS_EVERY), 0);
        while !*self.stopped.borrow() {
            let next = self.step(|statement| {
                let (cluster, commits) = (Arc::clone(&self), Arc::clone(&commits));
                running.push(async move {
                    let answer = cluster.execute(&statement, &commits).await;
                    (statement, answer)
                });
            });
            self.handle_events(&service);
            tokio::select! {
                Some((statement, answer)) = running.next() => {
                    let now = self.clock.now();
                    self.note_answer(&statement, answer.as_ref());
                    self.ownership().handle_answer(now, &statement, answer);
                    if statement == Statement::ScanNodes {
                        self.neighbours.set_members(self.living());
                    }
                }
                () = self.wake.notified() => {}
                () = self.sleep_until(next) => {}
                _ = looks.tick() => in_vain = self.look_for_descriptors(in_vain),
            }
        }
    }

    /// Tries to open a socket, as the next client needs one. Returns the number of tries in vain.
    fn look_for_descriptors(&self, before: u32) -> u32 {
        let failed = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).err();
        let in_vain = failed.as_ref().map_or(0, |_| before.saturating_add(1));
        if let Some(why) = failed.filter(|_| in_vain == MAX_LOOKS_IN_VAIN) {
            error!(
                "no socket can be opened ({why}): other nodes get the games of this one. Raise its limit of open files"
            );
        }
        self.ownership().handle_descriptors(in_vain < MAX_LOOKS_IN_VAIN);
        in_vain
    }

    /// Handles what is due, and returns the time of the next deadline.
    fn step(&self, mut begin: impl FnMut(Statement)) -> Option<Timestamp> {
        let mut ownership = self.ownership();
        let now = self.clock.now();
        ownership.handle_timeout(now);
        while let Some(statement) = ownership.poll_statement(now) {
            begin(statement);
        }
        ownership.poll_timeout(now)
    }

    async fn sleep_until(&self, at: Option<Timestamp>) {
        match at {
            Some(at) => {
                let wait_ms = at.since(self.clock.now()).max(1);
                tokio::time::sleep(Duration::from_millis(wait_ms)).await;
            }
            None => std::future::pending().await,
        }
    }

    /// Asks the database. None if that failed, or if the outcome is unknown.
    async fn execute(
        &self,
        statement: &Statement,
        commits: &Mutex<CommitConnection>,
    ) -> Option<Answer> {
        if let Statement::Commit(batch) = statement {
            let began = Clock::start();
            let answer = commits.lock().await.commit(batch).await?;
            self.figures.note_commit(batch, began.elapsed());
            return Some(Answer::Committed(answer));
        }
        let (me, asked) = (self.me.clone(), statement.clone());
        let answer = self.store.autocommit(move |sql| statements::answer(sql, &me, &asked)).await;
        answer.inspect_err(|why| debug!("{statement:?} failed: {why}")).ok()
    }

    /// Routes requests by the nodes and games that the database has just named.
    fn note_answer(&self, statement: &Statement, answer: Option<&Answer>) {
        match (statement, answer) {
            (Statement::ScanGames, Some(Answer::Games { games, .. })) => {
                let living = self.living();
                let games = games.iter().map(|row| (row.game, row.run, row.epoch));
                self.neighbours.update(living, games);
            }
            (Statement::Claim(row), Some(Answer::Claimed(Some(epoch)))) => {
                self.figures.take_overs.inc();
                self.neighbours.set_game(row.game, Some((self.me.run, *epoch)));
            }
            (Statement::Release { game, epoch, to: Some(to) }, Some(Answer::Released(true))) => {
                self.neighbours.set_game(*game, Some((to.run, Epoch(epoch.0 + 1))));
            }
            _ => {}
        }
    }

    fn handle_events(self: &Arc<Self>, service: &Arc<Service>) {
        loop {
            let event = self.ownership().poll_event();
            match event {
                Some(event) => self.handle_event(service, event),
                None => return,
            }
        }
    }

    fn handle_event(self: &Arc<Self>, service: &Arc<Service>, event: NodeEvent) {
        match event {
            NodeEvent::Stored { game, batch } => {
                let BatchNumber(number) = batch;
                service.workers.stored(game, Commit(number));
                self.notify_waiters(game, batch);
            }
            NodeEvent::Open { game, epoch, journal, why } => {
                let (cluster, service) = (Arc::clone(self), Arc::clone(service));
                // Reading a journal plays the whole game: it takes a while.
                tokio::task::spawn_blocking(move || {
                    cluster.open(&service, (game, epoch), journal, why);
                });
            }
            NodeEvent::Close { game, why } => {
                info!("game {game} does not run here any more ({why:?})");
                service.close_game_of_node(game);
            }
            NodeEvent::CallTakeOver { game, epoch, successor } => {
                tokio::spawn(Arc::clone(self).call_take_over(game, epoch, successor));
            }
            NodeEvent::Available(is_available) => {
                self.note_available(service, is_available);
                if !is_available {
                    tokio::spawn(Arc::clone(self).close_if_unavailable(Arc::clone(service)));
                }
            }
            NodeEvent::Expelled => {
                error!(
                    "node '{}' is not registered any more, because another process has started with its name or because it hung for \
                     an hour: this process stops. Give every node a name of its own with --node",
                    self.me.name
                );
                self.stopped.send_replace(true);
                service.handle_drained();
            }
            NodeEvent::Stopped => {
                info!("all games are handed over");
                self.stopped.send_replace(true);
                service.handle_drained();
            }
        }
    }

    fn note_available(&self, service: &Service, is_available: bool) {
        let (health, words) = if is_available {
            info!("commits are answered again: the games go on");
            (None, "The game goes on.")
        } else {
            warn!("the database does not answer: the games wait until it does");
            let why = "the database does not answer";
            (
                Some(why.to_owned()),
                "Saving is not possible at the moment. The game waits and goes on by itself.",
            )
        };
        self.health.set(health);
        service.connected.notify_all(words);
    }

    /// The people of a node that is cut off from the database are better served by another one.
    async fn close_if_unavailable(self: Arc<Self>, service: Arc<Service>) {
        tokio::time::sleep(UNAVAILABLE_LIMIT).await;
        if !self.health.is_good() {
            service.connected.close_all(Dismissal::Unavailable);
        }
    }

    async fn call_take_over(self: Arc<Self>, game: GameId, epoch: Epoch, successor: Member) {
        let path = format!("/node/take-over/{game}/{}", epoch.0);
        // If the call is lost, the successor finds the game at its next look at the database.
        let _ = tokio::time::timeout(CALL_TIMEOUT, self.neighbours.call(&successor, &path)).await;
    }
}
