//! Pictures of another shape than they should have: what can be made of them.

use std::fmt;

use nuggets_protocol::MAX_MESSAGE_BYTES;

use crate::Size;

/// A picture that had another shape than `GRID` has promised, or rows of unequal length. It is shown
/// all the same: padded with blanks, and cut.
///
/// ```
/// use nuggets_atlas::Scene;
/// use nuggets_protocol::ServerMessage;
///
/// let mut scene = Scene::default();
/// for message in ["GRID 2 4", "DISPLAY\n+-+\n|@|\n"] {
///     scene.take(&ServerMessage::parse(message.as_bytes()).unwrap()).unwrap();
/// }
/// assert_eq!(scene.misfit().unwrap().to_string(), "map is 2x3, GRID 2x4");
/// assert_eq!(scene.picture().unwrap().cells(), b"+-+ |@| ");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// How many rows came.
    rows: usize,
    /// How long the longest of them was.
    cols: usize,
    /// What was promised.
    grid: Option<Size>,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "map is {}x{}", self.rows, self.cols)?;
        match self.grid {
            Some(Size { rows, cols }) if (rows.into(), cols.into()) == (self.rows, self.cols) => {
                f.write_str(" with short rows")
            }
            Some(Size { rows, cols }) => write!(f, ", GRID {rows}x{cols}"),
            None => f.write_str(" with short rows"),
        }
    }
}

/// How large the picture in this text is to be, and what is wrong with it. Nothing where it can't be
/// shown: there is nothing in it, or it would be larger than any message can be.
pub(super) fn fit(text: &[u8], grid: Option<Size>) -> Option<(Size, Option<Misfit>)> {
    let rows = lines(text).count();
    let cols = lines(text).map(<[u8]>::len).max().unwrap_or(0);
    let own = || Some(Size { rows: rows.try_into().ok()?, cols: cols.try_into().ok()? });
    let size = grid.or_else(own).filter(|size| size.cols > 0)?;
    let is_even = lines(text).all(|line| line.len() == usize::from(size.cols));
    if is_even && rows == usize::from(size.rows) {
        return Some((size, None));
    }
    let can_be_shown = size.area() <= MAX_MESSAGE_BYTES && has_content(text, size);
    can_be_shown.then_some((size, Some(Misfit { rows, cols, grid })))
}

/// The rows, each with its newline; the last one may do without.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')
}

fn has_content(text: &[u8], size: Size) -> bool {
    let mut rows = lines(text).take(size.rows.into());
    rows.any(|row| row.iter().take(size.cols.into()).any(|&cell| cell != b' '))
}
