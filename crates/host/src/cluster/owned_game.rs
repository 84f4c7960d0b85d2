//! A game at its owner: its journal in the replicated log, the players of all nodes, and the views that nodes show. What the
//! game does is held until it is in the log.

mod held;
mod people;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nuggets_cluster::{
    EdgeMessage, EngineReply, Epoch, Gate, Inbox, InboxAction, Instance, Journal, JournalEnd,
    JournalEvent, LogName, Marks, NextPicture, Outlet, RequestId,
};
use nuggets_time::Timestamp;
use tracing::{error, info, warn};

use super::effect::Effect;
use super::log_file::{LogFile, journal_bytes};
use super::messages::{GameOrder, view_bytes, view_of};
use crate::workers::relay::{GameOutput, RelayInput, RelayOrder, View};
use crate::{GameId, GameReport};
use held::{Cause, Held};
use people::People;
pub(crate) use people::VerifiedPlayer;

/// Output that may be held, and orders that the game has not answered: then no more keys are applied.
const MAX_HELD: usize = 4_096;

/// Messages of edges that came while the game was being opened; more are sent again.
const MAX_EARLY: usize = 4_096;

/// A game that this node owns.
#[derive(Debug)]
pub(super) struct OwnedGame {
    log: LogName,
    game: GameId,
    journal: Journal,
    file: LogFile,
    /// What the log says, until it is open.
    marks: Marks,
    replayed: Vec<u8>,
    doors: Option<Doors>,
    /// What edges have sent before it was open.
    early: Vec<(Instance, EdgeMessage)>,
    gate: Gate<Held>,
    people: People,
    /// Orders that the game has not answered, by tag.
    asked: BTreeMap<u64, Cause>,
    next_tag: u64,
    /// Views of which a whole picture was asked for.
    whole_asked: BTreeSet<View>,
    /// Views that the game shows.
    shown: BTreeSet<View>,
    /// What the lobbies of all nodes must know, in short.
    summary: Vec<GameReport>,
    is_stopping: bool,
    /// The game does nothing by itself any more.
    is_frozen: bool,
    /// The file can't be written.
    has_failed_file: bool,
    ended: Ended,
}

/// What has come of a game that is over. When both is true, its log is finished.
#[derive(Debug, Default)]
struct Ended {
    /// All players have left it.
    is_closed: bool,
    /// Its results are in the accounts.
    has_results: bool,
}

/// What an open game has.
#[derive(Debug)]
struct Doors {
    inbox: Inbox,
    outlet: Outlet,
}

impl OwnedGame {
    /// Begins to read the log of a game. It is opened after `claim`.
    pub(super) fn follow(
        now: Timestamp,
        log: &LogName,
        game: GameId,
        me: Instance,
        (file, copy): (LogFile, Vec<Arc<[u8]>>),
    ) -> Self {
        Self {
            log: log.clone(),
            game,
            journal: Journal::follow(now, log.clone(), me, copy),
            file,
            marks: Marks::default(),
            replayed: Vec::new(),
            doors: None,
            early: Vec::new(),
            gate: Gate::default(),
            people: People::default(),
            asked: BTreeMap::new(),
            next_tag: 0,
            whole_asked: BTreeSet::new(),
            shown: BTreeSet::new(),
            summary: Vec::new(),
            is_stopping: false,
            is_frozen: false,
            has_failed_file: false,
            ended: Ended::default(),
        }
    }

    /// This node owns the game: begins to open it in this epoch.
    pub(super) fn claim(&mut self, now: Timestamp, epoch: Epoch) {
        self.journal.claim(now, epoch);
    }

    /// Reads what the owner has written meanwhile.
    pub(super) fn follow_on(&mut self, now: Timestamp) {
        self.journal.follow_on(now);
    }

