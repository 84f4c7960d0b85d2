//! The thread of a node and its tasks: brings what arrives to the driver, and does what that says.

mod brokers;
mod games;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nuggets_cluster::nats::NatsError;
use nuggets_cluster::{Attempt, ClientId, Heartbeat, Instance};
use nuggets_time::{Clock, unix_time_ms};
use tokio::runtime::{self, Handle};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tracing::{error, warn};

use super::accounts::Accounts;
use super::driver::Driver;
use super::effect::{Effect, Input};
use super::messages::{NodeMessage, PlayerHello};
use super::owned_game::VerifiedPlayer;
use super::{Cluster, HEARTBEATS, lock};
use crate::service::Service;
use crate::wire::JoinClient;
use crate::{GameId, SessionToken, StartError, UdpSender};

/// How often the driver is given the time.
const TICK: Duration = Duration::from_millis(20);
/// How often the other nodes are told how many watch here.
const WATCHERS_EVERY: Duration = Duration::from_secs(1);
/// How long a token may be newer than the accounts of this node.
const ACCOUNTS_TIMEOUT: Duration = Duration::from_secs(10);

/// Messages to all nodes.
const TO_ALL: &str = "nuggets.all";

/// The messages to one run of a node.
fn subject_of(instance: &Instance) -> String {
    format!("nuggets.node.{}.{}", instance.node, instance.incarnation)
}

/// Runs a node.
pub(crate) struct ClusterShell {
    cluster: Arc<Cluster>,
    service: Arc<Service>,
    driver: Driver,
    clock: Clock,
    runtime: Handle,
    /// Core messages, in order.
    outgoing: mpsc::UnboundedSender<(String, Vec<u8>)>,
    udp: BTreeMap<GameId, UdpSender>,
    take_overs: u64,
}

impl ClusterShell {
    /// Starts the node: from now on it is heard, takes games over and serves connections.
    pub(crate) async fn start(
        cluster: &Arc<Cluster>,
        service: &Arc<Service>,
        url: String,
    ) -> Result<(), StartError> {
        let for_bans = Arc::clone(service);
        let bans = Arc::new(move |bans| for_bans.replace_bans(bans));
        let store = service.store.clone();
        brokers::ensure_accounts_are_there(cluster, &store).await?;
        Accounts::new(Arc::clone(cluster), store, bans).start().await?;
        let received = lock(&cluster.received).take();
        let received = received.ok_or_else(|| StartError::Node("started twice".into()))?;
        brokers::subscribe_all(cluster, url, service).await?;
        let (outgoing, to_send) = mpsc::unbounded_channel();
        tokio::spawn(brokers::send_all(cluster.nats.clone(), to_send));
        tokio::spawn(brokers::watch_ownership(Arc::clone(cluster)));
        tokio::spawn(brokers::spread_leaders(Arc::clone(cluster)));
        tokio::spawn(count_watchers(Arc::clone(cluster)));
        let clock = service.workers.clock();
        let folder = service.store.games_folder();
        let shell = Self {
            driver: Driver::new(clock.now(), cluster.me.clone(), folder),
            cluster: Arc::clone(cluster),
            service: Arc::clone(service),
            clock,
            runtime: Handle::current(),
            outgoing,
            udp: BTreeMap::new(),
            take_overs: 0,
        };
        let builder = std::thread::Builder::new().name("cluster".to_owned());
        builder.spawn(move || shell.run(received)).map_err(StartError::Runtime)?;
        Ok(())
    }

