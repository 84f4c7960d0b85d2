//! The checked settings of a client.

use nuggets_session::{LinkTarget, Timestamp};
use nuggets_tui::{ColorChoice, KeyBindings};

use crate::{App, JoinTarget};

/// The settings of a client: the server to join, the name to play under, and the appearance.
///
/// ```
/// use nuggets_client::{ClientSettings, GameStart};
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
///     start: GameStart::Server,
///     keys: KeyBindings::default(),
///     lines: false,
/// };
/// assert_eq!(settings.color, ColorChoice::Never);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct ClientSettings {
    /// The server as the user named it: host and port, or the link of a game.
    pub place: String,
    /// The target of the link.
    pub target: LinkTarget,
    /// The name to play under; `None` to watch.
    pub name: Option<Vec<u8>>,
    /// The colour setting.
    pub color: ColorChoice,
    /// A note that is shown after joining.
    pub hint: Option<&'static str>,
    /// True if `o` explores and clicks walk. A spectator has neither.
    pub auto: bool,
    /// True if a map that does not fit is scrolled. Otherwise the client asks for a larger window.
    pub scroll: bool,
    /// True if the side panel is open where there is room for it.
    pub panel: bool,
    /// True if the bell rings when the player is robbed.
    pub bell: bool,
    /// The rule for the start of the game.
    pub start: GameStart,
    /// Keys that the user has bound to actions.
    pub keys: KeyBindings,
    /// True if every event is written as a line, and nothing is drawn.
    pub lines: bool,
}

/// The rule for the start of the game, which also decides if it can be paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameStart {
    /// Another server decides; the game continues without us and can't be paused.
    Server,
    /// Our first key starts the game, and it can be paused.
    FirstKey,
    /// The game starts at once, but it can be paused.
    AtOnce,
}

impl ClientSettings {
    pub(crate) fn app(&self, now: Timestamp) -> App {
        let join = JoinTarget { place: self.place.clone(), name: self.name.clone() };
        let mut app = App::new(now, join);
        if self.auto {
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
            GameStart::Server => app,
            GameStart::FirstKey => app.with_pause(),
            GameStart::AtOnce => app.with_pause().with_early_start(),
        }
    }
}
