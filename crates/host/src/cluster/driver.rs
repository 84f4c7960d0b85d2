//! One run of a node: which games it owns, its connections, and what goes between. Inputs in, effects out, the time as an
//! argument; of the outside it only touches the files of its logs.

mod accounts;
mod known_logs;
mod orders;
mod preparing;
mod status;
#[cfg(test)]
mod tests;
mod ticking;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use nuggets_cluster::{
    EdgeMessage, Epoch, Instance, JournalEnd, LogName, LogState, Node, NodeEvent, OwnerMessage,
    SteadyTime,
};
use nuggets_time::Timestamp;
use tokio::sync::oneshot;
use tracing::{error, info, warn};

use super::clients::Clients;
use super::effect::{Effect, Input};
use super::log_file::LogFile;
use super::messages::{Details, GameOrder, NodeMessage, Words};
use super::owned_game::OwnedGame;
use crate::{GameId, GameReport};
pub(super) use accounts::accounts_subject;
use accounts::{OwnedAccounts, accounts_log};
pub(super) use known_logs::stored_ownership;
use orders::Orders;
use preparing::Followed;
use ticking::RECONNECT_MS;

/// Everything of one node.
#[derive(Debug)]
pub(super) struct Driver {
    time: SteadyTime,
    now: Timestamp,
    /// The clock of streams.
    reading: Timestamp,
    node: Node,
    clients: Clients,
    owned: BTreeMap<LogName, OwnedGame>,
    /// Games that this node will get.
    followed: BTreeMap<LogName, Followed>,
    /// Own games that something was brought to since they were looked at.
    touched: BTreeSet<LogName>,
    /// The log of accounts, if it is this node's.
    accounts: Option<OwnedAccounts>,
    orders: Orders,
    creating: BTreeMap<LogName, (Timestamp, oneshot::Sender<Result<(), String>>)>,
    /// Own messages to this node.
    loopback: VecDeque<NodeMessage>,
    /// Where the copies of logs are.
    folder: PathBuf,
    summary_at: Timestamp,
    reconnect_at: Timestamp,
    is_drained: bool,
    pub(super) take_overs: u64,
}

/// The log of a game.
pub(super) fn log_of(game: GameId) -> LogName {
    LogName::new(&game.to_string()).expect("an id is letters and digits")
}

/// The game of a log; none for another one.
pub(super) fn game_of(log: &LogName) -> Option<GameId> {
    log.as_str().parse().ok()
}

impl Driver {
    /// A node whose logs are copied into this folder.
    pub(super) fn new(reading: Timestamp, me: Instance, folder: PathBuf) -> Self {
        let mut time = SteadyTime::default();
        let now = time.advance(reading);
        Self {
            time,
            now,
            reading,
            node: Node::new(now, me.clone()),
            clients: Clients::new(me),
            owned: BTreeMap::new(),
            followed: BTreeMap::new(),
            touched: BTreeSet::new(),
            accounts: None,
            orders: Orders::default(),
            creating: BTreeMap::new(),
            loopback: VecDeque::new(),
            folder,
            summary_at: now,
            reconnect_at: now.after(RECONNECT_MS),
            is_drained: false,
            take_overs: 0,
        }
    }

    pub(super) fn me(&self) -> &Instance {
        self.node.me()
    }

    /// What everybody knows of a log.
    pub(super) fn details(&self, log: &LogName) -> Option<Details> {
        Details::decode(&self.node.ownership(log)?.details)
    }

    /// Takes an input, and says what is to be done.
    pub(super) fn handle(&mut self, reading: Timestamp, input: Input) -> Vec<Effect> {
        self.now = self.time.advance(reading);
        self.reading = reading;
        let mut effects = Vec::new();
        self.take(input, &mut effects);
        self.settle(&mut effects);
        self.deliver_to_self(&mut effects);
        effects
    }

