//! The messages exchanged with one program under test, with times.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::Clock;

/// The number of exchanges kept; older ones are dropped.
const MAX_EXCHANGES: usize = 200;
/// The number of unanswered messages listed after a crash, and of messages before them.
const MAX_LAST_SENT: usize = 3;
/// The number of bytes kept of each message.
const MAX_BYTES: usize = 4096;

/// The direction of an exchange, as seen from the program under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExchangeKind {
    /// Sent to the program.
    In,
    /// Sent by the program.
    Out,
    /// A note of the tester.
    Note,
}

/// One message, keystroke or note.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Exchange {
    /// Milliseconds since the program was started.
    #[serde(rename = "ms")]
    pub at_ms: u64,
    /// The tester's client, or other part, that sent or received it.
    pub who: String,
    /// The direction.
    #[serde(rename = "way")]
    pub kind: ExchangeKind,
    /// The content, with newlines and bytes that can't be printed escaped, truncated if long.
    pub text: String,
}

/// The exchanges with one program. Clones share the same log.
#[derive(Clone, Debug)]
pub struct Transcript {
    clock: Clock,
    log: Arc<Mutex<TranscriptLog>>,
}

#[derive(Debug, Default)]
struct TranscriptLog {
    exchanges: VecDeque<Exchange>,
    left_out: usize,
}

impl Transcript {
    /// An empty transcript whose times are those of the clock.
    pub fn new(clock: Clock) -> Self {
        Self { clock, log: Arc::default() }
    }

    /// Adds a message to the program or from it.
    pub(crate) fn note(&self, who: &str, kind: ExchangeKind, bytes: &[u8]) {
        let at_ms = self.clock.now().0;
        let mut log = self.log();
        let end = log.exchanges.len();
        log.insert(end, Exchange { at_ms, who: who.into(), kind, text: escape(bytes) });
    }

    /// Adds a message of the program that was read late, after the last exchange of that client. Its arrival time is
    /// unknown, so it gets the time of that exchange.
    pub(crate) fn note_late(&self, who: &str, bytes: &[u8]) {
        let mut log = self.log();
        if let Some(index) = log.exchanges.iter().rposition(|exchange| exchange.who == who) {
            let at_ms = log.exchanges[index].at_ms;
            let kind = ExchangeKind::Out;
            log.insert(index + 1, Exchange { at_ms, who: who.into(), kind, text: escape(bytes) });
        }
    }

    /// The last exchanges, and the number of earlier ones that were dropped.
    pub(crate) fn last(&self) -> (Vec<Exchange>, usize) {
        let log = self.log();
        (log.exchanges.iter().cloned().collect(), log.left_out)
    }

    /// Describes, for the report of a crash, the last few messages sent to the program since its own last message, and
    /// the last few before. An answer to any client counts: it may be caused by another client's message.
    pub(crate) fn last_sent(&self) -> String {
        let log = self.log();
        let all = log.exchanges.iter().rev();
        let silent = all.clone().take_while(|it| it.kind != ExchangeKind::Out).count();
        let list = |exchanges: &mut dyn Iterator<Item = &Exchange>| {
            let sent = exchanges.filter(|exchange| exchange.kind == ExchangeKind::In);
            let sent = sent.take(MAX_LAST_SENT).map(|it| format!("'{}' from {}", it.text, it.who));
            let mut sent: Vec<String> = sent.collect();
            sent.reverse();
            sent.join(", then ")
        };
        let unanswered = match list(&mut all.clone().take(silent)) {
            none if none.is_empty() => "it had answered everything that was sent to it".to_owned(),
            sent => format!("since its last answer it was sent {sent}"),
        };
        match list(&mut all.skip(silent)) {
            none if none.is_empty() => unanswered,
            sent => format!("{unanswered}; before that {sent}"),
        }
    }

    fn log(&self) -> MutexGuard<'_, TranscriptLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TranscriptLog {
    fn insert(&mut self, index: usize, exchange: Exchange) {
        self.exchanges.insert(index, exchange);
        if self.exchanges.len() > MAX_EXCHANGES {
            self.exchanges.pop_front();
            self.left_out += 1;
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = match self.kind {
            ExchangeKind::In => "->",
            ExchangeKind::Out => "<-",
            ExchangeKind::Note => "--",
        };
        write!(f, "{:>8} {:>12} {arrow} {}", seconds(self.at_ms), self.who, self.text)
    }
}

fn escape(bytes: &[u8]) -> String {
    let text = bytes[..bytes.len().min(MAX_BYTES)].escape_ascii().to_string();
    // Quotes and apostrophes need no backslash here.
    let text = text.replace("\\'", "'").replace("\\\"", "\"");
    match bytes.len() {
        0 => "(an empty datagram)".into(),
        length if length > MAX_BYTES => format!("{text}… ({length} bytes)"),
        _ => text,
    }
}

/// A time with three decimals, such as `12.345`.
pub(crate) fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(exchanges: &[(&str, ExchangeKind, &str)]) -> Transcript {
        let transcript = Transcript::new(Clock::start());
        for (who, kind, text) in exchanges {
            transcript.note(who, *kind, text.as_bytes());
        }
        transcript
    }

    #[test]
    fn only_the_last_exchanges_are_kept_and_control_bytes_are_escaped() {
        let transcript = transcript(&[]);
        for number in 0..MAX_EXCHANGES + 3 {
            transcript.note("Ann", ExchangeKind::In, format!("KEY {number}\x1b\n").as_bytes());
        }
        transcript.note("Ann", ExchangeKind::Out, b"ERROR it's");
        let (last, left_out) = transcript.last();
        assert_eq!((last.len(), left_out), (MAX_EXCHANGES, 4));
        assert_eq!(last[0].text, "KEY 4\\x1b\\n");
        assert_eq!(last[MAX_EXCHANGES - 1].text, "ERROR it's");
    }

    #[test]
    fn messages_since_the_last_answer_are_listed_in_order() {
        let transcript = transcript(&[
            ("Ann", ExchangeKind::In, "PLAY Ann"),
            ("Ann", ExchangeKind::Out, "OK A"),
            ("Ann", ExchangeKind::In, ""),
            ("Ann", ExchangeKind::Note, "a note"),
            ("Ann", ExchangeKind::In, "SPECTATE"),
        ]);
        assert_eq!(
            transcript.last_sent(),
            "since its last answer it was sent '(an empty datagram)' from Ann, then 'SPECTATE' from \
             Ann; before that 'PLAY Ann' from Ann"
        );
    }

    #[test]
    fn an_answer_that_was_read_late_follows_its_question() {
        let transcript = transcript(&[
            ("Ann", ExchangeKind::In, "PLAY Ann"),
            ("watcher", ExchangeKind::In, "SPECTATE"),
            ("watcher", ExchangeKind::Out, "GRID 5 5"),
            ("Bob", ExchangeKind::In, "KEY h"),
        ]);
        transcript.note_late("Ann", b"OK B");
        transcript.note_late("Ann", b"GRID 5 5");
        transcript.note_late("Cat", b"OK C");
        let (exchanges, _) = transcript.last();
        let texts: Vec<&str> = exchanges.iter().map(|e| e.text.as_str()).collect();
        assert_eq!(texts, ["PLAY Ann", "OK B", "GRID 5 5", "SPECTATE", "GRID 5 5", "KEY h"]);
        assert_eq!(exchanges[0].at_ms, exchanges[1].at_ms);
        let sent = transcript.last_sent();
        assert!(sent.starts_with("since its last answer it was sent 'KEY h' from Bob; "), "{sent}");
    }
}
