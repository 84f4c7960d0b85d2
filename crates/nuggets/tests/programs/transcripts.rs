//! Whole outputs and exit codes of commands, as transcripts of a shell: `transcripts/*.console`.
//!
//! `$` begins a command, `|` a line of its stdout, `!` one of its stderr, and `=` its exit code unless that is 0. Each
//! transcript runs in a scratch folder of its own. `cargo xtask bless` rewrites what the commands print.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use nuggets_testkit::run_command;

use crate::maps::Scratch;
use crate::starting::NUGGETS;

/// Runs every command of a transcript in this folder and compares what it prints.
pub(crate) fn check(name: &str, folder: &Path) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("tests/programs/transcripts/{name}.console"));
    let expected = std::fs::read_to_string(&file).unwrap();
    let blocks: Vec<&str> = expected.split("\n\n").collect();
    let found: Vec<String> = blocks.iter().map(|block| run_block(block, folder)).collect();
    if std::env::var_os("NUGGETS_BLESS").is_some() {
        std::fs::write(file, found.join("\n\n") + "\n").unwrap();
        return;
    }
    for (expected, found) in blocks.iter().zip(found) {
        assert_eq!(found, expected.trim_end(), "in {}", file.display());
    }
}

/// The block with what its commands print now.
fn run_block(block: &str, folder: &Path) -> String {
    let mut lines = Vec::new();
    for line in block.lines().filter(|line| !line.starts_with(['|', '!', '='])) {
        lines.push(line.to_owned());
        if let Some(command) = line.strip_prefix("$ ") {
            lines.extend(printed(command, folder));
        }
    }
    lines.join("\n")
}

fn printed(command: &str, folder: &Path) -> Vec<String> {
    let programs = Path::new(NUGGETS).parent().unwrap().as_os_str();
    let path = [programs, &std::env::var_os("PATH").unwrap()].join(&OsString::from(":"));
    let mut shell = Command::new("sh");
    for own in ["NUGGETS_CONFIG", "NUGGETS_DATABASE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        shell.env_remove(own);
    }
    shell.env("PATH", path).env("HOME", folder).env("LC_ALL", "C.UTF-8");
    let ended = run_command(shell.args(["-c", command]).current_dir(folder), b"");
    let marked = |mark: &'static str, text: &str| -> Vec<String> {
        text.lines().map(|line| format!("{mark} {line}").trim_end().to_owned()).collect()
    };
    let code = ended.code().filter(|code| *code != 0).map(|code| format!("= {code}"));
    let output = [marked("|", &ended.stdout), marked("!", &ended.stderr)].concat();
    output.into_iter().chain(code).collect()
}

#[test]
fn arguments() {
    check("arguments", &Scratch::new("arguments").0);
}

#[test]
fn conform() {
    check("conform", &Scratch::new("conform").0);
}

#[test]
fn maps() {
    check("maps", &Scratch::new("maps").0);
}

#[test]
fn arena() {
    check("arena", &Scratch::new("arena").0);
}

#[test]
fn files() {
    check("files", &Scratch::new("files").0);
}

#[test]
#[cfg(feature = "host")]
fn serve() {
    check("serve", &Scratch::new("serve").0);
}

#[test]
#[cfg(not(feature = "host"))]
fn without_host() {
    check("without_host", &Scratch::new("without-host").0);
}
