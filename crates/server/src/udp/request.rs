//! What the operator of a running server can ask for, as it is typed.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use nuggets_game::Letter;

/// A request of the operator.
///
/// ```
/// use nuggets_server::udp::Request;
///
/// let typed: Request = "ban 203.0.113.7".parse().unwrap();
/// assert_eq!(typed.to_string(), "ban 203.0.113.7");
/// assert!("ban everybody".parse::<Request>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Stop the server.
    Stop,
    /// Log who plays and watches, from which address.
    List,
    /// Remove this player from the game.
    Kick(Letter),
    /// Remove this player, and reject its source from now on.
    BanPlayer(Letter),
    /// Remove all clients of this source, and reject it from now on.
    BanAddress(IpAddr),
    /// Accept this source again.
    Unban(IpAddr),
}

/// What can be typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("type `players`, `kick A`, `ban A`, `ban ADDRESS`, `unban ADDRESS` or `stop`")]
pub struct UnknownRequest;

impl Request {
    /// A message that is none of the requests comes from a signal handler, which can only stop the server.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let typed = std::str::from_utf8(bytes).ok().and_then(|typed| typed.parse().ok());
        typed.unwrap_or(Self::Stop)
    }
}

impl FromStr for Request {
    type Err = UnknownRequest;

    fn from_str(typed: &str) -> Result<Self, UnknownRequest> {
        let mut words = typed.split_whitespace();
        let (verb, object, rest) = (words.next(), words.next(), words.next());
        let letter = || letter(object?);
        let address = || object?.parse().ok();
        let request = match (verb, object, rest) {
            (Some("stop"), None, None) => Some(Self::Stop),
            (Some("players"), None, None) => Some(Self::List),
            (Some("kick"), Some(_), None) => letter().map(Self::Kick),
            (Some("ban"), Some(_), None) => {
                letter().map(Self::BanPlayer).or_else(|| address().map(Self::BanAddress))
            }
            (Some("unban"), Some(_), None) => address().map(Self::Unban),
            _ => None,
        };
        request.ok_or(UnknownRequest)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stop => write!(f, "stop"),
            Self::List => write!(f, "players"),
            Self::Kick(letter) => write!(f, "kick {letter}"),
            Self::BanPlayer(letter) => write!(f, "ban {letter}"),
            Self::BanAddress(address) => write!(f, "ban {address}"),
            Self::Unban(address) => write!(f, "unban {address}"),
        }
    }
}

/// A letter as it is shown on the map.
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
    fn every_request_is_read_as_it_is_written() {
        for typed in [
            "stop",
            "players",
            "kick A",
            "ban Z",
            "ban 203.0.113.7",
            "ban 2001:db8::1",
            "unban ::1",
        ] {
            assert_eq!(typed.parse::<Request>().unwrap().to_string(), typed);
        }
        assert_eq!("  kick\tB ".parse(), "kick B".parse::<Request>());
    }

    #[test]
    fn other_lines_are_no_requests() {
        for typed in
            ["", "kick", "kick a", "kick AB", "kick A B", "ban", "unban A", "Stop", "stop it"]
        {
            assert_eq!(typed.parse::<Request>(), Err(UnknownRequest), "{typed:?}");
        }
    }
}
