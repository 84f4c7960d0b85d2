//! A terminal to write to that shows nothing, and changes nothing of what is written.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open as open_file};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// Our end, where it is read, and the other, where it is written.
pub(crate) fn open() -> io::Result<(File, OwnedFd)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, vec![])?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = open_file(name, flags, Mode::empty())?;
    let mut modes = tcgetattr(&theirs)?;
    modes.make_raw();
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok((ours.into(), theirs))
}

#[cfg(test)]
mod tests {
    use std::io::{IsTerminal, Read, Write};

    use super::*;

    #[test]
    fn what_is_written_arrives_as_it_is() {
        let (mut ours, theirs) = open().unwrap();
        let mut theirs = File::from(theirs);
        assert!(theirs.is_terminal());
        theirs.write_all(b"one\ntwo\t\x03\n").unwrap();
        drop(theirs);
        let mut read = vec![];
        // Where the other end is gone some systems report an error.
        let _ = ours.read_to_end(&mut read);
        assert_eq!(read, b"one\ntwo\t\x03\n");
    }
}
