//! What the server has told us of the game so far: our letter, the size of the map, the gold and
//! the last picture. It knows nothing of keys, time or how it is drawn.

use nuggets_protocol::{Misread, ServerMessage};
use thiserror::Error;

use crate::text::clean_byte;

/// Why a message from a server was not understood. The screen shows a note already; this is for
/// whoever keeps a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Misunderstood {
    /// It is no message of either dialect.
    #[error(transparent)]
    Misread(#[from] Misread),
    /// A `DISPLAY` with other rows or columns than `GRID` has promised.
    #[error("the DISPLAY message does not have the shape of the GRID")]
    Shape,
}

/// Rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: u16,
    pub(crate) cols: u16,
}

/// The numbers of the last `GOLD` message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gold {
    pub(crate) purse: u32,
    pub(crate) remaining: u32,
}

/// Everything the server has told, as far as it was understood.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    pub(crate) letter: Option<char>,
    pub(crate) gold: Option<Gold>,
    grid: Option<Size>,
    picture: Option<Picture>,
}

/// A picture of the map: printable ASCII in rows of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    cells: Vec<u8>,
    size: Size,
}

impl Scene {
    /// Takes in what a message tells about the game.
    pub(crate) fn take(&mut self, message: &ServerMessage) -> Result<(), Misunderstood> {
        match *message {
            ServerMessage::Ok(letter) => self.letter = Some(letter),
            ServerMessage::Grid { rows, cols } => self.take_grid(Size { rows, cols }),
            ServerMessage::Gold { purse, remaining, .. } => {
                self.gold = Some(Gold { purse, remaining });
            }
            ServerMessage::Display(ref picture) => {
                let picture = Picture::read(picture).ok_or(Misunderstood::Shape)?;
                if self.grid.is_some_and(|grid| grid != picture.size) {
                    return Err(Misunderstood::Shape);
                }
                self.picture = Some(picture);
            }
            _ => {}
        }
        Ok(())
    }

    fn take_grid(&mut self, grid: Size) {
        self.grid = Some(grid);
        self.picture.take_if(|picture| picture.size != grid);
    }

    /// The size of the map. A picture that overtook its `GRID` speaks for itself.
    pub(crate) fn size(&self) -> Option<Size> {
        self.grid.or(self.picture.as_ref().map(|p| p.size))
    }

    pub(crate) fn picture(&self) -> Option<&Picture> {
        self.picture.as_ref()
    }
}

impl Picture {
    /// Rows of equal length, each with its newline; the last one may do without.
    fn read(text: &[u8]) -> Option<Self> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
        let width = lines.first()?.len();
        if width == 0 || lines.iter().any(|line| line.len() != width) {
            return None;
        }
        let size = Size { rows: lines.len().try_into().ok()?, cols: width.try_into().ok()? };
        let cells = lines.concat().into_iter().map(clean_byte).collect();
        Some(Self { cells, size })
    }

    /// The rows from top to bottom.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(usize::from(self.size.cols))
    }

    /// Row and column of the `@`.
    pub(crate) fn you(&self) -> Option<(u16, u16)> {
        let at = self.cells.iter().position(|&cell| cell == b'@')?;
        let cols = usize::from(self.size.cols);
        Some(((at / cols).try_into().ok()?, (at % cols).try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(messages: &[&str]) -> (Scene, Vec<bool>) {
        let mut scene = Scene::default();
        let take = |m: &&str| {
            let message = ServerMessage::parse(m.as_bytes()).expect("a message of the protocol");
            scene.take(&message).is_ok()
        };
        let understood = messages.iter().map(take).collect();
        (scene, understood)
    }

    fn picture(scene: &Scene) -> Vec<String> {
        let text = |row: &[u8]| String::from_utf8(row.to_vec()).expect("it is ASCII");
        scene.picture().into_iter().flat_map(Picture::rows).map(text).collect()
    }

    #[test]
    fn a_picture_must_have_the_shape_of_the_grid() {
        for (display, right) in [
            ("DISPLAY\n+-+\n|@|\n", true),
            ("DISPLAY\n+-+\n|@|", true),
            ("DISPLAY\n+-+\n", false),
            ("DISPLAY\n+-+\n|@|\n+-+\n", false),
            ("DISPLAY\n+-+\n|@|\n\n", false),
            ("DISPLAY\n+-+\n|@\n", false),
            ("DISPLAY\n+-++\n|@||\n", false),
            ("DISPLAY\n", false),
            ("DISPLAY\n\n\n", false),
        ] {
            let (_, understood) = told(&["GRID 2 3", display]);
            assert_eq!(understood, [true, right], "{display:?}");
        }
    }

    #[test]
    fn a_picture_of_the_wrong_shape_leaves_the_last_one() {
        let (scene, _) = told(&["GRID 1 3", "DISPLAY\n|@|\n", "DISPLAY\n|.@|\n"]);
        assert_eq!(picture(&scene), ["|@|"]);
    }

    #[test]
    fn messages_may_come_in_the_wrong_order() {
        let (scene, understood) = told(&["DISPLAY\n|@|\n", "GRID 1 3", "GOLD 0 0 5", "OK A"]);
        assert_eq!(understood, [true; 4]);
        assert_eq!(picture(&scene), ["|@|"]);
        let (scene, _) = told(&["DISPLAY\n|@|\n", "GRID 7 9"]);
        assert_eq!(scene.size(), Some(Size { rows: 7, cols: 9 }));
        assert_eq!(scene.picture(), None, "it can't have been of this map");
    }

    #[test]
    fn you_are_where_the_at_sign_is() {
        let (scene, _) = told(&["GRID 2 4", "DISPLAY\n+--+\n|.@|\n"]);
        assert_eq!(scene.picture().and_then(Picture::you), Some((1, 2)));
        let (scene, _) = told(&["GRID 1 4", "DISPLAY\n|.A|\n"]);
        assert_eq!(scene.picture().and_then(Picture::you), None);
    }

    #[test]
    fn control_bytes_in_a_picture_are_replaced() {
        let (scene, _) = told(&["DISPLAY\n\x1b[2J\t.\n"]);
        assert_eq!(picture(&scene), ["?[2J?."]);
    }
}
