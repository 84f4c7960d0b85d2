//! A small disk for one server: an in-memory file system, which only root can mount.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use super::programs::run;

/// The size of a small disk, in MB: enough for an empty database cluster, its log and some games.
pub(super) const MB: u32 = 300;
/// The file that takes all free space.
const FILLER: &str = "filler";

/// True if this user may mount a disk.
pub(super) fn can_mount() -> bool {
    let folder = tempfile::tempdir().expect("a scratch folder can be created");
    let mounted = mounting(folder.path(), 1).output();
    let is_mounted = mounted.is_ok_and(|output| output.status.success());
    if is_mounted {
        run(Command::new("umount").arg(folder.path()));
    }
    is_mounted
}

pub(super) fn mount(folder: &Path, megabytes: u32) {
    fs::create_dir(folder).expect("the folder is new");
    run(&mut mounting(folder, megabytes));
}

fn mounting(folder: &Path, megabytes: u32) -> Command {
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=0700"), "tmpfs"]).arg(folder);
    mount
}

pub(super) fn fill(folder: &Path) {
    let mut filler = File::create(folder.join(FILLER)).expect("a file can be created");
    let block = vec![0; 1 << 16];
    let mut length = block.len();
    // Writes smaller and smaller pieces until not even one page is free.
    while length > 0 {
        while filler.write_all(&block[..length]).is_ok() {}
        length /= 16;
    }
}

pub(super) fn free(folder: &Path) {
    // The disk may not have been filled.
    let _ = fs::remove_file(folder.join(FILLER));
}
