//! The short-lived note to the right of the status line.

use nuggets_session::Timestamp;

/// The lifetime of a note if no key is pressed, in milliseconds.
const LIFETIME_MS: u64 = 5_000;

/// A key without a meaning was pressed.
pub(super) const UNKNOWN_KEYSTROKE: &str = "unknown keystroke";
/// A spectator has pressed a key of players. It is not sent.
pub(super) const SPECTATOR_KEY: &str = "a spectator can only press Q";
/// A malformed message arrived from the server.
pub(super) const MALFORMED_MESSAGE: &str = "malformed message";
/// The server's port is closed, or it does not answer.
pub(super) const SILENT_SERVER: &str = "server not answering; Q leaves";
/// A key whose step leads into a wall or rock.
pub(super) const WALL_AHEAD: &str = "a wall is in the way";
/// `q` was pressed where it has no other meaning.
pub(super) const HOW_TO_QUIT: &str = "Q (capital) leaves the game";
/// A key without a meaning was pressed in a game of our own.
pub(super) const UNKNOWN_KEY: &str = "unknown key; ? lists the keys";
/// The bots wait.
pub(super) const PAUSED: &str = "paused; any key continues";
/// The bots have not begun.
pub(super) const NOT_BEGUN: &str = "any key starts; ? for help";
/// The view does not follow the player.
pub(super) const LOOKING_AROUND: &str = "looking around; Tab returns";
/// `O` was stopped by something new.
pub(super) const SOMETHING_NEW: &str = "new in sight";
/// Tab was pressed where the whole map is shown.
pub(super) const NOTHING_TO_SCROLL: &str = "the whole map is in view";
/// `i` was pressed in a window that has no room for the panel.
pub(super) const NO_ROOM_FOR_PANEL: &str = "no room for the panel";
/// `o` has nothing left to do.
pub(super) const FULLY_EXPLORED: &str = "nowhere left to explore";
/// A click on a gridpoint to which no known path leads.
pub(super) const NO_PATH: &str = "no known path there";
/// A walk makes no progress.
pub(super) const BLOCKED: &str = "path is blocked";
/// `KEY Q` was sent again.
pub(super) const AWAITING_CONFIRMATION: &str = "waiting for confirmation";
/// `QUIT` arrived without a text, and the final table may still follow.
pub(super) const AWAITING_RESULT: &str = "waiting for the result";

/// A note with its expiry time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    text: String,
    until: Timestamp,
    /// The part of it about gold, with the expiry time of that part.
    gold: Option<(String, Timestamp)>,
}

impl Note {
    /// Creates a note that appears now. The gold part of the previous note keeps its expiry time: some servers send an
    /// error reply after every step.
    pub(super) fn new(now: Timestamp, text: &str, before: Option<Self>) -> Self {
        let gold = before.and_then(|note| note.gold).filter(|&(_, until)| now < until);
        let text = match &gold {
            Some((gold, _)) => format!("{gold}, {text}"),
            None => text.to_owned(),
        };
        Self { text, until: now.after(LIFETIME_MS), gold }
    }

    /// Creates a note that later ones are appended to while it lasts, as they are to a note about gold.
    pub(super) fn lasting(now: Timestamp, text: &str) -> Self {
        let until = now.after(LIFETIME_MS);
        Self { text: text.to_owned(), until, gold: Some((text.to_owned(), until)) }
    }

    /// True if later notes are appended to this one.
    pub(super) fn is_lasting(&self, now: Timestamp) -> bool {
        self.gold.as_ref().is_some_and(|&(_, until)| now < until)
    }

    /// Creates the note about nuggets that were just picked up.
    pub(super) fn gold(now: Timestamp, found: u32) -> Self {
        Self::lasting(now, &format!("GOLD received: {found}"))
    }

    /// Its text in printable ASCII.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns its expiry time.
    pub(super) fn until(&self) -> Timestamp {
        self.until
    }
}
