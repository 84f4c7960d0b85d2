//! The program around the mutant: arguments, the announcement, exit codes, and what it leaves
//! behind.

use std::fs;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, bail};
use nuggets_game::{Map, shipped};
use nuggets_server::udp;
use rustix::process::{Signal, getpid, kill_process, setsid};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::{self, Args, BadArgs};
use crate::fault::Fault;
use crate::mutant::{After, Mutant};
use crate::shell::Shell;
use crate::world;

/// The word by which the mutant starts itself as a child.
pub(crate) const CHILD: &str = "--outlive";
/// A child ends by itself after that, should nobody have ended it.
const CHILD_LASTS: Duration = Duration::from_secs(120);
const LATE: Duration = Duration::from_secs(2);
/// How often somebody who waits for a signal looks whether it has come.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// Plays a whole game with this fault.
pub(crate) fn run(fault: Fault, words: impl Iterator<Item = String>) -> ExitCode {
    let args = match args::read(fault, words) {
        Ok(args) => args,
        Err(BadArgs::NoMap) if fault == Fault::CrashNoArguments => crash(),
        Err(why) => {
            complain(fault, &why.to_string());
            return ExitCode::from(why.exit_code(fault));
        }
    };
    let text = match read_map(&args.map) {
        Ok(text) => text,
        Err(_) if fault == Fault::CrashNoMap => crash(),
        Err(why) => {
            complain(fault, &format!("{why:#}"));
            return ExitCode::from(u8::from(fault != Fault::ExitZeroNoMap));
        }
    };
    play(fault, &args, &text).unwrap_or_else(|why| {
        complain(fault, &format!("{why:#}"));
        ExitCode::FAILURE
    })
}

fn complain(fault: Fault, why: &str) {
    if fault != Fault::SilentRefusal {
        log(&format!("error: {why}"));
    }
}

/// The text of the map: a file comes before a built-in map of the same name.
fn read_map(source: &Path) -> anyhow::Result<Vec<u8>> {
    match fs::read(source) {
        Ok(text) => Ok(text),
        Err(why) => match source.to_str().and_then(shipped::find) {
            Some(map) if why.kind() == ErrorKind::NotFound => Ok(map.text.into()),
            _ => bail!("can't read the map '{}': {why}", source.display()),
        },
    }
}

fn play(fault: Fault, args: &Args, text: &[u8]) -> anyhow::Result<ExitCode> {
    let map = Map::parse(text).context("can't use the map")?.map;
    let world = world::open(fault, map, args.seed, args.dialect).context("can't use the map")?;
    let mutant = Mutant::new(fault, args.dialect, world);
    let stop = stop_on_signals()?;
    let socket = udp::bind(None, 0).context("can't open a socket")?;
    leave_child(fault)?;
    let buffered = announce(&mutant, &socket)?;
    // No number here: somebody may look for the port.
    log(&format!("hosting a game on the map '{}'", args.map.display()));
    let mut shell = Shell::new(mutant, socket)?;
    let after = shell.serve(&stop)?;
    say(buffered.as_bytes());
    Ok(finish(shell.mutant(), after, &stop))
}

fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("can't listen for signals")?;
    }
    Ok(stop)
}

/// Tells the port. What stays in a buffer is given back.
fn announce(mutant: &Mutant, socket: &UdpSocket) -> anyhow::Result<String> {
    let port = socket.local_addr().context("the socket has no address")?.port();
    let line = format!("Ready to play, waiting at port {port}\n");
    match mutant.fault {
        Fault::NeverAnnounces => {}
        Fault::AnnouncesWrongPort => {
            say(format!("Ready to play, waiting at port {}\n", port ^ 1).as_bytes());
        }
        Fault::AnnouncesUnflushed if !io::stdout().is_terminal() => return Ok(line),
        Fault::AnnouncesOnStderr => log(line.trim_end()),
        Fault::AnnouncesLate => {
            sleep(LATE);
            say(line.as_bytes());
        }
        Fault::AnnouncesTwice => say(line.repeat(2).as_bytes()),
        Fault::AnnouncesWithNumbers => {
            let (rows, cols) = (mutant.map.rows(), mutant.map.cols());
            let line =
                format!("A {rows}x{cols} map for 26 players: ready at port {port}, 2 threads\n");
            say(line.as_bytes());
        }
        Fault::AnnouncesOtherWords => say(format!("Listening on {port}.\n").as_bytes()),
        Fault::MapOnStdout => {
            say(line.as_bytes());
            say(mutant.map.to_string().as_bytes());
        }
        _ => say(line.as_bytes()),
    }
    Ok(String::new())
}

fn finish(mutant: &Mutant, after: After, stop: &AtomicBool) -> ExitCode {
    match after {
        After::Crash => crash(),
        After::Exit(code) => return ExitCode::from(code),
        After::Hang => hang(),
        After::Over | After::GoOn => {}
    }
    if mutant.fault != Fault::TableNotPrinted {
        say(&[&mutant.summary(), &b"\n"[..]].concat());
    }
    match mutant.fault {
        Fault::ExitsOneAtEnd => ExitCode::FAILURE,
        Fault::CrashAtEnd => crash(),
        Fault::StaysAfterEnd => {
            while !stop.load(Ordering::Relaxed) {
                sleep(LOOK_UP_EVERY);
            }
            ExitCode::SUCCESS
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Dies as from a bad pointer.
fn crash() -> ! {
    // The first signal only takes the standard library's own handler away.
    for _ in 0..2 {
        let _ = kill_process(getpid(), Signal::SEGV);
    }
    std::process::abort()
}

fn hang() -> ! {
    loop {
        sleep(LOOK_UP_EVERY);
    }
}

/// Starts a process that outlives this one, if that is the fault.
fn leave_child(fault: Fault) -> anyhow::Result<()> {
    let daemon: &[&str] = match fault {
        Fault::LeavesChild => &[],
        Fault::LeavesDaemon => &["daemon"],
        _ => return Ok(()),
    };
    let program = std::env::current_exe().context("the mutant can't find itself")?;
    let child = Command::new(program).arg(CHILD).args(daemon).spawn();
    child.context("the mutant can't start itself")?;
    Ok(())
}

/// What such a process does: nothing, for a while.
pub(crate) fn outlive(as_daemon: bool) -> ExitCode {
    if as_daemon && setsid().is_err() {
        return ExitCode::FAILURE;
    }
    sleep(CHILD_LASTS);
    ExitCode::SUCCESS
}

/// Writes to stdout. Without a reader there the game goes on.
pub(crate) fn say(text: &[u8]) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text).and_then(|()| stdout.flush());
}

/// Writes a line to stderr. Without a reader there the game goes on.
pub(crate) fn log(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
