//! Loads maps: from files, by the names of built-in ones, or generated.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, anyhow};
use nuggets_game::map::check::violations;
use nuggets_game::map::generate::{Blueprint, generate};
use nuggets_game::{Map, Rules, Seed, shipped};
use tracing::warn;

/// The maximum length of a map file: no map that fits a datagram needs more, whatever its line endings.
const MAX_BYTES: u64 = 1 << 18;
/// The maximum number of faults of a map that are logged one by one.
const MAX_FAULTS_LOGGED: usize = 5;

/// The name that stands for a new map.
const RANDOM: &str = "random";

/// True if a new map is to be generated. A file of that name has precedence, as for built-in maps.
pub(crate) fn is_random(source: &Path) -> bool {
    source.to_str() == Some(RANDOM) && !source.exists()
}

/// The map for a game with this seed: generated if it is `random`, otherwise see `load`.
pub(crate) fn load_or_generate(source: &Path, rules: &Rules, seed: Seed) -> anyhow::Result<Map> {
    if !is_random(source) {
        return load(source, rules);
    }
    let map = generate(&Blueprint::default(), seed);
    rules.check_room(&map).context("can't use the new map")?;
    Ok(map)
}

/// The map in this file, or the built-in one of this name, which must be playable by these rules.
/// Corrections and faults are logged.
pub(crate) fn load(source: &Path, rules: &Rules) -> anyhow::Result<Map> {
    let text = read(source)?;
    let unusable = || format!("can't use the map '{}'", source.display());
    let parsed = Map::parse(&text).with_context(unusable)?;
    rules.check_room(&parsed.map).with_context(unusable)?;
    for repair in &parsed.repairs {
        warn!("map '{}': {repair}", source.display());
    }
    warn_of_faults(source, &parsed.map);
    Ok(parsed.map)
}

/// The map in this file, or the built-in one of this name, playable or not.
pub(crate) fn load_unchecked(source: &Path) -> anyhow::Result<Map> {
    let parsed = Map::parse(&read(source)?);
    Ok(parsed.with_context(|| format!("can't use the map '{}'", source.display()))?.map)
}

/// The text of the map: a file has precedence over a built-in map of the same name.
pub(crate) fn read(source: &Path) -> anyhow::Result<Vec<u8>> {
    match File::open(source).and_then(read_all) {
        Ok(text) => Ok(text),
        Err(why) if why.kind() == ErrorKind::NotFound => {
            let built_in = source.to_str().and_then(shipped::find);
            built_in.map(|map| map.text.as_bytes().to_vec()).ok_or_else(|| missing(source))
        }
        Err(why) => Err(anyhow!(
            "can't read the map '{}': {why}. Give the path of a text file that you may read",
            source.display()
        )),
    }
}

/// The text of a map on standard input.
pub(crate) fn read_stdin() -> anyhow::Result<Vec<u8>> {
    read_all(io::stdin()).context("can't read the map from standard input")
}

fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        let why = format!(
            "it is larger than {MAX_BYTES} bytes, far more than any map that fits one datagram"
        );
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(text)
}

fn missing(source: &Path) -> anyhow::Error {
    let names: Vec<&str> = shipped::ALL.iter().map(|map| map.name).collect();
    anyhow!(
        "there is no map '{}': no such file, and no built-in map of that name. Check the path, or \
         choose one of {}",
        source.display(),
        names.join(", ")
    )
}

fn warn_of_faults(source: &Path, map: &Map) {
    let faults = violations(map);
    for fault in faults.iter().take(MAX_FAULTS_LOGGED) {
        warn!("map '{}': {fault}", source.display());
    }
    if let more @ 1.. = faults.len().saturating_sub(MAX_FAULTS_LOGGED) {
        warn!("map '{}': {more} more fault{}", source.display(), if more == 1 { "" } else { "s" });
    }
}
