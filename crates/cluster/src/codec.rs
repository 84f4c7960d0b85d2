//! How records and messages become bytes: LEB128 numbers, and bytes with their length. Reading never panics.

use thiserror::Error;

use crate::{ConnectionId, Epoch, Instance, LogName, NodeId};

/// Bytes that no node of this version has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the bytes are no record or message of this version")]
pub struct DecodeError;

/// Writes values one after another.
#[derive(Debug, Default)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    /// Begins with the tag that says what follows.
    pub(crate) fn with_tag(tag: u8) -> Self {
        Self(vec![tag])
    }

    pub(crate) fn number(mut self, mut number: u64) -> Self {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
        self
    }

    pub(crate) fn flag(self, flag: bool) -> Self {
        self.number(flag.into())
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self = self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn log(self, log: &LogName) -> Self {
        self.bytes(log.as_str().as_bytes())
    }

    pub(crate) fn epoch(self, epoch: Epoch) -> Self {
        self.number(epoch.0)
    }

    pub(crate) fn instance(self, instance: &Instance) -> Self {
        self.bytes(instance.node.as_str().as_bytes()).number(instance.incarnation)
    }

    pub(crate) fn connection(self, connection: &ConnectionId) -> Self {
        self.instance(&connection.edge).number(connection.number)
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads what an [`Encoder`] has written.
#[derive(Debug)]
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        let (first, rest) = self.0.split_first().ok_or(DecodeError)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Result<u64, DecodeError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(DecodeError);
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(DecodeError)
    }

    pub(crate) fn flag(&mut self) -> Result<bool, DecodeError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError),
        }
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = usize::try_from(self.number()?).map_err(|_| DecodeError)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(DecodeError)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| DecodeError)
    }

    pub(crate) fn log(&mut self) -> Result<LogName, DecodeError> {
        LogName::new(self.text()?).map_err(|_| DecodeError)
    }

    pub(crate) fn epoch(&mut self) -> Result<Epoch, DecodeError> {
        self.number().map(Epoch)
    }

    pub(crate) fn instance(&mut self) -> Result<Instance, DecodeError> {
        let node = NodeId::new(self.text()?).map_err(|_| DecodeError)?;
        Ok(Instance { node, incarnation: self.number()? })
    }

    pub(crate) fn connection(&mut self) -> Result<ConnectionId, DecodeError> {
        Ok(ConnectionId { edge: self.instance()?, number: self.number()? })
    }

    /// A list whose length was written first. No more memory is reserved than there are bytes.
    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let count = self.number()?;
        if count > self.0.len() as u64 {
            return Err(DecodeError);
        }
        (0..count).map(|_| read(self)).collect()
    }

    /// Nothing may follow.
    pub(crate) fn finish(self) -> Result<(), DecodeError> {
        if self.0.is_empty() { Ok(()) } else { Err(DecodeError) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_is_read_as_it_was_written(number: u64) {
            let bytes = Encoder::default().number(number).finish();
            let mut decoder = Decoder::new(&bytes);
            prop_assert_eq!(decoder.number(), Ok(number));
            prop_assert_eq!(decoder.finish(), Ok(()));
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_rejected() {
        assert_eq!(Decoder::new(&[0xff; 11]).number(), Err(DecodeError));
        let mut ten = [0xff; 10];
        ten[9] = 2;
        assert_eq!(Decoder::new(&ten).number(), Err(DecodeError));
    }

    #[test]
    fn a_length_beyond_the_end_is_rejected() {
        assert_eq!(Decoder::new(&[5, 1, 2]).bytes(), Err(DecodeError));
        assert_eq!(Decoder::new(&[200, 1, 2]).list(Decoder::byte), Err(DecodeError));
    }
}
