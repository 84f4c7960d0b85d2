//! What happened, line by line. Only the last lines are kept unless all are wanted.

use std::collections::VecDeque;
use std::fmt;

use nuggets_server::Millis;

/// So many lines tell how it came to a failure.
const LINES: usize = 30;
/// So much of a datagram is shown.
const HEAD: usize = 48;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    at: Millis,
    client: u64,
    what: &'static str,
    head: Vec<u8>,
    length: usize,
}

/// The lines so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    lines: VecDeque<Line>,
    pub(super) keeps_all: bool,
    /// Of everything that ever happened: two runs with the same digest were the same run.
    pub(super) digest: u64,
}

impl Trace {
    pub(super) fn note(&mut self, at: Millis, client: u64, what: &'static str, bytes: &[u8]) {
        let moment = [at.0, client].map(u64::to_le_bytes).concat();
        for byte in moment.iter().chain(what.as_bytes()).chain(bytes) {
            // FNV-1a.
            self.digest = (self.digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if !self.keeps_all && self.lines.len() == LINES {
            self.lines.pop_front();
        }
        let head = bytes[..bytes.len().min(HEAD)].to_vec();
        self.lines.push_back(Line { at, client, what, head, length: bytes.len() });
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ms) = (self.at.0 / 1_000, self.at.0 % 1_000);
        write!(f, "{seconds:>4}.{ms:03} client {} {}", self.client, self.what)?;
        if self.length > 0 {
            write!(f, " {}", self.head.escape_ascii())?;
        }
        if self.length > HEAD { write!(f, "... ({} bytes)", self.length) } else { Ok(()) }
    }
}
