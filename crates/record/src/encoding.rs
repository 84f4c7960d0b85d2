//! Numbers, texts and peer tokens as bytes and back; numbers lowest byte first.

use crate::PeerToken;
use crate::file_header::Format;

/// Reads values from the front of a slice. Every method returns `None` if the slice is too short.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'a> {
    all: &'a [u8],
    taken: usize,
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { all, taken: 0 }
    }

    /// The number of bytes read.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// All bytes that were read.
    pub(crate) fn consumed(&self) -> &'a [u8] {
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

    /// A number of up to eight bytes.
    pub(crate) fn short(&mut self, count: u8) -> Option<u64> {
        let mut wide = [0; 8];
        let bytes = self.take(count.into())?;
        wide[..bytes.len()].copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    }

    /// Bytes prefixed with one byte that holds their count.
    pub(crate) fn prefixed(&mut self) -> Option<&'a [u8]> {
        let count = self.u8()?;
        self.take(count.into())
    }

    /// The token of a peer; `None` if the record names no peer.
    pub(crate) fn peer(&mut self, format: Format) -> Result<Option<PeerToken>, BadPeer> {
        let token = match format {
            Format::V1 => self.version_1_peer(),
            Format::V2 | Format::V3 => self.prefixed(),
        };
        token.map(PeerToken::new).ok_or(BadPeer)
    }

    /// Version 1 writes an address as its kind and its bytes. Both together are the token.
    fn version_1_peer(&mut self) -> Option<&'a [u8]> {
        let start = self.taken;
        match self.u8()? {
            NO_PEER => return Some(&[]),
            TOKEN => return self.prefixed(),
            kind => self.take(address_bytes(kind)?)?,
        };
        Some(&self.all[start..self.taken])
    }
}

/// These bytes are neither a peer nor the mark that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadPeer;

/// The values of the first byte of a peer in version 1. Version 1 as first written has no `TOKEN`; it is
/// there for journals that a later program resumes with a peer that is not an address.
const NO_PEER: u8 = 0;
const TOKEN: u8 = 1;
const IPV4: u8 = 4;
const IPV6: u8 = 6;

/// The number of bytes after the kind of an address: octets and port, for IPv6 also flow label and scope.
fn address_bytes(kind: u8) -> Option<usize> {
    match kind {
        IPV4 => Some(4 + 2),
        IPV6 => Some(16 + 2 + 4 + 4),
        _ => None,
    }
}

/// The bytes of a number, and their count without leading zeros.
pub(crate) fn shortened(number: u64) -> ([u8; 8], u8) {
    let count = number.to_le_bytes().into_iter().zip(1..).filter(|(byte, _)| *byte != 0).last();
    (number.to_le_bytes(), count.map_or(0, |(_, count)| count))
}

/// Appends at most 255 bytes, prefixed with one byte that holds their count.
pub(crate) fn push_prefixed(text: &[u8], out: &mut Vec<u8>) {
    out.push(u8::try_from(text.len()).expect("names, versions and tokens are short"));
    out.extend(text);
}

/// Appends the token of a peer, or the mark for no peer.
pub(crate) fn push_peer(peer: Option<&PeerToken>, format: Format, out: &mut Vec<u8>) {
    let token = peer.map_or(&[][..], PeerToken::as_bytes);
    if format == Format::V1 && !token.is_empty() {
        if address_bytes(token[0]) == Some(token.len() - 1) {
            return out.extend(token);
        }
        out.push(TOKEN);
    }
    push_prefixed(token, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_without_leading_zeros() {
        for (number, wanted) in [(0, 0), (1, 1), (255, 1), (256, 2), (65_536, 3), (u64::MAX, 8)] {
            let (bytes, count) = shortened(number);
            assert_eq!(count, wanted, "{number}");
            assert_eq!(ByteReader::new(&bytes[..count.into()]).short(count), Some(number));
        }
    }

    #[test]
    fn a_value_that_is_cut_off_is_not_read() {
        let mut bytes = ByteReader::new(&[3, b'A', b'n']);
        assert_eq!(bytes.prefixed(), None);
        let peer = |format, bytes| ByteReader::new(bytes).peer(format);
        assert_eq!(peer(Format::V1, &[7, 0, 0, 0, 0, 0, 0]), Err(BadPeer), "unknown kind");
        assert_eq!(peer(Format::V1, &[4, 127, 0, 0, 1, 5]), Err(BadPeer), "half a port");
        assert_eq!(peer(Format::V2, &[4, 127, 0, 0]), Err(BadPeer), "a byte is missing");
    }

    #[test]
    fn every_token_is_read_as_it_was_written_in_both_formats() {
        let ipv6 = [&[6][..], &[1; 26]].concat();
        let longest = [4; PeerToken::MAX_BYTES];
        for token in [&[][..], &[4, 127, 0, 0, 1, 160, 15], &ipv6, &[4], &[6, 1], b"w", &longest] {
            let token = PeerToken::new(token);
            for format in [Format::V1, Format::V2, Format::V3] {
                let mut bytes = vec![];
                push_peer(token.as_ref(), format, &mut bytes);
                let mut read = ByteReader::new(&bytes);
                assert_eq!(read.peer(format), Ok(token.clone()), "{format:?}");
                assert_eq!(read.taken(), bytes.len());
            }
        }
    }

    #[test]
    fn version_1_writes_an_address_as_its_token_without_a_length() {
        for token in [[&[4][..], &[1; 6]].concat(), [&[6][..], &[1; 26]].concat()] {
            let mut old = vec![];
            let mut new = vec![];
            push_peer(PeerToken::new(&token).as_ref(), Format::V1, &mut old);
            push_peer(PeerToken::new(&token).as_ref(), Format::V2, &mut new);
            assert_eq!(old, token);
            assert_eq!(new[1..], token);
        }
    }
}
