//! The work of the shell of a node in production: it sends the statements of its ownership, hands the answers back, and carries
//! out what the ownership decides.

use std::rc::Rc;

use nuggets_host::cluster::ownership::{Answer, Closing, NodeEvent, Ownership, Statement};
use nuggets_host::cluster::routes::{Epoch, RunId};
use nuggets_host::{GameCommand, GameId, GameOutput, GameReport, is_finished};
use nuggets_record::Recording;
use nuggets_server::Commit;
use nuggets_time::Timestamp;

use super::checks::{PROOF_MS, WatchedGame};
use super::database::{
    DatabaseReply, DatabaseRequest, DatabaseTarget, SentStatement, StatementStep, TxId,
};
use super::game_cell::{OwnedCell, SimJournal};
use super::node::Process;
use super::run::{ClusterRun, ProcessTask, SimEvent};
use crate::host::open_game;

/// A statement that is unanswered for this long is given up.
const ANSWER_MS: u64 = 2_000;
/// The time between two looks whether a connection could be accepted.
const DESCRIPTORS_MS: u64 = 1_000;
/// A process that has ended is started again after this time.
const RESTART_MS: u64 = 500;

impl ClusterRun {
    pub(super) fn start(&mut self, node: usize) {
        if self.nodes[node].process.is_some() || self.nodes[node].is_starting {
            return;
        }
        self.last_run += 1;
        self.nodes[node].member.run = RunId(self.last_run);
        self.nodes[node].is_starting = true;
        self.log.note(format!("n{node} starts"));
        self.send(node, DatabaseRequest::Register);
    }

    pub(super) fn with_ownership<T>(
        &mut self,
        node: usize,
        act: impl FnOnce(&mut Ownership) -> T,
    ) -> Option<T> {
        let process = self.nodes[node].process.as_ref()?;
        Some(act(&mut process.ownership.borrow_mut()))
    }

    pub(super) fn send(&mut self, node: usize, request: DatabaseRequest) -> TxId {
        let tx = self.database.next_id();
        let it = &self.nodes[node];
        let is_commit = matches!(request, DatabaseRequest::Ownership(Statement::Commit(_)));
        // There is one connection for commits, and some for everything else.
        let is_old =
            if is_commit { it.commits_to_old } else { it.reads_from_old && self.rng.below(2) == 0 };
        let it = &self.nodes[node];
        let target = if is_old { DatabaseTarget::OldPrimary } else { DatabaseTarget::Primary };
        let who = it.member.clone();
        let sent = SentStatement { node, target, who, request, at: self.log.now };
        self.sent.insert(tx, sent.clone());
        let latency = self.random_ms(self.plan.latency_ms + 1);
        self.after(latency, SimEvent::Arrive(tx, Box::new(sent)));
        self.after(ANSWER_MS, SimEvent::GiveUp(tx));
        if self.calm_since.is_none() && self.rng.below(self.plan.breaks) == 0 {
            let at = self.random_ms(self.plan.latency_ms * 6 + 2);
            self.after(at, SimEvent::GiveUp(tx));
        }
        tx
    }

    pub(super) fn arrive(&mut self, tx: TxId, asked: Box<SentStatement>) {
        if self.nodes[asked.node].cut_to {
            return;
        }
        if self.log.now < self.stalled_until {
            return self.at(self.stalled_until, SimEvent::Arrive(tx, asked));
        }
        if self.database.begin(self.log.now, tx, *asked) {
            self.next_step(tx);
        } else {
            self.after(1, SimEvent::GiveUp(tx));
        }
    }

    fn next_step(&mut self, tx: TxId) {
        let latency = self.random_ms(self.plan.latency_ms + 1);
        self.after(latency, SimEvent::Step(tx));
    }

    pub(super) fn step(&mut self, tx: TxId) -> Result<(), String> {
        if self.log.now < self.stalled_until {
            self.at(self.stalled_until, SimEvent::Step(tx));
            return Ok(());
        }
        match self.database.step(self.log.now, tx) {
            StatementStep::Next => self.next_step(tx),
            StatementStep::Blocked => {
                self.after(2, SimEvent::Step(tx));
                if self.cancels {
                    self.cancel_wait();
                }
            }
            StatementStep::Done(reply) => self.answer_later(tx, reply, false),
            StatementStep::Gone => {}
        }
        self.check_claims()
    }

