//! The checked settings of a client.

use nuggets_session::{LinkTarget, Timestamp};
use nuggets_tui::{ColorChoice, KeyBindings};

use crate::{App, Join};

/// Which server to join, as whom, and how to look.
///
/// ```
/// use nuggets_client::{ClientSettings, Start};
/// use nuggets_session::LinkTarget;
/// use nuggets_tui::{ColorChoice, KeyBindings};
///
/// let settings = ClientSettings {
///     place: "localhost:1234".into(),
///     target: LinkTarget::Udp(vec!["127.0.0.1:1234".parse().unwrap()]),
///     name: Some(b"Ann".to_vec()),
///     color: "never".parse().unwrap(),
///     hint: None,
///     auto: true,
///     scroll: false,
///     panel: false,
///     bell: true,
///     start: Start::Server,
///     keys: KeyBindings::default(),
///     lines: false,
/// };
/// assert_eq!(settings.color, ColorChoice::Never);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct ClientSettings {
    /// The server as the person named it: host and port, or the link of a game.
    pub place: String,
    /// Where the link leads.
    pub target: LinkTarget,
    /// The name to play under; `None` to watch.
    pub name: Option<Vec<u8>>,
    /// Whether to use colours.
    pub color: ColorChoice,
    /// A note that is shown after joining.
    pub hint: Option<&'static str>,
    /// Whether `o` explores and clicks walk. A spectator has neither.
    pub auto: bool,
    /// Whether a map that does not fit is scrolled. Otherwise a larger window is asked for.
    pub scroll: bool,
    /// Whether the side panel is open where there is room for it.
    pub panel: bool,
    /// Whether the bell rings when the player is robbed.
    pub bell: bool,
    /// Who decides when the game begins.
    pub start: Start,
    /// Keys that the user has bound to actions.
    pub keys: KeyBindings,
    /// Whether every event is written as a line, and nothing is drawn.
    pub lines: bool,
}

/// Who decides when the game begins, and whether it can be paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The server of others: it goes on whatever we do.
    Server,
    /// Our own first key.
    FirstKey,
    /// It begins at once, but it can be paused.
    AtOnce,
}

impl ClientSettings {
    pub(crate) fn plays_with_auto(&self) -> bool {
        self.auto && self.name.is_some()
    }

    pub(crate) fn app(&self, now: Timestamp) -> App {
        let mut app = App::new(now, self.join());
        if self.plays_with_auto() {
            app = app.with_auto();
        }
        if self.scroll {
            app = app.with_scrolling();
        }
        if self.panel {
            app = app.with_panel();
        }
        if self.bell {
            app = app.with_bell();
        }
        match self.start {
            Start::Server => app,
            Start::FirstKey => app.with_pause(),
            Start::AtOnce => app.with_pause().with_early_start(),
        }
    }

    /// The client for the game that follows one with this final table.
    pub(crate) fn next_app(&self, now: Timestamp, last_table: String) -> App {
        self.app(now).for_next_game(now, last_table)
    }

    fn join(&self) -> Join {
        Join { place: self.place.clone(), name: self.name.clone() }
    }
}
