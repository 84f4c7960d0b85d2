//! `nuggets play [NAME]`: a server on loopback, a player or spectator, and bots, in one process.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nuggets_client::Settings;
use nuggets_game::{Rules, Seed};
use nuggets_protocol::Dialect;
use nuggets_server::{Files, Room, udp};
use tracing::info;

use crate::args::{BadArgument, PlayArgs};
use crate::player::name_bytes;
use crate::server::{log_variants, open_room, port_of};
use crate::{log, map_file, seed};

/// Who plays when neither an argument nor the system says.
const NOBODY: &[u8] = b"you";
/// How often the bots look whether it is their turn to join.
const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    // When all bots are out there is nothing left to watch: nobody else will come.
    let rules = Rules { end_when_empty: args.watch, ..args.variants.rules()? };
    let dialect = Dialect::default();
    check_seats(args, &rules)?;
    let seed = seed::read_or_choose(args.seed.as_deref(), dialect)?;
    let _log = log::beside_a_picture(&args.look)?;
    let map = map_file::load_or_draw(&args.map, &rules, seed)?;
    let room = open_room(map, rules, seed, dialect)?;

    let host = Ipv4Addr::LOCALHOST;
    let socket = udp::bind(Some(IpAddr::V4(host)), 0).context("can't open a socket to play on")?;
    let port = port_of(&socket)?;
    info!("map '{}', seed {seed}, port {port}", args.map.display());
    log_variants(&rules);
    let player = player(args, host, port);
    let bots = bots(args, SocketAddr::from((host, port)), seed);
    play(&socket, room, &player, &bots)
}

/// The server and the bots work beside the player, and end with it.
fn play(
    socket: &UdpSocket,
    mut room: Room,
    player: &Settings,
    bots: &nuggets_bots::Settings,
) -> anyhow::Result<ExitCode> {
    let (server_stops, bots_stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let joined = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| udp::serve(socket, &mut room, &mut Files::default(), &server_stops, |_| {}));
        let bots = scope.spawn(|| {
            // Whoever started the game comes first: a player is A, a watcher misses nothing.
            while !joined.load(Ordering::Relaxed) && !bots_stop.load(Ordering::Relaxed) {
                thread::sleep(LOOK_EVERY);
            }
            nuggets_bots::run(bots, &bots_stop)
        });
        let ended = nuggets_client::run_and_tell(player, &joined);
        bots_stop.store(true, Ordering::Relaxed);
        // They say goodbye to a server that is still there.
        let _ = bots.join();
        server_stops.store(true, Ordering::Relaxed);
        ended
    })
}

fn check_seats(args: &PlayArgs, rules: &Rules) -> Result<(), BadArgument> {
    let bots = usize::from(args.bots);
    let people = usize::from(!args.watch);
    if args.watch && bots == 0 {
        return Err(BadArgument("with --watch and --bots 0 nobody plays: allow some bots".into()));
    }
    if bots + people > rules.max_players {
        let (most, you) = (rules.max_players, if args.watch { "" } else { "you and " });
        return Err(BadArgument(format!(
            "{you}{bots} bots can't play together: at most {most} players can join. Give fewer --bots"
        )));
    }
    Ok(())
}

fn player(args: &PlayArgs, host: Ipv4Addr, port: u16) -> Settings {
    let named = || args.name.as_deref().map_or_else(user_name, name_bytes);
    Settings {
        host: host.to_string(),
        port,
        name: (!args.watch).then(named),
        color: args.look.color,
        hint: Some("press ? for help"),
        auto: !args.look.no_auto,
    }
}

fn bots(args: &PlayArgs, server: SocketAddr, seed: Seed) -> nuggets_bots::Settings {
    nuggets_bots::Settings {
        addresses: vec![server],
        brains: args.brain.clone(),
        count: args.bots.into(),
        name: None,
        pace: Duration::from_millis(args.pace),
        seed: seed.number().cast_unsigned(),
    }
}

fn user_name() -> Vec<u8> {
    let known = ["USER", "LOGNAME"].into_iter().filter_map(std::env::var_os);
    let name = known.map(|name| name_bytes(&name)).find(|name| !name.trim_ascii().is_empty());
    name.unwrap_or_else(|| NOBODY.to_vec())
}
