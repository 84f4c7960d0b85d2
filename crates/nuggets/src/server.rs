//! `server map.txt [seed]`: hosts a game until it is over, or one game after another.

use std::io::{self, ErrorKind, IsTerminal};
use std::net::UdpSocket;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use nuggets_game::{End, Rules, Setup};
use nuggets_server::udp::{Control, Served};
use nuggets_server::{
    Files, Guard, Host, Hosting, JournalFile, JournalPolicy, RecordingFile, Room, RoomOptions,
    StartRule, udp,
};
use nuggets_time::{Clock, Timestamp};
use tracing::level_filters::LevelFilter;
use tracing::{info, warn};

use crate::args::{BadArgument, ServerArgs};
use crate::signals::control_by_signals;
use crate::{log, map_file, print, seed};
use console::EnterKey;
use control_socket::ControlSocket;
use results::{ResultKey, Results};
use series::Series;

mod console;
pub(crate) mod control_socket;
pub(crate) mod friends;
mod results;
mod series;

pub(crate) fn run(args: &ServerArgs) -> anyhow::Result<ExitCode> {
    let rules = Rules {
        end_when_empty: args.end_when_empty,
        sprint_stops: args.sprint_stops,
        ..args.rules.rules()?
    };
    check_start(args, &rules)?;
    let _log = log::for_server(args.log, args.hosting.log_file.as_deref())?;
    let mut results = args.hosting.results.as_deref().map(Results::open).transpose()?;
    let mut series = Series::new(args, &rules)?;
    let guard = Guard::new(args.limits.limits(), seed::secret()?);
    let mut game = open(args, rules, &mut series, NextGame { port: 0, guard })?;
    let control = Arc::new(control_by_signals()?);
    let socket = udp::bind(args.bind, game.port).map_err(|why| explain(&why, args, game.port))?;
    let port = port_of(&socket)?;
    let _control_socket = listen(args, &control)?;
    let clock = Clock::start();
    let mut last_end: Option<Timestamp> = None;
    loop {
        let Opened { room, setup, journal, mut peers, is_new, .. } = game;
        // After a restart the server does not pause again.
        let since_end_ms = last_end.filter(|_| is_new).map(|end| clock.now().since(end));
        let room = room.with_hosting(hosting(args, &series, since_end_ms));
        let host = with_records(args, room, journal, &setup, port)?;
        let mut host = host.with_title(series.title(setup.seed, port));
        host.store().context("can't begin the game, because its journal can't be written")?;
        if last_end.is_none() {
            announce_port(port);
            invite(args, port);
        }
        log_game(args, series.map(), &setup, port);
        if !host.room().has_begun() {
            log_start(args);
        }
        let mut ended_at = clock.now();
        let over = |room: &Room| {
            ended_at = clock.now();
            print::announce(&room.summary());
            let map = series.map().display().to_string();
            let id = ResultKey { number: series.number, seed: setup.seed, map: &map };
            if let Some(Err(why)) = results.as_mut().map(|results| results.append(id, room)) {
                warn!("{why:#}");
            }
        };
        let served = udp::serve(&socket, &mut host, &mut peers, &control, over).context(
            "the game has ended early, because the network failed or the journal can't be written",
        )?;
        let stays = args.hosting.stay && have_all_left(host.room());
        if served == Served::Stopped || !(stays || series.has_next()) {
            return Ok(ExitCode::SUCCESS);
        }
        drop(host);
        series.advance()?;
        last_end = Some(ended_at);
        let guard = peers.take_guard().expect("it was given one");
        game = open(args, rules, &mut series, NextGame { port, guard })?;
    }
}

/// The state that the next game of a server takes over from the last one.
struct NextGame {
    /// The port of the last game; 0 before the first.
    port: u16,
    guard: Guard,
}

