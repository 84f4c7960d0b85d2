//! The requests that the operator of a running server can type.

use std::net::IpAddr;
use std::str::FromStr;

use nuggets_game::Letter;
use thiserror::Error;

/// A request from the operator.
///
/// ```
/// use nuggets_server::udp::OperatorRequest;
///
/// let typed: OperatorRequest = "ban 203.0.113.7".parse().unwrap();
/// assert_eq!(typed, OperatorRequest::BanAddress([203, 0, 113, 7].into()));
/// assert!("ban everybody".parse::<OperatorRequest>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorRequest {
    /// Stop the server.
    Stop,
    /// Show the state of the game, and the players and the spectator with their addresses.
    Status,
    /// Start a waiting game.
    Start,
    /// End the game and send all clients the table.
    End,
    /// Send this message to all clients; printable ASCII.
    Say(String),
    /// Remove this player from the game.
    Kick(Letter),
    /// Remove this player, and reject the player's source from now on.
    BanPlayer(Letter),
    /// Remove all clients from this source, and reject it from now on.
    BanAddress(IpAddr),
    /// Accept this source again.
    Unban(IpAddr),
    /// Pause or resume the stalemate clock, for `nuggets play`, which hosts its own game. Can't be typed.
    Pause(bool),
}

/// The reason why a line is not a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The line matches no request.
    #[error("{REQUESTS}")]
    Unknown,
    /// The message is too long for one line of a client.
    #[error("these words are too long: say at most {MAX_WORDS} characters at once")]
    TooLong,
}

/// The requests that can be typed, for error messages.
pub const REQUESTS: &str = "type `status`, `start`, `say WORDS`, `kick A`, `ban A`, `ban ADDRESS`, `unban ADDRESS`, \
                            `end` (this game) or `stop` (the server)";

/// Maximum length of a message; no client shows more in one line.
const MAX_WORDS: usize = 200;

impl FromStr for OperatorRequest {
    type Err = RequestError;

    fn from_str(typed: &str) -> Result<Self, RequestError> {
        let typed = typed.trim();
        let (verb, object) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let object = object.trim_start();
        let letter = || letter(object);
        let address = || object.parse().ok();
        let request = match (verb, object) {
            ("stop", "") => Some(Self::Stop),
            // `players` is the former name.
            ("status" | "players", "") => Some(Self::Status),
            ("start", "") => Some(Self::Start),
            ("end", "") => Some(Self::End),
            ("say", words) if words.len() > MAX_WORDS => return Err(RequestError::TooLong),
            ("say", words) if !words.is_empty() => Some(Self::Say(printable(words))),
            ("kick", _) => letter().map(Self::Kick),
            ("ban", _) => letter().map(Self::BanPlayer).or_else(|| address().map(Self::BanAddress)),
            ("unban", _) => address().map(Self::Unban),
            _ => None,
        };
        request.ok_or(RequestError::Unknown)
    }
}

/// Replaces characters that are not printable ASCII: messages are ASCII, and a control character must not reach a
/// terminal.
fn printable(words: &str) -> String {
    words.chars().map(|c| if matches!(c, ' '..='~') { c } else { '_' }).collect()
}

/// Parses a letter as it appears on the map.
fn letter(typed: &str) -> Option<Letter> {
    match typed.as_bytes() {
        [letter @ b'A'..=b'Z'] => Letter::nth(usize::from(letter - b'A')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_is_read() {
        let a = Letter::nth(0).unwrap();
        let address: IpAddr = "2001:db8::1".parse().unwrap();
        for (typed, request) in [
            ("stop", OperatorRequest::Stop),
            ("status", OperatorRequest::Status),
            ("players", OperatorRequest::Status),
            (" start ", OperatorRequest::Start),
            ("end", OperatorRequest::End),
            ("say  five minutes\tleft\u{e9}", OperatorRequest::Say("five minutes_left_".into())),
            ("  kick\tA ", OperatorRequest::Kick(a)),
            ("ban A", OperatorRequest::BanPlayer(a)),
            ("ban 2001:db8::1", OperatorRequest::BanAddress(address)),
            ("unban 2001:db8::1", OperatorRequest::Unban(address)),
        ] {
            assert_eq!(typed.parse(), Ok(request), "{typed:?}");
        }
    }

    #[test]
    fn other_lines_are_no_requests() {
        for typed in [
            "", "kick", "kick a", "kick AB", "kick A B", "ban", "unban A", "Stop", "stop it",
            "say", "end it", "status A",
        ] {
            assert_eq!(typed.parse::<OperatorRequest>(), Err(RequestError::Unknown), "{typed:?}");
        }
        let long = format!("say {}", "a".repeat(201));
        assert_eq!(long.parse::<OperatorRequest>(), Err(RequestError::TooLong));
    }
}
