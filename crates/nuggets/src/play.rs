//! `nuggets play [NAME]`: a server on loopback, a player or spectator, and bots, in one process; and after the
//! game the table, another game or its replay.

mod recording;

use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use nuggets_bots::BotTeam;
use nuggets_client::end::{self, NextStep};
use nuggets_client::{ClientEnd, ClientSettings, GameStart, OwnGame, SessionOutcome, exit_code};
use nuggets_game::map::check::{ViolationKind, violations};
use nuggets_game::{Game, Input, Name, Rules, Seed, Setup};
use nuggets_protocol::Dialect;
use nuggets_record::{Recording, RecordingEnd};
use nuggets_replay::ReplayApp;
use nuggets_server::{Host, Hosting, Room, Stalemate, udp};
use nuggets_session::LinkTarget;
use nuggets_tui::{KeyBindings, Palette};
use tracing::{info, warn};

use crate::args::{BadArgument, PlayArgs};
use crate::player::{NamedServer, name_bytes};
use crate::server::{log_variants, port_of};
use crate::{history, log, map_file, print, seed};
use recording::{PlayStorage, SharedRecording};

/// The player's name when neither an argument nor the system gives one.
const DEFAULT_NAME: &[u8] = b"you";
/// The note before a game on a map whose spots are not all connected.
const SOME_OUT_OF_REACH: &str = "some gold is out of reach";
/// The note if the user has landed in a part without gold, and some bot has not.
const OUT_OF_YOUR_REACH: &str = "you can't reach any gold";
/// The note if all players have.
const ALL_OUT_OF_REACH: &str = "no gold is in reach; Q leaves";
/// The interval at which the bots check whether they may join.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) fn run(args: &PlayArgs, keys: &KeyBindings) -> anyhow::Result<ExitCode> {
    // With --watch the game ends when all bots are out: no other player can join.
    let rules = Rules { end_when_empty: args.watch, ..args.rules.rules()? };
    check_seats(args, &rules)?;
    let mut seed = seed::read_or_choose(args.seed.as_deref())?;
    let _log = log::for_client(&args.look)?;
    loop {
        let recording = SharedRecording::default();
        let (ended, failures) = play_once(args, keys, (rules, seed), &recording)?;
        let code = exit_code(&ended.outcome);
        for failure in &failures {
            print::to_stderr(format_args!("error: {failure}"));
        }
        if !may_ask(&ended) {
            return Ok(code);
        }
        let note = failures.first().and_then(|failure| failure.lines().next()).map(str::to_owned);
        match ask(args, seed, &ended, &recording, note)? {
            NextStep::PlayAgain => seed = seed::choose()?,
            NextStep::PlaySameSeed => {}
            NextStep::Watch | NextStep::Save | NextStep::Leave => return Ok(code),
        }
    }
}

/// Plays one game from joining to leaving; also returns the failures of programs.
fn play_once(
    args: &PlayArgs,
    keys: &KeyBindings,
    (rules, seed): (Rules, Seed),
    recording: &SharedRecording,
) -> anyhow::Result<(ClientEnd, Vec<String>)> {
    let map = map_file::load_or_generate(&args.map, &rules, seed)?;
    let setup = Setup::new(map, rules, seed, Dialect::default());
    let hosting = Hosting { stalemate: args.stalemate, ..Hosting::default() };
    let room = Room::new(&setup)?.with_hosting(hosting);
    let programs = args.programs.start(&AtomicBool::new(false))?;
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
    player.hint = reach_hint(args, &setup)?.or(player.hint);
    let bots = bots(args, server, seed);
    let team = BotTeam { programs, ..BotTeam::new(&bots) };
    play(&socket, host, &player, team, recording)
}

/// Returns the note before the game if its map is not connected. All players join before the first key, and the
/// seed fixes their starts.
fn reach_hint(args: &PlayArgs, setup: &Setup) -> anyhow::Result<Option<&'static str>> {
    if violations(&setup.map).iter().all(|violation| violation.kind != ViolationKind::CutOff) {
        return Ok(None);
    }
    let mut game = Game::new(setup)?;
    let mut join = |players: usize| {
        for _ in 0..players {
            let name = Name::new(DEFAULT_NAME).expect("it is a name");
            game.apply(Input::Join(name), &mut Vec::new());
        }
        game.is_gold_in_reach()
    };
    if !args.watch && join(1) {
        return Ok(Some(SOME_OUT_OF_REACH));
    }
    let is_in_reach = join(usize::from(args.bots) + args.programs.bot_cmd.len());
    Ok(Some(match (is_in_reach, args.watch) {
        (true, true) => SOME_OUT_OF_REACH,
        (true, false) => OUT_OF_YOUR_REACH,
        (false, _) => ALL_OUT_OF_REACH,
    }))
}

/// The file of this game among the latest ones. The game is played even without it.
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

