//! Messages as plain text: parsing those of a client, writing those of a server.

use crate::Year;

/// A parsed datagram of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientMessage {
    /// `PLAY name`, the name as it was sent.
    Play(Vec<u8>),
    /// `SPECTATE`
    Spectate,
    /// `KEY k`
    Key(char),
    /// `ERROR` or `NO`, which is never answered.
    ErrorReply,
    /// Anything else.
    Malformed,
}

/// Parses a datagram. Any deviation from the exact form is malformed.
pub(crate) fn parse(bytes: &[u8]) -> ClientMessage {
    // Neither a NUL anywhere nor a newline at the end.
    if bytes.contains(&0) || bytes.ends_with(b"\n") {
        return ClientMessage::Malformed;
    }
    // A name is free text: any bytes.
    if bytes.starts_with(b"PLAY ") {
        return ClientMessage::Play(bytes[5..].to_vec());
    }
    // Everything else is ASCII.
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii()) else {
        return ClientMessage::Malformed;
    };
    if text == "SPECTATE" {
        return ClientMessage::Spectate;
    }
    // Exactly one character after `KEY `.
    let chars: Vec<char> = text.chars().collect();
    if text.starts_with("KEY ") && chars.len() == 5 {
        return ClientMessage::Key(chars[4]);
    }
    // The first word ends at a space, at a newline or at the end.
    match text.split([' ', '\n']).next() {
        Some("ERROR" | "NO") => ClientMessage::ErrorReply,
        _ => ClientMessage::Malformed,
    }
}

/// Cuts a name to 50 bytes and replaces each byte that is neither graphic nor blank by `_`.
pub(crate) fn clean_name(given: &[u8]) -> String {
    let clean = |&byte: &u8| match byte {
        0x21..=0x7e | b' ' | b'\t' => char::from(byte),
        _ => '_',
    };
    given.iter().take(50).map(clean).collect()
}

/// True if the name consists of white space only.
pub(crate) fn is_blank(name: &[u8]) -> bool {
    name.iter().all(|byte| b" \t\n\x0b\x0c\r".contains(byte))
}

/// Returns the error reply to a message without effect. It also carries texts for which the specification
/// has no message.
pub(crate) fn error_reply(year: Year, why: &str) -> String {
    match year {
        Year::Y2021 => format!("ERROR {why}"),
        Year::Y2019 => format!("NO {why}"),
    }
}

/// Returns the answer to a join when all seats are taken.
pub(crate) fn full(year: Year) -> String {
    match year {
        Year::Y2021 => "QUIT Game is full: no more players can join.".to_owned(),
        Year::Y2019 => "NO".to_owned(),
    }
}

/// Returns the answer to a blank name.
pub(crate) fn blank_name(year: Year) -> String {
    match year {
        Year::Y2021 => "QUIT Sorry - you must provide player's name.".to_owned(),
        Year::Y2019 => "NO Sorry - you must provide player's name.".to_owned(),
    }
}

/// Returns the last message to a client that quits or is replaced.
pub(crate) fn quit(year: Year, text: &str) -> String {
    match year {
        Year::Y2021 => format!("QUIT {text}"),
        Year::Y2019 => "QUIT".to_owned(),
    }
}

/// Returns a `QUIT` for any other reason. A `QUIT` of 2019 carries no text, so the reason is sent before it.
pub(crate) fn quit_with_reason(year: Year, why: &str) -> Vec<String> {
    match year {
        Year::Y2021 => vec![format!("QUIT {why}")],
        Year::Y2019 => vec![format!("NO {why}"), "QUIT".to_owned()],
    }
}

/// Returns the messages that end the game.
pub(crate) fn game_over(year: Year, table: &str) -> Vec<String> {
    match year {
        Year::Y2021 => vec![format!("QUIT GAME OVER:\n{table}")],
        Year::Y2019 => {
            let end = if table.is_empty() { "" } else { "\n" };
            vec![format!("GAMEOVER\n{table}{end}"), "QUIT".to_owned()]
        }
    }
}
