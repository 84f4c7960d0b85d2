//! Tools that tests of several crates share: clients of every protocol, programs as processes and in a terminal, a
//! database and a network that fail on request. Only for tests and developer tools: an internal error is a panic with the
//! reason. It must not depend on any product crate.

mod browser;
mod certificate;
mod fake_server;
mod http_client;
mod ports;
#[cfg(unix)]
mod postgres;
mod process;
mod proxy;
mod terminal;
mod udp_client;
mod waiting;
mod web_host;
mod web_socket;

pub use browser::{Browser, BrowserPage, Device, Element, LAPTOP, PHONE, PROJECTOR, Profile};
pub use certificate::SelfSigned;
pub use fake_server::{FakeServer, ROOM};
pub use http_client::{HttpAnswer, HttpClient};
pub use ports::{closed_port, free_port, free_ports};
#[cfg(unix)]
pub use postgres::{Patroni, Postgres, StopMode, programs_folder};
pub use process::{ProcessEnd, ServerProcess, run, run_command};
pub use proxy::{CutDirection, Proxy};
pub use terminal::{ORDINARY, PseudoTerminal, TerminalEnd, cursor, lines, status};
pub use udp_client::{UdpClient, unless_interrupted};
pub use waiting::{LIMIT, now, wait_for, wait_until};
pub use web_host::WebHost;
pub use web_socket::{SocketRead, WebSocketError, WebSocketPeer, parse_lines};
