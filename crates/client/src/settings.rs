//! The checked settings of a client.

use nuggets_session::LinkTarget;
use nuggets_tui::ColorChoice;

use crate::Join;

/// Which server to join, as whom, and how to look.
///
/// ```
/// use nuggets_client::ClientSettings;
/// use nuggets_session::LinkTarget;
/// use nuggets_tui::ColorChoice;
///
/// let settings = ClientSettings {
///     place: "localhost:1234".into(),
///     target: LinkTarget::Udp(vec!["127.0.0.1:1234".parse().unwrap()]),
///     name: Some(b"Ann".to_vec()),
///     color: "never".parse().unwrap(),
///     hint: None,
///     auto: true,
/// };
/// assert_eq!(settings.color, ColorChoice::Never);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

impl ClientSettings {
    pub(crate) fn plays_with_auto(&self) -> bool {
        self.auto && self.name.is_some()
    }

    pub(crate) fn join(&self) -> Join {
        Join { place: self.place.clone(), name: self.name.clone() }
    }
}
