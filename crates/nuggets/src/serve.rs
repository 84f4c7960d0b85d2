//! `nuggets serve`: turns arguments and config file into checked settings of the host; without the feature `host`,
//! explains how to get it.

#[cfg(feature = "host")]
mod settings;

use std::process::ExitCode;

use crate::args::ServeArgs;
use crate::config::Config;
#[cfg(feature = "host")]
use crate::server::friends;

/// Explains how to get the host: the web server and SQLite take minutes to compile, so they are an optional feature.
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
    let place = match &options.database {
        Some(database) => format!("Database: {}, as node {}", database.url, database.node),
        None => format!("Data: {}", options.data.display()),
    };
    nuggets_host::serve(options, |host| announce(host, &place))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the addresses to open. The host continues even if stdout is closed.
#[cfg(feature = "host")]
fn announce(host: &nuggets_host::RunningHost, place: &str) {
    let (here, network) = addresses(host.url());
    let network = network.map(|network| {
        format!("In this network: {network} (links and QR codes have the address that you open)\n")
    });
    let admin = format!("Admin page: {here}/admin with the token {}", host.admin_token());
    let network = network.unwrap_or_default();
    crate::print::announce(&format!("Open {here}\n{network}{admin}\n{place}"));
}

/// The address to open on this machine and, if the host listens on all addresses, the one to open on other machines.
/// A browser can't open the unspecified address itself.
#[cfg(feature = "host")]
fn addresses(url: &str) -> (String, Option<String>) {
    let Some(all) = ["//0.0.0.0:", "//[::]:"].into_iter().find(|all| url.contains(all)) else {
        return (url.to_owned(), None);
    };
    let with = |name: &str| url.replace(all, &format!("//{name}:"));
    (with("127.0.0.1"), friends::own_address().map(|own| with(&own.to_string())))
}
