//! What the host of a game decides beyond the specification: when it begins, whether it ends without all of its
//! gold, and whether another game follows.

use nuggets_protocol::house_rules;
use nuggets_record::{Recording, RecordingEnd, Timestamp, What};

use super::closing::EndRecord;
use super::{Notice, Peer, Room, RoomEvent, RoomStage, Said};

/// The host's decisions. The default is what the specification says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hosting {
    /// When keys begin to move players.
    pub start: StartRule,
    /// When the game ends although there is gold left.
    pub stalemate: Stalemate,
    /// After how many seconds another game follows on the same port, if one does. Every client is sent it.
    pub next_game_s: Option<u64>,
}

/// When a game begins. Before that players can join, but no key moves one. The host can begin it at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartRule {
    /// It begins when this many players are there; 0 if that does not matter.
    pub players: usize,
    /// The host begins it; with `players`, whichever comes first.
    pub by_host: bool,
    /// It does not begin by itself before this many milliseconds have passed.
    pub pause_ms: u64,
}

/// When a game ends although there is gold left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stalemate {
    /// Never: the rule of the specification.
    #[default]
    Never,
    /// When gold was taken or a player has left, and no player can reach what is left. Where no player could reach
    /// any from the start, all clients are sent it, and the game ends some seconds later: another may join who can.
    OutOfReach,
    /// When no gold was taken for this many milliseconds, while there are players.
    After(u64),
}

/// What the journal of a resumed game says about its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PastStart {
    /// Nothing: it is a new game, or still waits, or did not wait and no player has moved.
    #[default]
    None,
    /// It had begun, and no player has moved. The clients may not have been sent that it had.
    Begun,
    /// A player has moved.
    Played,
}

impl PastStart {
    pub(super) fn read(journal: &Recording) -> Self {
        let has = |is_it: fn(&What) -> bool| journal.entries().any(|entry| is_it(&entry.what));
        if has(|what| matches!(what, What::Press(..))) {
            Self::Played
        } else if has(|what| *what == What::Begun) {
            Self::Begun
        } else {
            Self::None
        }
    }
}

/// Whether the players can reach gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// One can, or there is no player, or it does not matter.
    Possible,
    /// None could ever, since this time or the start.
    NeverPossible { since: Timestamp, is_sent: bool },
    /// None can any more.
    Lost,
}

/// When all clients are sent that no player can reach gold: bots of the same game may join a little later.
const NO_REACH_NOTICE_MS: u64 = 1_000;
/// When the game ends after that, unless a player joins who can.
const NO_REACH_END_MS: u64 = 5_000;

/// What becomes of the host's decisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostingState {
    rules: Hosting,
    has_begun: bool,
    /// When the pause before the start is over.
    starts_at: Timestamp,
    /// When gold was last taken.
    gold_at: Timestamp,
    reach: Reach,
    /// Since when the clock of the stalemate stands still.
    paused_at: Option<Timestamp>,
    /// How the game was ended before all gold was found.
    pub(super) ended: Option<RecordingEnd>,
}

impl Reach {
    fn never_since(since: Timestamp) -> Self {
        Self::NeverPossible { since, is_sent: false }
    }
}

