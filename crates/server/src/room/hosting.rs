//! The host's choices beyond the specification: the start condition, an end before all gold is found, and a following
//! game.

use nuggets_protocol::{counted, house_rules};
use nuggets_record::{RecordedEvent, Recording, RecordingEnd, Timestamp};

use super::closing::EndRecord;
use super::{MessageKind, Notice, Peer, Room, RoomEvent, RoomStage};

/// The host's choices. The default follows the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hosting {
    /// The condition for the start, from which on keys move players.
    pub start: StartRule,
    /// The condition for ending the game although there is gold left.
    pub stalemate: Stalemate,
    /// Seconds until another game follows on the same port; `None` if none follows. Every client is sent this number.
    pub next_game_s: Option<u64>,
}

/// The start condition. Before the start players can join, but keys don't move them. The host can start the game at
/// any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartRule {
    /// Number of players that starts the game; 0 if the number does not matter.
    pub players: usize,
    /// True if the host starts the game; with `players`, whichever happens first.
    pub by_host: bool,
    /// Earliest automatic start, in milliseconds after the room was opened.
    pub pause_ms: u64,
}

/// The condition for ending a game although there is gold left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stalemate {
    /// Never: the rule of the specification.
    #[default]
    Never,
    /// Gold was taken or a player has left, and no player can reach the remaining gold. If no player could ever reach
    /// any gold, all clients are notified and the game ends a few seconds later, because a player who can reach gold
    /// may still join.
    OutOfReach,
    /// No gold was taken for this many milliseconds while there were players.
    After(u64),
}

/// The start of a resumed game, according to its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PastStart {
    /// No start recorded: the game is new, is still waiting, or did not have to wait and no player has moved.
    #[default]
    None,
    /// The game had begun, but no player has moved. The clients may not have been notified of the start.
    Begun,
    /// A player has moved.
    Played,
}

impl PastStart {
    pub(super) fn read(journal: &Recording) -> Self {
        let has =
            |is_it: fn(&RecordedEvent) -> bool| journal.entries().any(|entry| is_it(&entry.what));
        if has(|what| matches!(what, RecordedEvent::Press(..))) {
            Self::Played
        } else if has(|what| *what == RecordedEvent::Begun) {
            Self::Begun
        } else {
            Self::None
        }
    }
}

/// The players' access to the remaining gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// A player can reach gold, or there are no players, or the stalemate rule does not ask.
    Possible,
    /// No player has been able to reach gold since this time or the start.
    NeverPossible { since: Timestamp, is_sent: bool },
    /// No player can reach gold any more.
    Lost,
}

/// Delay before clients are notified that no player can reach gold: bots of the same game may join a little later.
const NO_REACH_NOTICE_MS: u64 = 1_000;
/// Delay from that notice to the end of the game, unless a player who can reach gold joins.
const NO_REACH_END_MS: u64 = 5_000;

/// The state of the host's choices.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostingState {
    rules: Hosting,
    has_begun: bool,
    /// End of the pause before the start.
    starts_at: Timestamp,
    /// Time when gold was last taken.
    gold_at: Timestamp,
    reach: Reach,
    /// Time since when the stalemate clock has been paused.
    paused_at: Option<Timestamp>,
    /// The way in which the game was ended before all gold was found.
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

    /// The text that announces the next game to clients, if there is one.
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
            self.broadcast_notice(house_rules::HAS_BEGUN);
        }
        self.hosting.has_begun |= self.past_start != PastStart::None;
        // The last reachable gold may have been taken before the game was resumed.
        if self.game.remaining() < self.game.rules().nuggets {
            self.check_reach(Reach::Lost);
        } else {
            self.check_reach(Reach::never_since(self.now));
        }
    }

    /// The time of the automatic start; `None` if the game has begun or is waiting for players or the host.
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

    /// Starts the game: keys move players from now on, and the clocks start.
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
        self.broadcast_notice(house_rules::HAS_BEGUN);
    }

    /// Sends the reason for waiting to a client that joins or presses a key before the start.
    pub(super) fn send_waiting(&mut self, peer: Peer) {
        let text = house_rules::notice_text(&self.waiting_text());
        self.send(peer, &self.dialect.error_reply(&text));
    }

    /// Sends the reason for waiting to all clients after the number of players has changed before the start.
    pub(super) fn broadcast_waiting(&mut self) {
        if !self.hosting.has_begun && self.hosting.rules.start.players > 0 {
            let words = self.waiting_text();
            self.broadcast_notice(&words);
        }
    }

    fn waiting_text(&self) -> String {
        let StartRule { players, by_host, .. } = self.hosting.rules.start;
        let here = self.seats.players().count();
        if here < players {
            format!("{} players: {here} of {players}", house_rules::WAITING_FOR)
        } else if by_host && players == 0 {
            format!("{} the host to start", house_rules::WAITING_FOR)
        } else {
            let seconds = self.hosting.starts_at.since(self.now).div_ceil(1000);
            format!("the game begins in {}", counted(seconds, "second"))
        }
    }

    /// Sends a notice from the host to all clients.
    pub(super) fn broadcast_notice(&mut self, words: &str) {
        let text = house_rules::notice_text(words);
        self.send_to_all(&[self.dialect.error_reply(&text)], MessageKind::Other);
    }

    /// Restarts the stalemate clock after gold was taken, stolen or dropped.
    pub(super) fn note_gold_moved(&mut self) {
        self.hosting.gold_at = self.now;
        self.check_reach(Reach::Lost);
    }

    /// Updates the stalemate state after a player has joined. The clock does not run while there are no players.
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

    /// Updates the stalemate state after a player has left, who may have been the only one able to reach the gold.
    pub(super) fn note_player_left(&mut self) {
        match self.hosting.reach {
            reach @ Reach::NeverPossible { .. } => self.check_reach(reach),
            _ => self.check_reach(Reach::Lost),
        }
        self.broadcast_waiting();
    }

    /// Updates the reach; `otherwise` is the new state if no player can reach gold.
    fn check_reach(&mut self, otherwise: Reach) {
        if self.hosting.rules.stalemate == Stalemate::OutOfReach {
            let is_played = self.seats.players().next().is_some();
            let is_possible = !is_played || self.game.is_gold_in_reach();
            self.hosting.reach = if is_possible { Reach::Possible } else { otherwise };
        }
    }

    /// Pauses or resumes the stalemate clock.
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

    /// The time of the next notice or end because no player can reach gold.
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

    /// Ends the game if a stalemate is due. All messages up to `heard_until` were handled, and none of them took
    /// gold.
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
            // Short enough to fit to the right of our client's status line.
            self.broadcast_notice(&format!("no gold in reach: ends in {seconds} s"));
        } else {
            self.notices.push_back(Notice::Stalemate(self.hosting.rules.stalemate));
            self.end_before_its_time(RecordingEnd::Stalemate);
        }
    }

    /// Ends the game with a record that it can't be resumed, so that a replay ends like the game.
    pub(super) fn end_before_its_time(&mut self, end: RecordingEnd) {
        self.hosting.ended = Some(end);
        self.record(RoomEvent::End(end));
        self.end_game(EndRecord::Written);
    }
}
