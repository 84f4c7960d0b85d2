//! One run: faults, then none and everything must come back, then an owner dies, then a node is drained.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::brokers::BROKERS;
use super::client::SimClient;
use super::links::Link;
use super::owned_game::OwnedGame;
use super::plan::{ClusterPlan, PowerLoss};
use super::process::Input;
use super::world::World;
use super::{ClusterFailure, ClusterOutcome};
use crate::{LogName, LogState, STALLED_AFTER_MS};

/// Every game must be back this long after the faults end, or its owner dies.
const MAX_RESUME_MS: u64 = 3_000;
/// Messages may be this late; then a phase is over.
const SETTLE_MS: u64 = 500;

/// A run of a cluster. See the documentation of the module above for an example.
#[derive(Debug)]
pub struct ClusterRun {
    world: World,
}

impl ClusterRun {
    /// The run of this seed.
    pub fn new(seed: u64) -> Self {
        Self::from_plan(ClusterPlan::draw(seed))
    }

    /// The run of this plan.
    pub fn from_plan(plan: ClusterPlan) -> Self {
        Self { world: World::new(plan) }
    }

    /// Plays it. A panic in it is a failure like any other.
    pub fn play(mut self) -> Result<ClusterOutcome, Box<ClusterFailure>> {
        let played = catch_unwind(AssertUnwindSafe(|| self.world.play_through()));
        let what = match played {
            Ok(Ok(())) => {
                let virtual_ms = self.world.now;
                return Ok(ClusterOutcome { virtual_ms, ..self.world.outcome });
            }
            Ok(Err(what)) => what,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                format!("panic: {}", text.unwrap_or("without a message"))
            }
        };
        let World { now, ref plan, .. } = self.world;
        let (seed, setting) = (plan.seed, plan.to_string());
        let trace = self.world.take_trace();
        Err(Box::new(ClusterFailure { seed, setting, at_ms: now, what, trace }))
    }
}

/// What brokers have stored in this time before they lose power may be gone.
const MAX_LOST_MS: u64 = 2_000;

impl World {
    fn play_through(&mut self) -> Result<(), String> {
        self.begin()?;
        self.play_faults()?;
        self.heal();
        self.outcome.longest_resume_ms = self.expect_answers()?;
        self.fail_an_owner();
        self.outcome.longest_take_over_ms = self.expect_answers()?;
        self.heal();
        self.run_until(self.now + 1_000)?;
        self.fail_brokers()?;
        self.drain_an_owner()?;
        self.end()
    }

    fn begin(&mut self) -> Result<(), String> {
        self.run_until(1_000)?;
        for game in 0..self.plan.games {
            let log = LogName::new(&format!("game{game}")).map_err(|why| why.to_string())?;
            self.create(game % self.nodes.len(), &log)?;
            for player in 0..self.plan.clients {
                let player = u8::try_from(game * 10 + player).unwrap_or(0);
                self.add_client(SimClient::new(log.clone(), player));
            }
        }
        self.run_until(1_500)
    }

    fn create(&mut self, node: usize, log: &LogName) -> Result<(), String> {
        let incarnation = self.nodes[node].incarnation;
        self.deliver(node, incarnation, Input::Create(log.clone()))
    }

    fn play_faults(&mut self) -> Result<(), String> {
        self.is_faulty = true;
        self.brokers.set_slow_elections(self.plan.slow_elections);
        let end = self.now + self.plan.fault_ms;
        let power_loss_at = self.now + self.plan.fault_ms / 2;
        let mut next_fault = self.now;
        let mut is_power_lost = self.plan.power_loss == PowerLoss::None;
        while self.now < end {
            if !is_power_lost && self.now >= power_loss_at {
                is_power_lost = true;
                self.play_power_loss()?;
            }
            if self.now >= next_fault {
                self.inject_fault();
                next_fault = self.now + self.rng.between(1, 2 * self.plan.fault_every_ms);
            }
            let next = next_fault.min(end).min(self.now + 100);
            self.run_until(next)?;
        }
        Ok(())
    }

