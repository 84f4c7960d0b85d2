//! A node: its process while it runs, its clock, and what is wrong with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use nuggets_host::cluster::ownership::{BatchNumber, Ownership};
use nuggets_host::cluster::routes::{Member, Routes, RunId};
use nuggets_host::{GameId, Lobby, LobbyLimits};
use nuggets_time::Timestamp;

use super::game_cell::OwnedCell;
use super::run::SimEvent;

/// The limits that the shell sets in production.
const LIMITS: LobbyLimits = LobbyLimits {
    max_games: 100,
    max_games_per_source: 100,
    max_games_per_person: 100,
    udp_ports: None,
};

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fault of its own")]
pub(super) struct SimNode {
    /// Name, address, and the run of the process that runs or starts.
    pub(super) member: Member,
    pub(super) process: Option<Process>,
    pub(super) is_starting: bool,
    pub(super) is_paused: bool,
    /// Everything that happened to a paused node.
    pub(super) deferred: Vec<SimEvent>,
    /// Statements don't arrive, or answers don't.
    pub(super) cut_to: bool,
    pub(super) cut_from: bool,
    /// It can open no game and accept no connection.
    pub(super) lacks_descriptors: bool,
    /// The connection for commits, and all others, are to an old primary.
    pub(super) commits_to_old: bool,
    pub(super) reads_from_old: bool,
    /// Rate in thousandths, and the time at the start.
    pub(super) clock: (u64, u64),
}

#[derive(Debug)]
pub(super) struct Process {
    pub(super) ownership: Rc<RefCell<Ownership>>,
    pub(super) clock: Rc<Cell<Timestamp>>,
    pub(super) routes: Routes,
    pub(super) lobby: Lobby,
    pub(super) cells: BTreeMap<GameId, OwnedCell>,
    pub(super) is_available: bool,
    /// The wake-up that counts.
    pub(super) wake: u64,
    /// The time at which the last answered commit was sent.
    pub(super) proven_at: Timestamp,
    /// The time at which the first answered commit after a gap was sent.
    pub(super) gap_end: Timestamp,
    /// The last batch that was sent.
    pub(super) last_batch: BatchNumber,
}

impl SimNode {
    pub(super) fn new(number: usize, clock: (u64, u64)) -> Self {
        let address = format!("10.0.0.{number}:80");
        Self {
            member: Member { name: format!("n{number}"), run: RunId(0), address },
            process: None,
            is_starting: false,
            is_paused: false,
            deferred: vec![],
            cut_to: false,
            cut_from: false,
            lacks_descriptors: false,
            commits_to_old: false,
            reads_from_old: false,
            clock,
        }
    }

    /// The time of its clock.
    pub(super) fn local(&self, now: Timestamp) -> Timestamp {
        let (rate, offset) = self.clock;
        Timestamp(offset + now.0 / 1_000 * rate + now.0 % 1_000 * rate / 1_000)
    }

    /// The time at which its clock shows this, or a little later.
    pub(super) fn global(&self, local: Timestamp) -> Timestamp {
        let (rate, offset) = self.clock;
        let passed = local.0.saturating_sub(offset);
        Timestamp(passed / rate * 1_000 + (passed % rate * 1_000).div_ceil(rate) + 1)
    }

    pub(super) fn cell(&mut self, game: GameId) -> Option<&mut OwnedCell> {
        self.process.as_mut()?.cells.get_mut(&game)
    }

    pub(super) fn runs(&self, run: RunId) -> bool {
        self.process.is_some() && self.member.run == run
    }
}

impl Process {
    pub(super) fn new(now: Timestamp, local: Timestamp, me: Member) -> Self {
        let routes = Routes::new(me.run);
        Self {
            ownership: Rc::new(RefCell::new(Ownership::new(local, me))),
            clock: Rc::new(Cell::new(local)),
            routes,
            lobby: Lobby::new(LIMITS, vec![]),
            cells: BTreeMap::new(),
            is_available: true,
            wake: 0,
            proven_at: now,
            gap_end: now,
            last_batch: BatchNumber(0),
        }
    }
}
