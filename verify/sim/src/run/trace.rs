//! The trace of a run: one line for every arrival. Only the last lines are kept unless all are wanted.

use std::collections::VecDeque;
use std::fmt;

use nuggets_server::Timestamp;

/// The number of lines kept for the report of a failure.
const MAX_LINES: usize = 30;
/// How many bytes of a datagram are shown.
const MAX_HEAD_BYTES: usize = 48;

/// In place of a client: the line is about the server.
pub(super) const SERVER: u64 = u64::MAX;

/// One arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    at: Timestamp,
    client: u64,
    what: &'static str,
    head: Vec<u8>,
    length: usize,
}

/// The lines so far, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    lines: VecDeque<Line>,
    pub(super) keeps_all: bool,
    /// A hash of every arrival so far: equal digests are equal runs.
    pub(super) digest: u64,
}

impl Trace {
    pub(super) fn note(&mut self, at: Timestamp, client: u64, what: &'static str, bytes: &[u8]) {
        let prefix = [at.0, client].map(u64::to_le_bytes).concat();
        for byte in prefix.iter().chain(what.as_bytes()).chain(bytes) {
            // FNV-1a.
            self.digest = (self.digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if !self.keeps_all && self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        let head = bytes[..bytes.len().min(MAX_HEAD_BYTES)].to_vec();
        self.lines.push_back(Line { at, client, what, head, length: bytes.len() });
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.at.0 / 1_000;
        let ms = self.at.0 % 1_000;
        write!(f, "{seconds:>4}.{ms:03} ")?;
        if self.client != SERVER {
            write!(f, "client {} ", self.client)?;
        }
        f.write_str(self.what)?;
        if self.length > 0 {
            write!(f, " {}", self.head.escape_ascii())?;
        }
        if self.length > MAX_HEAD_BYTES { write!(f, "... ({} bytes)", self.length) } else { Ok(()) }
    }
}
