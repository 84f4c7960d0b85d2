//! Where two pictures differ, drawn.

use std::fmt::Write as _;

use nuggets_game::Point;

use super::picture::Picture;

/// So many differences are told one by one.
const MOST_TOLD: usize = 8;

/// One picture of two: where they agree, what both show; where not, a mark. The rows around the
/// differences are enough.
pub(crate) fn difference(expected: &Picture, came: &Picture) -> String {
    let differing: Vec<Point> = differing(expected, came);
    let (Some(first), Some(last)) = (differing.first(), differing.last()) else {
        return "no difference\n".into();
    };
    let mut text = String::from(
        "! is missing, ? should not be shown, x should be something else; the rest is as it should be\n",
    );
    for row in first.row.saturating_sub(1)..=(last.row + 1).min(expected.rows - 1) {
        let cells = (0..expected.cols).map(|col| mark(expected, came, Point::new(row, col)));
        let line: String = cells.map(char::from).collect();
        let _ = writeln!(text, "{:>4} {}", row + 1, line.trim_end());
    }
    for at in differing.iter().take(MOST_TOLD) {
        let (want, have) = (char::from(expected.at(*at)), char::from(came.at(*at)));
        let _ = writeln!(text, "{at}: '{want}' expected, '{}' came", have.escape_default());
    }
    if differing.len() > MOST_TOLD {
        let _ = writeln!(text, "and {} more", differing.len() - MOST_TOLD);
    }
    text
}

fn differing(expected: &Picture, came: &Picture) -> Vec<Point> {
    let all = expected.all(|_| true);
    all.into_iter().filter(|at| expected.at(*at) != came.at(*at)).collect()
}

fn mark(expected: &Picture, came: &Picture, at: Point) -> u8 {
    match (expected.at(at), came.at(at)) {
        (want, have) if want == have => want,
        (_, b' ') => b'!',
        (b' ', _) => b'?',
        _ => b'x',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_around_the_differences_are_drawn_with_marks() {
        let picture = |text: &str| Picture::read(text.as_bytes(), 5, 4).unwrap();
        let expected = picture("DISPLAY\n+--+\n|..|\n|.@|\n|. |\n+--+\n");
        let came = picture("DISPLAY\n+--+\n|..|\n|*@|\n| .|\n+--+\n");
        let drawn = difference(&expected, &came);
        let rows = "   2 |..|\n   3 |x@|\n   4 |!?|\n   5 +--+\n";
        assert!(drawn.contains(rows), "{drawn}");
        assert!(!drawn.contains("   1 "), "{drawn}");
        assert!(drawn.contains("line 3, column 2: '.' expected, '*' came"), "{drawn}");
    }
}
