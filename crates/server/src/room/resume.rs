//! Taking a game up again from its journal: the same game, with everybody where they sat.

use std::net::SocketAddr;

use nuggets_game::{Canvas, Game, Letter, Viewer};
use nuggets_protocol::DISPLAY_HEAD;
use nuggets_record::{BadRecord, Ending, Millis, Reading, What, Writer, verify};
use thiserror::Error;

use super::recorder::{RecordKind, Recorder};
use super::{Notice, Room};

/// Why a game can't be taken up again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResumeError {
    /// What is in it can't have happened.
    #[error(transparent)]
    Bad(#[from] BadRecord),
    /// The game is over.
    #[error("the game in it is over: nothing is left to go on with. Begin another file")]
    Over,
    /// It is a recording, not a journal.
    #[error("it doesn't say who sat where: it was written by --record, not by --journal")]
    NoPeers,
}

/// Who sat where, as far as a journal tells.
#[derive(Debug, Default)]
struct Sat {
    players: Vec<SocketAddr>,
    /// When each of them pressed keys.
    pressed_at: Vec<Vec<Millis>>,
    spectator: Option<SocketAddr>,
}

impl Sat {
    fn read(reading: &Reading) -> Result<Self, ResumeError> {
        let mut sat = Self::default();
        for entry in reading.recording.entries() {
            match &entry.what {
                What::Join { peer, .. } => {
                    sat.players.push(peer.ok_or(ResumeError::NoPeers)?);
                    sat.pressed_at.push(vec![]);
                }
                // Whether that player has joined is checked later.
                What::Press(letter, _) => {
                    if let Some(pressed_at) = sat.pressed_at.get_mut(letter.index()) {
                        pressed_at.push(entry.at);
                    }
                }
                What::Watch { peer } => sat.spectator = Some(peer.ok_or(ResumeError::NoPeers)?),
                What::Unwatch => sat.spectator = None,
                _ => {}
            }
        }
        Ok(sat)
    }
}

impl Room {
    /// The room whose journal this is, as it was. Its time goes on where it was left; everybody is
    /// shown everything anew, and the journal goes on behind its good bytes.
    pub fn resume(reading: &Reading) -> Result<Self, ResumeError> {
        let recording = &reading.recording;
        if recording.ending() == Some(Ending::Over) {
            return Err(ResumeError::Over);
        }
        let sat = Sat::read(reading)?;
        let game: Game = verify(recording)?.game;
        let now = Millis(recording.duration().0);
        let (writer, bytes) = Writer::resume(reading, now, &game).ok_or(ResumeError::Over)?;
        let mut room = Self::new(game, recording.header.dialect);
        room.now = now;
        room.recorders.push(Recorder::new(RecordKind::Journal, writer, bytes));
        room.take_seats(sat);
        room.notices.push_back(Notice::Resumed { at: now });
        Ok(room)
    }

    fn take_seats(&mut self, sat: Sat) {
        let sat_there = sat.players.into_iter().zip(sat.pressed_at);
        for (letter, (address, pressed_at)) in (0..).map_while(Letter::nth).zip(sat_there) {
            let viewer = Viewer::Player(letter);
            let canvas = Canvas::new(&self.game, viewer, DISPLAY_HEAD);
            self.seats.seat_player(address.into(), letter, canvas, self.now);
            self.seats.remember_keys(letter, pressed_at);
            if self.game.player(letter).at().is_none() {
                self.seats.unseat_player(letter);
            } else {
                self.show_anew(address.into(), viewer);
            }
        }
        if let Some(address) = sat.spectator {
            let canvas = Canvas::new(&self.game, Viewer::Spectator, DISPLAY_HEAD);
            self.seats.seat_spectator(address.into(), canvas, self.now);
            self.show_anew(address.into(), Viewer::Spectator);
        }
    }

    /// How far the room's own time has come.
    pub fn now(&self) -> Millis {
        self.now
    }
}
