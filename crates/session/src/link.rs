//! The link to a server over any transport: classic datagrams in, classic datagrams out.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use crate::udp_link::UdpLink;
#[cfg(feature = "web")]
use crate::web_link::WebLink;

/// The destination of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// The addresses of a server that follows the specification, most likely first.
    Udp(Vec<SocketAddr>),
    /// A game on a web host.
    #[cfg(feature = "web")]
    Web(crate::GameUrl),
}

/// The number of the address in use among those tried in turn. Drop datagrams that arrive late from an earlier
/// address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkId(pub(crate) usize);

/// The receiving half of a link, for a thread of its own. It passes every message and every error to the given
/// function until that returns false, the link is dropped or has fallen back to another address.
pub type Listener = Box<dyn FnOnce(&mut dyn FnMut(io::Result<Vec<u8>>) -> bool) + Send>;

/// A link to a server.
pub trait Link: Send {
    /// Sends a classic message.
    fn send(&self, bytes: &[u8]) -> io::Result<()>;

    /// Returns the next classic message if one arrives within this time. With a time of zero, returns only a message
    /// that has already arrived.
    fn receive(&mut self, within: Duration) -> io::Result<Option<&[u8]>>;

    /// Returns the receiving half, for a thread that forwards messages.
    fn listener(&self) -> Listener;

    /// Falls back to the server's next address because of this error. If none is left, keeps the link and returns the
    /// most specific error: a closed port rather than a missing route.
    fn fall_back(&mut self, why: io::Error) -> io::Result<()>;

    /// Identifies the address in use.
    fn id(&self) -> LinkId {
        LinkId::default()
    }

    /// True if an error while joining is final, because the link has already tried everything.
    fn is_error_final(&self) -> bool {
        false
    }

    /// True if the game has not started yet and keys have no effect. Classic games never wait.
    fn is_waiting(&self) -> bool {
        false
    }
}

impl LinkTarget {
    /// Opens a link to this target.
    pub fn open(self) -> io::Result<Box<dyn Link>> {
        Ok(match self {
            Self::Udp(addresses) => Box::new(UdpLink::open(addresses)?),
            #[cfg(feature = "web")]
            Self::Web(url) => Box::new(WebLink::open(url)?),
        })
    }
}
