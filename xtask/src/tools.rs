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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(top());
    Tool { command, line: format!("cargo {}", args.join(" ")) }
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

/// A part of the Rust toolchain that the checks need.
pub(crate) struct Component {
    /// The cargo subcommand that it provides.
    pub(crate) subcommand: &'static str,
    /// Its name for rustup.
    pub(crate) rustup: &'static str,
    /// Its Debian package, for Rust without rustup.
    pub(crate) debian: &'static str,
}

/// Installs a component if it is missing, and prints that.
pub(crate) fn ensure(component: &Component) -> anyhow::Result<()> {
    let is_installed = || cargo(&[component.subcommand, "--version"]).works();
    if is_installed() {
        return Ok(());
    }
    print_line(&format!("xtask: `cargo {}` is missing; installing it", component.subcommand));
    if tool("rustup", &["--version"]).works() {
        tool("rustup", &["component", "add", component.rustup]).run()?;
    } else {
        apt_install(component.debian)?;
    }
    if !is_installed() {
        bail!("`cargo {}` is still missing; please install it by hand", component.subcommand);
    }
    Ok(())
}

/// Installs a cargo subcommand from crates.io if it is missing, and prints that.
pub(crate) fn ensure_subcommand(name: &str, version: &str) -> anyhow::Result<()> {
    if cargo(&[name, "--version"]).works() {
        return Ok(());
    }
    let package = format!("cargo-{name}");
    print_line(&format!("xtask: {package} is missing; compiling it, which takes some minutes"));
    // Two minutes of processor time; a release build takes five and is no use for a check of a second.
    cargo(&["install", &package, "--version", version, "--locked", "--debug"]).run()
}

/// Installs a program from its Debian package if it is missing, and prints that.
pub(crate) fn ensure_program(program: &str, package: &str) -> anyhow::Result<()> {
    if tool(program, &["--version"]).works() {
        return Ok(());
    }
    print_line(&format!("xtask: {program} is missing; installing the package {package}"));
    apt_install(package)
}

/// Installs a font from its Debian package if it is missing, and prints that.
pub(crate) fn ensure_font(family: &str, package: &str) -> anyhow::Result<()> {
    let found = tool("fc-list", &[family]).output()?;
    if !found.trim().is_empty() {
        return Ok(());
    }
    print_line(&format!("xtask: the font {family} is missing; installing the package {package}"));
    apt_install(package)
}

/// A package of npm, in the version that the tests were written for.
pub(crate) struct NpmPackage {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

/// Installs a package of npm in `target/npm` if it is missing there, and prints that.
pub(crate) fn ensure_npm_package(package: &NpmPackage) -> anyhow::Result<()> {
    let NpmPackage { name, version } = package;
    let manifest = top().join("target/npm/node_modules").join(name).join("package.json");
    let manifest = std::fs::read_to_string(manifest).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    if manifest["version"] == *version {
        return Ok(());
    }
    ensure_program("npm", "npm")?;
    let wanted = format!("{name}@{version}");
    print_line(&format!("xtask: {wanted} is missing; installing it in target/npm"));
    let install = ["install", "--prefix", "target/npm", "--no-save", "--ignore-scripts"];
    tool("npm", &[&install, &["--no-audit", "--no-fund", "--silent", &*wanted][..]].concat()).run()
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