    /// Messages of this node to itself don't go over the network.
    fn deliver_to_self(&mut self, effects: &mut Vec<Effect>) {
        let me = self.me().clone();
        loop {
            let mut others = Vec::with_capacity(effects.len());
            for effect in effects.drain(..) {
                match effect {
                    Effect::Send { to, message } if to == me => self.loopback.push_back(message),
                    effect => others.push(effect),
                }
            }
            *effects = others;
            if self.loopback.is_empty() {
                return;
            }
            while let Some(message) = self.loopback.pop_front() {
                self.handle_message(&me, message, effects);
            }
            self.settle(effects);
        }
    }

    fn take(&mut self, input: Input, effects: &mut Vec<Effect>) {
        let now = self.now;
        match input {
            Input::Reply { journal: None, id, reply } => self.node.handle_reply(now, id, reply),
            Input::Reply { journal: Some(log), id, reply } if log == accounts_log() => {
                self.handle_accounts_reply(id, reply);
            }
            Input::Reply { journal: Some(log), id, reply } => {
                if let Some(game) = self.touch(&log) {
                    game.handle_reply(now, id, reply);
                } else {
                    self.handle_followed_reply(&log, id, reply, effects);
                }
            }
            Input::Ownership(log, seq, bytes) => self.node.handle_ownership(now, &log, seq, &bytes),
            Input::WatchRestart => self.node.handle_watch_restart(),
            Input::Heartbeat(heartbeat) => self.node.handle_heartbeat(now, heartbeat),
            Input::Message(from, message) => self.handle_message(&from, message, effects),
            Input::Output(output) => {
                let log = output.game.map(log_of);
                if let Some(game) = log.and_then(|log| self.touch(&log)) {
                    game.handle_output(now, output);
                }
            }
            Input::Verified { log, epoch, connection, verified } => {
                if let Some(game) = self.touch(&log) {
                    game.handle_verified(epoch, &connection, verified, effects);
                }
            }
            Input::OpenFailed(log, why) => {
                error!("the game {log} can't be opened: {why}");
                self.finish(&log);
            }
            Input::ResultsStored(game) => {
                let log = log_of(game);
                if self.owned.get_mut(&log).is_some_and(OwnedGame::handle_results_stored) {
                    self.finish(&log);
                }
            }
            Input::KeptRecords(epoch, kept) => self.handle_kept_records(epoch, kept),
            Input::AccountCommand(command) => self.send_account_command(command, effects),
            Input::Tick => self.handle_tick(effects),
            Input::Broadcast(message) => effects.push(Effect::Broadcast(message)),
            Input::Stop => {}
            input => self.take_local(input, effects),
        }
    }

    /// What the host itself wants.
    fn take_local(&mut self, input: Input, effects: &mut Vec<Effect>) {
        let now = self.now;
        match input {
            Input::Play(play) => {
                let log = log_of(play.game);
                self.tell_owner(&log);
                self.clients.play(now, &log, play);
                self.reject_if_finished(&log);
            }
            Input::Watch(watch) => {
                let log = log_of(watch.game);
                self.clients.watch(&log, watch);
                self.reject_if_finished(&log);
                self.subscribe(effects);
            }
            Input::Key(connection, key) => self.clients.key(now, connection, key),
            Input::Leave(connection) => self.clients.leave(connection),
            Input::Order(game, order) => self.orders.add(now, game, order),
            Input::NoticeAll(words) => {
                effects.push(Effect::Broadcast(NodeMessage::Words(Words::Notice(words))));
            }
            Input::Create { details, answer } => self.create(&details, answer),
            Input::SetMeta(meta) => self.set_meta(&meta),
            Input::Watchers(counts) => {
                effects.push(Effect::Broadcast(NodeMessage::Words(Words::Watchers(counts))));
            }
            Input::Refresh(game) => self.node.refresh(now, &log_of(game)),
            Input::Drain => self.node.drain(),
            Input::Status(answer) => drop(answer.send(self.status())),
            _ => {}
        }
    }

    fn handle_message(&mut self, from: &Instance, message: NodeMessage, effects: &mut Vec<Effect>) {
        let now = self.now;
        match message {
            NodeMessage::Edge(message) => self.handle_from_edge(from, message, effects),
            NodeMessage::Owner(message) => self.clients.edge.handle_message(now, from, message),
            NodeMessage::Picture(log, view, picture) => {
                self.clients.handle_picture(self.reading, (log, view), &picture);
            }
            NodeMessage::Ownership(log, seq, bytes) => {
                self.node.handle_ownership(now, &log, seq, &bytes);
            }
            NodeMessage::Accounts => effects.push(Effect::ReadAccounts),
            NodeMessage::AccountCommand(command) => self.append_account_command(command),
            NodeMessage::Words(words) => self.handle_words(from, words, effects),
        }
    }

