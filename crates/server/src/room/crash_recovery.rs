//! Crash recovery: restores a room from its journal, with the same game and every peer in the same seat.

use nuggets_game::{Letter, Viewer};
use nuggets_record::{
    BadRecord, PeerToken, Reading, RecordedEvent, RecordingEnd, Timestamp, verify,
};
use thiserror::Error;

use super::closing::EndRecord;
use super::hosting::PastStart;
use super::{Notice, Peer, Room, RoomStage};

/// The reason why a journal can't be resumed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResumeError {
    /// The recorded game can't have happened.
    #[error(transparent)]
    Bad(#[from] BadRecord),
    /// The game is over, and the end was sent to all peers.
    #[error("the game in it is over: nothing is left to resume. Use another file for a new game")]
    Over,
    /// The file is a recording, not a journal.
    #[error(
        "it does not identify the players: it was written by --record, not by --journal. Give the journal \
         of that game, or name another file"
    )]
    NoPeers,
    /// A client in the journal used a transport that this server does not have.
    #[error(
        "it names a client that did not come over this server's transport and can't be reached"
    )]
    OtherTransport,
}

/// Maximum number of messages that a driver handles before it sends anything. So a client that joined within that
/// many records before a crash may not have been answered.
pub(crate) const MAX_UNSENT: usize = 64;

/// The peers that had a seat, according to a journal.
#[derive(Debug, Default)]
struct FormerSeats {
    players: Vec<FormerSeat>,
    spectator: Option<FormerSeat>,
}

#[derive(Debug)]
struct FormerSeat {
    peer: Peer,
    is_heard: bool,
    /// The number of records before the join.
    joined_behind: usize,
}

impl FormerSeats {
    fn read(
        reading: &Reading,
        mut peer_of: impl FnMut(&PeerToken) -> Option<Peer>,
    ) -> Result<Self, ResumeError> {
        let mut occupant = |token: Option<&PeerToken>, joined_behind| {
            let token = token.ok_or(ResumeError::NoPeers)?;
            let peer = peer_of(token).ok_or(ResumeError::OtherTransport)?;
            Ok::<_, ResumeError>(FormerSeat { peer, is_heard: false, joined_behind })
        };
        let mut occupants = Self::default();
        for (behind, entry) in reading.recording.entries().enumerate() {
            match &entry.what {
                RecordedEvent::Join { peer, .. } => {
                    occupants.players.push(occupant(peer.as_ref(), behind)?);
                }
                RecordedEvent::Press(letter, _) => occupants.note_heard(Viewer::Player(*letter)),
                RecordedEvent::Heard(viewer) => occupants.note_heard(*viewer),
                RecordedEvent::Watch { peer } => {
                    occupants.spectator = Some(occupant(peer.as_ref(), behind)?);
                }
                RecordedEvent::Unwatch => occupants.spectator = None,
                _ => {}
            }
        }
        Ok(occupants)
    }

    /// Marks the seat as heard. `verify` checks later whether that player has joined.
    fn note_heard(&mut self, viewer: Viewer) {
        let occupant = match viewer {
            Viewer::Player(letter) => self.players.get_mut(letter.index()),
            Viewer::Spectator => self.spectator.as_mut(),
        };
        if let Some(occupant) = occupant {
            occupant.is_heard = true;
        }
    }
}

impl FormerSeat {
    /// True if the client may not have received its welcome; a client that has pressed a key has. Some clients don't
    /// handle a second welcome well, so it is sent only where it may be missing.
    fn may_lack_welcome(&self, records: usize) -> bool {
        !self.is_heard && records - self.joined_behind <= MAX_UNSENT
    }
}

impl Room {
    /// Restores the room of this journal: the same game, and every peer in the same seat. Its time continues where
    /// the journal ends, and every client is sent its gold and picture. `peer_of` maps the tokens in the journal to
    /// peers; it returns `None` for a token of another transport.
    pub fn resume(
        reading: &Reading,
        peer_of: impl FnMut(&PeerToken) -> Option<Peer>,
    ) -> Result<Self, ResumeError> {
        let recording = &reading.recording;
        let occupants = FormerSeats::read(reading, peer_of)?;
        let game = verify(recording)?.game;
        if recording.is_end_delivered() {
            return Err(ResumeError::Over);
        }
        let now = Timestamp(recording.duration().0);
        let mut room = Self::with_game(game, recording.header.setup.dialect);
        room.now = now;
        room.past_start = PastStart::read(recording);
        let end = recording.end().filter(|end| end.is_final());
        room.hosting.ended = end.filter(|end| *end != RecordingEnd::Over);
        room.take_seats(occupants, recording.records.len());
        if room.game.end().is_some() || end.is_some() {
            // No player can move any more, but some peer may not have received the table.
            let recorded = if end.is_some() { EndRecord::Written } else { EndRecord::Missing };
            room.stage = RoomStage::Over { recorded };
            room.notices.push_back(Notice::ResumedAtTheEnd);
        } else {
            room.notices.push_back(Notice::Resumed(now));
        }
        Ok(room)
    }

    fn take_seats(&mut self, occupants: FormerSeats, records: usize) {
        for (letter, occupant) in (0..).map_while(Letter::nth).zip(occupants.players) {
            let viewer = Viewer::Player(letter);
            self.seats.seat_player(occupant.peer, letter, self.now);
            if self.game.player(letter).at().is_none() {
                self.seats.unseat_player(letter);
            } else {
                self.views.seat(&self.game, viewer, occupant.peer);
                self.send_again(&occupant, viewer, records);
            }
        }
        if let Some(occupant) = occupants.spectator {
            self.seats.replace_spectator(occupant.peer, self.now);
            self.views.seat(&self.game, Viewer::Spectator, occupant.peer);
            self.send_again(&occupant, Viewer::Spectator, records);
        }
    }

    fn send_again(&mut self, occupant: &FormerSeat, viewer: Viewer, records: usize) {
        if let Some(seat) = self.seats.of_viewer_mut(viewer) {
            seat.is_heard = occupant.is_heard;
        }
        if occupant.may_lack_welcome(records) {
            self.welcome(occupant.peer, viewer);
        } else {
            self.send_state(occupant.peer, viewer);
        }
    }
}
