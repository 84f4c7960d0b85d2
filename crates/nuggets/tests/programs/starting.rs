//! The programs under test, started as their users start them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use nuggets_testkit::{ORDINARY, PseudoTerminal, ServerProcess, free_port};

pub(crate) const NUGGETS: &str = env!("CARGO_BIN_EXE_nuggets");
pub(crate) const PLAYER: &str = env!("CARGO_BIN_EXE_player");
pub(crate) const SERVER: &str = env!("CARGO_BIN_EXE_server");

/// Starts `server` with these arguments. It sends every message once and does not linger, so that messages can be
/// counted.
pub(crate) fn start_server(args: &[&str]) -> ServerProcess {
    start_server_with_resends(&[args, &["--no-resends", "--linger", "0"]].concat())
}

/// The same with the default resends.
pub(crate) fn start_server_with_resends(args: &[&str]) -> ServerProcess {
    start_server_command(Command::new(SERVER).args(args))
}

/// Starts a server whose log is returned at its end. A new journal gets a port on which the server can be started again.
pub(crate) fn start_server_command(command: &mut Command) -> ServerProcess {
    if begins_journal(command) {
        command.args(["--port", &free_port().to_string()]);
    }
    let server = ServerProcess::start(command.stderr(Stdio::piped()));
    let announcement = server.announcement();
    assert!(announcement.starts_with("Ready to play, waiting at port "), "{announcement:?}");
    server
}

/// True if these arguments name a journal that does not exist yet, and no port.
fn begins_journal(command: &Command) -> bool {
    let args: Vec<&OsStr> = command.get_args().collect();
    let value = args.iter().position(|arg| *arg == "--journal").and_then(|at| args.get(at + 1));
    let folder = command.get_current_dir().unwrap_or(Path::new(""));
    value.is_some_and(|path| !folder.join(path).exists()) && !args.contains(&OsStr::new("--port"))
}

/// Starts `player` for Ann in an ordinary window, with these variables in its environment.
pub(crate) fn start_player(
    port: u16,
    options: &[&str],
    variables: &[(&str, &str)],
) -> PseudoTerminal {
    let mut command = Command::new(PLAYER);
    command.args(["127.0.0.1", &port.to_string(), "Ann"]).args(options);
    PseudoTerminal::start_command(ORDINARY, command.envs(variables.iter().copied()))
}
