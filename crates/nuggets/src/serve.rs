//! `nuggets serve`: arguments and config file become checked settings of the host, or the way to get it.

#[cfg(feature = "host")]
mod settings;

use std::process::ExitCode;

use crate::args::ServeArgs;
use crate::config::Config;

/// Says how to get it: the web server and SQLite take minutes to compile, so they are built only when asked for.
#[cfg(not(feature = "host"))]
pub(crate) fn run(_args: &ServeArgs, _config: &Config) -> anyhow::Result<ExitCode> {
    Err(crate::args::BadArgument(
        "this program was built without the web host. Get it with\n    \
         cargo run --release --features host -- serve"
            .into(),
    )
    .into())
}

#[cfg(feature = "host")]
pub(crate) fn run(args: &ServeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let (options, level) = settings::read(args, config.host())?;
    let _log = crate::log::to_stderr(level);
    let data = options.data.clone();
    nuggets_host::serve(options, |host| announce(host, &data))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what to open. The host also works if nobody reads it.
#[cfg(feature = "host")]
fn announce(host: &nuggets_host::RunningHost, data: &std::path::Path) {
    use std::io::Write;

    let printed = crate::print::out(|out| {
        writeln!(out, "Open {}", host.url())?;
        writeln!(out, "Admin page: {}/admin with the token {}", host.url(), host.admin_token())?;
        writeln!(out, "Data: {}", data.display())
    });
    if let Err(why) = printed {
        tracing::warn!("{why:#}");
    }
}
