//! `player hostname port [playername]` and `player link [playername]`: joins a game and shows it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use nuggets_client::ClientSettings;
use nuggets_session::{GameUrl, LinkTarget};
use nuggets_tui::KeyBindings;

use crate::args::{BadArgument, PlayerArgs};
use crate::log;

pub(crate) fn run(args: &PlayerArgs, keys: &KeyBindings) -> anyhow::Result<ExitCode> {
    let (port, name) = split_words(args)?;
    let server = NamedServer::read(&args.hostname, port)?;
    let settings = ClientSettings {
        lines: args.lines,
        ..args.look.settings(server, name.map(name_bytes), keys, false)
    };
    let _log = log::for_client(&args.look)?;
    nuggets_client::run(&settings)
}

/// Splits port and name. A link contains its port, so the name follows it directly.
fn split_words(args: &PlayerArgs) -> Result<(Option<&OsStr>, Option<&OsStr>), BadArgument> {
    let second = args.port.as_deref();
    let third = args.playername.as_deref();
    match third {
        _ if !GameUrl::is_meant_by(&args.hostname) => Ok((second, third)),
        None => Ok((None, second)),
        Some(extra) => Err(BadArgument(format!(
            "unexpected argument '{}': a link is followed by nothing but a name. Quote a name that has \
             blanks",
            extra.display()
        ))),
    }
}

/// A server named by the user.
#[derive(Debug)]
pub(crate) struct NamedServer {
    /// Host and port, or the link of a game.
    pub(crate) place: String,
    pub(crate) target: LinkTarget,
}

impl NamedServer {
    /// A host and its port, or the link of a game without a port.
    pub(crate) fn read(host: &str, port: Option<&OsStr>) -> anyhow::Result<Self> {
        if GameUrl::is_meant_by(host) {
            return Ok(Self::read_link(host, port)?);
        }
        let port = port.ok_or_else(|| {
            BadArgument(
                "the port is missing: give the host and the port of a server, for example `localhost \
                 9999`, or the link of a game"
                    .into(),
            )
        })?;
        let port = read_port(&port.to_string_lossy())?;
        let target = LinkTarget::Udp(nuggets_session::resolve(host, port)?);
        Ok(Self { place: nuggets_session::place(host, port), target })
    }

    fn read_link(link: &str, port: Option<&OsStr>) -> Result<Self, BadArgument> {
        let url: GameUrl = link.parse().map_err(|why| {
            BadArgument(format!("'{}' is no link of a game: {why}", link.escape_debug()))
        })?;
        if let Some(port) = port {
            return Err(BadArgument(format!(
                "unexpected argument '{}': a link has its port in it, as in http://localhost:8080/g/…",
                port.display()
            )));
        }
        #[cfg(feature = "host")]
        return Ok(Self { place: url.to_string(), target: LinkTarget::Web(url) });
        #[cfg(not(feature = "host"))]
        Err(BadArgument(format!(
            "this program was built without the games of web hosts, such as {url}: build it with \
             `cargo build --release --features host`"
        )))
    }
}

/// Names are bytes: they need not be UTF-8.
pub(crate) fn name_bytes(name: &OsStr) -> Vec<u8> {
    name.as_bytes().to_vec()
}

/// Parses the port of a server.
pub(crate) fn read_port(typed: &str) -> Result<u16, BadArgument> {
    typed.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        BadArgument(format!(
            "invalid port '{}': give a number from 1 to 65535. The server announces its port when it \
             starts",
            typed.escape_debug()
        ))
    })
}
