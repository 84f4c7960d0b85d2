//! A pseudo-terminal in raw mode: bytes written to one end are read unchanged from the other.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open as open_file};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Returns the end that we read and the end that the program writes to.
pub(crate) fn open() -> io::Result<(File, OwnedFd)> {
    let reader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&reader, FdFlags::CLOEXEC)?;
    grantpt(&reader)?;
    unlockpt(&reader)?;
    let name = ptsname(&reader, vec![])?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let writer = open_file(name, flags, Mode::empty())?;
    let mut modes = tcgetattr(&writer)?;
    modes.make_raw();
    tcsetattr(&writer, OptionalActions::Now, &modes)?;
    Ok((reader.into(), writer))
}

#[cfg(test)]
mod tests {
    use std::io::{IsTerminal, Read, Write};

    use super::*;

    #[test]
    fn bytes_arrive_unchanged() {
        let (mut reader, writer) = open().unwrap();
        let mut writer = File::from(writer);
        assert!(writer.is_terminal());
        writer.write_all(b"one\ntwo\t\x03\n").unwrap();
        drop(writer);
        let mut read = vec![];
        // Some systems report an error once the other end is closed.
        let _ = reader.read_to_end(&mut read);
        assert_eq!(read, b"one\ntwo\t\x03\n");
    }
}
