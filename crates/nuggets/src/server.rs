//! `server map.txt [seed]`: hosts a game until it is over.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use nuggets_game::{End, Rules, Seed, Setup};
use nuggets_server::udp::Served;
use nuggets_server::{
    Files, Guard, Host, JournalFile, JournalPolicy, RecordingFile, Room, RoomOptions, udp,
};
use tracing::{info, warn};

use crate::args::{RecordArgs, ServerArgs};
use crate::signals::control_by_signals;
use crate::{log, map_file, seed};

mod console;

pub(crate) fn run(args: &ServerArgs) -> anyhow::Result<ExitCode> {
    let _log = log::to_stderr(args.log);
    let rules = Rules {
        end_when_empty: args.end_when_empty,
        sprint_stops: args.sprint_stops,
        ..args.variants.rules()?
    };
    let mut game = open(args, rules, None)?;
    let control = Arc::new(control_by_signals()?);
    let socket = udp::bind(args.bind, game.port).map_err(|why| explain(&why, args, game.port))?;
    let port = port_of(&socket)?;
    console::listen(&control);
    let mut is_announced = false;
    loop {
        let Opened { room, setup, journal, mut peers, .. } = game;
        let mut host = with_records(args, room, journal, &setup, port)?;
        host.store().context("can't begin the game, because its journal can't be written")?;
        if !std::mem::replace(&mut is_announced, true) {
            announce_port(port);
        }
        log_game(args, &setup, port);
        let over = |room: &Room| print_line(&room.summary());
        let served = udp::serve(&socket, &mut host, &mut peers, &control, over).context(
            "the game has ended early, because the network failed or the journal can't be written",
        )?;
        if served == Served::Stopped || !args.stay || !have_all_left(host.room()) {
            return Ok(ExitCode::SUCCESS);
        }
        drop(host);
        set_aside_finished(&args.records)?;
        game =
            open(args, rules, Some(Next { after: setup.seed, port, guard: peers.take_guard() }))?;
    }
}

/// What the next game of a server takes from the last one.
struct Next {
    /// The seed of the last game.
    after: Seed,
    port: u16,
    guard: Option<Guard>,
}

fn log_game(args: &ServerArgs, setup: &Setup, port: u16) {
    let Setup { map, seed, rules, .. } = setup;
    info!(
        "map '{}' ({}x{}), seed {seed}, dialect {}, port {port}",
        args.map.display(),
        map.rows(),
        map.cols(),
        args.dialect
    );
    log_variants(rules);
}

/// True if the game ended because nobody was left to play it.
fn have_all_left(room: &Room) -> bool {
    matches!(room.game().end(), Some(End::NobodyLeft | End::Emptied))
}

/// Renames the files of a finished game, so that the next one can begin.
fn set_aside_finished(records: &RecordArgs) -> anyhow::Result<()> {
    for path in [&records.journal, &records.record].into_iter().flatten() {
        let numbered = |number: u32| PathBuf::from(format!("{}.{number}", path.display()));
        let free = (1..=u32::MAX).map(numbered).find(|path| path.symlink_metadata().is_err());
        let free = free.expect("there are more numbers than files");
        fs::rename(path, &free).with_context(|| {
            format!("can't begin the next game: '{}' can't be renamed", path.display())
        })?;
        info!("the last game is in '{}'", free.display());
    }
    Ok(())
}

/// A room, new or resumed, and what it was made from.
struct Opened {
    room: Room,
    setup: Setup,
    port: u16,
    journal: Option<JournalFile>,
    peers: udp::Peers,
}

fn open(args: &ServerArgs, rules: Rules, next: Option<Next>) -> anyhow::Result<Opened> {
    let typed =
        args.seed.as_deref().map(|typed| seed::read_in_dialect(typed, args.dialect)).transpose()?;
    let journal = args.records.journal.as_deref().map(JournalFile::open_and_reserve).transpose()?;
    let header = journal.as_ref().and_then(JournalFile::header);
    let recorded = header.map(|header| header.setup.seed);
    // The journal of a server that stays may hold a later game than the first.
    let typed = if args.stay { recorded.or(typed) } else { typed.or(recorded) };
    let seed = match (&next, typed) {
        (Some(Next { after, .. }), Some(_)) => seed::following(*after),
        (None, Some(seed)) => seed,
        (_, None) => seed::choose()?,
    };
    let last_port = next.as_ref().map(|next| next.port).or(header.map(|header| header.port));
    let port = match last_port.unwrap_or(0) {
        port @ 1.. if args.port == 0 => port,
        _ => args.port,
    };
    let map = map_file::load_or_generate(&args.map, &rules, seed)?;
    let setup = Setup::new(map, rules, seed, args.dialect);
    let guard = match next.and_then(|next| next.guard) {
        Some(guard) => guard,
        None => Guard::new(args.limits.limits(), seed::secret()?),
    };
    let mut peers = udp::Peers::new(Some(guard));
    let resumed = journal.as_ref().map(|it| it.resume(&setup, |token| peers.restore(token)));
    let room = match resumed.transpose() {
        // A server that stays was killed after the end of a game: the next one begins.
        Err(why) if args.stay && why.is_over() => {
            drop(journal);
            set_aside_finished(&args.records)?;
            return open(args, rules, Some(Next { after: seed, port, guard: None }));
        }
        resumed => resumed?.flatten(),
    };
    let room = match room {
        Some(room) => room,
        None => Room::new(&setup)?,
    };
    let room = room.with_options(RoomOptions {
        changed_only: args.changed_only,
        reliability: args.reliability.reliability(),
        keys_per_s: args.limits.keys_per_s(),
    });
    Ok(Opened { room, setup, port, journal, peers })
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
    print_line(&format!("Ready to play, waiting at port {port}"));
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
        // Asked for any port, it would take this one again.
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

/// The game continues even if nobody reads stdout.
fn print_line(text: &str) {
    let mut stdout = io::stdout().lock();
    if let Err(why) = writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        warn!("can't write to stdout: {why}");
    }
}
