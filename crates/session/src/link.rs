//! The link to a server over any transport: classic datagrams in, classic datagrams out.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use crate::UdpLink;
use crate::udp_link::UdpListener;
#[cfg(feature = "web")]
use crate::web_link::{WebLink, WebListener};

/// The destination of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// The addresses of a server that follows the specification, most likely first.
    Udp(Vec<SocketAddr>),
    /// A game on a web host.
    #[cfg(feature = "web")]
    Web(crate::GameUrl),
}

/// A link to a server.
#[derive(Debug)]
pub enum Link {
    /// Over UDP.
    Udp(UdpLink),
    /// Over WebSocket.
    #[cfg(feature = "web")]
    Web(WebLink),
}

/// The number of the address in use among those tried in turn. Drop datagrams that arrive late from an earlier
/// address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkId(pub(crate) usize);

/// The receiving half of a link, for a separate thread. It ends when the link is dropped or has fallen back to
/// another address.
#[derive(Debug)]
pub enum Listener {
    /// Over UDP.
    Udp(UdpListener),
    /// Over WebSocket.
    #[cfg(feature = "web")]
    Web(WebListener),
}

impl Link {
    /// Opens a link to this target.
    pub fn open(target: LinkTarget) -> io::Result<Self> {
        match target {
            LinkTarget::Udp(addresses) => UdpLink::open(addresses).map(Self::Udp),
            #[cfg(feature = "web")]
            LinkTarget::Web(url) => WebLink::open(url).map(Self::Web),
        }
    }

    /// Sends a classic message.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Udp(link) => link.send(bytes),
            #[cfg(feature = "web")]
            Self::Web(link) => link.send(bytes),
        }
    }

    /// Returns the next classic message if one arrives within this time. With a time of zero, returns only a message
    /// that has already arrived.
    pub fn receive(&mut self, within: Duration) -> io::Result<Option<&[u8]>> {
        match self {
            Self::Udp(link) => link.receive(within),
            #[cfg(feature = "web")]
            Self::Web(link) => link.receive(within),
        }
    }

    /// Returns the receiving half, for a thread that forwards messages.
    pub fn listener(&self) -> Listener {
        match self {
            Self::Udp(link) => Listener::Udp(link.listener()),
            #[cfg(feature = "web")]
            Self::Web(link) => Listener::Web(link.listener()),
        }
    }

    /// Falls back to the server's next address because of this error. If none is left, keeps the link and returns the
    /// most specific error.
    pub fn fall_back(&mut self, why: io::Error) -> io::Result<()> {
        match self {
            Self::Udp(link) => link.fall_back(why),
            // The web link has already tried all addresses.
            #[cfg(feature = "web")]
            Self::Web(_) => Err(why),
        }
    }

    /// Identifies the address in use.
    pub fn id(&self) -> LinkId {
        match self {
            Self::Udp(link) => link.id(),
            #[cfg(feature = "web")]
            Self::Web(_) => LinkId::default(),
        }
    }

    /// True if an error while joining is final, because the link has already tried everything.
    pub fn is_error_final(&self) -> bool {
        match self {
            Self::Udp(_) => false,
            #[cfg(feature = "web")]
            Self::Web(_) => true,
        }
    }

    /// True if the game has not started yet and keys have no effect. Classic games never wait.
    pub fn is_waiting(&self) -> bool {
        match self {
            Self::Udp(_) => false,
            #[cfg(feature = "web")]
            Self::Web(link) => link.is_waiting(),
        }
    }
}

impl Listener {
    /// Forwards every message and every error until the link is dropped or `pass_on` returns false.
    pub fn run(self, pass_on: impl FnMut(io::Result<Vec<u8>>) -> bool) {
        match self {
            Self::Udp(listener) => listener.run(pass_on),
            #[cfg(feature = "web")]
            Self::Web(listener) => listener.run(pass_on),
        }
    }
}
