//! The table at the end of a game: finds it in a message or an output, and reads it with any separator of columns.

/// A row of a table that was sent or printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedRow {
    pub(super) letter: char,
    pub(super) purse: u32,
    pub(crate) name: String,
    /// True if its columns are letter, purse and name.
    pub(super) is_in_order: bool,
}

/// Returns the table in the last message of a game, with any heading before it.
pub(crate) fn table_in(message: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(message);
    let text = text.strip_prefix("QUIT").or_else(|| text.strip_prefix("GAMEOVER"))?;
    let text = text.trim_start();
    let (first, more) = text.split_once('\n').unwrap_or((text, ""));
    if parse_row(first).is_some() {
        return Some(text.to_owned());
    }
    (!more.trim().is_empty()).then(|| more.to_owned())
}

/// Returns the readable rows: letter, purse and name.
pub(crate) fn rows(text: &str) -> impl Iterator<Item = ParsedRow> {
    text.lines().filter_map(parse_row)
}

/// Parses letter, purse and name with any separator. The name may be empty.
pub(super) fn parse_row(line: &str) -> Option<ParsedRow> {
    parse_row_in_order(line).or_else(|| parse_row_in_any_order(line))
}

fn parse_row_in_order(line: &str) -> Option<ParsedRow> {
    let (first, rest) = line.trim_matches(is_separator).split_once(is_separator)?;
    let rest = rest.trim_start_matches(is_separator);
    let (purse, name) = rest.split_once(is_separator).unwrap_or((rest, ""));
    Some(ParsedRow {
        // Small letters are the subject of join.ok.
        letter: only_letter(&first.to_ascii_uppercase())?,
        purse: purse.parse().ok()?,
        name: name.trim_start_matches(is_separator).to_owned(),
        is_in_order: true,
    })
}

/// Parses a row in any order. The first single letter and the first number count; the rest is the name.
fn parse_row_in_any_order(line: &str) -> Option<ParsedRow> {
    let mut words: Vec<&str> = line.split(is_separator).filter(|word| !word.is_empty()).collect();
    let letter = words.iter().position(|word| only_letter(word).is_some())?;
    let letter = only_letter(words.remove(letter))?;
    let purse = words.iter().position(|word| word.parse::<u32>().is_ok())?;
    let purse = words.remove(purse).parse().ok()?;
    Some(ParsedRow { letter, purse, name: words.join(" "), is_in_order: false })
}

fn only_letter(word: &str) -> Option<char> {
    let mut letters = word.chars();
    letters.next().filter(|first| first.is_ascii_uppercase() && letters.next().is_none())
}

/// True if it may separate columns. The specification asks for a table, not for blanks.
pub(crate) fn is_separator(c: char) -> bool {
    c.is_whitespace() || ",;:|/".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str) -> Option<(char, u32, String)> {
        parse_row(line).map(|row| (row.letter, row.purse, row.name))
    }

    #[test]
    fn a_row_is_parsed_whatever_separates_its_columns() {
        for (line, letter, purse, name) in [
            ("A          4 Alice", 'A', 4, "Alice"),
            ("  B\t16   Bob the Bold ", 'B', 16, "Bob the Bold"),
            ("A, 144, Ann", 'A', 144, "Ann"),
            ("| C | 230 | Carol Ann |", 'C', 230, "Carol Ann"),
            ("D:7:Dan", 'D', 7, "Dan"),
            ("E 7", 'E', 7, ""),
            (" f    7    Fay", 'F', 7, "Fay"),
        ] {
            assert_eq!(row(line), Some((letter, purse, name.to_owned())), "{line}");
            assert!(parse_row(line).unwrap().is_in_order, "{line}");
        }
    }

    #[test]
    fn a_row_in_another_order_is_parsed_and_known_as_such() {
        for line in ["Alice 4 A", "A Alice 4", "4 A Alice"] {
            assert_eq!(row(line), Some(('A', 4, "Alice".to_owned())), "{line}");
            assert!(!parse_row(line).unwrap().is_in_order, "{line}");
        }
    }

    #[test]
    fn what_has_no_letter_and_purse_is_no_row() {
        for line in ["A4 Alice", "A -4 Alice", "GAME OVER:", "Thanks for playing!", ""] {
            assert_eq!(row(line), None, "{line}");
        }
    }

    #[test]
    fn the_table_is_found_after_any_heading() {
        let table = "A          4 Ann\nB          6 Bob";
        for head in ["QUIT GAME OVER:\n", "QUIT GAME OVER\n", "QUIT ", "GAMEOVER\n", "QUIT\n"] {
            let found = table_in(format!("{head}{table}").as_bytes());
            assert_eq!(found.as_deref(), Some(table), "{head:?}");
        }
        let reordered = "Ann        A 4\nBob        B 6";
        let found = table_in(format!("GAMEOVER\n{reordered}").as_bytes());
        assert_eq!(found.as_deref(), Some(reordered), "the first row is no heading");
        assert_eq!(table_in(b"QUIT Thanks for playing!"), None);
        assert_eq!(table_in(b"QUIT"), None);
    }
}
