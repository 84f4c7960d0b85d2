//! The words on the wire, as plain text: reading what a client says, writing what a server says.

use crate::Year;

/// What a datagram of a client means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// `PLAY name`, the name as it was sent.
    Play(Vec<u8>),
    /// `SPECTATE`
    Spectate,
    /// `KEY k`
    Key(char),
    /// `ERROR` or `NO`: a complaint, which is never answered.
    Complaint,
    /// Anything else.
    Malformed,
}

/// Reads a datagram. Whatever is not exactly in the form is malformed.
pub(crate) fn read(bytes: &[u8]) -> Said {
    // Neither a NUL anywhere nor a newline at the end.
    if bytes.contains(&0) || bytes.ends_with(b"\n") {
        return Said::Malformed;
    }
    // A name is free text: any bytes.
    if bytes.starts_with(b"PLAY ") {
        return Said::Play(bytes[5..].to_vec());
    }
    // Everything else is ASCII.
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii()) else {
        return Said::Malformed;
    };
    if text == "SPECTATE" {
        return Said::Spectate;
    }
    // Exactly one character behind `KEY `.
    let chars: Vec<char> = text.chars().collect();
    if text.starts_with("KEY ") && chars.len() == 5 {
        return Said::Key(chars[4]);
    }
    // The first word ends at a space, at a newline or at the end.
    match text.split([' ', '\n']).next() {
        Some("ERROR" | "NO") => Said::Complaint,
        _ => Said::Malformed,
    }
}

/// A name is cut to 50 bytes; then each byte that is neither graphic nor blank becomes `_`.
pub(crate) fn clean_name(given: &[u8]) -> String {
    let clean = |&byte: &u8| match byte {
        0x21..=0x7e | b' ' | b'\t' => char::from(byte),
        _ => '_',
    };
    given.iter().take(50).map(clean).collect()
}

/// Has it no character but spaces?
pub(crate) fn is_blank(name: &[u8]) -> bool {
    name.iter().all(|byte| b" \t\n\x0b\x0c\r".contains(byte))
}

/// What a client is told when its message had no effect, and what the documents have no message for.
pub(crate) fn complaint(year: Year, why: &str) -> String {
    match year {
        Year::Y2021 => format!("ERROR {why}"),
        Year::Y2019 => format!("NO {why}"),
    }
}

/// A player too many.
pub(crate) fn full(year: Year) -> String {
    match year {
        Year::Y2021 => "QUIT Game is full: no more players can join.".to_owned(),
        Year::Y2019 => "NO".to_owned(),
    }
}

/// A player without a name.
pub(crate) fn nameless(year: Year) -> String {
    match year {
        Year::Y2021 => "QUIT Sorry - you must provide player's name.".to_owned(),
        Year::Y2019 => "NO Sorry - you must provide player's name.".to_owned(),
    }
}

/// The goodbye to whoever quits or is replaced.
pub(crate) fn goodbye(year: Year, text: &str) -> String {
    match year {
        Year::Y2021 => format!("QUIT {text}"),
        Year::Y2019 => "QUIT".to_owned(),
    }
}

/// Any other parting. A `QUIT` of 2019 carries no text, so the reason goes ahead.
pub(crate) fn parting(year: Year, why: &str) -> Vec<String> {
    match year {
        Year::Y2021 => vec![format!("QUIT {why}")],
        Year::Y2019 => vec![format!("NO {why}"), "QUIT".to_owned()],
    }
}

/// The end of the game.
pub(crate) fn game_over(year: Year, table: &str) -> Vec<String> {
    match year {
        Year::Y2021 => vec![format!("QUIT GAME OVER:\n{table}")],
        Year::Y2019 => vec![format!("GAMEOVER\n{table}"), "QUIT".to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_is_read() {
        assert_eq!(read(b"PLAY \xff a"), Said::Play(b"\xff a".to_vec()));
        assert_eq!(read(b"SPECTATE"), Said::Spectate);
        assert_eq!(read(b"KEY  "), Said::Key(' '));
        let malformed: [&[u8]; 11] = [
            b"",
            b"PLAY",
            b"PLAY a\n",
            b"PLAY a\0",
            b"SPECTATE ",
            b"KEY",
            b"KEY ",
            b"KEY hh",
            b"KEY \xe9",
            b"key h",
            b"NOBODY",
        ];
        for bytes in malformed {
            assert_eq!(read(bytes), Said::Malformed, "{}", bytes.escape_ascii());
        }
        assert_eq!(read(b"ERROR"), Said::Complaint);
        assert_eq!(read(b"NO way"), Said::Complaint);
    }

    #[test]
    fn names_are_cut_and_then_cleaned() {
        assert_eq!(clean_name(b"A\tb c\x07\xc3\xa9"), "A\tb c___");
        assert_eq!(clean_name(&[b'x'; 60]), "x".repeat(50));
        assert!(is_blank(b"") && is_blank(b" \t\x0b") && !is_blank(b" _"));
    }
}
