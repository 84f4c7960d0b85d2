//! `player hostname port [playername]`: joins a game and shows it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use nuggets_client::Settings;

use crate::args::{BadArgument, PlayerArgs};
use crate::log;

pub(crate) fn run(args: &PlayerArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings {
        host: args.hostname.clone(),
        port: read_port(&args.port)?,
        name: args.playername.as_deref().map(name_bytes),
        color: args.look.color,
        hint: None,
        auto: !args.look.no_auto,
    };
    let _log = log::beside_a_picture(&args.look)?;
    nuggets_client::run(&settings)
}

/// A name is whatever bytes were typed.
pub(crate) fn name_bytes(name: &OsStr) -> Vec<u8> {
    name.as_bytes().to_vec()
}

/// A port of a server, as it was typed.
pub(crate) fn read_port(typed: &str) -> Result<u16, BadArgument> {
    typed.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        BadArgument(format!(
            "the port '{}' is not a number from 1 to 65535. The server announces its port when it \
             starts",
            typed.escape_debug()
        ))
    })
}
