//! `nuggets play [NAME]`: a server on loopback, a player or spectator, and bots, in one process.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nuggets_client::ClientSettings;
use nuggets_game::{Rules, Seed, Setup};
use nuggets_protocol::Dialect;
use nuggets_server::{Host, NoStorage, Room, udp};
use nuggets_session::LinkTarget;
use tracing::info;

use crate::args::{BadArgument, PlayArgs};
use crate::player::name_bytes;
use crate::server::{log_variants, port_of};
use crate::{log, map_file, seed};

/// The player's name when neither an argument nor the system gives one.
const DEFAULT_NAME: &[u8] = b"you";
/// How often the bots check whether they may join.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<ExitCode> {
    // When all bots are out there is nothing left to watch: nobody else will come.
    let rules = Rules { end_when_empty: args.watch, ..args.variants.rules()? };
    let dialect = Dialect::default();
    check_seats(args, &rules)?;
    let seed = seed::read_or_choose(args.seed.as_deref())?;
    let _log = log::for_client(&args.look)?;
    let map = map_file::load_or_generate(&args.map, &rules, seed)?;
    let room = Room::new(&Setup::new(map, rules, seed, dialect))?;

    let host = Ipv4Addr::LOCALHOST;
    let socket = udp::bind(Some(IpAddr::V4(host)), 0).context("can't open a socket to play on")?;
    let port = port_of(&socket)?;
    info!("map '{}', seed {seed}, port {port}", args.map.display());
    log_variants(&rules);
    let server = SocketAddr::from((host, port));
    let player = player(args, server);
    let bots = bots(args, server, seed);
    play(&socket, room, &player, &bots)
}

/// Runs the server and the bots on threads of their own; they end with the player.
fn play(
    socket: &UdpSocket,
    room: Room,
    player: &ClientSettings,
    bots: &nuggets_bots::BotSettings,
) -> anyhow::Result<ExitCode> {
    let server = udp::Control::new().context("can't open a socket to play on")?;
    let bots_stop = AtomicBool::new(false);
    let joined = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut host = Host::new(room, NoStorage);
            let mut peers = udp::Peers::default();
            udp::serve(socket, &mut host, &mut peers, &server, |_| {})
        });
        let bots = scope.spawn(|| {
            // The user comes first: a player gets the letter A, a spectator misses nothing.
            while !joined.load(Ordering::Relaxed) && !bots_stop.load(Ordering::Relaxed) {
                thread::sleep(POLL_INTERVAL);
            }
            nuggets_bots::run(bots, &bots_stop)
        });
        let ended = nuggets_client::run_with_join_flag(player, &joined);
        bots_stop.store(true, Ordering::Relaxed);
        // The bots quit while the server is still running.
        let _ = bots.join();
        server.stop();
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
        let most = rules.max_players;
        let you = if args.watch { "" } else { "you and " };
        return Err(BadArgument(format!(
            "{you}{bots} bots can't play together: at most {most} players can join. Give fewer --bots"
        )));
    }
    Ok(())
}

fn player(args: &PlayArgs, server: SocketAddr) -> ClientSettings {
    let named = || args.name.as_deref().map_or_else(user_name, name_bytes);
    ClientSettings {
        place: server.to_string(),
        target: LinkTarget::Udp(vec![server]),
        name: (!args.watch).then(named),
        color: args.look.color,
        hint: Some("press ? for help"),
        auto: !args.look.no_auto,
    }
}

fn bots(args: &PlayArgs, server: SocketAddr, seed: Seed) -> nuggets_bots::BotSettings {
    nuggets_bots::BotSettings {
        place: server.to_string(),
        target: LinkTarget::Udp(vec![server]),
        brains: args.brain.clone(),
        count: args.bots.into(),
        name: None,
        pace_ms: args.pace,
        seed: seed.number().cast_unsigned(),
    }
}

fn user_name() -> Vec<u8> {
    let known = ["USER", "LOGNAME"].into_iter().filter_map(std::env::var_os);
    let name = known.map(|name| name_bytes(&name)).find(|name| !name.trim_ascii().is_empty());
    name.unwrap_or_else(|| DEFAULT_NAME.to_vec())
}
