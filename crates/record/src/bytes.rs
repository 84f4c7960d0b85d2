//! Numbers and texts as bytes, lowest byte first, and back. What they mean is not asked here.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// Bytes that are taken from the front. Whatever is not there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    all: &'a [u8],
    taken: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { all, taken: 0 }
    }

    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// All that are taken.
    pub(crate) fn so_far(&self) -> &'a [u8] {
        &self.all[..self.taken]
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let bytes = self.all.get(self.taken..self.taken.checked_add(count)?)?;
        self.taken += count;
        Some(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of fewer than eight bytes.
    pub(crate) fn short(&mut self, count: u8) -> Option<u64> {
        let mut wide = [0; 8];
        let bytes = self.take(count.into())?;
        wide[..bytes.len()].copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    }

    /// A text behind a byte that says how long it is.
    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        let count = self.u8()?;
        self.take(count.into())
    }

    /// An address behind its kind, which may be that there is none.
    pub(crate) fn peer(&mut self) -> Result<Option<SocketAddr>, NoPeer> {
        match self.u8().ok_or(NoPeer)? {
            NONE => Ok(None),
            IPV4 => self.ipv4().ok_or(NoPeer).map(Some),
            IPV6 => self.ipv6().ok_or(NoPeer).map(Some),
            _ => Err(NoPeer),
        }
    }

    fn ipv4(&mut self) -> Option<SocketAddr> {
        let ip = Ipv4Addr::from(self.array::<4>()?);
        Some(SocketAddrV4::new(ip, self.u16()?).into())
    }

    fn ipv6(&mut self) -> Option<SocketAddr> {
        let ip = Ipv6Addr::from(self.array::<16>()?);
        Some(SocketAddrV6::new(ip, self.u16()?, self.u32()?, self.u32()?).into())
    }
}

/// These bytes are no address, nor do they say that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoPeer;

const NONE: u8 = 0;
const IPV4: u8 = 4;
const IPV6: u8 = 6;

/// The bytes of a number up to its highest that isn't 0, and how many these are.
pub(crate) fn shortened(number: u64) -> ([u8; 8], u8) {
    let count = number.to_le_bytes().into_iter().zip(1..).filter(|(byte, _)| *byte != 0).last();
    (number.to_le_bytes(), count.map_or(0, |(_, count)| count))
}

/// Appends a text of at most 255 bytes behind its length.
pub(crate) fn push_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(u8::try_from(text.len()).expect("names and versions are short"));
    out.extend(text);
}

/// Appends an address behind its kind.
pub(crate) fn push_peer(peer: Option<SocketAddr>, out: &mut Vec<u8>) {
    match peer {
        None => out.push(NONE),
        Some(SocketAddr::V4(peer)) => {
            out.push(IPV4);
            out.extend(peer.ip().octets());
            out.extend(peer.port().to_le_bytes());
        }
        Some(SocketAddr::V6(peer)) => {
            out.push(IPV6);
            out.extend(peer.ip().octets());
            out.extend(peer.port().to_le_bytes());
            out.extend(peer.flowinfo().to_le_bytes());
            out.extend(peer.scope_id().to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_takes_no_more_bytes_than_it_must() {
        for (number, wanted) in [(0, 0), (1, 1), (255, 1), (256, 2), (65_536, 3), (u64::MAX, 8)] {
            let (bytes, count) = shortened(number);
            assert_eq!(count, wanted, "{number}");
            assert_eq!(Bytes::new(&bytes[..count.into()]).short(count), Some(number));
        }
    }

    #[test]
    fn what_is_not_there_is_none() {
        let mut bytes = Bytes::new(&[3, b'A', b'n']);
        assert_eq!(bytes.text(), None);
        assert_eq!(Bytes::new(&[7, 0, 0, 0, 0, 0, 0]).peer(), Err(NoPeer), "no such kind");
        assert_eq!(Bytes::new(&[4, 127, 0, 0, 1, 5]).peer(), Err(NoPeer), "half a port");
    }
}
