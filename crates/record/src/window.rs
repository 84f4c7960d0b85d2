//! The part of an input that is being read. However long the input is, only this part is in memory.

use std::io::{self, Read};

/// The buffer is filled up to at least this many bytes.
const CHUNK_BYTES: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct ReadBuffer<R> {
    input: R,
    buffer: Vec<u8>,
    /// The number of bytes at the start of the buffer that were passed.
    passed: usize,
    has_ended: bool,
}

impl<R: Read> ReadBuffer<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: vec![], passed: 0, has_ended: false }
    }

    /// The bytes that come next: at least this many, unless the input ends before.
    pub(crate) fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.passed < wanted && !self.has_ended {
            self.buffer.drain(..self.passed);
            self.passed = 0;
            let more = wanted.max(CHUNK_BYTES) - self.buffer.len();
            let limit = u64::try_from(more).unwrap_or(u64::MAX);
            self.has_ended = self.input.by_ref().take(limit).read_to_end(&mut self.buffer)? < more;
        }
        Ok(&self.buffer[self.passed..])
    }

    /// Passes bytes that were peeked.
    pub(crate) fn pass(&mut self, count: usize) {
        self.passed += count;
        assert!(self.passed <= self.buffer.len(), "only what was peeked can be passed");
    }

    /// Changes a byte that was peeked.
    pub(crate) fn set(&mut self, index: usize, byte: u8) {
        self.buffer[self.passed + index] = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_input_is_read_in_small_parts() {
        let mut window = ReadBuffer::new(io::repeat(7));
        for _ in 0..100 {
            let length = window.peek(100_000).unwrap().len();
            assert!((100_000..300_000).contains(&length), "{length}");
            window.pass(length - 5);
            assert!(window.buffer.capacity() < 400_000);
        }
    }

    #[test]
    fn the_rest_of_an_input_comes_when_it_ends() {
        let mut window = ReadBuffer::new(&b"abcdef"[..]);
        window.peek(2).unwrap();
        window.pass(4);
        window.set(1, b'x');
        assert_eq!(window.peek(100).unwrap(), b"ex");
        window.pass(2);
        assert_eq!(window.peek(1).unwrap(), b"");
    }
}
