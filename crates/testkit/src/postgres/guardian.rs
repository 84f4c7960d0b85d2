//! A shell that briefly outlives this process: it waits for the end of its input, then ends the server and removes its
//! folder. So nothing is left behind by a killed test, nor by a server in a `static`, which is never dropped.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Reads until this process has ended, then cleans up. The lock file may be stale: only a process whose working directory
/// is the data folder is the server.
const SCRIPT: &str = "\
    while read -r _; do :; done
    pid=$(head -n 1 \"$1/data/postmaster.pid\" 2>/dev/null)
    if [ -n \"$pid\" ] && [ \"$(readlink \"/proc/$pid/cwd\")\" = \"$1/data\" ]; then
        kill -CONT \"$pid\"; kill -QUIT \"$pid\"
        while [ -e \"/proc/$pid\" ]; do sleep 0.1; done
    fi
    umount \"$1/data\" 2>/dev/null
    rm -rf \"$1\" || { sleep 1; rm -rf \"$1\"; }";

/// The running shell.
#[derive(Debug)]
pub(super) struct Guardian(Child);

impl Guardian {
    /// Starts a shell that guards the server in this folder.
    pub(super) fn of(folder: &Path) -> Self {
        let mut shell = Command::new("sh");
        // It gets its own process group, so that Ctrl-C ends the tests, but not the guardian.
        shell.args(["-c", SCRIPT, "sh"]).arg(folder).process_group(0);
        let shell = shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(shell.spawn().expect("there is a shell"))
    }

    /// Cleans up now. The server must have ended.
    pub(super) fn clean_up(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
