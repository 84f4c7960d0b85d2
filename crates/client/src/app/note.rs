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
/// `Q` was sent and is about to be sent again.
pub(crate) const PARTING: &str = "waiting for a goodbye";

/// A note and the moment at which it goes away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    text: String,
    until: Millis,
}

impl Note {
    /// A note that comes up now.
    pub(crate) fn new(now: Millis, text: String) -> Self {
        Self { text, until: now.after(LASTS_MS) }
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
