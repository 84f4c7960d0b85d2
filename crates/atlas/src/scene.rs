//! The state of the game as sent by the server: our letter, the size of the map, the gold and the last picture. Of our
//! keys it keeps only the last one, to find us in the next picture.

mod display_size;
mod own_position;
mod picture;
#[cfg(test)]
pub(crate) mod tests;

use nuggets_protocol::{ServerMessage, ServerMessageError};
use thiserror::Error;

use crate::{Size, Stroke};

use display_size::{check_display_size, split_rows};
use own_position::OwnPosition;

pub use display_size::SizeMismatch;
pub use picture::{Picture, clean_byte};

/// The reason why a server's message was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum MessageError {
    /// It is not a message of either dialect.
    #[error(transparent)]
    Malformed(#[from] ServerMessageError),
    /// A `DISPLAY` whose size differs from `GRID` and that can't be shown.
    #[error("the DISPLAY message does not have the shape of the GRID")]
    DisplaySize,
}

/// The numbers of the last `GOLD` message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Nuggets in our purse.
    pub purse: u32,
    /// Nuggets that no player has collected.
    pub remaining: u32,
}

/// Everything that the server has sent about the game.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    letter: Option<char>,
    gold: Option<Gold>,
    grid: Option<Size>,
    picture: Option<Picture>,
    size_mismatch: Option<SizeMismatch>,
    /// True once a picture had exactly the size of `GRID`.
    has_matched: bool,
    has_begun: bool,
    own_position: OwnPosition,
    /// The last `DISPLAY`, if it was rejected for its size: the `GRID` of that size may come later.
    rejected: Option<Vec<u8>>,
}

impl Scene {
    /// Updates the scene from a message.
    pub fn handle_message(&mut self, message: &ServerMessage) -> Result<(), MessageError> {
        self.has_begun |= matches!(message, ServerMessage::Gold { .. } | ServerMessage::Display(_));
        match *message {
            ServerMessage::Ok(letter) => self.letter = Some(letter),
            ServerMessage::Grid { rows, cols } => self.handle_grid(Size { rows, cols }),
            ServerMessage::Gold { purse, remaining, .. } => {
                self.gold = Some(Gold { purse, remaining });
            }
            ServerMessage::Display(ref picture) => self.handle_display(picture)?,
            _ => {}
        }
        Ok(())
    }

    /// Updates the scene from the bytes of a message in its exact form.
    ///
    /// ```
    /// use nuggets_atlas::Scene;
    ///
    /// let mut scene = Scene::default();
    /// scene.handle_bytes(b"GOLD 3 7 240").unwrap();
    /// assert_eq!(scene.gold().unwrap().purse, 7);
    /// ```
    pub fn handle_bytes(&mut self, bytes: &[u8]) -> Result<(), MessageError> {
        self.handle_message(&ServerMessage::parse(bytes)?)
    }

    fn handle_grid(&mut self, grid: Size) {
        self.has_matched &= self.grid == Some(grid);
        self.grid = Some(grid);
        self.picture.take_if(|picture| picture.size() != grid);
        if let Some(text) = self.rejected.take()
            && matches!(check_display_size(&text, Some(grid)), Some((_, None)))
        {
            self.show(&text, grid, None);
        }
    }

    /// Reads a picture. One of another size than `GRID` is padded with blanks and cut, because some servers miscount.
    /// But once a server has sent a picture of the right size, another size means a damaged message. Reuses the memory
    /// of the last picture.
    fn handle_display(&mut self, text: &[u8]) -> Result<(), MessageError> {
        let (size, mismatch) =
            check_display_size(text, self.grid).ok_or(MessageError::DisplaySize)?;
        if self.has_matched && mismatch.is_some() {
            self.rejected = Some(text.to_vec());
            return Err(MessageError::DisplaySize);
        }
        self.rejected = None;
        match split_rows(text, size) {
            Some(rows) => self.show(&rows, size, mismatch),
            None => self.show(text, size, mismatch),
        }
        Ok(())
    }

    fn show(&mut self, text: &[u8], size: Size, mismatch: Option<SizeMismatch>) {
        self.size_mismatch = mismatch;
        self.has_matched = self.grid.is_some() && mismatch.is_none();
        let last = self.picture.take();
        self.picture = Some(Picture::read(text, size, last, self.letter, &mut self.own_position));
    }

    /// Notes our last key: if a server draws several `@`, the key identifies ours.
    pub fn press(&mut self, stroke: Stroke) {
        self.own_position.press(stroke);
    }

    /// The letter that we play as.
    pub fn letter(&self) -> Option<char> {
        self.letter
    }

    /// The gold, once a `GOLD` has arrived.
    pub fn gold(&self) -> Option<Gold> {
        self.gold
    }

    /// Returns the size of the map: that of `GRID`, or that of the picture if it arrived first or `GRID` has rows and
    /// columns swapped.
    pub fn size(&self) -> Option<Size> {
        self.picture.as_ref().map(Picture::size).or(self.grid)
    }

    /// The last picture.
    pub fn picture(&self) -> Option<&Picture> {
        self.picture.as_ref()
    }

    /// Returns the size mismatch of the last picture, if there was one.
    pub fn size_mismatch(&self) -> Option<SizeMismatch> {
        self.size_mismatch
    }

    /// True once any `GOLD` or `DISPLAY` has arrived, even one of the wrong size: the server has
    /// accepted us, and some servers would create a second player if we sent `PLAY` again.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }
}
