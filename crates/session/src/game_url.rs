//! The link to a game on a web host, as people copy it from their browser.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The link to a game of `nuggets serve`.
///
/// ```
/// use nuggets_session::GameUrl;
///
/// let url: GameUrl = "https://play.example.org/g/abc/watch?view=A".parse().unwrap();
/// assert_eq!(url.to_string(), "https://play.example.org/g/abc");
/// assert_eq!(url.socket_url(), "wss://play.example.org/g/abc/ws");
/// assert_eq!((url.host(), url.port()), ("play.example.org", 443));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameUrl {
    is_secure: bool,
    /// Without brackets.
    host: String,
    port: u16,
    game: String,
}

/// The reason why a text is not a link to a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadGameUrl {
    /// The scheme is neither https nor http.
    #[error("it does not begin with https:// or http://")]
    Scheme,
    /// The host is missing or contains invalid characters.
    #[error("it names no host")]
    Host,
    /// The port is not a number from 1 to 65535.
    #[error("its port is no number from 1 to 65535")]
    Port,
    /// The path belongs to another page of the host.
    #[error("it leads to no game: the link of a game ends with /g/ and the id of the game")]
    Path,
}

impl GameUrl {
    /// True if a text is meant as a link, even an invalid one: it contains a scheme.
    pub fn is_meant_by(text: &str) -> bool {
        text.contains("://")
    }

    /// True if the connection is encrypted.
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The host; an IPv6 address has no brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of the game's WebSocket.
    pub fn socket_url(&self) -> String {
        let scheme = if self.is_secure { "wss" } else { "ws" };
        format!("{scheme}://{}/g/{}/ws", self.authority(), self.game)
    }

    /// The host, and the port unless it is the default.
    fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == usual_port(self.is_secure) { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for GameUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_secure { "https" } else { "http" };
        write!(f, "{scheme}://{}/g/{}", self.authority(), self.game)
    }
}

impl FromStr for GameUrl {
    type Err = BadGameUrl;

    fn from_str(text: &str) -> Result<Self, BadGameUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(BadGameUrl::Scheme)?;
        let is_secure = match scheme.to_ascii_lowercase().as_str() {
            "https" | "wss" => true,
            "http" | "ws" => false,
            _ => return Err(BadGameUrl::Scheme),
        };
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = split_authority(authority)?;
        let port = match port {
            None => usual_port(is_secure),
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or(BadGameUrl::Port)?,
        };
        let game = game_of(path).ok_or(BadGameUrl::Path)?.to_owned();
        Ok(Self { is_secure, host: host.to_owned(), port, game })
    }
}

fn usual_port(is_secure: bool) -> u16 {
    if is_secure { 443 } else { 80 }
}

/// Splits an authority into host and port.
fn split_authority(authority: &str) -> Result<(&str, Option<&str>), BadGameUrl> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or(BadGameUrl::Host)?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_host_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-._:".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_host_byte) {
        return Err(BadGameUrl::Host);
    }
    match rest.strip_prefix(':') {
        Some(port) => Ok((host, Some(port))),
        None if rest.is_empty() => Ok((host, None)),
        None => Err(BadGameUrl::Host),
    }
}

/// Extracts the id of the game from a path without its first slash. The name of a page may follow the id.
fn game_of(path: &str) -> Option<&str> {
    let id = path.strip_prefix("g/")?.split('/').next()?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_all_pages_of_a_game_lead_to_its_socket() {
        for (link, socket) in [
            ("http://127.0.0.1:8080/g/abc", "ws://127.0.0.1:8080/g/abc/ws"),
            ("HTTPS://Example.org/g/abc/", "wss://Example.org/g/abc/ws"),
            ("https://example.org:443/g/abc/show#top", "wss://example.org/g/abc/ws"),
            ("https://example.org:8443/g/abc?x=1/2", "wss://example.org:8443/g/abc/ws"),
            ("http://[::1]:8080/g/abc/watch?view=A", "ws://[::1]:8080/g/abc/ws"),
            ("wss://example.org/g/abc/ws", "wss://example.org/g/abc/ws"),
        ] {
            let url: GameUrl = link.parse().unwrap();
            assert_eq!(url.socket_url(), socket);
            assert_eq!(url.to_string().parse(), Ok(url));
        }
        let url: GameUrl = "http://[::1]/g/abc".parse().unwrap();
        assert_eq!((url.host(), url.port()), ("::1", 80));
    }

    #[test]
    fn other_texts_are_rejected_with_the_reason() {
        for (text, why) in [
            ("localhost", BadGameUrl::Scheme),
            ("ftp://example.org/g/abc", BadGameUrl::Scheme),
            ("https:///g/abc", BadGameUrl::Host),
            ("https://ann@example.org/g/abc", BadGameUrl::Host),
            ("https://[::1/g/abc", BadGameUrl::Host),
            ("https://[::1]x/g/abc", BadGameUrl::Host),
            ("https://exa mple/g/abc", BadGameUrl::Host),
            ("https://example.org:0/g/abc", BadGameUrl::Port),
            ("https://example.org:https/g/abc", BadGameUrl::Port),
            ("https://example.org", BadGameUrl::Path),
            ("https://example.org/", BadGameUrl::Path),
            ("https://example.org/players/7", BadGameUrl::Path),
            ("https://example.org/g/", BadGameUrl::Path),
            ("https://example.org/g/a\r\nb", BadGameUrl::Path),
        ] {
            assert_eq!(text.parse::<GameUrl>(), Err(why), "{text}");
        }
    }
}