    fn play_power_loss(&mut self) -> Result<(), String> {
        let owners = self.owners();
        self.lose_power(MAX_LOST_MS);
        self.brokers.set_slow_elections(false);
        match self.plan.power_loss {
            PowerLoss::OwnerIsReplaced => self.replace_owner(&owners),
            PowerLoss::None | PowerLoss::NodesSurvive => {
                let down_ms = self.rng.between(100, 2_000);
                self.run_until(self.now + down_ms)?;
                // Its owner must be heard, or another node continues with what is left of the log.
                self.heal();
                self.run_until(self.now + MAX_RESUME_MS)?;
                self.is_faulty = true;
                Ok(())
            }
        }
    }

    /// An owner is gone with the brokers. Others continue; then they are gone, and the former owner is back.
    fn replace_owner(&mut self, owners: &[usize]) -> Result<(), String> {
        let Some(former) = owners.first().copied() else { return Ok(()) };
        self.is_faulty = false;
        self.kill(former);
        self.run_until(self.now + 500)?;
        self.restart_brokers();
        self.run_until(self.now + MAX_RESUME_MS)?;
        for node in (0..self.nodes.len()).filter(|node| *node != former) {
            self.kill(node);
        }
        self.note("the former owner is back, and all others are gone");
        self.start(former);
        self.run_until(self.now + MAX_RESUME_MS)?;
        self.is_faulty = true;
        Ok(())
    }

    fn restart_brokers(&mut self) {
        for broker in 0..BROKERS {
            self.brokers.restart(broker);
        }
    }

    /// The nodes that have logs open.
    fn owners(&self) -> Vec<usize> {
        let has_games = |node: &usize| {
            let process = self.nodes[*node].process.as_ref();
            process.is_some_and(|process| process.games.values().any(OwnedGame::is_open))
        };
        (0..self.nodes.len()).filter(has_games).collect()
    }

    /// The logs that must be served: all but those that are known to be damaged.
    fn expected_logs(&self) -> Vec<LogName> {
        let healthy = self.truth.logs().filter(|(_, truth)| !truth.is_contradicted());
        healthy.map(|(log, _)| log.clone()).collect()
    }

    /// From now on every game must answer within three seconds. Returns how long the slowest took.
    fn expect_answers(&mut self) -> Result<u64, String> {
        let start = self.now;
        let mut longest_ms = 0;
        self.answered_at.clear();
        let mut waiting = self.expected_logs();
        while self.now < start + MAX_RESUME_MS {
            self.run_until(self.now + 10)?;
            let expected = self.expected_logs();
            let is_back = |log: &LogName| self.answered_at.contains_key(log);
            waiting.retain(|log| expected.contains(log) && !is_back(log));
            if !waiting.is_empty() {
                longest_ms = self.now - start;
            }
        }
        if let Some(log) = waiting.first() {
            return Err(format!("{log} is not served {MAX_RESUME_MS} ms later"));
        }
        self.run_until(self.now + SETTLE_MS)?;
        Ok(longest_ms)
    }

    /// An owner dies, hangs or is cut off, in one or both directions. Its clients find other nodes.
    fn fail_an_owner(&mut self) {
        let owners = self.owners();
        let Some(owner) = owners.get(self.rng.index(owners.len().max(1))).copied() else { return };
        let (up, down) = match self.rng.below(6) {
            0 => (false, true),
            1 => (true, false),
            2 => (false, false),
            3 => {
                self.pause(owner, 2 * MAX_RESUME_MS);
                (true, true)
            }
            _ => {
                self.kill(owner);
                (true, true)
            }
        };
        let is_alive = self.nodes[owner].process.is_some();
        let me = self.instance(owner);
        self.note(&format!("{me} fails: alive {is_alive}, sends {up}, receives {down}"));
        for broker in 0..BROKERS {
            self.links.set(Link::Up(owner, broker), up);
            self.links.set(Link::Down(owner, broker), down);
        }
        self.shunned = Some(owner);
        self.disconnect_clients(owner);
    }

