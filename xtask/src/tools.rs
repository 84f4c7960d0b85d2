//! Runs other programs, and installs those that a command needs.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::top;

/// `cargo` with these arguments: the same cargo that runs this command.
pub(crate) fn cargo(args: &[&str]) -> Command {
    tool(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()), args)
}

/// A program with its arguments, to run in the folder of the project.
pub(crate) fn tool(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(top());
    command
}

/// Runs it and returns what it printed; it must succeed.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("can't run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{command:?} printed no text"))
}

/// Runs it; it must succeed.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("can't run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed: {status}");
    }
    Ok(())
}

/// Installs what is missing of these tools, and prints that.
pub(crate) fn install(tools: &[&str]) -> anyhow::Result<()> {
    let script = [&["xtask/install.sh"], tools].concat();
    run(&mut tool("sh", &script))
        .context("can't install what is missing; please install it by hand")
}

#[expect(clippy::print_stdout, reason = "the one place where a command prints to the user")]
pub(crate) fn print_line(line: &str) {
    println!("{line}");
}