    pub(super) fn answer_later(&mut self, tx: TxId, reply: Box<DatabaseReply>, is_warning: bool) {
        let latency = self.random_ms(self.plan.latency_ms + 1);
        self.after(latency, SimEvent::Answer(tx, reply, is_warning));
    }

    /// A node gets an answer, or gives up waiting for one.
    pub(super) fn answer(
        &mut self,
        tx: TxId,
        reply: Option<(DatabaseReply, bool)>,
    ) -> Result<(), String> {
        let Some(sent) = self.sent.get(&tx) else { return Ok(()) };
        let node = sent.node;
        if reply.is_some() && self.nodes[node].cut_from {
            return Ok(());
        }
        let Some(sent) = self.sent.remove(&tx) else { return Ok(()) };
        if sent.who.run != self.nodes[node].member.run {
            return Ok(());
        }
        self.log.count("statements", u64::from(reply.is_some()));
        self.log.count("unanswered", u64::from(reply.is_none()));
        if reply.is_none() {
            // The other hosts are tried first.
            let is_commit =
                matches!(sent.request, DatabaseRequest::Ownership(Statement::Commit(_)));
            let stays = !is_commit && self.rng.below(2) == 0;
            let it = &mut self.nodes[node];
            *(if is_commit { &mut it.commits_to_old } else { &mut it.reads_from_old }) &= stays;
        }
        self.handle_answer(tx, &sent, reply)?;
        self.pump(node)
    }

    fn handle_answer(
        &mut self,
        tx: TxId,
        sent: &SentStatement,
        reply: Option<(DatabaseReply, bool)>,
    ) -> Result<(), String> {
        let (node, run) = (sent.node, sent.who.run);
        let later = |task| SimEvent::AtProcess(node, run, task);
        match (&sent.request, reply) {
            (DatabaseRequest::Register, None) => self.after(100, later(ProcessTask::Register)),
            (DatabaseRequest::Register, Some(_)) => self.begin_process(node),
            (DatabaseRequest::Create(game), Some(_)) => self.open_created(node, *game)?,
            (DatabaseRequest::Create(game), None) => {
                self.with_ownership(node, |it| it.handle_create_failed(*game));
            }
            (DatabaseRequest::Finish(game, _), Some((DatabaseReply::Done(true), _))) => {
                self.with_ownership(node, |it| it.handle_finished(*game));
            }
            (DatabaseRequest::Finish(..), Some(_)) => {}
            (DatabaseRequest::Finish(game, epoch), None) => {
                self.after(200, later(ProcessTask::Finish(*game, *epoch)));
            }
            (DatabaseRequest::ReadOwner(game), reply) => {
                let reply = reply.as_ref().map(|(reply, _)| reply);
                return self.reread(tx, node, *game, reply);
            }
            (DatabaseRequest::Ownership(statement), reply) => {
                self.answer_ownership(node, sent.at, statement, reply);
            }
        }
        Ok(())
    }

    fn begin_process(&mut self, node: usize) {
        let it = &mut self.nodes[node];
        it.is_starting = false;
        let local = it.local(self.log.now);
        it.process = Some(Process::new(self.log.now, local, it.member.clone()));
        self.create_planned(node);
        self.look_for_descriptors_later(node);
    }

    fn look_for_descriptors_later(&mut self, node: usize) {
        let run = self.nodes[node].member.run;
        let look = SimEvent::AtProcess(node, run, ProcessTask::LookForDescriptors);
        self.after(DESCRIPTORS_MS, look);
    }

    pub(super) fn look_for_descriptors(&mut self, node: usize) {
        let has_descriptors =
            !self.nodes[node].lacks_descriptors || self.plan.sabotage == Some("descriptors");
        self.with_ownership(node, |it| it.handle_descriptors(has_descriptors));
        self.look_for_descriptors_later(node);
    }

