//! `server map.txt [seed]`: hosts a game until it is over.

use std::io::{self, ErrorKind, Write};
use std::net::UdpSocket;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use nuggets_game::{Rules, Setup};
use nuggets_server::{
    Files, Guard, Host, JournalFile, JournalPolicy, RecordingFile, Room, RoomOptions, udp,
};
use tracing::{info, warn};

use crate::args::ServerArgs;
use crate::signals::control_by_signals;
use crate::{log, map_file, seed};

pub(crate) fn run(args: &ServerArgs) -> anyhow::Result<ExitCode> {
    let _log = log::to_stderr(args.log);
    let rules = Rules {
        end_when_empty: args.end_when_empty,
        sprint_stops: args.sprint_stops,
        ..args.variants.rules()?
    };
    let Opened { room, setup, port, journal, mut peers } = open(args, rules)?;
    let control = control_by_signals()?;
    let socket = udp::bind(args.bind, port).map_err(|why| explain(&why, args, port))?;
    let port = port_of(&socket)?;
    let mut host = with_records(args, room, journal, &setup, port)?;
    host.store().context("can't begin the game, because its journal can't be written")?;
    announce_port(port);
    let Setup { map, seed, .. } = &setup;
    info!(
        "map '{}' ({}x{}), seed {seed}, dialect {}, port {port}",
        args.map.display(),
        map.rows(),
        map.cols(),
        args.dialect
    );
    log_variants(&rules);
    udp::serve(&socket, &mut host, &mut peers, &control, |room| print_line(&room.summary()))
        .context(
            "the game has ended early, because the network failed or the journal can't be written",
        )?;
    Ok(ExitCode::SUCCESS)
}

/// A room, new or resumed, and what it was made from.
struct Opened {
    room: Room,
    setup: Setup,
    port: u16,
    journal: Option<JournalFile>,
    peers: udp::Peers,
}

fn open(args: &ServerArgs, rules: Rules) -> anyhow::Result<Opened> {
    let typed =
        args.seed.as_deref().map(|typed| seed::read_in_dialect(typed, args.dialect)).transpose()?;
    let journal = args.records.journal.as_deref().map(JournalFile::open_and_reserve).transpose()?;
    let header = journal.as_ref().and_then(JournalFile::header);
    let seed = match typed.or(header.map(|header| header.setup.seed)) {
        Some(seed) => seed,
        None => seed::choose()?,
    };
    let port = match header.map_or(0, |header| header.port) {
        port @ 1.. if args.port == 0 => port,
        _ => args.port,
    };
    let map = map_file::load_or_generate(&args.map, &rules, seed)?;
    let setup = Setup::new(map, rules, seed, args.dialect);
    let guard = Guard::new(args.limits.limits(), seed::secret()?);
    let mut peers = udp::Peers::new(Some(guard));
    let resumed = match &journal {
        Some(journal) => journal.resume(&setup, |token| peers.restore(token))?,
        None => None,
    };
    let room = match resumed {
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
