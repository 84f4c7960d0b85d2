//! From one address of the server to the next, until one of them answers.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::SyncSender;
use std::vec;

use tracing::debug;

use crate::inbox::{Event, LinkId, read_link};
use crate::link::Link;

/// The link in use, and the addresses that are left to try.
#[derive(Debug)]
pub(crate) struct Route {
    untried: vec::IntoIter<SocketAddr>,
    inbox: SyncSender<Event>,
    id: LinkId,
    link: Option<Link>,
    /// An address was there, but nobody listened at the port.
    refused: bool,
}

impl Route {
    /// A way to the first of these addresses that there is a way to.
    pub(crate) fn open(addresses: Vec<SocketAddr>, inbox: SyncSender<Event>) -> io::Result<Self> {
        let mut route = Self {
            untried: addresses.into_iter(),
            inbox,
            id: LinkId(0),
            link: None,
            refused: false,
        };
        route.advance(io::ErrorKind::AddrNotAvailable.into())?;
        Ok(route)
    }

    /// Gives up the present address because of this error and goes on to the next. When none is
    /// left it returns the error that says most.
    pub(crate) fn advance(&mut self, mut why: io::Error) -> io::Result<()> {
        self.link = None;
        self.refused |= why.kind() == io::ErrorKind::ConnectionRefused;
        while let Some(address) = self.untried.next() {
            debug!(%address, "trying");
            match self.try_address(address) {
                Ok(()) => return Ok(()),
                Err(error) => why = error,
            }
        }
        if self.refused {
            why = io::ErrorKind::ConnectionRefused.into();
        }
        Err(why)
    }

    /// Whether this is the link in use: what comes late from another one means nothing.
    pub(crate) fn is_current(&self, id: LinkId) -> bool {
        self.id == id
    }

    /// Sends a message. An error may be about the message before and this one not sent: so twice.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let Some(link) = &self.link else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        link.send(bytes).or_else(|_| link.send(bytes))
    }

    fn try_address(&mut self, address: SocketAddr) -> io::Result<()> {
        let link = Link::open(address)?;
        self.id.0 += 1;
        read_link(self.inbox.clone(), self.id, &link)?;
        self.link = Some(link);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::time::Duration;

    use super::*;
    use crate::link::tests::closed_port;

    fn lost(events: &Receiver<Event>) -> (LinkId, io::Error) {
        match events.recv_timeout(Duration::from_secs(20)).unwrap() {
            Event::Lost(id, error) => (id, error),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_closed_port_leads_on_to_the_next_address_and_at_last_to_none() {
        let ((_held, first), (_held_too, second)) = (closed_port(), closed_port());
        let (inbox, events) = sync_channel(8);
        let mut route = Route::open(vec![first, second], inbox).unwrap();
        for left in [true, false] {
            route.send(b"SPECTATE").unwrap();
            let (id, error) = lost(&events);
            assert!(route.is_current(id));
            assert_eq!(route.advance(error).is_ok(), left);
            assert_eq!(route.is_current(id), !left);
        }
        assert!(route.send(b"SPECTATE").is_err());
    }

    #[test]
    fn without_addresses_there_is_no_way() {
        let (inbox, _events) = sync_channel(8);
        assert!(Route::open(Vec::new(), inbox).is_err());
    }
}
