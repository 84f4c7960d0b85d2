//! The work of the shell of a node in production: it sends the statements of its ownership, hands the answers back, and carries
//! out what the ownership decides.

use nuggets_host::cluster::ownership::{Answer, Closing, NodeEvent, Ownership, Statement};
use nuggets_host::cluster::routes::{Epoch, RunId};
use nuggets_host::{GameCommand, GameId, is_finished};
use nuggets_record::Recording;
use nuggets_server::Commit;
use nuggets_time::Timestamp;

use super::checks::PROOF_MS;
use super::database::{
    DatabaseReply, DatabaseRequest, DatabaseTarget, SentStatement, StatementStep, TxId,
};
use super::node::Process;
use super::run::WebRun;

/// A statement that is unanswered for this long is given up.
const ANSWER_MS: u64 = 2_000;
/// The time between two looks whether a connection could be accepted.
const DESCRIPTORS_MS: u64 = 1_000;
/// A process that has ended is started again after this time.
const RESTART_MS: u64 = 500;

impl WebRun {
    pub(super) fn start(&mut self, node: usize) {
        if self.nodes[node].process.is_some() || self.nodes[node].is_starting {
            return;
        }
        self.last_run += 1;
        self.nodes[node].member.run = RunId(self.last_run);
        self.nodes[node].is_starting = true;
        self.log.note(format!("n{node} starts"));
        if self.plan.disk.is_some() {
            self.begin_process(node);
            self.pump(node);
        } else {
            self.send(node, DatabaseRequest::Register);
        }
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
        // There is one connection for commits, and some for everything else.
        let is_old = if request.is_commit() {
            it.commits_to_old
        } else {
            it.reads_from_old && self.rng.below(2) == 0
        };
        let target = if is_old { DatabaseTarget::OldPrimary } else { DatabaseTarget::Primary };
        let who = self.nodes[node].member.clone();
        let sent = SentStatement { node, target, who, request, at: self.log.now };
        self.sent.insert(tx, sent.clone());
        let latency = self.random_ms(self.plan.latency_ms + 1);
        self.after(latency, move |it| it.arrive(tx, sent));
        self.give_up(node, tx, ANSWER_MS);
        if self.calm_since.is_none() && self.rng.below(self.plan.breaks) == 0 {
            let ms = self.random_ms(self.plan.latency_ms * 6 + 2);
            self.give_up(node, tx, ms);
        }
        tx
    }

    /// A connection to the database breaks after this time, or its answer takes too long.
    pub(super) fn give_up(&mut self, node: usize, tx: TxId, ms: u64) {
        self.at(Some(node), self.log.now.after(ms), move |it| it.answer(tx, None));
    }

    fn arrive(&mut self, tx: TxId, asked: SentStatement) {
        let node = asked.node;
        if self.nodes[node].cut_to {
            return;
        }
        if self.log.now < self.stalled_until {
            self.at(None, self.stalled_until, move |it| it.arrive(tx, asked));
        } else if self.database.begin(self.log.now, tx, asked) {
            self.next_step(tx);
        } else {
            self.give_up(node, tx, 1);
        }
    }

    fn next_step(&mut self, tx: TxId) {
        let latency = self.random_ms(self.plan.latency_ms + 1);
        self.after(latency, move |it| it.step(tx));
    }

    fn step(&mut self, tx: TxId) {
        if self.log.now < self.stalled_until {
            return self.at(None, self.stalled_until, move |it| it.step(tx));
        }
        match self.database.step(self.log.now, tx) {
            StatementStep::Next => self.next_step(tx),
            StatementStep::Blocked => {
                self.after(2, move |it| it.step(tx));
                if self.cancels {
                    self.cancel_wait();
                }
            }
            StatementStep::Done(reply) => self.answer_later(tx, *reply, false),
            StatementStep::Gone => {}
        }
        let checked = self.check_claims();
        self.expect(checked);
    }

