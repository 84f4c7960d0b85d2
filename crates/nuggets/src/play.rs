//! `nuggets play [NAME]`: a server on loopback, a player or spectator, and bots, in one process; and after the
//! game the table, another game or its replay.

mod recording;

use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nuggets_client::end::{self, NextStep};
use nuggets_client::{ClientEnd, ClientSettings, OwnGame, SessionOutcome, Start, exit_code};
use nuggets_game::map::check::{ViolationKind, violations};
use nuggets_game::{Rules, Seed, Setup};
use nuggets_protocol::Dialect;
use nuggets_record::Recording;
use nuggets_replay::ReplayApp;
use nuggets_server::{Host, Room, udp};
use nuggets_session::LinkTarget;
use nuggets_tui::{KeyBindings, Palette};
use tracing::{info, warn};

use crate::args::{BadArgument, PlayArgs};
use crate::player::name_bytes;
use crate::server::{log_variants, port_of};
use crate::{history, log, map_file, print, seed};
use recording::{PlayStorage, SharedRecording};

/// The player's name when neither an argument nor the system gives one.
const DEFAULT_NAME: &[u8] = b"you";
/// What is noted before a game on a map whose spots are not all connected.
const UNREACHABLE_GOLD: &str = "some gold is out of reach";
/// How often the bots check whether they may join.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) fn run(args: &PlayArgs, keys: &KeyBindings) -> anyhow::Result<ExitCode> {
    // When all bots are out there is nothing left to watch: nobody else will come.
    let rules = Rules { end_when_empty: args.watch, ..args.variants.rules()? };
    check_seats(args, &rules)?;
    let mut seed = seed::read_or_choose(args.seed.as_deref())?;
    let _log = log::for_client(&args.look)?;
    loop {
        let recording = SharedRecording::default();
        let ended = play_once(args, keys, (rules, seed), &recording)?;
        let code = exit_code(&ended.outcome);
        if !may_ask(&ended) {
            return Ok(code);
        }
        match ask(args, seed, &ended, &recording)? {
            NextStep::PlayAgain => seed = seed::choose()?,
            NextStep::PlaySameSeed => {}
            NextStep::Watch | NextStep::Save | NextStep::Leave => return Ok(code),
        }
    }
}

/// One game from joining to leaving.
fn play_once(
    args: &PlayArgs,
    keys: &KeyBindings,
    (rules, seed): (Rules, Seed),
    recording: &SharedRecording,
) -> anyhow::Result<ClientEnd> {
    let map = map_file::load_or_generate(&args.map, &rules, seed)?;
    let is_cut = violations(&map).iter().any(|violation| violation.kind == ViolationKind::CutOff);
    let setup = Setup::new(map, rules, seed, Dialect::default());
    let room = Room::new(&setup)?;
    let address = Ipv4Addr::LOCALHOST;
    let socket =
        udp::bind(Some(IpAddr::V4(address)), 0).context("can't open a socket to play on")?;
    let port = port_of(&socket)?;
    info!("map '{}', seed {seed}, port {port}", args.map.display());
    log_variants(&rules);
    let server = SocketAddr::from((address, port));
    let storage = recording.storage(history_file(&args.map, seed));
    let mut host = Host::new(room, storage).with_recording(&setup, port);
    host.store().context("can't begin the recording")?;
    let mut player = player(args, keys, server);
    if is_cut {
        player.hint = Some(UNREACHABLE_GOLD);
    }
    play(&socket, host, &player, &bots(args, server, seed), recording)
}

/// The file of this game among the latest ones. Without one the game is played all the same.
fn history_file(map: &Path, seed: Seed) -> Option<std::fs::File> {
    let folder = history::folder()?;
    match history::create(&folder, &map_name(map), &seed.to_string()) {
        Ok(file) => Some(file),
        Err(why) => {
            warn!("the game is not recorded: can't write in '{}': {why}", folder.display());
            None
        }
    }
}

