//! `nuggets ctl SOCKET REQUEST`: asks a running server for something, over its local socket.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use nuggets_server::udp::{OperatorRequest, RequestError};

use crate::args::{BadArgument, CtlArgs};
use crate::print;
use crate::server::control_socket::read_reply;

pub(crate) fn run(args: &CtlArgs) -> anyhow::Result<ExitCode> {
    let typed = args.request.join(" ");
    let request: OperatorRequest = typed.parse().map_err(|why: RequestError| {
        BadArgument(format!("invalid request '{}': {why}", typed.escape_debug()))
    })?;
    let mut stream =
        UnixStream::connect(&args.socket).map_err(|why| explain(&why, &args.socket))?;
    let lost = || format!("the server at '{}' has stopped answering", args.socket.display());
    writeln!(stream, "{typed}")
        .and_then(|()| stream.shutdown(Shutdown::Write))
        .with_context(lost)?;
    let mut text = String::new();
    stream.read_to_string(&mut text).with_context(lost)?;
    match read_reply(&text) {
        Some(Ok(text)) => print::text(&format!("{text}\n"))?,
        Some(Err(why)) => bail!("{why}"),
        // A server that stops may end before it has answered.
        None if request == OperatorRequest::Stop => {}
        None => bail!("the server at '{}' has ended without an answer", args.socket.display()),
    }
    Ok(ExitCode::SUCCESS)
}

fn explain(why: &std::io::Error, socket: &Path) -> anyhow::Error {
    let advice = match why.kind() {
        ErrorKind::NotFound => {
            "no server listens there. Start one with --control, and give the same path"
        }
        ErrorKind::ConnectionRefused => {
            "its server has ended, or it is no socket of one. Start one with --control, and give the same path"
        }
        ErrorKind::PermissionDenied => "only the user that started the server can open it",
        _ => "give the path that the server was given with --control",
    };
    anyhow!("can't ask the server at '{}' ({why}): {advice}", socket.display())
}
