//! One run: nodes, database and people, event by event, from a seed.

use std::collections::BTreeMap;

use nuggets_game::{Rng, Seed};
use nuggets_host::cluster::routes::{Epoch, RunId};
use nuggets_host::{ConnectionId, GameId};
use nuggets_time::Timestamp;

use super::checks::WatchedGame;
use super::database::{Database, DatabaseReply, DatabaseRequest, SentStatement, TxId};
use super::node::SimNode;
use super::people::{Connection, SimPerson, UpLine};
use super::{ClusterFault, ClusterPlan, sabotage};
use crate::host::START;
use crate::kit::{RunLog, Sabotage, Simulation};

/// After all faults, every game must be served within this time.
const RECOVERY_MS: u64 = 15_000;
/// The interval at which the games are checked for that.
const LOOK_MS: u64 = 200;

#[derive(Clone, Debug)]
pub(super) enum SimEvent {
    /// Something that a process does, unless it has ended since.
    AtProcess(usize, RunId, ProcessTask),
    Start(usize),
    Arrive(TxId, Box<SentStatement>),
    Step(TxId),
    /// An answer arrives; with a warning or without.
    Answer(TxId, Box<DatabaseReply>, bool),
    /// A connection to the database breaks, or an answer takes too long.
    GiveUp(TxId),
    Up(ConnectionId, UpLine),
    AtOwner(ConnectionId, UpLine, usize),
    Down(ConnectionId, String),
    /// A client learns that its connection is closed.
    Lost(ConnectionId),
    Tick(usize),
    Fault(ClusterFault),
    EndFault(ClusterFault),
    /// The database fails over to what it was like when this was copied.
    LoseRecords(Box<super::database::Tables>),
    /// Nothing fails any more.
    EndFaults,
    /// All games are looked at.
    Look,
}

/// Something that a process does.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProcessTask {
    /// It looks at what is due.
    Wake(u64),
    /// It stores its name.
    Register,
    /// It looks whether it could accept a connection.
    LookForDescriptors,
    Finish(GameId, Epoch),
    TakeOver(GameId, Epoch),
}

/// A run of a cluster.
#[derive(Debug)]
pub struct ClusterRun {
    pub(super) plan: ClusterPlan,
    pub(super) rng: Rng,
    pub(super) database: Database,
    pub(super) stalled_until: Timestamp,
    pub(super) nodes: Vec<SimNode>,
    pub(super) last_run: u64,
    pub(super) people: Vec<SimPerson>,
    pub(super) connections: BTreeMap<ConnectionId, Connection>,
    pub(super) last_connection: u64,
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
    pub(super) log: RunLog,
}

impl Simulation for ClusterRun {
    const NOUN: &'static str = "cluster";
    const OPTION: Option<&'static str> = Some("--cluster");
    const FIGURES: &'static [&'static str] = &[
        "games",
        // Games whose results were stored.
        "over",
        "faults",
        // Statements that were answered, and those whose answer was lost.
        "statements",
        "unanswered",
        // Claims that were committed, games that a node opened from their journal, and games that were handed over.
        "claims",
        "opened",
        "handed_over",
        // Keys that people pressed, and keys that acted.
        "keys",
        "acted",
        // Joins, returns and watches that were answered.
        "joined",
        // Pictures that were compared with the journal.
        "pictures",
        // The time until all games were served again after the last fault.
        "longest_recovery_ms",
        "virtual_ms",
    ];
    const SABOTAGES: &'static [Sabotage<ClusterPlan>] = sabotage::ALL;
    type Plan = ClusterPlan;

    fn new(plan: ClusterPlan) -> Self {
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
            games: BTreeMap::new(),
            sent: BTreeMap::new(),
            openings: 0,
            calm_since: None,
            cancels: false,
            events: BTreeMap::new(),
            last_event: 0,
            log: RunLog::new::<Self>(plan.seed, &plan, START),
            plan,
        }
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }

    fn play_through(&mut self) -> Result<(), String> {
        for node in 0..self.nodes.len() {
            self.after(0, SimEvent::Start(node));
        }
        self.plan_games();
        for (at, fault) in self.plan.faults.clone() {
            // Games are created first.
            self.after(500 + at, SimEvent::Fault(fault));
        }
        self.after(500 + self.plan.faults_end_ms, SimEvent::EndFaults);
        let end = START.after(500 + self.plan.faults_end_ms + RECOVERY_MS);
        while let Some(((at, _), event)) = self.events.pop_first() {
            self.log.now = at;
            if at > end {
                return Err(self.describe_unserved());
            }
            if matches!(event, SimEvent::Look) {
                if self.look()? {
                    return self.check_end();
                }
                self.after(LOOK_MS, SimEvent::Look);
            } else {
                self.handle(event)?;
            }
        }
        Err("nothing happens any more".to_owned())
    }
}

