//! The end of a game: the table is sent to all peers, and resent for a while, since it may be lost.

use nuggets_protocol::{Dialect, ServerMessage, house_rules};
use nuggets_record::{RecordingEnd, Timestamp};

use super::resend::{RESEND_SCHEDULE_MS, RESENDS};
use super::{Notice, Peer, QuitReason, Role, Room, RoomEvent, Said};

/// How far a room has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoomStage {
    /// The game is played.
    Open,
    /// The game was already over when it was recovered from its journal; its end is still to be sent.
    Over { recorded: EndRecord },
    /// The game is over, and its end is sent and resent.
    Lingering {
        since: Timestamp,
        /// How often it was resent.
        resends: usize,
    },
    /// The end was sent to every reachable peer. Only the journal doesn't say so yet.
    EndDelivered,
    /// Nothing more happens.
    Closed,
}

/// Whether the journal already holds the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndRecord {
    Written,
    Missing,
}

/// What is sent when a game has ended.
struct EndTexts {
    next_game: Option<String>,
    table: String,
}

impl EndTexts {
    fn of(room: &Room) -> Self {
        Self { next_game: room.hosting.next_game_text(), table: room.game.table().to_string() }
    }

    /// What is said of the next game comes before the table, which clients of the specification leave with.
    fn messages(&self, dialect: Dialect) -> Vec<ServerMessage<'_>> {
        let next_game = self.next_game.iter().map(|text| dialect.error_reply(text));
        next_game.chain(dialect.game_over(&self.table)).collect()
    }
}

impl Room {
    pub(super) fn send_shutting_down(&mut self) {
        let messages = self.dialect.quit_with_reason(house_rules::SHUTTING_DOWN);
        self.send_to_all(&messages, Said::Quit(QuitReason::ShuttingDown));
    }

    /// The table of the game so far. In 2019 a `QUIT` would follow it; that comes with the goodbye.
    pub(super) fn send_standings(&mut self) {
        let table = self.game.table().to_string();
        self.send_to_all(&self.dialect.game_over(&table)[..1], Said::Other);
    }

    pub(super) fn end_if_over(&mut self) {
        if let Some(end) = self.game.end() {
            self.notices.push_back(Notice::Over(end));
            self.end_game(EndRecord::Missing);
        }
    }

    /// Records the end, unless the journal holds it already, and sends the table.
    pub(super) fn end_game(&mut self, recorded: EndRecord) {
        if recorded == EndRecord::Missing {
            self.record(RoomEvent::End(RecordingEnd::Over));
        }
        let end = EndTexts::of(self);
        self.send_to_all(&end.messages(self.dialect), Said::Other);
        self.stage = match self.options.reliability.linger_ms {
            0 => RoomStage::EndDelivered,
            _ => RoomStage::Lingering { since: self.now, resends: 0 },
        };
        self.stop_lingering_if_delivered();
    }

    /// A client that still sends messages has not received the table.
    pub(super) fn answer_after_end(&mut self, from: Peer) {
        let has_a_seat = matches!(self.seats.role(from), Role::Player(_) | Role::Spectator);
        if has_a_seat && matches!(self.stage, RoomStage::Lingering { .. }) {
            let end = EndTexts::of(self);
            for message in end.messages(self.dialect) {
                self.send(from, &message);
            }
        }
    }

    pub(super) fn linger(&mut self) {
        if self.now >= self.end_of_lingering() {
            self.stage = RoomStage::EndDelivered;
        } else if self.now >= self.next_end_resend() {
            // Several are due if the server was stopped for a while: one of them is enough.
            while self.now >= self.next_end_resend()
                && let RoomStage::Lingering { resends, .. } = &mut self.stage
            {
                *resends += 1;
            }
            let end = EndTexts::of(self);
            self.resend_to_all(&end.messages(self.dialect));
        }
    }

    pub(super) fn end_of_lingering(&self) -> Timestamp {
        match self.stage {
            RoomStage::Lingering { since, .. } => since.after(self.options.reliability.linger_ms),
            _ => self.now,
        }
    }

    pub(super) fn next_end_resend(&self) -> Timestamp {
        match self.stage {
            RoomStage::Lingering { since, resends } => {
                let wait = RESEND_SCHEDULE_MS[..RESENDS].get(resends).copied();
                since.after(wait.unwrap_or(u64::MAX))
            }
            _ => self.now,
        }
    }

    /// There is nothing to linger for once no seat can lose the end.
    pub(super) fn stop_lingering_if_delivered(&mut self) {
        let lingers = matches!(self.stage, RoomStage::Lingering { .. });
        if lingers && self.seats.needing_resends().next().is_none() {
            self.stage = RoomStage::EndDelivered;
        }
    }
}