    /// One broker dies, and nothing stops; or two, and everybody is told that the games are paused.
    fn fail_brokers(&mut self) -> Result<(), String> {
        let survivor = self.rng.index(BROKERS);
        let is_majority = self.rng.below(2) == 0;
        let others = (0..BROKERS).filter(|broker| *broker != survivor);
        let failing: Vec<usize> = others.take(if is_majority { 2 } else { 1 }).collect();
        self.spread_leaders()?;
        self.note(&format!("brokers {failing:?} are gone"));
        self.brokers.set_slow_elections(!is_majority);
        for broker in failing {
            self.brokers.crash(broker, 0);
        }
        if is_majority {
            self.run_until(self.now + STALLED_AFTER_MS + 1_000)?;
            self.expect_paused(true)?;
            self.restart_brokers();
        }
        let answered_ms = self.expect_answers()?;
        if !is_majority {
            self.outcome.longest_broker_loss_ms = answered_ms;
        }
        self.restart_brokers();
        self.brokers.set_slow_elections(false);
        self.run_until(self.now + 1_000)?;
        self.expect_paused(false)
    }

    /// Nodes see to it that the streams of records have different leaders.
    fn spread_leaders(&mut self) -> Result<(), String> {
        for _ in 0..100 {
            if self.brokers.spread_leaders(&self.links) {
                return self.run_until(self.now + 1_000);
            }
            self.run_until(self.now + 10)?;
        }
        Err("the brokers do not elect the leaders that they are asked for".into())
    }

    /// Clients that wait know that the game is paused, or none of them does.
    fn expect_paused(&self, is_paused: bool) -> Result<(), String> {
        let served = self.expected_logs();
        for client in self.clients.iter().filter(|client| served.contains(&client.log)) {
            let Some((node, connection)) = &client.at else { continue };
            let process = self.nodes[*node].process.as_ref();
            let is_told = process.is_some_and(|process| process.paused.contains(connection));
            if is_told != is_paused && (is_told || client.is_waiting()) {
                let (player, log) = (client.player, &client.log);
                return Err(format!("client {player} of {log} is told 'paused': {is_told}"));
            }
        }
        Ok(())
    }

    /// A node hands over its logs, so fast that nobody notices.
    fn drain_an_owner(&mut self) -> Result<(), String> {
        let owners = self.owners();
        let Some(owner) = owners.get(self.rng.index(owners.len().max(1))).copied() else {
            return Ok(());
        };
        self.note(&format!("{} is drained", self.instance(owner)));
        let incarnation = self.nodes[owner].incarnation;
        self.deliver(owner, incarnation, Input::Drain)?;
        self.run_until(self.now + 2_000)?;
        let process = self.nodes[owner].process.as_ref();
        if !process.is_some_and(|process| process.node.is_drained()) {
            return Err(format!("{} is not drained after two seconds", self.instance(owner)));
        }
        if let Some(log) = self.stopped_at.keys().next() {
            return Err(format!("{log} was stopped, but its successor does not serve it"));
        }
        Ok(())
    }

    /// Nobody presses keys any more: all are answered, everybody sees the same, and nothing is lost.
    fn end(&mut self) -> Result<(), String> {
        self.is_pressing = false;
        self.run_until(self.now + 1_500)?;
        for node in 0..self.nodes.len() {
            self.note_answers(node);
        }
        let served = self.expected_logs();
        for log in &served {
            self.check_one_owner(log)?;
        }
        let may_lose = self.plan.power_loss == PowerLoss::OwnerIsReplaced;
        for (log, truth) in self.truth.logs() {
            truth.check_end(may_lose).map_err(|why| format!("{log}: {why}"))?;
        }
        for client in self.clients.iter().filter(|it| served.contains(&it.log) && !may_lose) {
            let (log, player) = (&client.log, client.player);
            if client.is_waiting() {
                return Err(format!("client {player} of {log} has no answer"));
            }
            let shown = client.screen.len();
            let keys = self.truth.logs().find(|(name, _)| *name == log).map(|(_, it)| &it.keys);
            if keys != Some(&client.screen) {
                return Err(format!("client {player} of {log} is shown {shown} old keys"));
            }
        }
        Ok(())
    }

    fn check_one_owner(&self, log: &LogName) -> Result<(), String> {
        let processes = self.nodes.iter().filter_map(|node| node.process.as_ref());
        let serving = processes
            .clone()
            .filter(|process| process.games.get(log).is_some_and(OwnedGame::is_serving));
        let serving = serving.count();
        if serving != 1 {
            return Err(format!("{log} is served by {serving} nodes in the end"));
        }
        let mut records = processes.filter_map(|process| process.node.ownership(log));
        if records.any(|record| record.state != LogState::Running) {
            return Err(format!("{log} is served, but not all nodes know that"));
        }
        Ok(())
    }
}
