//! The size check of `DISPLAY` against `GRID`, and the handling of pictures of the wrong size.

use std::fmt;

use nuggets_protocol::MAX_MESSAGE_BYTES;

use crate::Size;

/// A picture whose size differs from `GRID`, or whose rows differ in length. The client shows it nevertheless, padded
/// with blanks and cut.
///
/// ```
/// use nuggets_atlas::Scene;
///
/// let mut scene = Scene::default();
/// for message in ["GRID 2 4", "DISPLAY\n+-+\n|@|\n"] {
///     scene.handle_bytes(message.as_bytes()).unwrap();
/// }
/// assert_eq!(scene.size_mismatch().unwrap().to_string(), "map is 2x3, GRID 2x4");
/// assert_eq!(scene.picture().unwrap().cells(), b"+-+ |@| ");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeMismatch {
    rows: usize,
    /// The length of the longest row.
    cols: usize,
    grid: Option<Size>,
}

impl fmt::Display for SizeMismatch {
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

/// Returns the size to show this picture with, and the mismatch of its own size. `None` if it can't be shown: it is
/// blank, or would be larger than any message can be. Some servers swap rows and columns in `GRID`; then the picture is
/// right.
pub(super) fn check_display_size(
    text: &[u8],
    grid: Option<Size>,
) -> Option<(Size, Option<SizeMismatch>)> {
    let rows = lines(text).count();
    let cols = lines(text).map(<[u8]>::len).max().unwrap_or(0);
    let own = || Some(Size { rows: rows.try_into().ok()?, cols: cols.try_into().ok()? });
    let size = grid.or_else(own).filter(|size| size.cols > 0)?;
    let is_even = lines(text).all(|line| line.len() == usize::from(size.cols));
    if is_even && rows == usize::from(size.rows) {
        return Some((size, None));
    }
    let is_transposed = (rows, cols) == (size.cols.into(), size.rows.into())
        && lines(text).all(|line| line.len() == cols);
    if is_transposed && let Some(own) = own() {
        return Some((own, Some(SizeMismatch { rows, cols, grid })));
    }
    let split = split_rows(text, size);
    let text = split.as_deref().unwrap_or(text);
    let can_be_shown = size.area() <= MAX_MESSAGE_BYTES && has_content(text, size);
    can_be_shown.then_some((size, Some(SizeMismatch { rows, cols, grid })))
}

/// Inserts the newlines into a picture that was sent without any; `GRID` gives its size.
pub(super) fn split_rows(text: &[u8], size: Size) -> Option<Vec<u8>> {
    let mut lines = lines(text);
    let line = lines.next().filter(|line| size.rows > 1 && line.len() == size.area())?;
    let rows: Vec<&[u8]> = line.chunks(size.cols.into()).collect();
    lines.next().is_none().then(|| rows.join(&b'\n'))
}

/// The rows; the newline after the last one may be missing.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')
}

fn has_content(text: &[u8], size: Size) -> bool {
    let mut rows = lines(text).take(size.rows.into());
    rows.any(|row| row.iter().take(size.cols.into()).any(|&cell| cell != b' '))
}
