//! The time from the start of a server to its announcement.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};

const STARTS: usize = 20;

/// The median of several starts, in milliseconds.
pub(crate) fn measure(server: &Path) -> anyhow::Result<f64> {
    let mut times =
        (0..STARTS).map(|_| start_once(server)).collect::<anyhow::Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[STARTS / 2])
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn start_once(server: &Path) -> anyhow::Result<f64> {
    let began = Instant::now();
    let mut host = Command::new(server)
        .args(["main", "1", "--bind", "127.0.0.1", "--log", "off"])
        .stdout(Stdio::piped())
        .spawn()
        .context("can't start the server")?;
    let mut line = String::new();
    let stdout = host.stdout.take().context("the server has no stdout")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let took = began.elapsed();
    host.kill()?;
    host.wait()?;
    ensure!(line.starts_with("Ready to play, waiting at port "), "the server printed {line:?}");
    Ok(took.as_secs_f64() * 1000.0)
}