    fn answer_ownership(
        &mut self,
        node: usize,
        sent_at: Timestamp,
        statement: &Statement,
        reply: Option<(DatabaseReply, bool)>,
    ) {
        let is_warning_ok = self.plan.sabotage == Some("warning");
        let answer = reply.and_then(|(reply, is_warning)| match reply {
            DatabaseReply::Ownership(answer) if !is_warning || is_warning_ok => Some(answer),
            _ => None,
        });
        let answer = self.break_rule(node, statement, answer);
        let local = self.nodes[node].local(self.log.now);
        let me = self.nodes[node].member.clone();
        let Some(process) = self.nodes[node].process.as_mut() else { return };
        match &answer {
            Some(Answer::Committed(_)) => {
                if process.proven_at.after(PROOF_MS) < sent_at {
                    process.gap_end = sent_at;
                }
                process.proven_at = process.proven_at.max(sent_at);
            }
            Some(Answer::Games { games, .. }) => {
                process.routes.set_games(games.iter().map(|row| (row.game, row.run, row.epoch)));
            }
            _ => {}
        }
        process.ownership.borrow_mut().handle_answer(local, statement, answer.clone());
        if matches!(answer, Some(Answer::Nodes(_))) {
            let ownership = process.ownership.borrow();
            let living = ownership.living().map(|row| row.member.clone());
            process.routes.set_members(living.chain([me]));
        }
        if let Some(Answer::Games { games, .. }) = &answer {
            self.cut_superseded(node, games);
        }
    }

    /// Does everything that a node can do now.
    pub(super) fn pump(&mut self, node: usize) -> Result<(), String> {
        loop {
            let local = self.nodes[node].local(self.log.now);
            let Some(process) = self.nodes[node].process.as_mut() else { return Ok(()) };
            process.clock.set(local);
            let mut ownership = process.ownership.borrow_mut();
            if ownership.poll_timeout(local).is_some_and(|due| due <= local) {
                ownership.handle_timeout(local);
            }
            let statement = ownership.poll_statement(local);
            let event = ownership.poll_event();
            drop(ownership);
            let is_quiet = statement.is_none() && event.is_none();
            if let Some(statement) = statement {
                let statement = self.alter(node, statement);
                self.send(node, DatabaseRequest::Ownership(statement));
            }
            if let Some(event) = event {
                self.handle_event(node, event)?;
            }
            self.pump_cells(node)?;
            if is_quiet {
                break;
            }
        }
        self.schedule_wake(node);
        Ok(())
    }

    fn schedule_wake(&mut self, node: usize) {
        let local = self.nodes[node].local(self.log.now);
        let Some(process) = self.nodes[node].process.as_mut() else { return };
        process.wake += 1;
        let wake = process.wake;
        let own = process.ownership.borrow().poll_timeout(local);
        let cells = process.cells.values().filter_map(|cell| cell.hosted.poll_timeout());
        let Some(due) = cells.chain(own).min() else { return };
        let run = self.nodes[node].member.run;
        let at = self.nodes[node].global(due).max(self.log.now.after(1));
        self.at(at, SimEvent::AtProcess(node, run, ProcessTask::Wake(wake)));
    }

    fn handle_event(&mut self, node: usize, event: NodeEvent) -> Result<(), String> {
        let local = self.nodes[node].local(self.log.now);
        match event {
            NodeEvent::Open { game, epoch, journal, .. } => {
                return self.open(node, game, epoch, &journal.bytes);
            }
            NodeEvent::Close { game, why } => {
                self.log.note(format!("n{node} closes {game}: {why:?}"));
                self.log.count("handed_over", u64::from(why == Closing::HandedOver));
                if let Some(process) = self.nodes[node].process.as_mut() {
                    process.cells.remove(&game);
                }
                self.close_of_game(node, game);
            }
            NodeEvent::Stored { game, batch } => {
                if let Some(cell) = self.nodes[node].cell(game) {
                    cell.handle_stored(local, Commit(batch.0));
                }
            }
            NodeEvent::CallTakeOver { game, epoch, successor } => {
                self.call(&successor, ProcessTask::TakeOver(game, epoch));
            }
            NodeEvent::Available(is_available) => {
                if let Some(process) = self.nodes[node].process.as_mut() {
                    process.is_available = is_available;
                }
                if !is_available {
                    self.log.note(format!("n{node} has no database"));
                    self.close_at_node(node);
                }
            }
            NodeEvent::Expelled | NodeEvent::Stopped => {
                self.log.note(format!("n{node} ends: {event:?}"));
                self.end_process(node);
                self.after(RESTART_MS, SimEvent::Start(node));
            }
        }
        Ok(())
    }

