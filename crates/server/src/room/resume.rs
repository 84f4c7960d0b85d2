//! Taking a game up again from its journal: the same game, with everybody where they sat.

use std::net::SocketAddr;

use nuggets_game::{Canvas, Game, Letter, Viewer};
use nuggets_protocol::DISPLAY_HEAD;
use nuggets_record::{BadRecord, Ending, Millis, Reading, What, Writer, verify};
use thiserror::Error;

use super::recorder::{RecordKind, Recorder};
use super::{Notice, Room, Stage};

/// Why a game can't be taken up again.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResumeError {
    /// What is in it can't have happened.
    #[error(transparent)]
    Bad(#[from] BadRecord),
    /// The game is over, and everybody was told.
    #[error("the game in it is over: nothing is left to go on with. Begin another file")]
    Over,
    /// It is a recording, not a journal.
    #[error("it doesn't say who sat where: it was written by --record, not by --journal")]
    NoPeers,
}

/// Before it sends anything a shell takes in at most so many messages. So whoever came later than
/// that before a crash may not have been answered.
pub(crate) const MOST_UNSENT: usize = 64;

/// Who sat where, as far as a journal tells.
#[derive(Debug, Default)]
struct Sat {
    players: Vec<Sitter>,
    spectator: Option<Sitter>,
}

/// Somebody who sat somewhere.
#[derive(Debug)]
struct Sitter {
    address: SocketAddr,
    /// When it pressed keys that moved it.
    pressed_at: Vec<Millis>,
    /// So many records came before it.
    behind: usize,
}

impl Sat {
    fn read(reading: &Reading) -> Result<Self, ResumeError> {
        let mut sat = Self::default();
        for (behind, entry) in reading.recording.entries().enumerate() {
            match &entry.what {
                What::Join { peer, .. } => sat.players.push(Sitter::new(*peer, behind)?),
                // Whether that player has joined is checked later.
                What::Press(letter, _) => {
                    if let Some(sitter) = sat.players.get_mut(letter.index()) {
                        sitter.pressed_at.push(entry.at);
                    }
                }
                What::Watch { peer } => sat.spectator = Some(Sitter::new(*peer, behind)?),
                What::Unwatch => sat.spectator = None,
                _ => {}
            }
        }
        Ok(sat)
    }
}

impl Sitter {
    fn new(peer: Option<SocketAddr>, behind: usize) -> Result<Self, ResumeError> {
        let address = peer.ok_or(ResumeError::NoPeers)?;
        Ok(Self { address, pressed_at: vec![], behind })
    }

    /// Whoever presses a key has had its answer. To be greeted twice is not for every client, so those
    /// who have had it for certain are not.
    fn may_be_unanswered(&self, records: usize) -> bool {
        self.pressed_at.is_empty() && records - self.behind <= MOST_UNSENT
    }
}

impl Room {
    /// The room whose journal this is, as it was. Its time goes on where it was left; everybody is
    /// shown everything anew, and the journal goes on behind its good bytes.
    pub fn resume(reading: &Reading) -> Result<Self, ResumeError> {
        let recording = &reading.recording;
        let sat = Sat::read(reading)?;
        let game: Game = verify(recording)?.game;
        let now = Millis(recording.duration().0);
        let (writer, bytes) = Writer::resume(reading, now, &game).ok_or(ResumeError::Over)?;
        let mut room = Self::new(game, recording.header.dialect);
        room.now = now;
        room.recorders.push(Recorder::new(RecordKind::Journal, writer, bytes));
        room.take_seats(sat, recording.records.len());
        if room.game.end().is_some() {
            // Nobody can move any more, but somebody may not have heard why.
            let is_written = recording.ending() == Some(Ending::Over);
            room.stage = Stage::Over { is_written };
            room.notices.push_back(Notice::ResumedAtTheEnd);
        } else {
            room.notices.push_back(Notice::Resumed { at: now });
        }
        Ok(room)
    }

    fn take_seats(&mut self, sat: Sat, records: usize) {
        for (letter, sitter) in (0..).map_while(Letter::nth).zip(sat.players) {
            let viewer = Viewer::Player(letter);
            let canvas = Canvas::new(&self.game, viewer, DISPLAY_HEAD);
            self.seats.seat_player(sitter.address.into(), letter, canvas, self.now);
            if self.game.player(letter).at().is_none() {
                self.seats.unseat_player(letter);
            } else {
                self.greet_again(&sitter, viewer, records);
            }
            self.seats.remember_keys(letter, sitter.pressed_at);
        }
        if let Some(sitter) = sat.spectator {
            let canvas = Canvas::new(&self.game, Viewer::Spectator, DISPLAY_HEAD);
            self.seats.seat_spectator(sitter.address.into(), canvas, self.now);
            self.greet_again(&sitter, Viewer::Spectator, records);
        }
    }

    /// Everything anew for those who may know nothing yet, the gold and the picture for the rest.
    fn greet_again(&mut self, sitter: &Sitter, viewer: Viewer, records: usize) {
        if sitter.may_be_unanswered(records) {
            self.welcome(sitter.address.into(), viewer);
        } else {
            self.show_anew(sitter.address.into(), viewer);
        }
    }

    /// How far the room's own time has come.
    pub fn now(&self) -> Millis {
        self.now
    }
}
