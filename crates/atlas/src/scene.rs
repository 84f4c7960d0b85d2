//! What the server has told us of the game so far: our letter, the size of the map, the gold and
//! the last picture. It knows nothing of keys or time.

use nuggets_protocol::{Misread, ServerMessage};
use thiserror::Error;

use crate::{Point, Size};

/// Why a message from a server was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Misunderstood {
    /// It is no message of either dialect.
    #[error(transparent)]
    Misread(#[from] Misread),
    /// A `DISPLAY` with other rows or columns than `GRID` has promised.
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
}

/// A picture of the map: printable ASCII in rows of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    cells: Vec<u8>,
    size: Size,
    you: Option<Point>,
}

impl Scene {
    /// Takes in what a message tells about the game.
    pub fn take(&mut self, message: &ServerMessage) -> Result<(), Misunderstood> {
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
        self.grid = Some(grid);
        self.picture.take_if(|picture| picture.size != grid);
    }

    /// The memory of the last picture is used again.
    fn take_picture(&mut self, text: &[u8]) -> Result<(), Misunderstood> {
        let size = shape(text).ok_or(Misunderstood::Shape)?;
        if self.grid.is_some_and(|grid| grid != size) {
            return Err(Misunderstood::Shape);
        }
        let cells = self.picture.take().map(|picture| picture.cells).unwrap_or_default();
        self.picture = Some(Picture::read(text, size, cells));
        Ok(())
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
        self.grid.or(self.picture.as_ref().map(|p| p.size))
    }

    /// The last picture.
    pub fn picture(&self) -> Option<&Picture> {
        self.picture.as_ref()
    }
}

impl Picture {
    fn read(text: &[u8], size: Size, mut cells: Vec<u8>) -> Self {
        cells.clear();
        for row in text.chunks(usize::from(size.cols) + 1) {
            cells.extend(row[..usize::from(size.cols)].iter().map(|&byte| clean_byte(byte)));
        }
        let you = cells.iter().position(|&cell| cell == b'@').map(|index| size.point(index));
        Self { cells, size, you }
    }

    /// Its rows and columns.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What is drawn everywhere, row after row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// What is drawn at a gridpoint; a blank outside.
    pub fn cell(&self, at: Point) -> u8 {
        let inside = at.row < self.size.rows && at.col < self.size.cols;
        if inside { self.cells[self.size.index(at)] } else { b' ' }
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(usize::from(self.size.cols))
    }

    /// Where the `@` is.
    pub fn you(&self) -> Option<Point> {
        self.you
    }
}

/// Rows of equal length, each with its newline; the last one may do without.
fn shape(text: &[u8]) -> Option<Size> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let width = text.iter().position(|&b| b == b'\n').unwrap_or(text.len());
    let mut lines = text.split(|&b| b == b'\n');
    if width == 0 || lines.any(|line| line.len() != width) {
        return None;
    }
    let rows = (text.len() + 1) / (width + 1);
    Some(Size { rows: rows.try_into().ok()?, cols: width.try_into().ok()? })
}

/// One character of a picture or a text, fit for a terminal: nothing but printable ASCII gets
/// through.
pub fn clean_byte(byte: u8) -> u8 {
    match byte {
        b' '..=b'~' => byte,
        _ => b'?',
    }
}

#[cfg(test)]
pub(crate) mod tests {
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

    /// The picture with these rows.
    pub(crate) fn picture(rows: &[&str]) -> Picture {
        let text = rows.join("\n");
        Picture::read(text.as_bytes(), shape(text.as_bytes()).unwrap(), vec![])
    }

    fn drawn(scene: &Scene) -> Vec<String> {
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
        assert_eq!(drawn(&scene), ["|@|"]);
    }

    #[test]
    fn messages_may_come_in_the_wrong_order() {
        let (scene, understood) = told(&["DISPLAY\n|@|\n", "GRID 1 3", "GOLD 0 0 5", "OK A"]);
        assert_eq!(understood, [true; 4]);
        assert_eq!(drawn(&scene), ["|@|"]);
        let (scene, _) = told(&["DISPLAY\n|@|\n", "GRID 7 9"]);
        assert_eq!(scene.size(), Some(Size { rows: 7, cols: 9 }));
        assert_eq!(scene.picture(), None, "it can't have been of this map");
    }

    #[test]
    fn you_are_where_the_at_sign_is() {
        let (scene, _) = told(&["GRID 2 4", "DISPLAY\n+--+\n|.@|\n"]);
        assert_eq!(scene.picture().and_then(Picture::you), Some(Point::new(1, 2)));
        let (scene, _) = told(&["GRID 1 4", "DISPLAY\n|.A|\n"]);
        assert_eq!(scene.picture().and_then(Picture::you), None);
    }

    #[test]
    fn control_bytes_in_a_picture_are_replaced() {
        let (scene, _) = told(&["DISPLAY\n\x1b[2J\t.\n"]);
        assert_eq!(drawn(&scene), ["?[2J?."]);
    }
}
