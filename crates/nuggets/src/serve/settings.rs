//! The command line and the config file together, checked.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use nuggets_host::{DatabaseOptions, HostOptions, TlsFiles};
use tracing::level_filters::LevelFilter;

use crate::args::{BadArgument, ServeArgs, node_address, node_name};
use crate::user_folders::DATA;

/// The minimum length of a token in a file: 16 characters are hard to guess over the network.
const MIN_TOKEN_CHARS: usize = 16;

/// Reads and checks all settings of the operator. Without `--config`, the preferences of the
/// user's own config file count.
pub(super) fn read(
    args: &ServeArgs,
    preferences: ServeArgs,
) -> anyhow::Result<(HostOptions, LevelFilter)> {
    let file = match &args.config {
        Some(path) => config_file(path)?,
        None => preferences,
    };
    let args = merge(args.clone(), file);
    let level = args.log.unwrap_or(LevelFilter::INFO);
    Ok((options(args)?, level))
}

fn config_file(path: &Path) -> anyhow::Result<ServeArgs> {
    let bad =
        |why: String| BadArgument(format!("can't use the config file '{}': {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|why| bad(why.to_string()))?;
    let args: ServeArgs =
        toml::from_str(&text).map_err(|why| bad(why.to_string().trim().into()))?;
    Ok(args.checked().map_err(|(key, why)| bad(format!("{key}{why}")))?)
}

/// Merges the command line with a config file; the command line wins.
fn merge(typed: ServeArgs, file: ServeArgs) -> ServeArgs {
    let has_folder = typed.data.is_some();
    ServeArgs {
        data: typed.data.or(file.data),
        listen: typed.listen.or(file.listen),
        tls_cert: typed.tls_cert.or(file.tls_cert),
        tls_key: typed.tls_key.or(file.tls_key),
        trust_proxy: typed.trust_proxy || file.trust_proxy,
        public_url: typed.public_url.or(file.public_url),
        max_games: typed.max_games.or(file.max_games),
        max_watchers: typed.max_watchers.or(file.max_watchers),
        max_connections_per_source: typed
            .max_connections_per_source
            .or(file.max_connections_per_source),
        udp: typed.udp.or(file.udp),
        admin_token_file: typed.admin_token_file.or(file.admin_token_file),
        database: typed.database.or_else(|| {
            let elsewhere = database_of_environment().or(file.database);
            // A folder on the command line overrides a database from elsewhere.
            elsewhere.filter(|_| !has_folder)
        }),
        node: typed.node.or(file.node),
        advertise: typed.advertise.or(file.advertise),
        node_ca: typed.node_ca.or(file.node_ca),
        node_cert: typed.node_cert.or(file.node_cert),
        node_key: typed.node_key.or(file.node_key),
        reindex: typed.reindex,
        config: typed.config,
        log: typed.log.or(file.log),
    }
}

/// The variable that keeps a password out of the list of processes.
fn database_of_environment() -> Option<String> {
    std::env::var("NUGGETS_DATABASE").ok().filter(|url| !url.is_empty())
}

/// The settings of a host that shares a database; `None` for one with a folder.
fn database(args: &ServeArgs) -> anyhow::Result<Option<DatabaseOptions>> {
    let Some(url) = &args.database else {
        if args.node.is_some() || args.advertise.is_some() {
            let words = "--node and --advertise are for hosts that share a database: give it with --database, too";
            return Err(BadArgument(words.into()).into());
        }
        return Ok(None);
    };
    if args.reindex {
        let words = "--reindex is for hosts with a folder: a database has its results itself";
        return Err(BadArgument(words.into()).into());
    }
    let bad = |what: &str, why: &dyn std::fmt::Display| BadArgument(format!("{what}: {why}"));
    let node = args.node.clone().unwrap_or_else(machine_name);
    Ok(Some(DatabaseOptions {
        url: url.parse().map_err(|why| bad("database", &why))?,
        node: node_name(&node).map_err(|why| bad("node", &why))?,
        advertise: args
            .advertise
            .as_deref()
            .map(node_address)
            .transpose()
            .map_err(|why| bad("advertise", &why))?,
        node_ca: args.node_ca.clone(),
        node_identity: node_identity(args)?,
    }))
}

fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn options(args: ServeArgs) -> anyhow::Result<HostOptions> {
    let database = database(&args)?;
    let data = match args.data {
        Some(data) => data,
        None => DATA.path().ok_or_else(|| {
            let words = "there is no home folder ($HOME). Say where to keep the data with --data";
            BadArgument(words.into())
        })?,
    };
    let usual = HostOptions::new(data);
    Ok(HostOptions {
        listen: args.listen.unwrap_or(usual.listen),
        tls: pem_files("tls", args.tls_cert, args.tls_key)?,
        trust_proxy: args.trust_proxy,
        public_url: args.public_url,
        max_games: args.max_games.unwrap_or(usual.max_games),
        max_watchers: args.max_watchers.unwrap_or(usual.max_watchers),
        max_connections_per_source: args
            .max_connections_per_source
            .unwrap_or(usual.max_connections_per_source),
        udp: args.udp.map(|ports| ports.0),
        reindex: args.reindex,
        database,
        admin_token: args.admin_token_file.as_deref().map(admin_token).transpose()?,
        ..usual
    })
}

/// The certificate and key of `--tls-…` or `--node-…`: both or none.
fn pem_files(
    whose: &str,
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<TlsFiles>, BadArgument> {
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(BadArgument(format!("--{whose}-cert needs --{whose}-key, too"))),
        (None, Some(_)) => Err(BadArgument(format!("--{whose}-key needs --{whose}-cert, too"))),
    }
}

/// The certificate that other hosts are shown. It needs TLS and an authority that both sides trust.
fn node_identity(args: &ServeArgs) -> Result<Option<TlsFiles>, BadArgument> {
    let identity = pem_files("node", args.node_cert.clone(), args.node_key.clone())?;
    let needs = |what: &str| Err(BadArgument(format!("--node-cert needs {what}, too")));
    match &identity {
        Some(_) if args.node_ca.is_none() => {
            needs("--node-ca, which signs the certificates of all hosts")
        }
        Some(_) if args.tls_cert.is_none() => needs("--tls-cert: certificates are shown over TLS"),
        _ => Ok(identity),
    }
}

fn admin_token(path: &Path) -> anyhow::Result<String> {
    let token = fs::read_to_string(path)
        .map_err(|why| anyhow!("can't read the admin token from '{}': {why}", path.display()))?;
    let token = token.trim().to_string();
    if token.chars().count() < MIN_TOKEN_CHARS {
        return Err(anyhow!(
            "the admin token in '{}' is too short: give at least {MIN_TOKEN_CHARS} characters, for \
             example those of `openssl rand -hex 16`",
            path.display()
        ));
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_config(text: &str) -> Result<HostOptions, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nuggets.toml");
        fs::write(&path, text).unwrap();
        let typed = ServeArgs {
            config: Some(path.clone()),
            data: Some("/data".into()),
            max_games: Some(7),
            ..ServeArgs::default()
        };
        let shown = path.display().to_string();
        read(&typed, ServeArgs::default())
            .map(|(options, _)| options)
            .map_err(|why| why.to_string().replace(&shown, "FILE"))
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let options = read_config(
            "listen = \"0.0.0.0:9300\"\nmax-games = 9\nmax-watchers = 11\ndata = \"/other\"\n\
             udp = \"9000-9009\"\ntrust-proxy = true\nlog = \"warn\"\n\
             public-url = \"https://a.example/\"\n",
        )
        .unwrap();
        let mut expected = HostOptions::new("/data".into());
        expected.listen = "0.0.0.0:9300".parse().unwrap();
        expected.max_games = 7;
        expected.max_watchers = 11;
        expected.udp = Some(9000..=9009);
        expected.trust_proxy = true;
        expected.public_url = Some("https://a.example".into());
        assert_eq!(options, expected);
    }

    #[test]
    fn a_wrong_key_or_value_is_named_with_its_line() {
        let error = read_config("max-games = 5\nlisen = \"x\"\n").unwrap_err();
        assert!(error.contains("can't use the config file 'FILE'"), "{error}");
        assert!(error.contains("line 2") && error.contains("lisen"), "{error}");
        for text in [
            "max-games = 0",
            "max-games = -1",
            "listen = \"x\"",
            "udp = \"5\"",
            "log = \"loud\"",
            "=",
        ] {
            let error = read_config(text).unwrap_err();
            assert!(error.contains("FILE"), "{error}");
        }
        assert!(read_config("reindex = true").is_err(), "it is for one start only");
    }

    #[test]
    fn certificate_and_key_belong_together() {
        assert!(pem_files("tls", Some("a".into()), None).is_err());
        assert!(pem_files("tls", None, Some("a".into())).is_err());
        assert!(pem_files("tls", Some("a".into()), Some("b".into())).unwrap().is_some());
    }

    #[test]
    fn a_certificate_for_other_hosts_needs_tls_and_an_authority() {
        let some = || Some(PathBuf::from("a.pem"));
        let typed = ServeArgs { node_cert: some(), node_key: some(), ..ServeArgs::default() };
        let without_ca = node_identity(&typed).unwrap_err().0;
        assert!(without_ca.contains("--node-ca"), "{without_ca}");
        let typed = ServeArgs { node_ca: some(), ..typed };
        let without_tls = node_identity(&typed).unwrap_err().0;
        assert!(without_tls.contains("--tls-cert"), "{without_tls}");
        let typed = ServeArgs { tls_cert: some(), tls_key: some(), ..typed };
        assert!(node_identity(&typed).unwrap().is_some());
    }
}
