//! Who said what to whom, and when.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::Clock;

/// So many exchanges are kept: the last ones count.
const MOST_EXCHANGES: usize = 200;
/// So many that had no answer are told, and as many before them.
const MOST_UNANSWERED: usize = 3;
/// So many bytes of each are kept.
const MOST_BYTES: usize = 4096;

/// Which way something went, as seen from the program under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// To the program.
    In,
    /// From the program.
    Out,
    /// A remark of the tester's.
    Note,
}

/// One message or keystroke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// Milliseconds since the program was started.
    #[serde(rename = "ms", serialize_with = "as_millis")]
    pub at: Duration,
    /// Who on our side sent or heard it.
    pub who: String,
    /// Which way it went.
    pub way: Way,
    /// What it was, with newlines and bytes that can't be shown escaped; cut if it is very long.
    pub text: String,
}

/// What was exchanged with one program. Clones write to the same pages.
#[derive(Clone, Debug)]
pub struct Transcript {
    clock: Clock,
    pages: Arc<Mutex<Pages>>,
}

/// What was sent to a program at the last, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastSent {
    /// Since the program last said anything.
    pub unanswered: Vec<Exchange>,
    /// Before that.
    pub before: Vec<Exchange>,
}

#[derive(Debug, Default)]
struct Pages {
    exchanges: std::collections::VecDeque<Exchange>,
    left_out: usize,
}

impl Transcript {
    /// Nothing said so far, and time begins.
    pub fn new(clock: Clock) -> Self {
        Self { clock, pages: Arc::default() }
    }

    /// Notes what went to the program or came from it.
    pub fn note(&self, who: &str, way: Way, bytes: &[u8]) {
        let exchange =
            Exchange { at: self.clock.elapsed(), who: who.into(), way, text: show(bytes) };
        let mut pages = self.pages();
        pages.exchanges.push_back(exchange);
        pages.forget_the_first();
    }

    /// The last exchanges, and how many before them were left out.
    pub fn last(&self) -> (Vec<Exchange>, usize) {
        let pages = self.pages();
        (pages.exchanges.iter().cloned().collect(), pages.left_out)
    }

    /// Notes what came from the program and was read late, behind what was said or heard there last.
    /// When it came nobody knows: it is told with the time of what it answers.
    pub fn note_late(&self, who: &str, bytes: &[u8]) {
        let mut pages = self.pages();
        let Some(place) = pages.exchanges.iter().rposition(|exchange| exchange.who == who) else {
            return;
        };
        let at = pages.exchanges[place].at;
        let exchange = Exchange { at, who: who.into(), way: Way::Out, text: show(bytes) };
        pages.exchanges.insert(place + 1, exchange);
        pages.forget_the_first();
    }

    /// What was sent to the program since it last said anything, the last few of it; and the last few
    /// of what was sent before. Whoever hears an answer, it may be to somebody else's message.
    pub fn last_sent(&self) -> LastSent {
        let pages = self.pages();
        let is_sent = |exchange: &&Exchange| exchange.way == Way::In;
        let all = pages.exchanges.iter().rev();
        let silent = all.clone().take_while(|exchange| exchange.way != Way::Out).count();
        let last = |exchanges: &mut dyn Iterator<Item = &Exchange>| {
            let mut sent: Vec<Exchange> =
                exchanges.filter(is_sent).take(MOST_UNANSWERED).cloned().collect();
            sent.reverse();
            sent
        };
        LastSent {
            unanswered: last(&mut all.clone().take(silent)),
            before: last(&mut all.skip(silent)),
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    /// The last ones count.
    fn forget_the_first(&mut self) {
        if self.exchanges.len() > MOST_EXCHANGES {
            self.exchanges.pop_front();
            self.left_out += 1;
        }
    }
}

/// In a sentence, for the report of a crash.
impl fmt::Display for LastSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |sent: &[Exchange]| {
            let one = |sent: &Exchange| format!("'{}' from {}", sent.text, sent.who);
            sent.iter().map(one).collect::<Vec<_>>().join(", then ")
        };
        match self.unanswered[..] {
            [] => write!(f, "it had answered all that was sent to it")?,
            ref sent => write!(f, "since its last answer it was sent {}", told(sent))?,
        }
        match self.before[..] {
            [] => Ok(()),
            ref sent => write!(f, "; before that {}", told(sent)),
        }
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = match self.way {
            Way::In => "->",
            Way::Out => "<-",
            Way::Note => "--",
        };
        let seconds = self.at.as_secs_f64();
        write!(f, "{seconds:8.3} {:>10} {arrow} {}", self.who, self.text)
    }
}

fn show(bytes: &[u8]) -> String {
    let shown = bytes[..bytes.len().min(MOST_BYTES)].escape_ascii().to_string();
    // Quotes and apostrophes need no backslash here.
    let shown = shown.replace("\\'", "'").replace("\\\"", "\"");
    match bytes.len() {
        0 => "(an empty datagram)".into(),
        length if length > MOST_BYTES => format!("{shown}… ({length} bytes)"),
        _ => shown,
    }
}

fn as_millis<S: Serializer>(at: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(at.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exchanges_are_kept_and_no_byte_reaches_a_terminal_raw() {
        let transcript = Transcript::new(Clock::start());
        for number in 0..MOST_EXCHANGES + 3 {
            transcript.note("Ann", Way::In, format!("KEY {number}\x1b\n").as_bytes());
        }
        transcript.note("Ann", Way::Out, b"ERROR it's");
        let (last, left_out) = transcript.last();
        assert_eq!((last.len(), left_out), (MOST_EXCHANGES, 4));
        assert_eq!(last[MOST_EXCHANGES - 1].text, "ERROR it's");
    }
    #[test]
    fn what_was_sent_since_the_last_answer_is_told_in_its_order() {
        let transcript = Transcript::new(Clock::start());
        for (way, text) in [
            (Way::In, "PLAY Ann"),
            (Way::Out, "OK A"),
            (Way::In, ""),
            (Way::Note, "a remark"),
            (Way::In, "SPECTATE"),
        ] {
            transcript.note("Ann", way, text.as_bytes());
        }
        let told = transcript.last_sent().to_string();
        let since =
            "since its last answer it was sent '(an empty datagram)' from Ann, then 'SPECTATE'";
        assert_eq!(told, format!("{since} from Ann; before that 'PLAY Ann' from Ann"));
    }
    #[test]
    fn an_answer_that_was_read_late_stands_behind_its_question() {
        let transcript = Transcript::new(Clock::start());
        for (who, way, text) in [
            ("Ann", Way::In, "PLAY Ann"),
            ("watcher", Way::In, "SPECTATE"),
            ("watcher", Way::Out, "GRID 5 5"),
            ("Bob", Way::In, "KEY h"),
        ] {
            transcript.note(who, way, text.as_bytes());
        }
        transcript.note_late("Ann", b"OK B");
        transcript.note_late("Ann", b"GRID 5 5");
        transcript.note_late("Cat", b"OK C");
        let (exchanges, _) = transcript.last();
        let texts: Vec<&str> = exchanges.iter().map(|e| e.text.as_str()).collect();
        assert_eq!(texts, ["PLAY Ann", "OK B", "GRID 5 5", "SPECTATE", "GRID 5 5", "KEY h"]);
        assert_eq!(exchanges[0].at, exchanges[1].at);
        assert_eq!(transcript.last_sent().unanswered.len(), 1, "the crash is not of Ann's making");
    }
}