    fn handle_words(&mut self, from: &Instance, words: Words, effects: &mut Vec<Effect>) {
        match words {
            Words::Order { id, game, order } => {
                if let Some(owned) = self.touch(&log_of(game)) {
                    if let GameOrder::SetNext(next) = order {
                        effects.push(Effect::NextGame(game, next));
                    }
                    owned.handle_order(from.clone(), id, order, effects);
                }
            }
            Words::Done { id } => self.orders.handle_done(id),
            Words::Prepare { game } => self.follow(from, &log_of(game), effects),
            Words::Prepared { game } => self.node.handle_prepared(self.now, &log_of(game), from),
            Words::Reports { game, reports } => {
                if !self.owned.contains_key(&log_of(game)) {
                    effects.push(Effect::OthersReports(game, reports));
                }
            }
            Words::Watchers(counts) => effects.push(Effect::Watchers(from.clone(), counts)),
            Words::Notice(words) => {
                self.touch_all();
                for game in self.owned.values_mut() {
                    game.notice(&words, effects);
                }
            }
        }
    }

    fn handle_from_edge(
        &mut self,
        from: &Instance,
        message: EdgeMessage,
        effects: &mut Vec<Effect>,
    ) {
        let now = self.now;
        if let Some(game) = self.touch(message.log()) {
            game.handle_message(now, from, message, effects);
        } else if let Some(followed) = self.followed.get_mut(message.log()) {
            // The edge knows already that this node is the owner. The game keeps the message until it is open.
            followed.game.handle_message(now, from, message, effects);
        } else {
            let message = OwnerMessage::NotOwner { log: message.log().clone() };
            effects.push(Effect::to_edge(from.clone(), message));
        }
    }

    fn subscribe(&mut self, effects: &mut Vec<Effect>) {
        for message in self.clients.poll_subscriptions(self.now) {
            let record = self.node.ownership(message.log());
            if let Some(record) = record.filter(|record| record.state == LogState::Running) {
                let to = record.owner.clone();
                effects.push(Effect::send(to, NodeMessage::Edge(message)));
            }
        }
    }

    /// Takes everything out of the state machines.
    fn settle(&mut self, effects: &mut Vec<Effect>) {
        self.settle_games(effects);
        while let Some(event) = self.node.poll_event() {
            self.handle_node_event(event, effects);
            self.settle_games(effects);
        }
        while let Some(event) = self.clients.edge.poll_event() {
            if let Some(log) = self.clients.handle_event(event) {
                self.node.refresh(self.now, &log);
            }
        }
        while let Some((to, message)) = self.clients.edge.poll_message() {
            effects.push(Effect::send(to, NodeMessage::Edge(message)));
        }
        while let Some(heartbeat) = self.node.poll_heartbeat() {
            effects.push(Effect::Heartbeat(heartbeat));
        }
        while let Some(request) = self.node.poll_request() {
            effects.push(Effect::Request { journal: None, request });
        }
    }

    /// The own game of a log, if something is to be brought to it.
    fn touch(&mut self, log: &LogName) -> Option<&mut OwnedGame> {
        let game = self.owned.get_mut(log)?;
        self.touched.insert(log.clone());
        Some(game)
    }

    fn touch_all(&mut self) {
        self.touched = self.owned.keys().cloned().collect();
    }

    fn settle_games(&mut self, effects: &mut Vec<Effect>) {
        self.settle_accounts(effects);
        let mut closed = Vec::new();
        let mut own = Vec::new();
        for log in &std::mem::take(&mut self.touched) {
            let Some(game) = self.owned.get_mut(log) else { continue };
            if let Some(why) = game.settle(self.now, &mut own) {
                closed.push((log.clone(), why));
            } else if game.is_ready_to_go() {
                self.node.hand_over(self.now, log);
            }
            if game.has_failed_file() {
                self.node.drain();
            }
        }
        for effect in own {
            if let Effect::Reports(game, reports) = &effect {
                self.handle_reports(*game, reports, effects);
            }
            effects.push(effect);
        }
        for (log, why) in closed {
            self.close(&log, &why, effects);
        }
    }

