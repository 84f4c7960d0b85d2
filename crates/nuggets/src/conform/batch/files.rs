//! The files of a team's folder: their copy, in which programs are built, and their fingerprint.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use sha2::{Digest, Sha256};

/// The limits of a submission: a folder with more is not the work of a team.
const MAX_FILES: usize = 100_000;
const MAX_BYTES: u64 = 2 << 30;

/// A file, folder or link below a team's folder.
#[derive(Debug)]
struct FolderEntry {
    /// Relative to the folder.
    path: PathBuf,
    kind: EntryKind,
}

#[derive(Debug, PartialEq, Eq)]
enum EntryKind {
    Folder,
    File,
    /// A symbolic link with its target. Links are never followed: they may lead out of the folder.
    Link(PathBuf),
}

/// Copies all files, folders and links; sockets, pipes and devices are left out.
pub(super) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    for FolderEntry { path, kind } in entries(from)? {
        let target = to.join(&path);
        let copied = match kind {
            EntryKind::Folder => fs::create_dir(&target),
            EntryKind::File => fs::copy(from.join(&path), &target).map(drop),
            EntryKind::Link(leads_to) => std::os::unix::fs::symlink(leads_to, &target),
        };
        copied.with_context(|| format!("can't copy '{}'", from.join(&path).display()))?;
    }
    Ok(())
}

/// Returns a hash that changes whenever a file of the folder, or one of `words`, changes.
pub(super) fn fingerprint(folder: &Path, words: &[String]) -> anyhow::Result<String> {
    let mut hash = Sha256::new();
    for word in words {
        add(&mut hash, word.as_bytes());
    }
    for FolderEntry { path, kind } in entries(folder)? {
        add(&mut hash, path.as_os_str().as_encoded_bytes());
        match kind {
            EntryKind::Folder => add(&mut hash, b"folder"),
            EntryKind::Link(leads_to) => add(&mut hash, leads_to.as_os_str().as_encoded_bytes()),
            EntryKind::File => {
                let file = folder.join(&path);
                let digest =
                    digest(&file).with_context(|| format!("can't read '{}'", file.display()))?;
                add(&mut hash, &digest);
            }
        }
    }
    Ok(hex(&hash.finalize()))
}

/// Hashes a part with its length, so that no two lists of parts are the same bytes.
fn add(hash: &mut Sha256, part: &[u8]) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
}

/// The hash of a file's content and of its permission to be executed.
fn digest(file: &Path) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::PermissionsExt;
    let mut file = File::open(file)?;
    let mut hash = Sha256::new();
    hash.update([u8::from(file.metadata()?.permissions().mode() & 0o111 != 0)]);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().to_vec()),
            length => hash.update(&buffer[..length]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Everything below the folder by path, each folder before its content.
fn entries(folder: &Path) -> anyhow::Result<Vec<FolderEntry>> {
    let mut found = vec![];
    let mut bytes = 0;
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let here =
            if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(&below) };
        let unreadable = || format!("can't read '{}'", here.display());
        for entry in fs::read_dir(&here).with_context(unreadable)? {
            let entry = entry.with_context(unreadable)?;
            let path = below.join(entry.file_name());
            let metadata = entry.metadata().with_context(unreadable)?;
            let kind = if metadata.is_dir() {
                folders.push(path.clone());
                EntryKind::Folder
            } else if metadata.is_symlink() {
                EntryKind::Link(fs::read_link(entry.path()).with_context(unreadable)?)
            } else if metadata.is_file() {
                bytes += metadata.len();
                EntryKind::File
            } else {
                continue;
            };
            found.push(FolderEntry { path, kind });
            if found.len() > MAX_FILES || bytes > MAX_BYTES {
                return Err(anyhow!(
                    "'{}' has more than {MAX_FILES} files or {} GB. Remove what is not part of the \
                     submission",
                    folder.display(),
                    MAX_BYTES >> 30
                ));
            }
        }
    }
    found.sort_by(|one, two| one.path.cmp(&two.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("server/empty")).unwrap();
        fs::write(folder.path().join("server/main.c"), "int main;").unwrap();
        fs::write(folder.path().join("build.sh"), "true").unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path().join("build.sh"), executable).unwrap();
        symlink("/etc/hostname", folder.path().join("link")).unwrap();
        folder
    }

    #[test]
    fn a_copy_has_all_files_and_does_not_follow_links() {
        let (folder, copied) = (folder(), tempfile::tempdir().unwrap());
        copy(folder.path(), copied.path()).unwrap();
        assert_eq!(fs::read(copied.path().join("server/main.c")).unwrap(), b"int main;");
        assert!(copied.path().join("server/empty").is_dir());
        let link = fs::read_link(copied.path().join("link")).unwrap();
        assert_eq!(link, Path::new("/etc/hostname"));
        let mode = copied.path().join("build.sh").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111);
        let words = ["make".to_owned()];
        assert_eq!(
            fingerprint(folder.path(), &words).unwrap(),
            fingerprint(copied.path(), &words).unwrap()
        );
    }

    #[test]
    fn every_change_changes_the_fingerprint() {
        let folder = folder();
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            fingerprint(folder.path(), &words).unwrap()
        };
        let mut seen = vec![of(&["a", "b"]), of(&["ab"]), of(&[])];
        fs::write(folder.path().join("server/main.c"), "int Main;").unwrap();
        seen.push(of(&[]));
        fs::rename(folder.path().join("build.sh"), folder.path().join("Build.sh")).unwrap();
        seen.push(of(&[]));
        let plain = fs::Permissions::from_mode(0o644);
        fs::set_permissions(folder.path().join("Build.sh"), plain).unwrap();
        seen.push(of(&[]));
        fs::remove_file(folder.path().join("link")).unwrap();
        seen.push(of(&[]));
        symlink("/etc/passwd", folder.path().join("link")).unwrap();
        seen.push(of(&[]));
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
        assert_eq!(of(&[]), of(&[]));
    }

    #[test]
    fn what_can_not_be_read_is_named() {
        let error = fingerprint(Path::new("/nowhere/at/all"), &[]).unwrap_err();
        assert_eq!(error.to_string(), "can't read '/nowhere/at/all'");
    }
}