    pub(super) fn answer_later(&mut self, tx: TxId, reply: DatabaseReply, is_warning: bool) {
        let latency = self.random_ms(self.plan.latency_ms + 1);
        let node = self.sent.get(&tx).map(|sent| sent.node);
        let at = self.log.now.after(latency);
        self.at(node, at, move |it| it.answer(tx, Some((reply, is_warning))));
    }

    /// A node gets an answer, with a warning or without, or gives up waiting for one.
    fn answer(&mut self, tx: TxId, reply: Option<(DatabaseReply, bool)>) {
        let Some(node) = self.sent.get(&tx).map(|sent| sent.node) else { return };
        if reply.is_some() && self.nodes[node].cut_from {
            return;
        }
        let Some(sent) = self.sent.remove(&tx) else { return };
        if sent.who.run != self.nodes[node].member.run {
            return;
        }
        self.log.count("statements", u64::from(reply.is_some()));
        self.log.count("unanswered", u64::from(reply.is_none()));
        if reply.is_none() {
            // The other hosts are tried first.
            let is_commit = sent.request.is_commit();
            let stays = !is_commit && self.rng.below(2) == 0;
            let it = &mut self.nodes[node];
            *(if is_commit { &mut it.commits_to_old } else { &mut it.reads_from_old }) &= stays;
        }
        self.handle_answer(tx, sent, reply);
        self.pump(node);
    }

    fn handle_answer(
        &mut self,
        tx: TxId,
        sent: SentStatement,
        reply: Option<(DatabaseReply, bool)>,
    ) {
        let (node, run) = (sent.node, sent.who.run);
        match (sent.request, reply) {
            (request @ (DatabaseRequest::Register | DatabaseRequest::Finish(..)), None) => {
                let ms = if matches!(request, DatabaseRequest::Register) { 100 } else { 200 };
                self.in_process((node, run), ms, move |it| {
                    it.send(node, request);
                });
            }
            (DatabaseRequest::Register, Some(_)) => self.begin_process(node),
            (DatabaseRequest::Create(game), Some(_)) => {
                self.with_ownership(node, |it| it.handle_created(game, Epoch(1)));
                self.open_cell(node, game, Epoch(1), None);
            }
            (DatabaseRequest::Create(game), None) => {
                self.with_ownership(node, |it| it.handle_create_failed(game));
            }
            (DatabaseRequest::Finish(game, _), Some((DatabaseReply::Done(true), _))) => {
                self.with_ownership(node, |it| it.handle_finished(game));
            }
            (DatabaseRequest::Finish(..), Some(_)) => {}
            (DatabaseRequest::ReadOwner(game), reply) => {
                self.reread(tx, node, game, reply.as_ref().map(|(reply, _)| reply));
            }
            (DatabaseRequest::Ownership(statement), reply) => {
                self.answer_ownership(node, sent.at, &statement, reply);
            }
        }
    }

    fn begin_process(&mut self, node: usize) {
        let it = &mut self.nodes[node];
        it.is_starting = false;
        let local = it.local(self.log.now);
        it.process = Some(Process::new(self.log.now, local, it.member.clone()));
        self.create_planned(node);
        if self.plan.disk.is_some() {
            self.resume_all(node);
        } else {
            self.look_for_descriptors_later(node);
        }
    }

    fn look_for_descriptors_later(&mut self, node: usize) {
        let run = self.nodes[node].member.run;
        self.in_process((node, run), DESCRIPTORS_MS, move |it| {
            let is_ignored = it.plan.sabotage == Some("descriptors");
            let has_descriptors = !it.nodes[node].lacks_descriptors || is_ignored;
            it.with_ownership(node, |it| it.handle_descriptors(has_descriptors));
            it.look_for_descriptors_later(node);
            it.pump(node);
        });
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
        match answer {
            Some(Answer::Nodes(_)) => {
                let ownership = process.ownership.borrow();
                let living = ownership.living().map(|row| row.member.clone());
                process.routes.set_members(living.chain([me]));
            }
            Some(Answer::Games { games, .. }) => self.cut_superseded(node, &games),
            _ => {}
        }
    }