    /// An own game has reported something, and that is in the log: all lobbies are told.
    fn handle_reports(&mut self, game: GameId, reports: &[GameReport], effects: &mut Vec<Effect>) {
        let log = log_of(game);
        let words = Words::Reports { game, reports: reports.to_vec() };
        effects.push(Effect::Broadcast(NodeMessage::Words(words)));
        for report in reports {
            match report {
                GameReport::Opened { .. } => {
                    if let Some((_, answer)) = self.creating.remove(&log) {
                        let _ = answer.send(Ok(()));
                    }
                }
                GameReport::Failed { .. } => self.finish(&log),
                // If this node dies before the results are stored, another one must store them.
                GameReport::Closed
                    if self.owned.get_mut(&log).is_some_and(OwnedGame::handle_game_closed) =>
                {
                    self.finish(&log);
                }
                _ => {}
            }
        }
    }

    fn finish(&mut self, log: &LogName) {
        self.node.finish(self.now, log);
    }

    fn close(&mut self, log: &LogName, why: &JournalEnd, effects: &mut Vec<Effect>) {
        if let Some(game) = self.owned.remove(log) {
            match why {
                JournalEnd::Contradiction { index } => error!(
                    "the log of game {log} contradicts '{}' at record {index}. Nobody continues the game until a \
                     person has decided: see \"When a log is failed\" in docs/cluster.md",
                    game.file().path().display()
                ),
                why => warn!("game {log} is not continued here: {why}"),
            }
            effects.push(Effect::CloseGame(game.game()));
        }
        self.node.handle_closed(self.now, log, why);
    }

    fn handle_node_event(&mut self, event: NodeEvent, effects: &mut Vec<Effect>) {
        match event {
            NodeEvent::Open { log, epoch } if log == accounts_log() => {
                self.open_accounts(epoch, effects);
            }
            NodeEvent::Close { log } if log == accounts_log() => self.close_accounts(),
            NodeEvent::Stop { log } if log == accounts_log() => self.stop_accounts(),
            NodeEvent::Open { log, epoch } => self.open(&log, epoch),
            NodeEvent::Close { log } => {
                if let Some(game) = self.owned.remove(&log) {
                    info!("game {log} is not this node's any more");
                    effects.push(Effect::CloseGame(game.game()));
                }
            }
            NodeEvent::Prepare { log, successor } => self.prepare(&log, successor, effects),
            NodeEvent::Stop { log } => {
                info!("game {log} is handed over");
                if let Some(game) = self.touch(&log) {
                    game.stop(effects);
                }
            }
            NodeEvent::Changed { log } => self.handle_changed(&log, effects),
            NodeEvent::Gone(edge) => {
                self.touch_all();
                for game in self.owned.values_mut() {
                    game.handle_gone(&edge, effects);
                }
            }
        }
    }

    fn open(&mut self, log: &LogName, epoch: Epoch) {
        let followed = self.followed.remove(log).map(|followed| followed.game);
        let Some(mut game) = followed.or_else(|| self.read_game(log)) else { return };
        if epoch > Epoch(1) {
            info!("game {log} is taken over in epoch {epoch}");
            self.take_overs += 1;
        }
        game.claim(self.now, epoch);
        self.owned.insert(log.clone(), game);
        self.touched.insert(log.clone());
    }

    /// Begins to read the log of a game.
    fn read_game(&mut self, log: &LogName) -> Option<OwnedGame> {
        let game = game_of(log)?;
        let path = self.folder.join(format!("{log}.log"));
        match LogFile::open(&path) {
            Ok(file) => Some(OwnedGame::follow(self.now, log, game, self.me().clone(), file)),
            Err(why) => {
                let path = path.display();
                error!("can't use '{path}': {why}. This node hands over its games");
                self.node.drain();
                None
            }
        }
    }
}
