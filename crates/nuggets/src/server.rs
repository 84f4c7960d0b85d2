//! `server map.txt [seed]`: hosts a game until it is over.

use std::io::{self, ErrorKind, Write};
use std::net::UdpSocket;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use nuggets_game::{Game, Map, Rules, Seed, Sight};
use nuggets_protocol::Dialect;
use nuggets_server::{Room, sight_rule, udp};
use tracing::{info, warn};

use crate::args::ServerArgs;
use crate::signals::stop_on_signals;
use crate::{log, map_file, seed};

pub(crate) fn run(args: &ServerArgs) -> anyhow::Result<ExitCode> {
    let _log = log::to_stderr(args.log);
    let rules = Rules {
        end_when_empty: args.end_when_empty,
        sprint_stops: args.sprint_stops,
        ..args.variants.rules()?
    };
    let seed = seed::read_or_choose(args.seed.as_deref(), args.dialect)?;
    let map = map_file::load_or_draw(&args.map, &rules, seed)?;
    let size = format!("{}x{}", map.rows(), map.cols());
    let room = open_room(map, rules, seed, args.dialect)?;
    let mut room = room.changed_only(args.changed_only);

    let stop = stop_on_signals()?;
    let socket = udp::bind(args.bind, args.port).map_err(|why| explain(&why, args))?;
    let port = port_of(&socket)?;
    say(&format!("Ready to play, waiting at port {port}"));
    info!(
        "map '{}' ({size}), seed {seed}, dialect {}, port {port}",
        args.map.display(),
        args.dialect
    );
    log_variants(&rules);
    udp::serve(&socket, &mut room, &stop).context("the network failed")?;
    say(&room.summary());
    Ok(ExitCode::SUCCESS)
}

/// A room with a new game in it.
pub(crate) fn open_room(
    map: Map,
    rules: Rules,
    seed: Seed,
    dialect: Dialect,
) -> anyhow::Result<Room> {
    let sight = Sight::new(map, sight_rule(dialect)).within(rules.vision);
    Ok(Room::new(Game::new(Arc::new(sight), rules, seed)?, dialect))
}

/// The variants that a game is played by, if there are any, go to the log.
pub(crate) fn log_variants(rules: &Rules) {
    if let Some(variants) = rules.variants() {
        info!("house rules: {variants}");
    }
}

/// The port that a socket got.
pub(crate) fn port_of(socket: &UdpSocket) -> anyhow::Result<u16> {
    Ok(socket.local_addr().context("the socket has no address")?.port())
}

fn explain(why: &io::Error, args: &ServerArgs) -> anyhow::Error {
    let address = args.bind.map_or("all interfaces".to_string(), |ip| ip.to_string());
    let advice = match why.kind() {
        ErrorKind::AddrInUse => {
            "another program has that port. Choose another with --port, or 0 for any"
        }
        ErrorKind::AddrNotAvailable => {
            "this machine does not have that address. Choose another with --bind, or leave it off"
        }
        ErrorKind::PermissionDenied => "ports below 1024 are reserved. Choose a higher one",
        _ => "check --port and --bind",
    };
    anyhow!("can't listen on port {} of {address} ({why}): {advice}", args.port)
}

/// Without a reader on stdout the game goes on.
fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    if let Err(why) = writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        warn!("can't write to stdout: {why}");
    }
}
