//! One run: nodes, database and people, event by event, from a seed.

use std::collections::BTreeMap;
use std::fmt;

use nuggets_game::{Rng, Seed};
use nuggets_host::cluster::routes::RunId;
use nuggets_host::{ConnectionId, GameId};
use nuggets_time::Timestamp;

use super::ClusterPlan;
use super::checks::WatchedGame;
use super::classic;
use super::connections::Connection;
use super::database::{Database, SentStatement, TxId};
use super::node::SimNode;
use super::people::SimPerson;
use crate::kit::RunLog;
use crate::net::Network;

/// The start of every run, in milliseconds since 1970.
pub(crate) const START: Timestamp = Timestamp(1_000_000_000_000);
/// Games are created in this time; then faults begin.
const CREATION_MS: u64 = 500;
/// After all faults, every game must be served within this time.
const RECOVERY_MS: u64 = 15_000;
/// The interval at which the games are checked for that.
const LOOK_MS: u64 = 200;

/// Something that will happen.
pub(super) struct SimEvent {
    /// The node to which it happens, so that it must wait while that is stopped.
    node: Option<usize>,
    act: Box<dyn FnOnce(&mut WebRun)>,
}

impl fmt::Debug for SimEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimEvent").field("node", &self.node).finish_non_exhaustive()
    }
}

/// A run of a cluster, or of a single host.
#[derive(Debug)]
pub(crate) struct WebRun {
    pub(super) plan: ClusterPlan,
    pub(super) rng: Rng,
    pub(super) database: Database,
    pub(super) stalled_until: Timestamp,
    pub(super) nodes: Vec<SimNode>,
    pub(super) last_run: u64,
    pub(super) people: Vec<SimPerson>,
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) last_connection: u64,
    /// The network of the clients of the specification.
    pub(super) network: Network,
    pub(super) games: BTreeMap<GameId, WatchedGame>,
    pub(super) sent: BTreeMap<TxId, SentStatement>,
    /// The number of games that were opened.
    pub(super) openings: u64,
    /// The time since which nothing fails any more.
    pub(super) calm_since: Option<Timestamp>,
    /// The next commit that waits for the standby is cancelled.
    pub(super) cancels: bool,
    events: BTreeMap<(Timestamp, u64), SimEvent>,
    last_event: u64,
    /// The first broken rule.
    fault: Option<String>,
    /// After all faults every game is served.
    has_recovered: bool,
    pub(super) log: RunLog,
}

impl WebRun {
    pub(crate) fn new(log: RunLog, plan: ClusterPlan) -> Self {
        let nodes = plan.clocks.iter().enumerate();
        let nodes = nodes.map(|(number, clock)| SimNode::new(number, *clock)).collect();
        Self {
            rng: Rng::new(Seed::new(plan.seed.cast_signed() ^ 0x5eed)),
            database: Database::new(plan.sabotage),
            stalled_until: START,
            nodes,
            last_run: 0,
            people: vec![],
            connections: BTreeMap::new(),
            last_connection: 0,
            network: Network::new(classic::conditions(), Seed::new(plan.seed.cast_signed())),
            games: BTreeMap::new(),
            sent: BTreeMap::new(),
            openings: 0,
            calm_since: None,
            cancels: false,
            events: BTreeMap::new(),
            last_event: 0,
            fault: None,
            has_recovered: false,
            log,
            plan,
        }
    }

    pub(crate) fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }

    pub(crate) fn play_through(&mut self) -> Result<(), String> {
        for node in 0..self.nodes.len() {
            self.after(0, move |it| it.start(node));
        }
        self.plan_games();
        for (at, fault) in self.plan.faults.clone() {
            self.after(CREATION_MS + at, move |it| it.inject(fault));
        }
        let faults_end = CREATION_MS + self.plan.faults_end_ms;
        self.after(faults_end, Self::end_faults);
        let end = START.after(faults_end + RECOVERY_MS);
        while let Some(((at, _), event)) = self.events.pop_first() {
            self.log.now = at;
            if at > end {
                return Err(self.describe_unserved());
            }
            self.happen(event);
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            if self.has_recovered {
                return self.check_end();
            }
        }
        Err("nothing happens any more".to_owned())
    }

    /// Looks until every game is served.
    pub(super) fn look(&mut self) {
        self.has_recovered = self.is_recovered();
        self.after(LOOK_MS, Self::look);
    }

    /// Lets something happen, or keeps it for a stopped node.
    pub(super) fn happen(&mut self, event: SimEvent) {
        match event.node {
            Some(node) if self.nodes[node].is_paused => self.nodes[node].deferred.push(event),
            _ => (event.act)(self),
        }
    }

    /// Notes a broken rule. The run ends with the first.
    pub(super) fn expect(&mut self, checked: Result<(), String>) {
        if let Err(fault) = checked {
            self.fault.get_or_insert(fault);
        }
    }

    /// Something happens after this time.
    pub(super) fn after(&mut self, ms: u64, act: impl FnOnce(&mut Self) + 'static) {
        self.at(None, self.log.now.after(ms), act);
    }

    /// Something happens at this time, to a node or elsewhere.
    pub(super) fn at(
        &mut self,
        node: Option<usize>,
        at: Timestamp,
        act: impl FnOnce(&mut Self) + 'static,
    ) {
        self.last_event += 1;
        let event = SimEvent { node, act: Box::new(act) };
        self.events.insert((at.max(self.log.now), self.last_event), event);
    }

    /// A process does something after this time, unless it has ended.
    pub(super) fn in_process(
        &mut self,
        (node, run): (usize, RunId),
        ms: u64,
        act: impl FnOnce(&mut Self) + 'static,
    ) {
        self.at(Some(node), self.log.now.after(ms), move |it| {
            if it.nodes[node].member.run == run {
                act(it);
            }
        });
    }

    /// A random number of milliseconds below this bound.
    pub(super) fn random_ms(&mut self, bound: u32) -> u64 {
        u64::from(self.rng.below(bound.max(1)))
    }

    pub(super) fn random_id(&mut self) -> GameId {
        GameId::from_random(std::array::from_fn(|_| self.rng.below(256).to_le_bytes()[0]))
    }
}
