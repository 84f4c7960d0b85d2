//! This host as a node of a cluster: games run on one node at a time and are played on all, over NATS (docs/cluster.md).
//! What decides is pure (`driver`, and the crate `nuggets_cluster`); the shells are `shell` and `accounts`.

mod accounts;
mod clients;
mod driver;
mod effect;
mod log_file;
mod messages;
mod owned_game;
mod shell;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nuggets_cluster::nats::{KnownNode, Nats, NatsError, NodeStatus};
use nuggets_cluster::{
    EngineCall, EngineReply, Heartbeat, Instance, LogMerge, LogRecord, LogStream, NodeId,
    RecordBody, Seq, StoredMessage, Subject,
};
use nuggets_game::{Letter, Setup};
use nuggets_time::unix_time_ms;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use crate::pages::{ClusterFigures, NodeFigures, OwnedFigures};
use crate::store::{create_folder, write_atomically};
use crate::wire::{DirectLine, Hello, JoinClient};
use crate::{
    AttachError, Attached, ClusterOptions, ConnectionId, GameId, GameMeta, SessionToken, StartError,
};
use effect::{Input, PlayHere, WatchHere};
pub(crate) use messages::GameOrder;
use messages::{Details, PlayerHello};
pub(crate) use shell::ClusterShell;

/// How long a connection waits for the owner of its game.
const ATTACH_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a node that stops may take to hand over its games.
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the admin page waits for the other nodes.
const FIGURES_WAIT: Duration = Duration::from_millis(250);
/// Before a node begins, it listens this long whether another one has its name.
const LISTEN_FIRST: Duration = Duration::from_millis(700);
/// Seconds, from one broker in memory to disks that are sick.
const APPEND_BUCKETS: [f64; 9] = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.05, 0.2, 1.0, 5.0];

/// The subject of all heartbeats.
const HEARTBEATS: &str = "nuggets.heartbeat";

/// This node, for the rest of the host.
pub(crate) struct Cluster {
    nats: Nats,
    me: Instance,
    inputs: mpsc::UnboundedSender<Input>,
    /// Taken when the node begins.
    received: Mutex<Option<mpsc::UnboundedReceiver<Input>>>,
    /// How many watch which game here.
    watching: Mutex<BTreeMap<GameId, u32>>,
    /// And at the other nodes.
    watching_elsewhere: Mutex<BTreeMap<NodeId, BTreeMap<GameId, u32>>>,
    /// Own games whose results are to be stored.
    finishing: Mutex<BTreeSet<GameId>>,
    /// The number of the last record of the accounts that this node has applied.
    accounts: watch::Sender<u64>,
    accounts_changed: Notify,
    /// How long appends took to be acknowledged.
    pub(crate) append_time: Histogram,
    /// Games that were taken over from another node, or by a restarted one.
    pub(crate) take_overs: Counter<u64, AtomicU64>,
    /// Messages with pictures that were sent to other nodes.
    pub(crate) relayed: Counter<u64, AtomicU64>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("me", &self.me).finish_non_exhaustive()
    }
}

