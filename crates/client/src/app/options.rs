//! The user's choices for a client.

use super::{App, Auto, Bell, Pause};

/// Conveniences of a client. The default has none: keys are sent as they are pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct AppOptions {
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
}

/// The rule for the start of the game, which also decides if it can be paused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameStart {
    /// Another server decides; the game continues without us and can't be paused.
    #[default]
    Server,
    /// A game of our own starts with our first key. `p` pauses it, and keys without a meaning are not sent.
    FirstKey,
    /// The same, but the game starts at once.
    AtOnce,
}

impl App {
    /// Returns the same client with these options.
    ///
    /// ```
    /// use nuggets_client::{App, AppOptions, JoinTarget};
    /// use nuggets_session::{Effect, Timestamp};
    /// use nuggets_tui::Key;
    ///
    /// let join = JoinTarget { place: "localhost:1234".into(), name: Some(b"Ann".to_vec()) };
    /// let options = AppOptions { auto: true, ..AppOptions::default() };
    /// let mut app = App::new(Timestamp(0), join).with_options(options);
    /// app.handle_message(Timestamp(3), b"DISPLAY\n+-----+\n|@...*|\n+-----+\n").unwrap();
    /// app.handle_key(Timestamp(900), Key::Char('o'));
    /// let sent: Vec<Effect> = std::iter::from_fn(|| app.poll_effect()).collect();
    /// assert_eq!(sent.last(), Some(&Effect::Send(b"KEY l".to_vec())), "toward the gold");
    /// ```
    #[must_use]
    pub fn with_options(mut self, options: AppOptions) -> Self {
        let is_spectator = self.join.is_spectator();
        self.auto = (options.auto && !is_spectator).then(Auto::default);
        self.view.scrolls = options.scroll;
        self.panel_is_open = options.panel;
        self.bell = if options.bell { Bell::Quiet } else { Bell::Off };
        self.pause = match options.start {
            GameStart::Server => None,
            GameStart::FirstKey if !is_spectator => Some(Pause::NotBegun),
            GameStart::FirstKey | GameStart::AtOnce => Some(Pause::Running),
        };
        self
    }
}
