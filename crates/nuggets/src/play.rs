//! `nuggets play [NAME]`: a server on loopback and a player, in one process.

use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use nuggets_client::Settings;
use nuggets_game::Rules;
use nuggets_protocol::Dialect;
use nuggets_server::udp;
use tracing::info;

use crate::args::PlayArgs;
use crate::player::name_bytes;
use crate::server::{open_room, port_of};
use crate::{log, map_file, seed};

/// Who plays when neither an argument nor the system says.
const NOBODY: &[u8] = b"you";

pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    let (rules, dialect) = (Rules::default(), Dialect::default());
    let seed = seed::read_or_choose(args.seed.as_deref(), dialect)?;
    let _log = log::beside_a_picture(&args.look)?;
    let map = map_file::load(&args.map, &rules)?;
    let mut room = open_room(map, rules, seed, dialect)?;

    let host = Ipv4Addr::LOCALHOST;
    let socket = udp::bind(Some(IpAddr::V4(host)), 0).context("can't open a socket to play on")?;
    let port = port_of(&socket)?;
    info!("map '{}', seed {seed}, port {port}", args.map.display());
    let name = Some(args.name.as_deref().map_or_else(user_name, name_bytes));
    let (host, color, hint) = (host.to_string(), args.look.color, Some("press ? for help"));
    let settings = Settings { host, port, name, color, hint, auto: !args.look.no_auto };

    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| udp::serve(&socket, &mut room, &stop));
        let played = nuggets_client::run(&settings);
        stop.store(true, Ordering::Relaxed);
        played
    })
}

fn user_name() -> Vec<u8> {
    let known = ["USER", "LOGNAME"].into_iter().filter_map(std::env::var_os);
    let name = known.map(|name| name_bytes(&name)).find(|name| !name.trim_ascii().is_empty());
    name.unwrap_or_else(|| NOBODY.to_vec())
}
