//! Runs other programs, and installs those that a command needs.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::top;

/// A program with its arguments, to run in the folder of the project.
pub(crate) struct Tool {
    command: Command,
    line: String,
}

/// `cargo` with these arguments: the same cargo that runs this command.
pub(crate) fn cargo(args: &[&str]) -> Tool {
    tool(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()), args)
}

pub(crate) fn tool(program: &str, args: &[&str]) -> Tool {
    let mut command = Command::new(program);
    command.args(args).current_dir(top());
    Tool { command, line: format!("{program} {}", args.join(" ")) }
}

impl Tool {
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// The command and its text, to be run in another way.
    pub(crate) fn into_command(self) -> (Command, String) {
        (self.command, self.line)
    }

    /// Runs it and returns what it printed; it must succeed.
    pub(crate) fn output(mut self) -> anyhow::Result<String> {
        let quiet = self.command.stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = quiet.output().with_context(|| format!("can't run `{}`", self.line))?;
        if !output.status.success() {
            bail!("`{}` failed: {}", self.line, output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{}` printed no text", self.line))
    }

    /// Runs it; it must succeed.
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        let status = self.command.status().with_context(|| format!("can't run `{}`", self.line))?;
        if !status.success() {
            bail!("`{}` failed: {status}", self.line);
        }
        Ok(())
    }

    /// True if it runs and succeeds. Its output is discarded.
    fn works(mut self) -> bool {
        let quiet = self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}

/// Prints that something is missing and installs it, unless it is there.
fn ensure(
    what: &str,
    is_there: bool,
    install: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if is_there {
        return Ok(());
    }
    print_line(&format!("xtask: {what} is missing; installing it"));
    install().with_context(|| format!("can't install {what}; please install it by hand"))
}

/// Installs a subcommand of cargo that is a part of the Rust toolchain: by its name for rustup, or from its Debian package.
pub(crate) fn ensure_component(subcommand: &str, rustup: &str, debian: &str) -> anyhow::Result<()> {
    let is_there = cargo(&[subcommand, "--version"]).works();
    ensure(&format!("cargo {subcommand}"), is_there, || {
        if tool("rustup", &["--version"]).works() {
            return tool("rustup", &["component", "add", rustup]).run();
        }
        apt_install(debian)
    })
}

/// Installs a cargo subcommand from crates.io, which takes some minutes.
pub(crate) fn ensure_subcommand(name: &str, version: &str) -> anyhow::Result<()> {
    let package = format!("cargo-{name}");
    // Two minutes of processor time; a release build takes five and is no use for a check of a second.
    let install = ["install", &package, "--version", version, "--locked", "--debug"];
    ensure(&package, cargo(&[name, "--version"]).works(), || cargo(&install).run())
}

/// Installs a program from its Debian package.
pub(crate) fn ensure_program(program: &str, package: &str) -> anyhow::Result<()> {
    ensure(program, tool(program, &["--version"]).works(), || apt_install(package))
}

/// Installs a font from its Debian package.
pub(crate) fn ensure_font(family: &str, package: &str) -> anyhow::Result<()> {
    let found = tool("fc-list", &[family]).output()?;
    ensure(family, !found.trim().is_empty(), || apt_install(package))
}

/// Installs this version of a package of npm in `target/npm`.
pub(crate) fn ensure_npm_package(name: &str, version: &str) -> anyhow::Result<()> {
    let manifest = top().join("target/npm/node_modules").join(name).join("package.json");
    let manifest = std::fs::read_to_string(manifest).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    let wanted = format!("{name}@{version}");
    ensure(&wanted, manifest["version"] == *version, || {
        ensure_program("npm", "npm")?;
        let install = ["install", "--prefix", "target/npm", "--no-save", "--ignore-scripts"];
        let quiet = ["--no-audit", "--no-fund", "--silent", &wanted];
        tool("npm", &[&install[..], &quiet].concat()).run()
    })
}

#[expect(clippy::print_stdout, reason = "the one place where a command prints to the user")]
pub(crate) fn print_line(line: &str) {
    println!("{line}");
}

/// Installs a Debian package.
pub(crate) fn apt_install(package: &str) -> anyhow::Result<()> {
    if !tool("apt-get", &["--version"]).works() {
        bail!("{package} is missing and apt-get is not available: install {package} by hand");
    }
    as_root(&["apt-get", "update"])?;
    as_root(&["apt-get", "install", "--yes", package])
}

/// Runs a program as root, with sudo unless this is root.
pub(crate) fn as_root(line: &[&str]) -> anyhow::Result<()> {
    let is_root = rustix::process::geteuid().is_root();
    let line = if is_root { line.to_vec() } else { [&["sudo"], line].concat() };
    tool(line[0], &line[1..]).run()
}
