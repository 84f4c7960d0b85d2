//! Checks dist/nuggets.service with systemd's own tools: its syntax, and how much the service could do.

use std::fs;

use anyhow::{Context, bail};

use crate::tools::{output, tool};
use crate::top;

/// Ten times the exposure level that `systemd-analyze security` computes, at most. A service that listens on the
/// network can't come below 10.
const MAX_EXPOSURE: &str = "--threshold=12";

/// The program of the service, as it is installed.
const PROGRAM: &str = "/usr/local/bin/nuggets";

pub(crate) fn check() -> anyhow::Result<()> {
    let unit = fs::read_to_string(top().join("dist/nuggets.service"))?;
    if !unit.contains(&format!("ExecStart={PROGRAM} serve ")) {
        bail!("dist/nuggets.service does not start {PROGRAM} serve");
    }
    // The check wants a program that exists.
    let program = std::env::current_exe().context("this program has no path")?;
    let unit = unit.replace(PROGRAM, &program.to_string_lossy());
    let folder = top().join("target/service-unit");
    fs::create_dir_all(&folder)?;
    let copy = folder.join("nuggets.service");
    fs::write(&copy, unit)?;
    let copy = copy.to_string_lossy();
    let mut verify = tool("systemd-analyze", &["verify", &copy]);
    let verified = verify.output().with_context(|| format!("can't run {verify:?}"))?;
    let complaints = String::from_utf8_lossy(&verified.stderr);
    if !verified.status.success() || !complaints.trim().is_empty() {
        bail!("{verify:?} complains:\n{complaints}");
    }
    let security = ["security", "--offline=true", "--no-pager", MAX_EXPOSURE, &*copy];
    output(&mut tool("systemd-analyze", &security)).map(drop)
}