/// Checks that a game that waits for players can begin.
fn check_start(args: &ServerArgs, rules: &Rules) -> Result<(), BadArgument> {
    let hosting = &args.hosting;
    if hosting.wait_for.is_some_and(|players| usize::from(players) > rules.max_players) {
        let most = rules.max_players;
        return Err(BadArgument(format!(
            "--wait-for waits for more players than can join: at most {most} can. Give fewer"
        )));
    }
    let has_operator = io::stdin().is_terminal() || hosting.control.is_some();
    if hosting.start_key && hosting.wait_for.is_none() && !has_operator {
        return Err(BadArgument(
            "with --start-key the game could not begin: standard input is not a terminal. Start the server in \
             a terminal, or give it --control SOCKET for `nuggets ctl SOCKET start`"
                .into(),
        ));
    }
    if !hosting.rotate.is_empty() && !hosting.games.has_more_than(1) && !hosting.stay {
        return Err(BadArgument(
            "--rotate names maps of later games, but there is only one game: add --games N or --games forever"
                .into(),
        ));
    }
    Ok(())
}

/// Listens to the operator's terminal and socket.
fn listen(args: &ServerArgs, control: &Arc<Control>) -> anyhow::Result<Option<ControlSocket>> {
    let enter = if args.hosting.start_key { EnterKey::Starts } else { EnterKey::Nothing };
    console::listen(control, enter);
    let path = args.hosting.control.as_deref();
    path.map(|path| ControlSocket::listen(path, control)).transpose()
}

/// The decisions of this server's operator. The next game begins a pause after the end of the last.
fn hosting(args: &ServerArgs, series: &Series, since_end_ms: Option<u64>) -> Hosting {
    let pause_ms = u64::from(args.hosting.pause) * 1000;
    Hosting {
        start: StartRule {
            players: args.hosting.wait_for.map_or(0, usize::from),
            by_host: args.hosting.start_key,
            pause_ms: since_end_ms.map_or(0, |passed_ms| pause_ms.saturating_sub(passed_ms)),
        },
        stalemate: args.hosting.stalemate,
        next_game_s: series.has_next().then_some(args.hosting.pause.into()),
    }
}

/// Prints the command that other people join with. It is not part of the log, which may go to a file.
fn invite(args: &ServerArgs, port: u16) {
    if args.log != LevelFilter::OFF {
        let line = friends::join_line(args.bind, port);
        print::to_stderr(format_args!("Others join with: {line}"));
    }
}

fn log_game(args: &ServerArgs, map_name: &Path, setup: &Setup, port: u16) {
    let Setup { map, seed, rules, .. } = setup;
    info!(
        "map '{}' ({}x{}), seed {seed}, dialect {}, port {port}",
        map_name.display(),
        map.rows(),
        map.cols(),
        args.dialect
    );
    log_variants(rules);
}

/// Logs what the game waits for.
fn log_start(args: &ServerArgs) {
    if let Some(players) = args.hosting.wait_for {
        info!(
            "the game begins when {players} player{} there",
            if players == 1 { " is" } else { "s are" }
        );
    }
    if args.hosting.start_key {
        info!("the game begins when you press Enter");
    }
}

/// True if the game ended because all players had left.
fn have_all_left(room: &Room) -> bool {
    matches!(room.game().end(), Some(End::NobodyLeft | End::Emptied))
}

/// A room, new or resumed, with its setup, port, journal and peers.
struct Opened {
    room: Room,
    setup: Setup,
    port: u16,
    journal: Option<JournalFile>,
    peers: udp::Peers,
    /// True if it was not resumed.
    is_new: bool,
}

