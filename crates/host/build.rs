//! Lists the files of `web/`, so that every one of them is embedded without a list kept by hand.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let top = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../web");
    println!("cargo::rerun-if-changed={}", top.display());
    let mut files: Vec<_> = fs::read_dir(&top)?.collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.path().is_file());
    files.sort_by_key(fs::DirEntry::file_name);
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_name().into_string().map_err(|_| io::ErrorKind::InvalidFilename)?;
        let path = file.path().canonicalize()?;
        let path = path.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
        println!("cargo::rerun-if-changed={path}");
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("web_files.rs"), list)
}