impl HostingState {
    pub(super) fn new(rules: Hosting, now: Timestamp) -> Self {
        Self {
            rules,
            has_begun: rules.start == StartRule::default(),
            starts_at: now.after(rules.start.pause_ms),
            gold_at: now,
            reach: Reach::Possible,
            paused_at: None,
            ended: None,
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The text for clients about the next game, if there is one.
    pub(super) fn next_game_text(&self) -> Option<String> {
        self.rules.next_game_s.map(house_rules::next_game_text)
    }
}

impl Room {
    pub(super) fn set_hosting(&mut self, rules: Hosting) {
        let ended = self.hosting.ended;
        self.hosting = HostingState::new(rules, self.now);
        self.hosting.ended = ended;
        if !self.hosting.has_begun && self.past_start == PastStart::Begun {
            self.send_words_to_all(house_rules::HAS_BEGUN);
        }
        self.hosting.has_begun |= self.past_start != PastStart::None;
        // The last gold in reach may have been taken before the game was resumed.
        if self.game.remaining() < self.game.rules().nuggets {
            self.check_reach(Reach::Lost);
        } else {
            self.check_reach(Reach::never_since(self.now));
        }
    }

    /// When the game begins by itself; `None` if it has begun or waits for players or the host.
    pub(super) fn next_start(&self) -> Option<Timestamp> {
        if self.hosting.has_begun {
            return None;
        }
        let start = self.hosting.rules.start;
        let is_complete = start.players > 0 && self.seats.players().count() >= start.players;
        let waits = (start.players > 0 || start.by_host) && !is_complete;
        (!waits).then_some(self.hosting.starts_at)
    }

    pub(super) fn begin_if_due(&mut self) {
        if self.next_start().is_some_and(|due| due <= self.now) {
            self.begin();
        }
    }

    /// Keys move players from now on, and the clocks run from now.
    pub(super) fn begin(&mut self) {
        if self.hosting.has_begun || self.stage != RoomStage::Open {
            return;
        }
        self.hosting.has_begun = true;
        self.record(RoomEvent::Begun);
        self.hosting.gold_at = self.now;
        self.check_reach(Reach::never_since(self.now));
        self.seats.restart_idle_clocks(self.now);
        self.notices.push_back(Notice::Begun);
        self.send_words_to_all(house_rules::HAS_BEGUN);
    }

    /// What is sent to a client that joins or presses a key before the start.
    pub(super) fn send_waiting(&mut self, peer: Peer) {
        let text = house_rules::notice_text(&self.waiting_words());
        self.send(peer, &self.dialect.error_reply(&text));
    }

    /// The number of players has changed before the start.
    pub(super) fn broadcast_waiting(&mut self) {
        if !self.hosting.has_begun && self.hosting.rules.start.players > 0 {
            let words = self.waiting_words();
            self.send_words_to_all(&words);
        }
    }

    fn waiting_words(&self) -> String {
        let StartRule { players, by_host, .. } = self.hosting.rules.start;
        let here = self.seats.players().count();
        if here < players {
            format!("{} players: {here} of {players}", house_rules::WAITING_FOR)
        } else if by_host && players == 0 {
            format!("{} the host to start", house_rules::WAITING_FOR)
        } else {
            let seconds = self.hosting.starts_at.since(self.now).div_ceil(1000);
            let unit = if seconds == 1 { "second" } else { "seconds" };
            format!("the game begins in {seconds} {unit}")
        }
    }

    /// Words of the host to all clients.
    pub(super) fn send_words_to_all(&mut self, words: &str) {
        let text = house_rules::notice_text(words);
        self.send_to_all(&[self.dialect.error_reply(&text)], Said::Other);
    }

    /// Gold was taken, stolen or dropped.
    pub(super) fn note_gold_moved(&mut self) {
        self.hosting.gold_at = self.now;
        self.check_reach(Reach::Lost);
    }

    /// A player has joined: the clock does not run while there is none.
    pub(super) fn note_player_joined(&mut self) {
        if self.seats.players().count() == 1 {
            self.hosting.gold_at = self.now;
        }
        match self.hosting.reach {
            reach @ Reach::NeverPossible { .. } => self.check_reach(reach),
            _ => self.check_reach(Reach::never_since(self.now)),
        }
        self.broadcast_waiting();
    }

    /// A player has left, perhaps the only one who could reach the gold.
    pub(super) fn note_player_left(&mut self) {
        match self.hosting.reach {
            reach @ Reach::NeverPossible { .. } => self.check_reach(reach),
            _ => self.check_reach(Reach::Lost),
        }
        self.broadcast_waiting();
    }

    /// `otherwise` is what it means if no player can reach gold.
    fn check_reach(&mut self, otherwise: Reach) {
        if self.hosting.rules.stalemate == Stalemate::OutOfReach {
            let is_played = self.seats.players().next().is_some();
            let is_possible = !is_played || self.game.is_gold_in_reach();
            self.hosting.reach = if is_possible { Reach::Possible } else { otherwise };
        }
    }

    /// The clock of the stalemate stands still, or runs again.
    pub(super) fn set_paused(&mut self, is_paused: bool) {
        let hosting = &mut self.hosting;
        match (hosting.paused_at, is_paused) {
            (None, true) => hosting.paused_at = Some(self.now),
            (Some(since), false) => {
                let paused_ms = self.now.since(since);
                hosting.gold_at = hosting.gold_at.after(paused_ms);
                if let Reach::NeverPossible { since, .. } = &mut hosting.reach {
                    *since = since.after(paused_ms);
                }
                hosting.paused_at = None;
            }
            _ => {}
        }
    }

    pub(super) fn next_stalemate(&self) -> Option<Timestamp> {
        let hosting = &self.hosting;
        if !hosting.has_begun || self.seats.players().next().is_none() {
            return None;
        }
        match hosting.rules.stalemate {
            Stalemate::OutOfReach => self.next_of_reach(),
            Stalemate::After(ms) if hosting.paused_at.is_none() => Some(hosting.gold_at.after(ms)),
            Stalemate::After(_) | Stalemate::Never => None,
        }
    }

    /// When something is due because no player can reach gold.
    fn next_of_reach(&self) -> Option<Timestamp> {
        match self.hosting.reach {
            Reach::Possible => None,
            Reach::Lost => Some(self.now),
            Reach::NeverPossible { .. } if self.hosting.paused_at.is_some() => None,
            Reach::NeverPossible { since, is_sent: false } => Some(since.after(NO_REACH_NOTICE_MS)),
            Reach::NeverPossible { since, .. } => {
                Some(since.after(NO_REACH_NOTICE_MS + NO_REACH_END_MS))
            }
        }
    }

    /// `heard_until` is the time up to which all messages were handled: none of them took gold.
    pub(super) fn end_stalemate(&mut self, heard_until: Timestamp) {
        let is_due = match self.hosting.reach {
            Reach::Lost => self.next_stalemate().is_some(),
            _ => self.next_stalemate().is_some_and(|due| due <= heard_until),
        };
        if !is_due || self.stage != RoomStage::Open {
            return;
        }
        if let Reach::NeverPossible { is_sent: is_sent @ false, .. } = &mut self.hosting.reach {
            *is_sent = true;
            let seconds = NO_REACH_END_MS / 1000;
            // Short enough to stand right of the status line of our client.
            self.send_words_to_all(&format!("no gold in reach: ends in {seconds} s"));
        } else {
            self.notices.push_back(Notice::Stalemate(self.hosting.rules.stalemate));
            self.end_before_its_time(RecordingEnd::Stalemate);
        }
    }

    /// The record says that the game can't be resumed, so that a replay ends as the game did.
    pub(super) fn end_before_its_time(&mut self, end: RecordingEnd) {
        self.hosting.ended = Some(end);
        self.record(RoomEvent::End(end));
        self.end_game(EndRecord::Written);
    }
}