    /// Does everything that a node can do now.
    pub(super) fn pump(&mut self, node: usize) {
        loop {
            let local = self.nodes[node].local(self.log.now);
            let Some(process) = self.nodes[node].process.as_mut() else { return };
            process.clock.set(local);
            let (mut statement, mut event) = (None, None);
            if self.plan.disk.is_none() {
                let mut ownership = process.ownership.borrow_mut();
                if ownership.poll_timeout(local).is_some_and(|due| due <= local) {
                    ownership.handle_timeout(local);
                }
                statement = ownership.poll_statement(local);
                event = ownership.poll_event();
            }
            let is_quiet = statement.is_none() && event.is_none();
            if let Some(statement) = statement {
                let statement = self.alter(node, statement);
                self.send(node, DatabaseRequest::Ownership(statement));
            }
            if let Some(event) = event {
                self.handle_event(node, event);
            }
            self.pump_cells(node);
            if is_quiet {
                break;
            }
        }
        self.schedule_wake(node);
    }

    fn schedule_wake(&mut self, node: usize) {
        let local = self.nodes[node].local(self.log.now);
        let Some(process) = self.nodes[node].process.as_mut() else { return };
        process.wake += 1;
        let wake = process.wake;
        let own = process.ownership.borrow().poll_timeout(local);
        let own = own.filter(|_| self.plan.disk.is_none());
        let cells = process.cells.values().filter_map(|cell| cell.hosted.poll_timeout());
        let Some(due) = cells.chain(own).min() else { return };
        let run = self.nodes[node].member.run;
        let at = self.nodes[node].global(due).max(self.log.now.after(1));
        self.in_process((node, run), at.since(self.log.now), move |it| {
            if it.nodes[node].process.as_ref().is_some_and(|process| process.wake == wake) {
                it.pump(node);
            }
        });
    }

    fn handle_event(&mut self, node: usize, event: NodeEvent) {
        let local = self.nodes[node].local(self.log.now);
        match event {
            NodeEvent::Open { game, epoch, journal, .. } => {
                self.open(node, game, epoch, &journal.bytes);
            }
            NodeEvent::Close { game, why } => {
                self.log.note(format!("n{node} closes {game}: {why:?}"));
                self.log.count("handed_over", u64::from(why == Closing::HandedOver));
                if let Some(process) = self.nodes[node].process.as_mut() {
                    process.cells.remove(&game);
                    process.lobby.remove(game);
                }
                self.close_of_game(node, game);
            }
            NodeEvent::Stored { game, batch } => {
                if let Some(cell) = self.nodes[node].cell(game) {
                    cell.handle(local, GameCommand::Stored(Commit(batch.0)));
                }
            }
            NodeEvent::CallTakeOver { game, epoch, successor } => {
                self.call(&successor, move |it, at| {
                    it.with_ownership(at, |it| it.handle_take_over(game, epoch));
                });
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
                self.after(RESTART_MS, move |it| it.start(node));
            }
        }
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

    fn open(&mut self, node: usize, game: GameId, epoch: Epoch, journal: &[u8]) {
        self.log.note(format!("n{node} opens {game} in epoch {}", epoch.0));
        self.log.count("opened", 1);
        if self.nodes[node].lacks_descriptors {
            if self.plan.sabotage != Some("release") {
                self.with_ownership(node, |it| it.handle_open_failed(game));
            }
            return;
        }
        match Recording::read(journal) {
            Err(why) => self.expect(Err(format!("the journal: {why}"))),
            Ok(reading) if is_finished(&reading) => {
                self.send(node, DatabaseRequest::Finish(game, epoch));
            }
            Ok(reading) => self.resume(node, game, epoch, reading),
        }
    }
}
