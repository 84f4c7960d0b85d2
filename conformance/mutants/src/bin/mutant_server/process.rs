//! The program around the mutant: arguments, the port announcement, exit codes, and leftover processes.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::Context;
use nuggets_game::{Map, Rules, Setup, shipped};
use nuggets_mutants::log;
use nuggets_server::udp;
use rustix::process::{Signal, getpid, kill_process, setsid};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::{self, Args, ArgsError};
use crate::fault::Fault;
use crate::mutant::{AfterMessage, Mutant};
use crate::udp::Shell;

/// The argument with which the mutant starts itself as a child.
pub(crate) const CHILD: &str = "--child";
/// A child exits by itself after this time, should the tester have failed to kill it.
const CHILD_LIFETIME: Duration = Duration::from_secs(120);
const ANNOUNCEMENT_DELAY: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Hosts a whole game with this fault.
pub(crate) fn run(fault: Fault, words: impl Iterator<Item = String>) -> ExitCode {
    let args = match args::read(fault, words) {
        Ok(args) => args,
        Err(ArgsError::NoMap) if fault == Fault::CrashNoArguments => crash(),
        Err(error) => {
            report(fault, &error.to_string());
            return ExitCode::from(error.exit_code(fault));
        }
    };
    let text = match read_map(&args.map) {
        Ok(text) => text,
        Err(_) if fault == Fault::CrashNoMap => crash(),
        Err(error) => {
            report(fault, &format!("{error:#}"));
            return ExitCode::from(u8::from(fault != Fault::ExitZeroNoMap));
        }
    };
    play(fault, &args, &text).unwrap_or_else(|error| {
        report(fault, &format!("{error:#}"));
        ExitCode::FAILURE
    })
}

fn report(fault: Fault, error: &str) {
    if fault != Fault::SilentRejection {
        log(&format!("error: {error}"));
    }
}

/// The text of a built-in map or a file.
fn read_map(source: &Path) -> anyhow::Result<Vec<u8>> {
    if let Some(map) = source.to_str().and_then(shipped::find) {
        return Ok(map.text.into());
    }
    fs::read(source).with_context(|| format!("can't read the map '{}'", source.display()))
}

fn play(fault: Fault, args: &Args, text: &[u8]) -> anyhow::Result<ExitCode> {
    let map = Map::parse(text).context("can't use the map")?.map;
    let setup = Setup::new(map, Rules::default(), args.seed, args.dialect);
    let mut mutant = Mutant::new(fault, setup).context("can't use the map")?;
    mutant.slip = args.slip;
    let stop = stop_on_signals()?;
    if fault == Fault::ExitsAtEndOfInput {
        stop_at_end_of_input(Arc::clone(&stop));
    }
    let socket = udp::bind(None, 0).context("can't open a socket")?;
    leave_child(fault)?;
    let buffered = announce(&mutant, &socket)?;
    // No number in this line: the tester may look for the port in it.
    log(&format!("hosting a game on the map '{}'", args.map.display()));
    let mut shell = Shell::new(mutant, socket)?;
    let next = shell.serve(&stop)?;
    print(buffered.as_bytes());
    Ok(finish(shell.mutant(), next, &stop))
}

fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("can't listen for signals")?;
    }
    Ok(stop)
}

fn stop_at_end_of_input(stop: Arc<AtomicBool>) {
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        stop.store(true, Ordering::Relaxed);
    });
}

/// Announces the port; returns the text that stays in the buffer.
fn announce(mutant: &Mutant, socket: &UdpSocket) -> anyhow::Result<String> {
    let port = socket.local_addr().context("the socket has no address")?.port();
    let line = format!("Ready to play, waiting at port {port}\n");
    match mutant.fault {
        Fault::NeverAnnounces => {}
        Fault::AnnouncesWrongPort => {
            print(format!("Ready to play, waiting at port {}\n", port ^ 1).as_bytes());
        }
        Fault::AnnouncesUnflushed if !io::stdout().is_terminal() => return Ok(line),
        Fault::AnnouncesOnStderr => log(line.trim_end()),
        Fault::AnnouncesLate => {
            sleep(ANNOUNCEMENT_DELAY);
            print(line.as_bytes());
        }
        Fault::AnnouncesTwice => print(line.repeat(2).as_bytes()),
        Fault::AnnouncesWithNumbers => {
            let rows = mutant.map.rows();
            let cols = mutant.map.cols();
            let line =
                format!("A {rows}x{cols} map for 26 players: ready at port {port}, 2 threads\n");
            print(line.as_bytes());
        }
        Fault::AnnouncementReworded => print(format!("Listening on {port}.\n").as_bytes()),
        Fault::MapOnStdout => {
            print(line.as_bytes());
            print(mutant.map.to_string().as_bytes());
        }
        _ => print(line.as_bytes()),
    }
    Ok(String::new())
}

fn finish(mutant: &Mutant, next: AfterMessage, stop: &AtomicBool) -> ExitCode {
    match next {
        AfterMessage::Crash => crash(),
        AfterMessage::Exit(code) => return ExitCode::from(code),
        AfterMessage::Hang => hang(),
        AfterMessage::GameOver | AfterMessage::Continue => {}
    }
    if mutant.fault != Fault::TableNotPrinted {
        print(&[&mutant.summary(), &b"\n"[..]].concat());
    }
    match mutant.fault {
        Fault::ExitsOneAtEnd => ExitCode::FAILURE,
        Fault::CrashAtEnd => crash(),
        Fault::RunsAfterEnd => {
            while !stop.load(Ordering::Relaxed) {
                sleep(POLL_INTERVAL);
            }
            ExitCode::SUCCESS
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Dies by SIGSEGV.
fn crash() -> ! {
    // The first signal only removes the handler of the standard library.
    for _ in 0..2 {
        let _ = kill_process(getpid(), Signal::SEGV);
    }
    std::process::abort()
}

fn hang() -> ! {
    loop {
        sleep(POLL_INTERVAL);
    }
}

/// Starts a process that outlives this one, if that is the fault.
fn leave_child(fault: Fault) -> anyhow::Result<()> {
    let daemon: &[&str] = match fault {
        Fault::LeavesChild => &[],
        Fault::LeavesDaemon => &["daemon"],
        _ => return Ok(()),
    };
    let program = std::env::current_exe().context("can't find the mutant's own program")?;
    let child = Command::new(program).arg(CHILD).args(daemon).spawn();
    child.context("can't start the child")?;
    Ok(())
}

/// Runs as the child: sleeps.
pub(crate) fn run_as_child(as_daemon: bool) -> ExitCode {
    if as_daemon && setsid().is_err() {
        return ExitCode::FAILURE;
    }
    sleep(CHILD_LIFETIME);
    ExitCode::SUCCESS
}

/// Writes to stdout. A closed stdout does not end a game.
pub(crate) fn print(text: &[u8]) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text).and_then(|()| stdout.flush());
}
