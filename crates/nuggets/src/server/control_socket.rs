//! The local socket of a running server, for `nuggets ctl`. One request for each connection: a line, and the
//! answer until the connection is closed.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use nuggets_server::udp::{Control, OperatorReply};
use rustix::fs::Mode;
use tracing::debug;

/// The maximum length of a request.
const MAX_REQUEST_BYTES: u64 = 1024;
/// The time limit for a connected client to send its request.
const ASKING_TIME: Duration = Duration::from_secs(2);

/// The socket; its file is removed at the end.
#[derive(Debug)]
pub(super) struct ControlSocket {
    path: PathBuf,
}

/// Reads a whole answer of a server; `None` if it is incomplete.
pub(crate) fn read_reply(text: &str) -> Option<OperatorReply> {
    let text = text.strip_suffix('\n')?;
    let done = text.strip_prefix("ok\n").map(|text| Ok(text.to_owned()));
    done.or_else(|| text.strip_prefix("error\n").map(|why| Err(why.to_owned())))
}

fn write_reply(reply: &OperatorReply) -> String {
    match reply {
        Ok(text) => format!("ok\n{text}\n"),
        Err(why) => format!("error\n{why}\n"),
    }
}

impl ControlSocket {
    /// Listens on this path until the server ends.
    pub(super) fn listen(path: &Path, control: &Arc<Control>) -> anyhow::Result<Self> {
        remove_stale(path)?;
        // Only this user may connect, from the creation of the file on.
        let mask = rustix::process::umask(Mode::RWXG | Mode::RWXO | Mode::XUSR);
        let listener = UnixListener::bind(path);
        rustix::process::umask(mask);
        let listener = listener.map_err(|why| {
            anyhow!(
                "can't listen at '{}' ({why}): give a path in a folder that you may write to",
                path.display()
            )
        })?;
        let control = Arc::clone(control);
        // The thread is not joined: it still waits for the next connection when the server ends.
        thread::spawn(move || {
            for stream in listener.incoming() {
                if let Err(why) = stream.and_then(|stream| answer(stream, &control)) {
                    debug!("the control socket: {why}");
                }
            }
        });
        Ok(Self { path: path.to_owned() })
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // If this fails, the file stays, and the next server removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the socket of a server that was killed.
fn remove_stale(path: &Path) -> anyhow::Result<()> {
    let Ok(found) = path.symlink_metadata() else { return Ok(()) };
    if !found.file_type().is_socket() {
        bail!("can't listen at '{}': there is a file. Give another path", path.display());
    }
    match UnixStream::connect(path) {
        Err(why) if why.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path)
            .with_context(|| format!("can't remove the socket '{}'", path.display())),
        _ => bail!("another server listens at '{}'. Give another path", path.display()),
    }
}

fn answer(mut stream: UnixStream, control: &Control) -> io::Result<()> {
    stream.set_read_timeout(Some(ASKING_TIME))?;
    stream.set_write_timeout(Some(ASKING_TIME))?;
    let mut line = String::new();
    BufReader::new(&stream).take(MAX_REQUEST_BYTES).read_line(&mut line)?;
    let busy = |_| Err("the server has too much to do. Try again".to_owned());
    let reply = match line.parse() {
        Ok(request) => control.ask(request).recv().unwrap_or_else(busy),
        Err(why) => Err(format!("{why}")),
    };
    stream.write_all(write_reply(&reply).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        for reply in [Ok("a\nb".to_owned()), Err("no".to_owned()), Ok(String::new())] {
            assert_eq!(read_reply(&write_reply(&reply)), Some(reply));
        }
        for torn in ["", "ok", "ok\n", "ok\na", "perhaps\nyes\n"] {
            assert_eq!(read_reply(torn), None, "{torn:?}");
        }
    }
}
