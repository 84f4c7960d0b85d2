//! What the server has told us of the game so far: our letter, the size of the map, the gold and
//! the last picture. Of keys it knows only the last one, to find us in the next picture.

mod misfit;
mod picture;
#[cfg(test)]
pub(crate) mod tests;
mod whereabouts;

use nuggets_protocol::{Misread, ServerMessage};
use thiserror::Error;

use crate::{Size, Stroke};

use whereabouts::Doubt;

pub use misfit::Misfit;
pub use picture::{Picture, clean_byte};

/// Why a message from a server was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Misunderstood {
    /// It is no message of either dialect.
    #[error(transparent)]
    Misread(#[from] Misread),
    /// A `DISPLAY` of another shape than `GRID` has promised, and of none that could be shown.
    #[error("the DISPLAY message does not have the shape of the GRID")]
    Shape,
}

/// The numbers of the last `GOLD` message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Nuggets in our purse.
    pub purse: u32,
    /// Nuggets that nobody has taken.
    pub remaining: u32,
}

/// Everything the server has told, as far as it was understood.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    letter: Option<char>,
    gold: Option<Gold>,
    grid: Option<Size>,
    picture: Option<Picture>,
    misfit: Option<Misfit>,
    /// A picture was just as large as `GRID` has promised.
    has_fitted: bool,
    has_begun: bool,
    doubt: Doubt,
}

impl Scene {
    /// Takes in what a message tells about the game.
    pub fn take(&mut self, message: &ServerMessage) -> Result<(), Misunderstood> {
        self.has_begun |= matches!(message, ServerMessage::Gold { .. } | ServerMessage::Display(_));
        match *message {
            ServerMessage::Ok(letter) => self.letter = Some(letter),
            ServerMessage::Grid { rows, cols } => self.take_grid(Size { rows, cols }),
            ServerMessage::Gold { purse, remaining, .. } => {
                self.gold = Some(Gold { purse, remaining });
            }
            ServerMessage::Display(ref picture) => self.take_picture(picture)?,
            _ => {}
        }
        Ok(())
    }

    fn take_grid(&mut self, grid: Size) {
        self.has_fitted &= self.grid == Some(grid);
        self.grid = Some(grid);
        self.picture.take_if(|picture| picture.size() != grid);
    }

    /// A picture that is not as large as `GRID` has promised is padded with blanks and cut: not
    /// every server counts right. But from one that does, it is a damaged one. The memory of the last
    /// picture is used again.
    fn take_picture(&mut self, text: &[u8]) -> Result<(), Misunderstood> {
        let (size, misfit) = misfit::fit(text, self.grid).ok_or(Misunderstood::Shape)?;
        if self.has_fitted && misfit.is_some() {
            return Err(Misunderstood::Shape);
        }
        self.misfit = misfit;
        self.has_fitted = self.grid.is_some() && misfit.is_none();
        let last = self.picture.take();
        self.picture = Some(Picture::read(text, size, last, &mut self.doubt));
        Ok(())
    }

    /// We have pressed this key. Where a server draws more than one `@`, it tells which is ours.
    pub fn press(&mut self, stroke: Stroke) {
        self.doubt.press(stroke);
    }

    /// The letter that we play as.
    pub fn letter(&self) -> Option<char> {
        self.letter
    }

    /// The gold, once it was told.
    pub fn gold(&self) -> Option<Gold> {
        self.gold
    }

    /// The size of the map. A picture that overtook its `GRID` speaks for itself.
    pub fn size(&self) -> Option<Size> {
        self.grid.or(self.picture.as_ref().map(Picture::size))
    }

    /// The last picture.
    pub fn picture(&self) -> Option<&Picture> {
        self.picture.as_ref()
    }

    /// What was wrong with the shape of the last picture.
    pub fn misfit(&self) -> Option<Misfit> {
        self.misfit
    }

    /// Has `GOLD` or `DISPLAY` come, be it as it may? Whoever hears these is in the game: to ask for
    /// it again can't help, and some servers take it for another player.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }
}