    /// The thread of the node, which waits for nothing but its inputs.
    fn run(mut self, mut received: mpsc::UnboundedReceiver<Input>) {
        let _whole_process = AbortOnPanic;
        let runtime = runtime::Builder::new_current_thread().enable_time().build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(why) => return error!("the node can't run: {why}"),
        };
        runtime.block_on(async {
            let mut tick = tokio::time::interval(TICK);
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                let input = tokio::select! {
                    biased;
                    _ = tick.tick() => Input::Tick,
                    input = received.recv() => match input {
                        Some(Input::Stop) | None => return,
                        Some(input) => input,
                    },
                };
                let effects = self.driver.handle(self.clock.now(), input);
                for effect in effects {
                    self.carry_out(effect);
                }
            }
        });
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Request { journal, request } => {
                let cluster = Arc::clone(&self.cluster);
                self.runtime.spawn(brokers::request(cluster, journal, request));
            }
            Effect::Send { to, message } => {
                if matches!(message, NodeMessage::Picture(..)) {
                    self.cluster.relayed.inc();
                }
                self.send(subject_of(&to), &message);
            }
            Effect::Broadcast(message) => self.send(TO_ALL.to_owned(), &message),
            Effect::Heartbeat(heartbeat) => self.send_heartbeat(&heartbeat),
            Effect::Order(game, order) => self.service.workers.relay(game, order),
            Effect::OpenGame { log, epoch, journal } => self.open_game(&log, epoch, &journal),
            Effect::CloseGame(game) => self.close_game(game),
            Effect::Verify { log, epoch, connection, hello } => {
                let (cluster, service) = (Arc::clone(&self.cluster), Arc::clone(&self.service));
                self.runtime.spawn(async move {
                    let verified = verify(&cluster, &service, log.as_str(), &hello).await;
                    cluster.input(Input::Verified { log, epoch, connection, verified });
                });
            }
            Effect::Reports(game, reports) => self.pass_on_reports(game, reports),
            Effect::OthersReports(game, reports) => {
                self.service.handle_others_reports(&self.runtime, game, reports);
            }
            Effect::NextGame(game, next) => {
                self.service.set_next(&self.runtime, game, next);
            }
            Effect::Known(log, record) => self.handle_known(&log, &record),
            Effect::Datagrams(game, datagrams) => {
                if let Some(send) = self.udp.get(&game) {
                    for (to, bytes) in &datagrams {
                        send(*to, bytes);
                    }
                }
            }
            Effect::Watchers(from, counts) => {
                lock(&self.cluster.watching_elsewhere).insert(from.node, counts);
            }
            Effect::OpenAccounts(epoch) => {
                let (cluster, store) = (Arc::clone(&self.cluster), self.service.store.clone());
                self.runtime.spawn(brokers::read_kept_records(cluster, store, epoch));
            }
            Effect::ReadAccounts => self.cluster.accounts_changed.notify_one(),
            Effect::Drained => self.service.handle_drained(),
            Effect::Reconnect => {
                let nats = self.cluster.nats.clone();
                self.runtime.spawn(async move { nats.reconnect().await });
            }
        }
    }

    fn send(&self, subject: String, message: &NodeMessage) {
        // The runtime has ended.
        let _ = self.outgoing.send((subject, message.encode(self.driver.me())));
    }

    fn send_heartbeat(&mut self, heartbeat: &Heartbeat) {
        let _ = self.outgoing.send((HEARTBEATS.to_owned(), heartbeat.encode()));
        self.cluster.take_overs.inc_by(self.driver.take_overs - self.take_overs);
        self.take_overs = self.driver.take_overs;
    }
}

/// A node whose thread has a defect must not go on as half a node: the process ends, and other nodes continue its games.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            error!("the node has a defect and ends; other nodes continue its games");
            std::process::abort();
        }
    }
}

/// Checks the token that an edge has shown, when the accounts of this node are as new as those of the edge.
async fn verify(
    cluster: &Cluster,
    service: &Service,
    log: &str,
    hello: &[u8],
) -> Result<VerifiedPlayer, String> {
    let unknown = || "this token is not known here. Join with a name to take a new seat".to_owned();
    let hello: PlayerHello = serde_json::from_slice(hello).map_err(|_| unknown())?;
    let token: SessionToken = hello.token.parse().map_err(|_| unknown())?;
    cluster.accounts_changed.notify_one();
    let mut accounts = cluster.accounts.subscribe();
    let is_new = accounts.wait_for(|applied| *applied >= hello.accounts);
    if tokio::time::timeout(ACCOUNTS_TIMEOUT, is_new).await.is_err() {
        warn!("the accounts of this node are behind, so that nobody can be let in");
        return Err(
            "The game can't look up who you are at the moment. Try again in a while.".into()
        );
    }
    let found = service.store.session(token, unix_time_ms()).await;
    let account = found.map_err(|why| why.to_string())?.ok_or_else(unknown)?;
    service.ensure_person_not_banned(account.id).map_err(|why| why.to_string())?;
    let game = log.parse::<GameId>().ok();
    let creator = game.and_then(|game| service.meta(game)).map(|meta| meta.creator);
    let is_creator = creator == Some(account.id);
    let attempt = hello.client.map(|JoinClient { id, attempt }| {
        let client = ClientId { player: account.id.0, id };
        Attempt { client, number: attempt }
    });
    Ok(VerifiedPlayer { person: account.id, name: account.name, is_creator, attempt })
}

/// Tells the other nodes how many watch here.
async fn count_watchers(cluster: Arc<Cluster>) {
    let mut every = tokio::time::interval(WATCHERS_EVERY);
    loop {
        every.tick().await;
        let counts = lock(&cluster.watching).clone();
        cluster.input(Input::Watchers(counts));
    }
}

/// Listens to a subject, and calls this for every message.
async fn listen(
    cluster: &Arc<Cluster>,
    subject: &str,
    mut act: impl FnMut(nuggets_cluster::nats::CoreMessage) + Send + 'static,
) -> Result<(), NatsError> {
    let mut messages = cluster.nats.subscribe(subject).await?;
    tokio::spawn(async move {
        while let Some(message) = messages.next().await {
            act(message);
        }
    });
    Ok(())
}
