//! The brief note to the right of the status line: what it says and how long it stays.

use crate::Millis;

/// How long a note stays when no key is pressed.
const LASTS_MS: u64 = 5_000;

/// A key that means nothing.
pub(crate) const UNKNOWN_KEYSTROKE: &str = "unknown keystroke";
/// A message that means nothing.
pub(crate) const MALFORMED_MESSAGE: &str = "malformed message";
/// The port of the server is closed, for the moment at least.
pub(crate) const SILENT_SERVER: &str = "server silent; Q leaves";
/// `o` has nothing to do.
pub(crate) const NOWHERE: &str = "nowhere left to explore";
/// Somebody has clicked where nobody can walk to, as far as we know.
pub(crate) const NO_WAY: &str = "no known way there";
/// A walk does not get on.
pub(crate) const STUCK: &str = "can't get on";
/// `Q` was sent and is about to be sent again.
pub(crate) const PARTING: &str = "waiting for a goodbye";
/// The server has sent us away and not said why.
pub(crate) const WONDERING: &str = "waiting for the result";

/// A note and the moment at which it goes away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    text: String,
    until: Millis,
    /// The part of it about gold, and when that is old news.
    gold: Option<(String, Millis)>,
}

impl Note {
    /// A note that comes up now. Gold in the note before is news for its time and stays: a server
    /// may have something to say after every step.
    pub(crate) fn new(now: Millis, text: &str, before: Option<Self>) -> Self {
        let gold = before.and_then(|note| note.gold).filter(|&(_, until)| now < until);
        let text = match &gold {
            Some((gold, _)) => format!("{gold}, {text}"),
            None => text.to_owned(),
        };
        Self { text, until: now.after(LASTS_MS), gold }
    }

    /// So many nuggets were found now.
    pub(crate) fn gold(now: Millis, found: u32) -> Self {
        let (text, until) = (format!("GOLD received: {found}"), now.after(LASTS_MS));
        Self { text: text.clone(), until, gold: Some((text, until)) }
    }

    /// What it says, in printable ASCII.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// When it goes away.
    pub(crate) fn until(&self) -> Millis {
        self.until
    }
}
