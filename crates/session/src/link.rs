//! The link to a server, whatever carries the messages: classic datagrams in, classic datagrams out.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use crate::UdpLink;
use crate::udp_link::UdpListener;
#[cfg(feature = "web")]
use crate::web_link::{WebLink, WebListener};

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// The addresses of a server of the specification, the likeliest first.
    Udp(Vec<SocketAddr>),
    /// A game of a web host.
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

/// Which of the addresses that were tried one after the other. A datagram of an earlier one that
/// arrives late is to be dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkId(pub(crate) usize);

/// The receiving half of a link, for a thread of its own. It ends when the link is dropped or has
/// fallen back to another address.
#[derive(Debug)]
pub enum Listener {
    /// Over UDP.
    Udp(UdpListener),
    /// Over WebSocket.
    #[cfg(feature = "web")]
    Web(WebListener),
}

impl Link {
    /// A link to this target.
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

    /// The next classic message, if one comes within this time. Zero: only one that is there already.
    pub fn receive(&mut self, within: Duration) -> io::Result<Option<&[u8]>> {
        match self {
            Self::Udp(link) => link.receive(within),
            #[cfg(feature = "web")]
            Self::Web(link) => link.receive(within),
        }
    }

    /// The receiving half, for a thread that passes messages on.
    pub fn listener(&self) -> Listener {
        match self {
            Self::Udp(link) => Listener::Udp(link.listener()),
            #[cfg(feature = "web")]
            Self::Web(link) => Listener::Web(link.listener()),
        }
    }

    /// Falls back to the server's next address because of this error. When none is left, the link
    /// stays as it is and the most telling error is returned.
    pub fn fall_back(&mut self, why: io::Error) -> io::Result<()> {
        match self {
            Self::Udp(link) => link.fall_back(why),
            // It has tried all addresses.
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

    /// Whether an error while joining is final, because the link has tried everything.
    pub fn is_error_final(&self) -> bool {
        match self {
            Self::Udp(_) => false,
            #[cfg(feature = "web")]
            Self::Web(_) => true,
        }
    }

    /// Whether the game waits for its start, so that keys don't act yet. Classic games never do.
    pub fn is_waiting(&self) -> bool {
        match self {
            Self::Udp(_) => false,
            #[cfg(feature = "web")]
            Self::Web(link) => link.is_waiting(),
        }
    }
}

impl Listener {
    /// Passes on every message and every error, until the link is dropped or `pass_on` returns false.
    pub fn run(self, pass_on: impl FnMut(io::Result<Vec<u8>>) -> bool) {
        match self {
            Self::Udp(listener) => listener.run(pass_on),
            #[cfg(feature = "web")]
            Self::Web(listener) => listener.run(pass_on),
        }
    }
}