fn open(
    args: &ServerArgs,
    rules: Rules,
    series: &mut Series,
    NextGame { port: last_port, guard }: NextGame,
) -> anyhow::Result<Opened> {
    let journal = args.records.journal.as_deref().map(JournalFile::open_and_reserve).transpose()?;
    let header = journal.as_ref().and_then(JournalFile::header);
    let seed = series.seed(header.map(|header| header.setup.seed))?;
    let recorded_port = header.map_or(0, |header| header.port);
    let last_port = if last_port > 0 { last_port } else { recorded_port };
    let port = if args.port == 0 { last_port } else { args.port };
    let map = map_file::load_or_generate(series.map(), &rules, seed)?;
    let setup = Setup::new(map, rules, seed, args.dialect);
    let mut peers = udp::Peers::new(Some(guard));
    let resumed = journal.as_ref().map(|it| it.resume(&setup, |token| peers.restore(token)));
    let resumed = match resumed.transpose() {
        // The server was killed after the end of a game: the next one begins.
        Err(why) if why.is_over() && (series.has_next() || args.hosting.stay) => {
            drop(journal);
            series.advance()?;
            let guard = peers.take_guard().expect("it was given one");
            return open(args, rules, series, NextGame { port, guard });
        }
        resumed => resumed?.flatten(),
    };
    let is_new = resumed.is_none();
    let room = match resumed {
        Some(room) => room,
        None => Room::new(&setup)?,
    };
    let room = room.with_options(RoomOptions {
        changed_only: args.changed_only,
        reliability: args.reliability.reliability(),
        keys_per_s: args.limits.keys_per_s(),
    });
    Ok(Opened { room, setup, port, journal, peers, is_new })
}

/// The driver of the room, with the files that its records go into.
fn with_records(
    args: &ServerArgs,
    room: Room,
    mut journal: Option<JournalFile>,
    setup: &Setup,
    port: u16,
) -> anyhow::Result<Host<Files>> {
    let records = &args.records;
    let has_journal = journal.is_some();
    let resumed = journal.as_mut().and_then(JournalFile::take_reading);
    let mut files = Files::default();
    if let Some(journal) = journal {
        let policy = JournalPolicy { durable: records.durable, on_error: records.on_journal_error };
        files = files.with_journal(journal, policy);
    }
    let mut catch_up = None;
    if let Some(path) = &records.record {
        let file = match &resumed {
            Some(reading) => {
                let (file, caught_up) = RecordingFile::resume(path, &reading.recording)?;
                catch_up = Some(caught_up);
                file
            }
            None => RecordingFile::create(path)?,
        };
        files = files.with_recording(file);
    }
    let mut host = Host::new(room, files);
    host = match &resumed {
        Some(reading) => host.with_resumed_journal(reading),
        None if has_journal => host.with_journal(setup, port),
        None => host,
    };
    Ok(match catch_up {
        Some(catch_up) => host.with_resumed_recording(catch_up),
        None if records.record.is_some() => host.with_recording(setup, port),
        None => host,
    })
}

/// Prints the line that the specification fixes. Other programs read the port from it.
fn announce_port(port: u16) {
    print::announce(&format!("Ready to play, waiting at port {port}"));
}

/// Logs the variants of the rules, if there are any.
pub(crate) fn log_variants(rules: &Rules) {
    if let Some(variants) = rules.variants() {
        info!("house rules: {variants}");
    }
}

/// The port that a socket got.
pub(crate) fn port_of(socket: &UdpSocket) -> anyhow::Result<u16> {
    Ok(socket.local_addr().context("the socket has no address")?.port())
}

fn explain(why: &io::Error, args: &ServerArgs, port: u16) -> anyhow::Error {
    let address = args.bind.map_or("all interfaces".to_string(), |ip| ip.to_string());
    let advice = match why.kind() {
        // With any port allowed, the server would take this one again.
        ErrorKind::AddrInUse if port != args.port => {
            "another program has that port, and the players of this game use that port: it is in the \
             journal. Stop that program. Or choose another with --port, where the players won't find it"
        }
        ErrorKind::AddrInUse => {
            "another program has that port. Choose another with --port, or 0 for any"
        }
        ErrorKind::AddrNotAvailable => {
            "this machine does not have that address. Choose another with --bind, or leave it off"
        }
        ErrorKind::PermissionDenied => "ports below 1024 are reserved. Choose a higher one",
        _ => "check --port and --bind",
    };
    anyhow!("can't listen on port {port} of {address} ({why}): {advice}")
}
