//! The client's side of a game (client session), for people and bots: join, retry, leave, learn the result. The login session of
//! a browser is `store/session.rs` in `crates/host`.
//!
//! [`Session`] is pure: messages and timestamps in, effects out. It must not know who chooses the keys. The shell
//! part is [`Link`]: a UDP socket that falls back from one address of the server to the next, with [`resolve`], which
//! finds these addresses; and with the feature `web` a WebSocket to a game of `nuggets serve`, which exchanges the
//! same messages with the session.

mod address;
mod game_url;
mod link;
mod logged_flaws;
mod outcome;
mod policy;
mod retry;
mod session;
mod text;
mod udp_link;
#[cfg(feature = "web")]
mod web_link;

pub use address::{ResolveError, place, resolve};
pub use game_url::{BadGameUrl, GameUrl};
pub use link::{Link, LinkId, LinkTarget, Listener};
pub use logged_flaws::LoggedFlaws;
pub use nuggets_protocol::Deviation;
pub use nuggets_time::Timestamp;
pub use outcome::{QuitText, SessionOutcome};
pub use policy::{Acceptance, SessionPolicy};
pub use retry::RetryPolicy;
pub use session::{Effect, Session, SessionStage, Update};