/// Runs the server and the bots on separate threads; they end with the player.
fn play(
    socket: &UdpSocket,
    mut host: Host<PlayStorage>,
    player: &ClientSettings,
    team: BotTeam<'_>,
    recording: &SharedRecording,
) -> anyhow::Result<(ClientEnd, Vec<String>)> {
    let server = udp::Control::new().context("can't open a socket to play on")?;
    let bots_stop = Arc::clone(&team.stop);
    let joined = AtomicBool::new(false);
    let waits = Arc::clone(&team.hold);
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
            nuggets_bots::run(team)
        });
        // While the user waits, the bots stand still and no time passes for the stalemate.
        let wait = |is_waiting| {
            if waits.swap(is_waiting, Ordering::Relaxed) != is_waiting {
                server.send(udp::OperatorRequest::Pause(is_waiting));
            }
        };
        let game = OwnGame { joined: Some(&joined), waits: Some(&wait), names: Some(&names) };
        let ended = nuggets_client::run_in_own_game(player, &game);
        bots_stop.store(true, Ordering::Relaxed);
        // The bots quit while the server is still running.
        let results = bots.join().unwrap_or_default();
        server.stop();
        Ok((ended?, results.iter().filter_map(failure).collect()))
    })
}

/// Why a bot's program left the game.
fn failure(result: &nuggets_bots::BotResult) -> Option<String> {
    let failure = result.failure.as_ref()?;
    Some(format!("{} left the game: program {failure}", result.name.escape_ascii()))
}

/// True if the game ended normally and a user at a terminal may want another one.
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

/// Shows the table until the user chooses the next game or leaves.
fn ask(
    args: &PlayArgs,
    seed: Seed,
    ended: &ClientEnd,
    recording: &SharedRecording,
    mut note: Option<String>,
) -> anyhow::Result<NextStep> {
    let map = map_name(&args.map);
    let you = ended.letter.filter(|_| !args.watch);
    let palette = Palette::for_stdout(args.look.color);
    let read = recording.read();
    let is_stalemate =
        read.as_ref().is_some_and(|read| read.end() == Some(RecordingEnd::Stalemate));
    let Some(end) = read.and_then(|read| recording::game_end(read, you, map.clone())) else {
        return Ok(NextStep::Leave);
    };
    if is_stalemate {
        note.get_or_insert_with(|| why_stalemate(args.stalemate));
    }
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

/// Why a game has ended although there is gold left.
fn why_stalemate(rule: Stalemate) -> String {
    match rule {
        Stalemate::After(ms) => {
            let time = print::count(ms / 1000, "second");
            format!("The game has ended because no gold was taken for {time}.")
        }
        _ => "The game has ended because the gold that is left is out of reach.".to_owned(),
    }
}

/// Writes the recording into the current folder; returns a message about the result.
fn save(recording: &SharedRecording, map: &str, seed: Seed) -> String {
    let name = format!("{map}-{seed}.nuggets");
    debug_assert!(Recording::read(&recording.bytes()).is_ok(), "it was just read");
    match print::file(Path::new(&name), &recording.bytes(), false) {
        Ok(()) => format!("Written to {name}"),
        Err(why) => format!("{why:#}"),
    }
}

/// The map's name without folders and extension.
fn map_name(map: &Path) -> String {
    let name = map.file_stem().unwrap_or(map.as_os_str()).to_string_lossy();
    name.chars().map(|c| if matches!(c, ' '..='~') { c } else { '_' }).collect()
}

fn check_seats(args: &PlayArgs, rules: &Rules) -> Result<(), BadArgument> {
    let bots = usize::from(args.bots) + args.programs.bot_cmd.len();
    let people = usize::from(!args.watch);
    if args.watch && bots == 0 {
        return Err(BadArgument("with --watch and --bots 0 nobody plays: allow some bots".into()));
    }
    if bots + people > rules.max_players {
        let most = rules.max_players;
        let you = if args.watch { "" } else { "you and " };
        let programs = if args.programs.bot_cmd.is_empty() { "" } else { " or --bot-cmd" };
        return Err(BadArgument(format!(
            "{you}{} can't play together: at most {} can join. Give fewer --bots{programs}",
            print::count(bots, "bot"),
            print::count(most, "player")
        )));
    }
    Ok(())
}

fn player(args: &PlayArgs, keys: &KeyBindings, server: SocketAddr) -> ClientSettings {
    let named = || args.name.as_deref().map_or_else(user_name, name_bytes);
    let begins_at_once = args.watch || (args.no_wait && !args.wait);
    let server = NamedServer { place: server.to_string(), target: LinkTarget::Udp(vec![server]) };
    let name = (!args.watch).then(named);
    let mut settings = args.look.settings(server, name, keys, true);
    settings.hint = begins_at_once.then_some("press ? for help");
    settings.options.start = if begins_at_once { GameStart::AtOnce } else { GameStart::FirstKey };
    settings
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
