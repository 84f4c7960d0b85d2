//! The checked settings of a client.

use nuggets_session::{LinkTarget, Timestamp};
use nuggets_tui::{ColorChoice, KeyBindings};

use crate::{App, AppOptions, JoinTarget};

/// The settings of a client: the server to join, the name to play under, and the appearance.
///
/// ```
/// use nuggets_client::{AppOptions, ClientSettings, JoinTarget};
/// use nuggets_session::LinkTarget;
/// use nuggets_tui::{ColorChoice, KeyBindings};
///
/// let settings = ClientSettings {
///     join: JoinTarget { place: "localhost:1234".into(), name: Some(b"Ann".to_vec()) },
///     target: LinkTarget::Udp(vec!["127.0.0.1:1234".parse().unwrap()]),
///     options: AppOptions { auto: true, ..AppOptions::default() },
///     color: "never".parse().unwrap(),
///     hint: None,
///     keys: KeyBindings::default(),
///     lines: false,
/// };
/// assert_eq!(settings.color, ColorChoice::Never);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// The server to join, and the name to play under.
    pub join: JoinTarget,
    /// The target of the link.
    pub target: LinkTarget,
    /// The user's choices for the client.
    pub options: AppOptions,
    /// The colour setting.
    pub color: ColorChoice,
    /// A note that is shown after joining.
    pub hint: Option<&'static str>,
    /// Keys that the user has bound to actions.
    pub keys: KeyBindings,
    /// True if every event is written as a line, and nothing is drawn.
    pub lines: bool,
}

impl ClientSettings {
    pub(crate) fn app(&self, now: Timestamp) -> App {
        App::new(now, self.join.clone()).with_options(self.options)
    }
}