/// Runs the server and the bots on threads of their own; they end with the player.
fn play(
    socket: &UdpSocket,
    mut host: Host<PlayStorage>,
    player: &ClientSettings,
    bots: &nuggets_bots::BotSettings,
    recording: &SharedRecording,
) -> anyhow::Result<ClientEnd> {
    let server = udp::Control::new().context("can't open a socket to play on")?;
    let bots_stop = AtomicBool::new(false);
    let joined = AtomicBool::new(false);
    let waits = AtomicBool::new(false);
    let names = || recording.names();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut peers = udp::Peers::default();
            udp::serve(socket, &mut host, &mut peers, &server, |_| {})
        });
        let bots = scope.spawn(|| {
            // The user comes first: a player gets the letter A, a spectator misses nothing.
            while !joined.load(Ordering::Relaxed) && !bots_stop.load(Ordering::Relaxed) {
                thread::sleep(POLL_INTERVAL);
            }
            nuggets_bots::run_with_hold(bots, &bots_stop, &waits)
        });
        let game = OwnGame { joined: Some(&joined), waits: Some(&waits), names: Some(&names) };
        let ended = nuggets_client::run_in_own_game(player, &game);
        bots_stop.store(true, Ordering::Relaxed);
        // The bots quit while the server is still running.
        let _ = bots.join();
        server.stop();
        ended
    })
}

/// Whether a person is there who may want another game.
fn may_ask(ended: &ClientEnd) -> bool {
    let is_end = matches!(
        ended.outcome,
        SessionOutcome::GameOver { .. }
            | SessionOutcome::Left { .. }
            | SessionOutcome::LeftUnconfirmed
    );
    let has_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    is_end && !ended.is_interrupted && has_terminal
}

/// Shows the table until the next game is chosen or the person leaves.
fn ask(
    args: &PlayArgs,
    seed: Seed,
    ended: &ClientEnd,
    recording: &SharedRecording,
) -> anyhow::Result<NextStep> {
    let map = map_name(&args.map);
    let you = ended.letter.filter(|_| !args.watch);
    let palette = Palette::for_stdout(args.look.color);
    let read = recording.read();
    let Some(end) = read.and_then(|read| recording::game_end(read, you, map.clone())) else {
        return Ok(NextStep::Leave);
    };
    let mut note = None;
    loop {
        match end::ask(&end, note.as_deref(), &palette)? {
            NextStep::Watch => match recording.read().map(ReplayApp::new) {
                Some(Ok(app)) => nuggets_replay::run(app, &palette)?,
                _ => note = Some("The recording can't be replayed.".to_owned()),
            },
            NextStep::Save => note = Some(save(recording, &map, seed)),
            next => return Ok(next),
        }
    }
}

/// Writes the recording into the current folder; says how that went.
fn save(recording: &SharedRecording, map: &str, seed: Seed) -> String {
    let name = format!("{map}-{seed}.nuggets");
    debug_assert!(Recording::read(&recording.bytes()).is_ok(), "it was just read");
    match print::file(Path::new(&name), &recording.bytes(), false) {
        Ok(()) => format!("Written to {name}"),
        Err(why) => format!("{why:#}"),
    }
}

/// The map's name without folders and ending.
fn map_name(map: &Path) -> String {
    let name = map.file_stem().unwrap_or(map.as_os_str()).to_string_lossy();
    name.chars().map(|c| if matches!(c, ' '..='~') { c } else { '_' }).collect()
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

fn player(args: &PlayArgs, keys: &KeyBindings, server: SocketAddr) -> ClientSettings {
    let named = || args.name.as_deref().map_or_else(user_name, name_bytes);
    let begins_at_once = args.watch || (args.no_wait && !args.wait);
    ClientSettings {
        place: server.to_string(),
        target: LinkTarget::Udp(vec![server]),
        name: (!args.watch).then(named),
        color: args.look.color,
        hint: begins_at_once.then_some("press ? for help"),
        auto: !args.look.no_auto,
        scroll: args.look.scroll(true),
        panel: args.look.panel(true),
        bell: args.look.bell(),
        start: if begins_at_once { Start::AtOnce } else { Start::FirstKey },
        keys: keys.clone(),
        lines: false,
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
