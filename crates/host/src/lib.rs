//! Many games on one host: played, watched and replayed in the browser, in terminals over WebSocket, and with any
//! client of the specification over UDP.
//!
//! Pure, with time as an argument: [`wire`] (the lines of the WebSocket protocol), [`ViewStream`] (the numbered lines of one
//! view), [`HostedGame`] (one game with its seats, bots and views), [`Lobby`] (all games),
//! [`cluster::ownership`] and [`cluster::routes`] (the games of one node of a cluster, and of the others). Shells:
//! the threads that run the games, SQLite, and the web server.
//!
//! - **Pull, not push.** A connection has no queue. It keeps its position in the stream of its view and reads what is new when
//!   it can be written. So a burst is one message, a slow reader gets several lines at once or one whole picture, a reconnect is
//!   the same as having been slow, and memory is bounded.
//! - **One thread per key.** The thread that reads a key runs the game, writes the journal, and writes to the connections of all
//!   players who see something new. If the game is in use, the key waits in its queue for the thread that uses it.
//! - **One stream per view.** Clients that look through the eyes of a player read that player's stream.
//! - **The journal is the truth.** A person's token in it is the account id, so a reload, another connection or a restarted
//!   server leads to the same seat. The index in the database is made from journals and can be made again.
//! - **A panic** is caught per game: that game ends with an apology, its files stay, its neighbours go on.

pub mod cluster;
mod hosted_game;
mod ids;
mod lobby;
mod locks;
mod mailbox;
mod options;
pub mod pages;
mod random;
pub mod replays;
mod report;
mod run;
mod service;
pub mod setup;
mod source;
mod spec;
mod start_error;
mod store;
mod stream_handle;
#[cfg(test)]
mod test_games;
mod tls;
mod udp_ports;
mod view_stream;
mod web;
mod workers;

pub use cluster::NodeLoad;
pub use cluster::status::{ClusterStatus, GameStatus, NodeStatus, cluster_status, drain_node};
pub use hosted_game::{
    Attach, AttachError, AttachRole, Attached, GameCommand, GameOutput, HostedGame, OpenError,
    OpenGame, SharedGuard, is_finished,
};
pub use ids::{BadGameId, ConnectionId, GameId, PlayerId};
pub use lobby::{
    Authority, Ban, Lobby, LobbyEffect, LobbyError, LobbyLimits, LobbyRow, NewGame, Person,
};
pub use nuggets_protocol::web as wire;
pub use options::{DatabaseOptions, HostOptions, TlsFiles};
pub use report::{GameReport, SeatedPlayer};
pub use run::{RunningHost, serve};
pub use setup::{Complaint, PreparedGame, SpecError};
pub use source::Source;
pub use spec::{Bots, EndReason, Finished, GameMeta, GameSpec, MapChoice, Start, Visibility};
pub use start_error::StartError;
pub use store::{
    Account, AccountError, BadDatabaseUrl, BadSessionToken, ClaimedNames, DatabaseUrl, Fence,
    FinishedGame, MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARS, OpenedStore, PlayerHistory, Rated,
    RatingRow, Reindexed, Rematch, Reply, ResultRow, SessionToken, Store, StoreError,
};
pub use stream_handle::{StreamHandle, StreamReader};
pub use tls::TlsFileError;
pub use udp_ports::UdpPorts;
pub use view_stream::{Audience, Gap, Position, Snapshot, StreamText, ViewStream};
pub use web::embedded_text;
pub use workers::{GameStorage, ReportOf, UdpPort, UdpSender, Workers};
