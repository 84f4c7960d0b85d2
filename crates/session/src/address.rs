//! The addresses of a server: resolving its host name, and writing host and port for people.

use std::io;
use std::net::SocketAddr;

use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind, SockType, getaddrinfo};
use thiserror::Error;

/// The reason why a host name could not be resolved.
#[derive(Debug, Error)]
pub enum ResolveError {
    /// The name does not exist.
    #[error("there is no host named '{host}': check the spelling, or give the server's IP address")]
    UnknownHost {
        /// The name as it was given.
        host: String,
    },
    /// The lookup failed, so it is unknown whether the name exists.
    #[error(
        "the host name '{host}' can't be looked up at the moment: {why}. Check the network \
         connection, or give the server's IP address"
    )]
    LookupFailed {
        /// The name as it was given.
        host: String,
        /// The resolver's error. It is not a `source`, because the message contains it.
        why: LookupError,
    },
}

/// Formats host and port, with IPv6 addresses in brackets.
///
/// ```
/// use nuggets_session::place;
///
/// assert_eq!(place("localhost", 1234), "localhost:1234");
/// assert_eq!(place("::1", 1234), "[::1]:1234");
/// ```
pub fn place(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Returns all addresses of a host, IPv4 first.
///
/// ```
/// let addresses = nuggets_session::resolve("127.0.0.1", 1234).unwrap();
/// assert_eq!(addresses, ["127.0.0.1:1234".parse().unwrap()]);
/// ```
pub fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, ResolveError> {
    let mut addresses = look_up(host).map_err(|why| resolve_error(host, why))?;
    for address in &mut addresses {
        address.set_port(port);
    }
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses.dedup();
    Ok(addresses)
}

fn look_up(host: &str) -> Result<Vec<SocketAddr>, LookupError> {
    let hints = AddrInfoHints { socktype: SockType::DGram.into(), ..AddrInfoHints::default() };
    let found = getaddrinfo(Some(host), None, Some(hints))?;
    Ok(found.map(|info| info.map(|info| info.sockaddr)).collect::<io::Result<_>>()?)
}

fn resolve_error(host: &str, why: LookupError) -> ResolveError {
    let host = host.to_owned();
    match why.kind() {
        // `IO` stands for codes that only some systems have; all of them are about the name.
        LookupErrorKind::NoName | LookupErrorKind::NoData | LookupErrorKind::IO => {
            ResolveError::UnknownHost { host }
        }
        _ => ResolveError::LookupFailed { host, why },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_or_unknown() {
        let addresses = resolve("localhost", 7).unwrap();
        assert!(addresses.is_sorted_by_key(SocketAddr::is_ipv6));
        assert!(addresses.iter().all(|a| a.ip().is_loopback() && a.port() == 7));
        for host in ["", "nul\0byte"] {
            let error = resolve(host, 7).unwrap_err();
            assert!(matches!(error, ResolveError::UnknownHost { .. }), "{error:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_unknown_name_differs_from_a_failed_lookup() {
        const EAI_NONAME: i32 = -2;
        const EAI_AGAIN: i32 = -3;
        let text = |code| resolve_error("example.org", LookupError::new(code)).to_string();
        let advice = "or give the server's IP address";
        let unknown = "there is no host named 'example.org': check the spelling, ";
        assert_eq!(text(EAI_NONAME), format!("{unknown}{advice}"));
        let failed = text(EAI_AGAIN);
        let start = "the host name 'example.org' can't be looked up at the moment: ";
        assert!(failed.starts_with(start), "{failed}");
        let end = format!(". Check the network connection, {advice}");
        assert!(failed.ends_with(&end), "{failed}");
    }
}
