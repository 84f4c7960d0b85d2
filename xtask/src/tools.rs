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
}

/// Installs what is missing of these tools, and prints that.
pub(crate) fn install(tools: &[&str]) -> anyhow::Result<()> {
    let script = [&["xtask/install.sh"], tools].concat();
    tool("sh", &script).run().context("can't install what is missing; please install it by hand")
}

#[expect(clippy::print_stdout, reason = "the one place where a command prints to the user")]
pub(crate) fn print_line(line: &str) {
    println!("{line}");
}