    pub(super) fn game(&self) -> GameId {
        self.game
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(super) fn is_open(&self) -> bool {
        self.doors.is_some()
    }

    pub(super) fn file(&self) -> &LogFile {
        &self.file
    }

    pub(super) fn has_failed_file(&self) -> bool {
        self.has_failed_file
    }

    /// The game has ended, and all players have left. True if its log is finished, too.
    pub(super) fn handle_game_closed(&mut self) -> bool {
        self.ended.is_closed = true;
        self.ended.has_results
    }

    /// The results are stored. True if the log is finished.
    pub(super) fn handle_results_stored(&mut self) -> bool {
        self.ended.has_results = true;
        self.ended.is_closed
    }

    pub(super) fn summary(&self) -> &[GameReport] {
        &self.summary
    }

    pub(super) fn connections(&self) -> usize {
        self.people.len()
    }

    pub(super) fn handle_reply(&mut self, now: Timestamp, id: RequestId, reply: EngineReply) {
        self.journal.handle_reply(now, id, reply);
    }

    pub(super) fn handle_timeout(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        self.journal.handle_timeout(now);
        self.refresh_views(now, effects);
    }

    /// The game is to be handed over: nothing is accepted any more.
    pub(super) fn stop(&mut self, effects: &mut Vec<Effect>) {
        self.is_stopping = true;
        if self.is_open() {
            self.order(RelayInput::SetFrozen(true), Cause::Freeze, effects);
        } else {
            self.is_frozen = true;
        }
    }

    /// True if it can be handed over: all that it did is in the log, and it does nothing more.
    pub(super) fn is_ready_to_go(&self) -> bool {
        let is_quiet = self.is_stopping && self.is_frozen && self.asked.is_empty();
        is_quiet && self.journal.is_idle() && self.gate.is_empty()
    }

    /// An edge is gone, and its connections with it.
    pub(super) fn handle_gone(&mut self, edge: &Instance, effects: &mut Vec<Effect>) {
        let gone = self.doors.as_mut().map(|doors| doors.inbox.handle_gone(edge));
        for connection in gone.unwrap_or_default() {
            self.detach(&connection, effects);
        }
    }

    /// The edges with players of this game.
    pub(super) fn edges(&self) -> BTreeSet<Instance> {
        self.people.edges()
    }

    pub(super) fn handle_message(
        &mut self,
        now: Timestamp,
        from: &Instance,
        message: EdgeMessage,
        effects: &mut Vec<Effect>,
    ) {
        let can_apply = self.can_apply();
        let Some(doors) = &mut self.doors else {
            if self.early.len() < MAX_EARLY {
                self.early.push((from.clone(), message));
            }
            return;
        };
        if let EdgeMessage::Subscribe { view, needs_whole, .. } = &message {
            if view_of(view).is_some() {
                doors.outlet.subscribe(now, from, view, *needs_whole);
                self.refresh_views(now, effects);
            }
            return;
        }
        let left = match &message {
            EdgeMessage::Detach { connection, .. } if connection.edge == *from => {
                Some(connection.clone())
            }
            _ => None,
        };
        for action in doors.inbox.handle_message(from, message, can_apply) {
            self.handle_action(action, effects);
        }
        // Also one that was not attached yet.
        if let Some(connection) = left {
            self.detach(&connection, effects);
        }
    }

    fn can_apply(&self) -> bool {
        let is_busy = self.gate.len() >= MAX_HELD || self.asked.len() >= MAX_HELD;
        self.journal.can_append() && !self.is_stopping && !is_busy
    }

    fn handle_action(&mut self, action: InboxAction, effects: &mut Vec<Effect>) {
        match action {
            InboxAction::Verify { connection, hello } => self.verify(connection, hello, effects),
            InboxAction::Apply { mark, frame } => {
                let key = std::str::from_utf8(&frame).ok().and_then(|text| text.chars().next());
                match (self.people.host_id(&mark.connection), key) {
                    (Some(id), Some(key)) => {
                        self.order(RelayInput::Key(id, key), Cause::Key(mark), effects);
                    }
                    // It has no effect, and is answered when everything before it is in the log.
                    _ => self.answer_in_turn(Cause::Key(mark)),
                }
            }
            InboxAction::Detached(connection) => self.detach(&connection, effects),
        }
    }

    /// Somebody at any node wants something of the game. It is answered when that is in the log.
    pub(super) fn handle_order(
        &mut self,
        from: Instance,
        id: u64,
        order: GameOrder,
        effects: &mut Vec<Effect>,
    ) {
        if !self.can_apply() || !self.is_open() {
            // It is asked again.
            return;
        }
        let what = match order {
            GameOrder::Start => RelayInput::Start,
            GameOrder::End => RelayInput::End,
            GameOrder::Kick(letter) => {
                let letter = u8::try_from(letter).ok().and_then(nuggets_game::Letter::from_byte);
                let Some(letter) = letter else { return };
                RelayInput::Kick(letter)
            }
            GameOrder::Notice(words) => RelayInput::Notice(words),
            GameOrder::SetNext(next) => RelayInput::SetNext(next),
        };
        self.order(what, Cause::Order { from, id }, effects);
    }

    /// Words of the host to all clients of this game.
    pub(super) fn notice(&mut self, words: &str, effects: &mut Vec<Effect>) {
        if self.is_open() {
            self.order(RelayInput::Notice(words.to_owned()), Cause::Itself, effects);
        }
    }

    /// The game has done something. Nothing of it is seen before it is in the log.
    pub(super) fn handle_output(&mut self, now: Timestamp, output: GameOutput) {
        if output.epoch != self.journal.epoch().0 || !self.journal.is_open() {
            return;
        }
        let cause = output.tag.and_then(|tag| self.asked.remove(&tag)).unwrap_or(Cause::Itself);
        self.is_frozen |= matches!(cause, Cause::Freeze);
        let mark = if let Cause::Key(mark) = &cause { Some(mark.clone()) } else { None };
        let ticket = if output.journal.is_empty() {
            self.journal.appended()
        } else {
            self.journal.append(now, output.journal, mark)
        };
        self.gate.push(
            ticket,
            Held {
                cause,
                lines: output.lines,
                direct: output.direct,
                datagrams: output.datagrams,
                reports: output.reports,
                attached: output.attached,
            },
        );
    }

    /// Does what the journal says, and passes on what may be seen. Says if the journal is closed.
    pub(super) fn settle(
        &mut self,
        now: Timestamp,
        effects: &mut Vec<Effect>,
    ) -> Option<JournalEnd> {
        while let Some(event) = self.journal.poll_event() {
            match event {
                JournalEvent::Closed(why) => return Some(why),
                event => self.handle_event(now, event, effects),
            }
        }
        self.release(now, effects);
        if let Some(doors) = &mut self.doors {
            while let Some((to, message)) = doors.inbox.poll_message() {
                effects.push(Effect::to_edge(to, message));
            }
        }
        while let Some(request) = self.journal.poll_request() {
            effects.push(Effect::Request { journal: Some(self.log.clone()), request });
        }
        None
    }

    fn handle_event(&mut self, now: Timestamp, event: JournalEvent, effects: &mut Vec<Effect>) {
        match event {
            JournalEvent::Replay(record) => {
                self.marks.replay(&record);
                self.replayed.extend(journal_bytes(record));
            }
            JournalEvent::Store(record) => {
                if let Err(why) = self.file.append(&record) {
                    let path = self.file.path().display();
                    error!("can't write '{path}': {why}. This node hands over its games");
                    self.has_failed_file = true;
                }
            }
            JournalEvent::Opened => self.open_doors(now, effects),
            JournalEvent::Committed(_) | JournalEvent::Closed(_) => {}
            JournalEvent::Paused => {
                warn!("game {}: saving is not possible, the game is paused", self.game);
                self.set_paused(true, effects);
            }
            JournalEvent::Resumed => {
                info!("game {}: saving is possible again, the game goes on", self.game);
                self.set_paused(false, effects);
            }
        }
    }

    fn set_paused(&mut self, is_paused: bool, effects: &mut Vec<Effect>) {
        if let Some(doors) = &mut self.doors {
            doors.inbox.set_paused(is_paused);
        }
        if !self.is_stopping {
            self.order(RelayInput::SetFrozen(is_paused), Cause::Itself, effects);
        }
    }

    fn open_doors(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        let epoch = self.journal.epoch();
        let inbox = Inbox::new(self.log.clone(), epoch, std::mem::take(&mut self.marks));
        self.doors = Some(Doors { inbox, outlet: Outlet::new(epoch) });
        let journal = std::mem::take(&mut self.replayed);
        effects.push(Effect::OpenGame { log: self.log.clone(), epoch: epoch.0, journal });
        if self.is_stopping {
            self.is_frozen = false;
            self.order(RelayInput::SetFrozen(true), Cause::Freeze, effects);
        }
        for (from, message) in std::mem::take(&mut self.early) {
            self.handle_message(now, &from, message, effects);
        }
    }

    /// Asks the game for what the edges want to show, and no more for what they don't.
    fn refresh_views(&mut self, now: Timestamp, effects: &mut Vec<Effect>) {
        let Some(doors) = &mut self.doors else { return };
        let (mut wanted, mut whole) = (BTreeSet::new(), Vec::new());
        for (view, next) in doors.outlet.wanted(now) {
            let Some(view) = view_of(view) else { continue };
            wanted.insert(view);
            if next == NextPicture::Whole && !self.whole_asked.contains(&view) {
                whole.push(view);
            }
        }
        for view in whole {
            self.whole_asked.insert(view);
            self.shown.insert(view);
            self.order(RelayInput::Show(view), Cause::Show(view), effects);
        }
        let unwanted: Vec<View> = self.shown.difference(&wanted).copied().collect();
        for view in unwanted {
            self.shown.remove(&view);
            self.order(RelayInput::Hide(view), Cause::Itself, effects);
        }
    }

    fn order(&mut self, what: RelayInput, cause: Cause, effects: &mut Vec<Effect>) {
        self.next_tag += 1;
        let tag = self.next_tag;
        self.asked.insert(tag, cause);
        effects.push(Effect::Order(self.game, RelayOrder { tag, what }));
    }

    /// Keeps what a node that has missed reports must know.
    fn note_report(&mut self, report: &GameReport) {
        let is_replaced = |known: &GameReport| {
            matches!(
                (known, report),
                (GameReport::GoldLeft(_), GameReport::GoldLeft(_))
                    | (GameReport::Connected { .. }, GameReport::Connected { .. })
            )
        };
        self.summary.retain(|known| !is_replaced(known) && known != report);
        self.summary.push(report.clone());
    }
}

/// For pictures.
fn outlet_view(view: View) -> Vec<u8> {
    view_bytes(view)
}
