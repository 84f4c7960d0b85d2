//! The captured output of a program, up to a limit.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of bytes kept of stdout and of stderr. The rest is read and discarded, so that the program never blocks
/// on a full pipe.
pub const MAX_OUTPUT_BYTES: usize = 256 << 10;

/// The part of a long output that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeptPart {
    Start,
    /// The last part, of this many bytes.
    End(usize),
}

/// Reads a stream to its end, which a terminal reports as an error, or until `handle` returns false.
pub fn read_blocks(mut stream: impl Read, mut handle: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(length @ 1..) if handle(&buffer[..length]) => {}
            _ => return,
        }
    }
}

/// A stream that a thread of its own reads to the end.
#[derive(Clone, Debug)]
pub(crate) struct CapturedStream(Arc<Mutex<Captured>>);

#[derive(Debug, Default)]
struct Captured {
    bytes: Vec<u8>,
    has_ended: bool,
}

impl CapturedStream {
    pub(crate) fn new(stream: impl Read + Send + 'static, kept: KeptPart) -> Self {
        let captured = Self(Arc::default());
        let shared = captured.clone();
        std::thread::spawn(move || {
            read_blocks(stream, |block| {
                shared.append(kept, block);
                true
            });
            shared.lock().has_ended = true;
        });
        captured
    }

    fn append(&self, kept: KeptPart, bytes: &[u8]) {
        let all = &mut self.lock().bytes;
        all.extend_from_slice(bytes);
        match kept {
            KeptPart::Start => all.truncate(MAX_OUTPUT_BYTES),
            KeptPart::End(max) => drop(all.drain(..all.len().saturating_sub(max))),
        }
    }

    /// The kept bytes up to now.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lock().bytes.clone()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.lock().has_ended
    }

    fn lock(&self) -> MutexGuard<'_, Captured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_discarded_at_one_end() {
        for (kept, expected) in
            [(KeptPart::Start, vec![b'x'; MAX_OUTPUT_BYTES]), (KeptPart::End(4), b"xend".to_vec())]
        {
            let endless = std::io::repeat(b'x').take(3 * MAX_OUTPUT_BYTES as u64);
            let stream = CapturedStream::new(endless.chain(&b"end"[..]), kept);
            while !stream.has_ended() {
                std::thread::yield_now();
            }
            assert_eq!(stream.bytes(), expected);
        }
    }
}