/// Counts a watcher of a game as long as it exists.
#[derive(Debug)]
pub(crate) struct Watching {
    cluster: Arc<Cluster>,
    game: GameId,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut watching = lock(&self.cluster.watching);
        if let Some(count) = watching.get_mut(&self.game) {
            *count -= 1;
            if *count == 0 {
                watching.remove(&self.game);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cluster {
    /// Connects to the brokers, and checks that they and the name of the node can be used.
    pub(crate) async fn connect(
        options: &ClusterOptions,
        data: &Path,
    ) -> Result<Arc<Self>, StartError> {
        let node = NodeId::new(&options.node).map_err(|why| StartError::Node(why.to_string()))?;
        let nats = Nats::connect(&options.nats, &format!("nuggets node {node}")).await?;
        nats.ensure_streams(options.nats.replicas).await?;
        ensure_name_is_free(&nats, &node).await?;
        let incarnation = next_incarnation(data).map_err(StartError::Runtime)?;
        let me = Instance { node, incarnation };
        let (inputs, received) = mpsc::unbounded_channel();
        Ok(Arc::new(Self {
            nats,
            me,
            inputs,
            received: Mutex::new(Some(received)),
            watching: Mutex::default(),
            watching_elsewhere: Mutex::default(),
            finishing: Mutex::default(),
            accounts: watch::Sender::new(0),
            accounts_changed: Notify::new(),
            append_time: Histogram::new(APPEND_BUCKETS),
            take_overs: Counter::default(),
            relayed: Counter::default(),
        }))
    }

    fn input(&self, input: Input) {
        // The node has stopped.
        let _ = self.inputs.send(input);
    }

    /// Makes this node the owner of a new game, and waits until it is stored.
    pub(crate) async fn create(&self, meta: GameMeta, setup: Setup) -> Result<(), String> {
        let (answer, created) = oneshot::channel();
        let details = Box::new(Details { meta, setup });
        self.input(Input::Create { details, answer });
        created.await.unwrap_or_else(|_| Err("the host stops".into()))
    }

    /// A connection of this node wants to play.
    pub(crate) async fn play(
        &self,
        (game, connection): (GameId, ConnectionId),
        (token, client): (&SessionToken, Option<JoinClient>),
        delay_ms: u64,
        direct: mpsc::Sender<DirectLine>,
    ) -> Result<Attached, AttachError> {
        let (answer, attached) = oneshot::channel();
        let accounts = *self.accounts.borrow();
        let hello = PlayerHello { token: token.secret_text(), accounts, client };
        let hello = serde_json::to_vec(&hello).map_err(|_| AttachError::Failed)?;
        self.input(Input::Play(PlayHere { game, connection, hello, delay_ms, direct, answer }));
        let attached = answered(attached).await;
        if attached.is_err() {
            self.leave(connection);
        }
        attached
    }

    /// A connection of this node wants to watch.
    pub(crate) async fn watch(
        &self,
        game: GameId,
        view: Option<char>,
        hello: Hello,
    ) -> Result<Attached, AttachError> {
        let (answer, attached) = oneshot::channel();
        let delay_ms = u64::from(hello.delay_s) * 1000;
        self.input(Input::Watch(WatchHere { game, view, hello, delay_ms, answer }));
        answered(attached).await
    }

    /// A key of a player.
    pub(crate) fn key(&self, connection: ConnectionId, key: char) {
        self.input(Input::Key(connection, key));
    }

    /// A connection is closed.
    pub(crate) fn leave(&self, connection: ConnectionId) {
        self.input(Input::Leave(connection));
    }

    /// Something for a game, wherever it is. It is carried out soon.
    pub(crate) fn order(&self, game: GameId, order: GameOrder) {
        self.input(Input::Order(game, order));
    }

    /// Makes a player leave.
    pub(crate) fn kick(&self, game: GameId, letter: Letter) {
        self.order(game, GameOrder::Kick(letter.as_byte().into()));
    }

    /// Words of the host to all clients of all games.
    pub(crate) fn notice_all(&self, words: &str) {
        self.input(Input::NoticeAll(words.to_owned()));
    }

    /// What everybody should know of an own game has changed.
    pub(crate) fn set_meta(&self, meta: GameMeta) {
        self.input(Input::SetMeta(Box::new(meta)));
    }

    /// Hands over all games.
    pub(crate) fn drain(&self) {
        self.input(Input::Drain);
    }

    /// Hands over all games, if there is another node for them, and waits for that.
    pub(crate) async fn hand_over_all(&self) {
        let Some(status) = self.status().await else { return };
        let is_other = |node: &KnownNode| {
            node.node != status.node && node.condition == "ready" && node.heard_ms_ago < 1_000
        };
        if status.load == 0 || !status.nodes.iter().any(is_other) {
            return;
        }
        self.drain();
        let end = tokio::time::Instant::now() + HAND_OVER_TIMEOUT;
        while self.status().await.is_some_and(|status| status.load > 0)
            && tokio::time::Instant::now() < end
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends the node without handing over anything.
    pub(crate) fn stop(&self) {
        self.input(Input::Stop);
    }

    /// Looks for a game that is not known here yet.
    pub(crate) fn refresh(&self, game: GameId) {
        self.input(Input::Refresh(game));
    }

    /// True once for an own game that is over: its results are to be stored by this node.
    pub(crate) fn take_finishing(&self, game: GameId) -> bool {
        lock(&self.finishing).remove(&game)
    }

    /// The results of an own game are stored: nothing of it can be lost any more.
    pub(crate) fn handle_results_stored(&self, game: GameId) {
        self.input(Input::ResultsStored(game));
    }

    /// Counts a watcher here.
    pub(crate) fn count_watcher(self: &Arc<Self>, game: GameId) -> Watching {
        *lock(&self.watching).entry(game).or_default() += 1;
        Watching { cluster: Arc::clone(self), game }
    }

    /// How many watch a game, at all nodes.
    pub(crate) fn watchers(&self, game: GameId) -> u32 {
        let here = lock(&self.watching).get(&game).copied().unwrap_or(0);
        let elsewhere = lock(&self.watching_elsewhere);
        here + elsewhere.values().filter_map(|counts| counts.get(&game)).sum::<u32>()
    }

    /// What this node knows of itself and of the others.
    pub(crate) async fn status(&self) -> Option<NodeStatus> {
        let (answer, status) = oneshot::channel();
        self.input(Input::Status(answer));
        status.await.ok()
    }

    /// What all nodes say about themselves, for the admin page.
    pub(crate) async fn figures(&self) -> ClusterFigures {
        let all = nuggets_cluster::nats::ask_status(&self.nats, FIGURES_WAIT).await;
        let mut figures = ClusterFigures::default();
        for status in all.unwrap_or_default() {
            let owner = status.node.clone();
            let games_before = figures.games.len();
            figures.games.extend(status.owned.into_iter().filter_map(|owned| {
                Some(OwnedFigures {
                    game: owned.log.parse().ok()?,
                    owner: owner.clone(),
                    epoch: owned.epoch,
                    records: owned.index,
                    waiting: owned.waiting,
                    is_paused: owned.is_paused,
                })
            }));
            figures.nodes.push(NodeFigures {
                node: status.node,
                url: status.url,
                condition: status.condition,
                games: (figures.games.len() - games_before) as u64,
                connections: status.connections,
            });
        }
        figures.games.sort_by_key(|game| game.game);
        figures
    }

    /// All messages of a subject.
    async fn read_log(&self, subject: Subject) -> Result<Vec<StoredMessage>, String> {
        let (mut all, mut after) = (Vec::new(), Seq(0));
        loop {
            let call = EngineCall::Read { subject: subject.clone(), after };
            let read = self.nats.call(call).await;
            let Some(EngineReply::Messages { messages, is_end }) = read else {
                return Err("the brokers don't answer".into());
            };
            after = messages.last().map_or(after, |last| last.seq);
            all.extend(messages);
            if is_end {
                return Ok(all);
            }
        }
    }

    /// Copies the journal of a finished game from the replicated log, if this node does not have it.
    pub(crate) async fn fetch_journal(&self, game: GameId, path: &Path) -> Result<(), String> {
        if path.exists() {
            return Ok(());
        }
        let log = driver::log_of(game);
        let (mut merge, mut journal) = (LogMerge::default(), Vec::new());
        for stream in LogStream::of(&log) {
            let messages = self.read_log(Subject::Log(log.clone(), stream)).await?;
            for StoredMessage { bytes, .. } in messages {
                let record = LogRecord::decode(&bytes).map_err(|why| why.to_string())?;
                if !matches!(record.body, RecordBody::Fence { .. }) {
                    merge.add(record, &bytes).map_err(|why| why.to_string())?;
                }
            }
        }
        while let Some((record, _)) = merge.poll().map_err(|why| why.to_string())? {
            journal.extend(log_file::journal_bytes(record));
        }
        if merge.has_gap() {
            return Err(format!("record {} of its log is missing", merge.last_index() + 1));
        }
        if journal.is_empty() {
            return Err("the log of this game is empty".into());
        }
        let path = path.to_owned();
        let written = tokio::task::spawn_blocking(move || write_atomically(&path, &journal)).await;
        written.map_err(|why| why.to_string())?.map_err(|why| why.to_string())
    }
}

/// The answer of a game, or that it has none at the moment.
async fn answered(
    attached: oneshot::Receiver<Result<Attached, AttachError>>,
) -> Result<Attached, AttachError> {
    let busy = "The game can't be reached at the moment. Try again in a while.";
    match tokio::time::timeout(ATTACH_TIMEOUT, attached).await {
        Ok(Ok(attached)) => attached,
        Ok(Err(_)) | Err(_) => Err(AttachError::Unreachable(busy.to_owned())),
    }
}

/// Greater than at every earlier start with this folder, also if the clock was set back.
fn next_incarnation(data: &Path) -> io::Result<u64> {
    let path = data.join("incarnation");
    create_folder(data)?;
    let last = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok());
    let next = unix_time_ms().max(last.unwrap_or(0) + 1);
    write_atomically(&path, format!("{next}\n").as_bytes())?;
    Ok(next)
}

/// Two heartbeats of the same run of another process with this name mean that it is there.
async fn ensure_name_is_free(nats: &Nats, node: &NodeId) -> Result<(), NatsError> {
    let mut heartbeats = nats.subscribe(HEARTBEATS).await?;
    let end = tokio::time::Instant::now() + LISTEN_FIRST;
    let mut heard = BTreeSet::new();
    while let Ok(Some(message)) = tokio::time::timeout_at(end, heartbeats.next()).await {
        if let Ok(Heartbeat { from, .. }) = Heartbeat::decode(&message.payload)
            && from.node == *node
            && !heard.insert(from.incarnation)
        {
            return Err(NatsError::SameName(node.to_string()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_is_a_later_one_even_if_the_clock_was_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let first = next_incarnation(folder.path()).unwrap();
        assert!(next_incarnation(folder.path()).unwrap() > first);
        fs::write(folder.path().join("incarnation"), "99999999999999").unwrap();
        assert_eq!(next_incarnation(folder.path()).unwrap(), 100_000_000_000_000);
    }
}
