//! Other programs: running them, and installing those that a chore needs.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::top;

/// A program to run at the top of the project.
pub(crate) struct Tool {
    command: Command,
    line: String,
}

/// `cargo` with these arguments: the same one that runs this chore.
pub(crate) fn cargo(args: &[&str]) -> Tool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(top());
    Tool { command, line: format!("cargo {}", args.join(" ")) }
}

fn tool(program: &str, args: &[&str]) -> Tool {
    let mut command = Command::new(program);
    command.args(args).current_dir(top());
    Tool { command, line: format!("{program} {}", args.join(" ")) }
}

impl Tool {
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// The command, to be run in another way.
    pub(crate) fn into_command(self) -> (Command, String) {
        (self.command, self.line)
    }

    /// Runs it; it must succeed.
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        let status = self.command.status().with_context(|| format!("can't run `{}`", self.line))?;
        if !status.success() {
            bail!("`{}` failed: {status}", self.line);
        }
        Ok(())
    }

    /// Does it run and succeed? What it prints is not shown.
    fn works(mut self) -> bool {
        let quiet = self.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}

/// A part of the Rust toolchain that the checks need.
pub(crate) struct Component {
    /// The cargo command that shows whether it is there.
    pub(crate) subcommand: &'static str,
    /// What rustup calls it.
    pub(crate) rustup: &'static str,
    /// What Debian calls it, where Rust comes from there.
    pub(crate) debian: &'static str,
}

/// Installs a component that is missing, and says so.
pub(crate) fn ensure(component: &Component) -> anyhow::Result<()> {
    let is_there = || cargo(&[component.subcommand, "--version"]).works();
    if is_there() {
        return Ok(());
    }
    say(&format!("xtask: `cargo {}` is missing; installing it", component.subcommand));
    if tool("rustup", &["--version"]).works() {
        tool("rustup", &["component", "add", component.rustup]).run()?;
    } else {
        apt_install(component.debian)?;
    }
    if !is_there() {
        bail!("`cargo {}` is still missing; please install it by hand", component.subcommand);
    }
    Ok(())
}

/// Installs a program from its Debian package if it is missing, and says so.
pub(crate) fn ensure_program(program: &str, package: &str) -> anyhow::Result<()> {
    if tool(program, &["--version"]).works() {
        return Ok(());
    }
    say(&format!("xtask: {program} is missing; installing the package {package}"));
    apt_install(package)
}

/// A chore talks to whoever runs it.
#[allow(clippy::print_stdout, reason = "this is the one place where it does")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

fn apt_install(package: &str) -> anyhow::Result<()> {
    if !tool("apt-get", &["--version"]).works() {
        bail!("neither rustup nor apt-get is here; please install {package} by hand");
    }
    let install = ["install", "--yes", package];
    if tool("apt-get", &["check"]).works() && tool("apt-get", &["update"]).works() {
        return tool("apt-get", &install).run();
    }
    tool("sudo", &["apt-get", "update"]).run()?;
    tool("sudo", &[&["apt-get"], &install[..]].concat()).run()
}