impl ClusterRun {
    pub(super) fn after(&mut self, ms: u64, event: SimEvent) {
        self.at(self.log.now.after(ms), event);
    }

    pub(super) fn at(&mut self, at: Timestamp, event: SimEvent) {
        self.last_event += 1;
        self.events.insert((at.max(self.log.now), self.last_event), event);
    }

    pub(super) fn handle(&mut self, event: SimEvent) -> Result<(), String> {
        if let Some(node) = self.node_of(&event)
            && self.nodes[node].is_paused
        {
            self.nodes[node].deferred.push(event);
            return Ok(());
        }
        match event {
            SimEvent::AtProcess(node, run, task) => {
                if self.nodes[node].member.run == run {
                    return self.do_task(node, task);
                }
            }
            SimEvent::Start(node) => self.start(node),
            SimEvent::Arrive(tx, asked) => self.arrive(tx, asked),
            SimEvent::Step(tx) => self.step(tx)?,
            SimEvent::Answer(tx, reply, is_warning) => {
                return self.answer(tx, Some((*reply, is_warning)));
            }
            SimEvent::GiveUp(tx) => return self.answer(tx, None),
            SimEvent::Up(connection, line) => return self.up(connection, line),
            SimEvent::AtOwner(connection, line, node) => {
                return self.at_owner(connection, line, node);
            }
            SimEvent::Down(connection, text) => return self.down(connection, &text),
            SimEvent::Lost(connection) => self.lost(connection),
            SimEvent::Tick(person) => self.tick(person),
            SimEvent::Fault(fault) if self.calm_since.is_none() => return self.inject(fault),
            SimEvent::EndFault(fault) => {
                self.log.note(format!("end of {fault:?}"));
                return self.end_fault(fault);
            }
            SimEvent::LoseRecords(tables) => self.lose_records(*tables),
            SimEvent::EndFaults => return self.end_faults(),
            SimEvent::Look | SimEvent::Fault(_) => {}
        }
        Ok(())
    }

    fn do_task(&mut self, node: usize, task: ProcessTask) -> Result<(), String> {
        match task {
            ProcessTask::Wake(wake) => {
                if self.nodes[node].process.as_ref().is_none_or(|process| process.wake != wake) {
                    return Ok(());
                }
            }
            ProcessTask::Register => {
                self.send(node, DatabaseRequest::Register);
                return Ok(());
            }
            ProcessTask::Finish(game, epoch) => {
                self.send(node, DatabaseRequest::Finish(game, epoch));
                return Ok(());
            }
            ProcessTask::LookForDescriptors => self.look_for_descriptors(node),
            ProcessTask::TakeOver(game, epoch) => {
                self.with_ownership(node, |it| it.handle_take_over(game, epoch));
            }
        }
        self.pump(node)
    }

    /// The node to which something happens, so that it must wait while that is stopped.
    fn node_of(&self, event: &SimEvent) -> Option<usize> {
        match event {
            SimEvent::AtProcess(node, ..) | SimEvent::AtOwner(_, _, node) => Some(*node),
            SimEvent::Answer(tx, ..) | SimEvent::GiveUp(tx) => {
                self.sent.get(tx).map(|sent| sent.node)
            }
            SimEvent::Up(connection, _) | SimEvent::Down(connection, _) => {
                self.connections.get(connection).map(|it| it.entry)
            }
            _ => None,
        }
    }

    /// A random number of milliseconds below this bound.
    pub(super) fn random_ms(&mut self, bound: u32) -> u64 {
        u64::from(self.rng.below(bound.max(1)))
    }
}