    /// The process of a node is gone.
    pub(super) fn end_process(&mut self, node: usize) {
        let it = &mut self.nodes[node];
        it.process = None;
        it.is_starting = false;
        it.deferred.clear();
        // Whatever is answered now is for another run.
        it.member.run = RunId(0);
        self.close_at_node(node);
    }

    fn open(
        &mut self,
        node: usize,
        game: GameId,
        epoch: Epoch,
        journal: &[u8],
    ) -> Result<(), String> {
        self.log.note(format!("n{node} opens {game} in epoch {}", epoch.0));
        self.log.count("opened", 1);
        if self.nodes[node].lacks_descriptors {
            if self.plan.sabotage != Some("release") {
                self.with_ownership(node, |it| it.handle_open_failed(game));
            }
            return Ok(());
        }
        let reading = Recording::read(journal).map_err(|why| format!("the journal: {why}"))?;
        if is_finished(&reading) {
            self.send(node, DatabaseRequest::Finish(game, epoch));
            return Ok(());
        }
        self.open_cell(node, game, epoch, Some(reading))
    }

    fn open_created(&mut self, node: usize, game: GameId) -> Result<(), String> {
        self.with_ownership(node, |it| it.handle_created(game, Epoch(1)));
        self.open_cell(node, game, Epoch(1), None)
    }

    fn open_cell(
        &mut self,
        node: usize,
        game: GameId,
        epoch: Epoch,
        journal: Option<nuggets_record::Reading>,
    ) -> Result<(), String> {
        self.openings += 1;
        let local = self.nodes[node].local(self.log.now);
        let Some(watched) = self.games.get(&game) else { return Ok(()) };
        let Some(process) = self.nodes[node].process.as_mut() else { return Ok(()) };
        process.clock.set(local);
        let is_open = Rc::new(());
        let closed = Rc::downgrade(&is_open);
        let storage = SimJournal {
            ownership: Rc::clone(&process.ownership),
            clock: Rc::clone(&process.clock),
            game,
            epoch,
            sabotage: self.plan.sabotage,
            _is_open: is_open,
        };
        let WatchedGame { meta, setup, .. } = watched;
        let hosted = open_game(local, self.openings, (meta, setup), journal, storage);
        let hosted = hosted.map_err(|why| format!("{game}: {why}"))?;
        process.cells.insert(game, OwnedCell::new(hosted, epoch, self.log.now, closed));
        Ok(())
    }

    /// Timeouts, reports and output of all games of a node.
    fn pump_cells(&mut self, node: usize) -> Result<(), String> {
        let local = self.nodes[node].local(self.log.now);
        let Some(process) = self.nodes[node].process.as_mut() else { return Ok(()) };
        let (mut over, mut acted, mut answers, mut texts) = (vec![], vec![], vec![], vec![]);
        for (game, cell) in &mut process.cells {
            if cell.hosted.poll_timeout().is_some_and(|due| due <= local) {
                cell.hosted.handle(local, GameCommand::Timeout);
            }
            while let Some(output) = cell.hosted.poll_output() {
                match output {
                    GameOutput::Report(GameReport::Over) => over.push((*game, cell.epoch)),
                    GameOutput::Report(GameReport::Failed { why }) => {
                        return Err(format!("{game} has failed: {why}"));
                    }
                    GameOutput::Answer(to, attached) => answers.push((*game, to, *attached)),
                    GameOutput::Direct(to, line) => {
                        texts.extend(serde_json::to_string(&line).map(|text| (to, text)));
                    }
                    GameOutput::Report(_) | GameOutput::Datagram(..) => {}
                }
            }
            acted.extend(std::mem::take(&mut cell.has_acted).then_some(*game));
            texts.extend(cell.read(local));
        }
        for (game, epoch) in over {
            self.send(node, DatabaseRequest::Finish(game, epoch));
        }
        for game in acted {
            self.check_acts(node, game)?;
        }
        for (game, to, attached) in answers {
            self.handle_attached(node, game, to, attached)?;
        }
        for (to, text) in texts {
            self.send_down(to, text);
        }
        Ok(())
    }
}
