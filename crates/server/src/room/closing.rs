//! The end of a game: sends the table to all peers, and resends it for a while because it may be lost.

use nuggets_protocol::{Dialect, ServerMessage, house_rules};
use nuggets_record::{RecordingEnd, Timestamp};

use super::resend::{RESEND_SCHEDULE_MS, RESENDS};
use super::{MessageKind, Notice, Peer, QuitReason, Role, Room, RoomEvent};

/// The progress of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoomStage {
    /// The game is in progress.
    Open,
    /// The game was already over when it was recovered from its journal; the final table has not been sent yet.
    Over { recorded: EndRecord },
    /// The game is over, and the final table is being sent and resent.
    Lingering {
        since: Timestamp,
        /// Number of resends so far.
        resends: usize,
    },
    /// The end was sent to every reachable peer, but the journal has no record of it yet.
    EndDelivered,
    /// Nothing more happens.
    Closed,
}

/// The presence of the game's end in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndRecord {
    Written,
    Missing,
}

/// The texts that are sent when a game has ended.
struct EndTexts {
    next_game: Option<String>,
    table: String,
}

impl EndTexts {
    fn of(room: &Room) -> Self {
        Self { next_game: room.hosting.next_game_text(), table: room.game.table().to_string() }
    }

    /// The announcement of the next game precedes the table, because clients that follow the specification exit with
    /// the table.
    fn messages(&self, dialect: Dialect) -> Vec<ServerMessage<'_>> {
        let next_game = self.next_game.iter().map(|text| dialect.error_reply(text));
        next_game.chain(dialect.game_over(&self.table)).collect()
    }
}

impl Room {
    pub(super) fn send_shutting_down(&mut self) {
        let messages = self.dialect.quit_with_reason(house_rules::SHUTTING_DOWN);
        self.send_to_all(&messages, MessageKind::Quit(QuitReason::ShuttingDown));
    }

    /// Sends the table of the game so far. In the 2019 dialect a `QUIT` would follow it; here that comes with the
    /// goodbye.
    pub(super) fn send_standings(&mut self) {
        let table = self.game.table().to_string();
        self.send_to_all(&self.dialect.game_over(&table)[..1], MessageKind::Other);
    }

    pub(super) fn end_if_over(&mut self) {
        if let Some(end) = self.game.end() {
            self.notices.push_back(Notice::Over(end));
            self.end_game(EndRecord::Missing);
        }
    }

    /// Records the end, unless the journal already has it, and sends the table.
    pub(super) fn end_game(&mut self, recorded: EndRecord) {
        if recorded == EndRecord::Missing {
            self.record(RoomEvent::End(RecordingEnd::Over));
        }
        let end = EndTexts::of(self);
        self.send_to_all(&end.messages(self.dialect), MessageKind::Other);
        self.stage = match self.options.reliability.linger_ms {
            0 => RoomStage::EndDelivered,
            _ => RoomStage::Lingering { since: self.now, resends: 0 },
        };
        self.stop_lingering_if_delivered();
    }

    /// Sends the table to a client that still sends messages, because it has not received it.
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
            // Several resends are due if the server was stopped for a while: one of them is enough.
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

    /// Stops lingering once no seat can have lost the final table.
    pub(super) fn stop_lingering_if_delivered(&mut self) {
        let lingers = matches!(self.stage, RoomStage::Lingering { .. });
        if lingers && self.seats.needing_resends().next().is_none() {
            self.stage = RoomStage::EndDelivered;
        }
    }
}
