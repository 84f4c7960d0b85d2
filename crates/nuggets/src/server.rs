//! `server map.txt [seed]`: hosts a game until it is over.

use std::io::{self, ErrorKind, Write};
use std::net::UdpSocket;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use nuggets_game::{Game, Map, Rules, Seed, Sight};
use nuggets_protocol::Dialect;
use nuggets_server::{Files, Guard, RecordKind, Room, sight_rule, udp};
use tracing::{info, warn};

use crate::args::ServerArgs;
use crate::journal::{self, Journal};
use crate::signals::stop_on_signals;
use crate::{log, map_file, recording, seed};

pub(crate) fn run(args: &ServerArgs) -> anyhow::Result<ExitCode> {
    let _log = log::to_stderr(args.log);
    let rules = Rules {
        end_when_empty: args.end_when_empty,
        sprint_stops: args.sprint_stops,
        ..args.variants.rules()?
    };
    let Opened { room, seed, port, journal } = open(args, rules)?;
    let stop = stop_on_signals()?;
    let socket = udp::bind(args.bind, port).map_err(|why| explain(&why, args, port))?;
    let port = port_of(&socket)?;
    let (mut room, mut files) = keep_records(args, room, journal, seed, port)?;
    files.keep(&mut room).context("the game can't begin, for its journal can't be written")?;
    say(&format!("Ready to play, waiting at port {port}"));
    let map = room.game().map();
    info!(
        "map '{}' ({}x{}), seed {seed}, dialect {}, port {port}",
        args.map.display(),
        map.rows(),
        map.cols(),
        args.dialect
    );
    log_variants(&rules);
    let over = |room: &Room| say(&room.summary());
    udp::serve(&socket, &mut room, &mut files, &stop, over).context(
        "the game has ended before its time, for the network failed or the journal can't be written",
    )?;
    Ok(ExitCode::SUCCESS)
}

/// A room, new or taken up again, and what else was found out on the way.
struct Opened {
    room: Room,
    seed: Seed,
    port: u16,
    journal: Option<Journal>,
}

fn open(args: &ServerArgs, rules: Rules) -> anyhow::Result<Opened> {
    let typed = args.seed.as_deref().map(|typed| seed::read(typed, args.dialect)).transpose()?;
    let journal = args.records.journal.as_deref().map(Journal::open).transpose()?;
    let header = journal.as_ref().and_then(|journal| journal.reading.as_ref());
    let header = header.map(|reading| &reading.recording.header);
    let seed = match header.map(|header| header.seed).filter(|_| typed.is_none()).or(typed) {
        Some(seed) => seed,
        None => seed::choose()?,
    };
    let port = match header.map_or(0, |header| header.port) {
        port @ 1.. if args.port == 0 => port,
        _ => args.port,
    };
    let map = map_file::load_or_draw(&args.map, &rules, seed)?;
    let reading = journal.as_ref().and_then(|journal| journal.reading.as_ref());
    let room = match (reading, &args.records.journal) {
        (Some(reading), Some(path)) => {
            journal::resume(path, reading, &map, &rules, args.dialect, typed)?
        }
        _ => open_room(map, rules, seed, args.dialect)?,
    };
    let guard = Guard::new(args.limits.limits(), seed::secret()?);
    let room = room.changed_only(args.changed_only).careful(args.care.care()).guarded(guard);
    Ok(Opened { room, seed, port, journal })
}

/// The room with whatever it writes down, and the files for it.
fn keep_records(
    args: &ServerArgs,
    mut room: Room,
    journal: Option<Journal>,
    seed: Seed,
    port: u16,
) -> anyhow::Result<(Room, Files)> {
    let (records, mut files) = (&args.records, Files::default());
    let mut resumed = None;
    if let (Some(journal), Some(path)) = (journal, &records.journal) {
        resumed = journal.reading;
        let length = resumed.as_ref().map_or(0, |reading| reading.good_bytes as u64);
        if resumed.is_none() {
            room = room.recorded(RecordKind::Journal, seed, port);
        }
        let on_error = records.on_journal_error;
        files = files.with_journal(journal.file, path, length, records.durable, on_error);
    }
    if let Some(path) = &records.record {
        let (file, length);
        (room, file, length) = match &resumed {
            Some(reading) => recording::go_on(room, path, &reading.recording)?,
            None => (room.recorded(RecordKind::Recording, seed, port), recording::begin(path)?, 0),
        };
        files = files.with_recording(file, path, length);
    }
    Ok((room, files))
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

fn explain(why: &io::Error, args: &ServerArgs, port: u16) -> anyhow::Error {
    let address = args.bind.map_or("all interfaces".to_string(), |ip| ip.to_string());
    let advice = match why.kind() {
        // Asked for any port, it would take this one again.
        ErrorKind::AddrInUse if port != args.port => {
            "another program has that port, and the players of this game speak to that port: it stands in \
             the journal. Stop that program. Or choose another with --port, where they won't look for it"
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

/// Without a reader on stdout the game goes on.
fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    if let Err(why) = writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        warn!("can't write to stdout: {why}");
    }
}
