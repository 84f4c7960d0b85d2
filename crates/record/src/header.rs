//! The head of a recording: everything that fixes a game before its first input, and who wrote it.

use std::sync::Arc;

use nuggets_game::{
    BadRules, Game, Lifetime, Map, Name, Rules, Seed, Sight, SightRule, TooFewSpots,
};
use nuggets_protocol::Dialect;
use thiserror::Error;

use crate::bytes::{Bytes, push_text};
use crate::read::ReadError;

/// The rules by which the same map, rules, seed and inputs give the same game.
///
/// Raise it with every change after which some recorded input would do something else: how gold
/// falls, where players land, what a key does, what is seen, what a state's hash covers. A recording
/// under another number is refused, for it would be played wrongly. The tests notice when it was
/// forgotten: a changed seed catalogue or a kept recording that no longer fits ask for it.
pub const RULES_VERSION: u16 = 1;

/// The layout of the bytes. Raise it when they are written otherwise.
pub(crate) const FORMAT_VERSION: u16 = 1;

const MAGIC: &[u8; 8] = b"nuggets\n";
const THIS_PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// What fixes a game before its first input.
///
/// ```
/// use nuggets_game::{Rules, Seed, SightRule, shipped};
/// use nuggets_protocol::Dialect;
/// use nuggets_record::Header;
///
/// let header = Header {
///     rules: Rules::default(),
///     seed: Seed::new(7),
///     dialect: Dialect::V2021,
///     sight: SightRule::DarkPassages,
///     map: shipped::find("main").unwrap().map(),
///     port: 0,
/// };
/// assert_eq!(header.game().unwrap().remaining(), 250);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The rules.
    pub rules: Rules,
    /// The seed.
    pub seed: Seed,
    /// What the server spoke. The game doesn't depend on it.
    pub dialect: Dialect,
    /// How a look passes through passages.
    pub sight: SightRule,
    /// The map.
    pub map: Map,
    /// Where the server waited; 0 if that isn't said.
    pub port: u16,
}

/// Why no game can be made from a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unplayable {
    /// The rules make no sense.
    #[error("the rules in its header make no sense: {0}")]
    Rules(#[from] BadRules),
    /// The map has too little room.
    #[error("the map in its header is too small: {0}")]
    Map(#[from] TooFewSpots),
}

impl Header {
    /// The game at its start.
    pub fn game(&self) -> Result<Game, Unplayable> {
        self.check()?;
        let sight = Sight::new(self.map.clone(), self.sight).within(self.rules.vision);
        Ok(Game::new(Arc::new(sight), self.rules, self.seed)?)
    }

    /// Can a game be made of it?
    pub fn check(&self) -> Result<(), Unplayable> {
        self.rules.check()?;
        Ok(self.rules.check_room(&self.map)?)
    }

    /// The header as bytes, and its checksum.
    pub(crate) fn write(&self) -> (Vec<u8>, u32) {
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT_VERSION.to_le_bytes());
        out.extend(RULES_VERSION.to_le_bytes());
        push_text(THIS_PROGRAM.as_bytes(), &mut out);
        let crc = crc32fast::hash(&out);
        out.extend(crc.to_le_bytes());
        let start = out.len();
        push_rules(&self.rules, &mut out);
        out.extend(self.seed.number().to_le_bytes());
        out.push(place(&DIALECTS, &self.dialect));
        out.push(place(&SIGHT_RULES, &self.sight));
        out.extend(self.port.to_le_bytes());
        let map = self.map.to_string();
        out.extend(u32::try_from(map.len()).expect("a map fits a datagram").to_le_bytes());
        out.extend(map.as_bytes());
        let crc = continued(crc, &out[start..]);
        out.extend(crc.to_le_bytes());
        (out, crc)
    }

    /// Reads a header, and tells how long it is and its checksum.
    pub(crate) fn read(all: &[u8]) -> Result<(Self, usize, u32), ReadError> {
        let mut bytes = Bytes::new(all);
        let crc = read_origin(&mut bytes)?;
        let start = bytes.taken();
        let header = Self::read_game(&mut bytes);
        let crc = continued(crc, &all[start..bytes.taken()]);
        if bytes.u32() != Some(crc) {
            return Err(ReadError::Header);
        }
        let header = header.ok_or(ReadError::Header)?;
        header.check()?;
        Ok((header, bytes.taken(), crc))
    }

    fn read_game(bytes: &mut Bytes) -> Option<Self> {
        let rules = read_rules(bytes)?;
        let seed = Seed::new(i64::from_le_bytes(bytes.array()?));
        let dialect = *DIALECTS.get(usize::from(bytes.u8()?))?;
        let sight = *SIGHT_RULES.get(usize::from(bytes.u8()?))?;
        let (port, map_bytes) = (bytes.u16()?, bytes.u32()?);
        let drawn = bytes.take(map_bytes.try_into().ok()?)?;
        let map = Map::parse(drawn).ok().filter(|parsed| parsed.mends.is_empty())?.map;
        Some(Self { rules, seed, dialect, sight, map, port })
    }
}

/// The first part, which stays as it is in every version: it says who wrote the rest. Gives its
/// checksum.
fn read_origin(bytes: &mut Bytes) -> Result<u32, ReadError> {
    let magic = bytes.take(MAGIC.len()).ok_or(ReadError::NotARecording)?;
    if magic != MAGIC {
        return Err(ReadError::NotARecording);
    }
    let (Some(format), Some(rules), Some(by)) = (bytes.u16(), bytes.u16(), bytes.text()) else {
        return Err(ReadError::Header);
    };
    let crc = crc32fast::hash(bytes.so_far());
    if bytes.u32() != Some(crc) {
        return Err(ReadError::Header);
    }
    // A name is a text that is fit to be shown, but for tabs.
    let by = Name::new(by).map(|by| by.as_str().replace('\t', " "));
    let by = by.unwrap_or_else(|| "an unknown version".to_owned());
    let ours = THIS_PROGRAM;
    if format != FORMAT_VERSION {
        return Err(ReadError::OtherFormat { by, format, ours });
    }
    if rules != RULES_VERSION {
        return Err(ReadError::OtherRules { by, rules, ours });
    }
    Ok(crc)
}

/// The place in these lists is the number in a header.
const DIALECTS: [Dialect; 2] = [Dialect::V2021, Dialect::V2019];
const SIGHT_RULES: [SightRule; 2] = [SightRule::DarkPassages, SightRule::StraightPassages];

fn place<T: PartialEq>(list: &[T], wanted: &T) -> u8 {
    (0..).zip(list).find(|(_, one)| *one == wanted).expect("every one is in the list").0
}

fn continued(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

/// Names every rule, so that nobody can add one and forget it here.
fn push_rules(rules: &Rules, out: &mut Vec<u8>) {
    let Rules {
        nuggets,
        min_piles,
        max_piles,
        max_players,
        sprint_stops,
        end_when_empty,
        vision,
        steal,
        drop_on_quit,
        lifetime,
    } = *rules;
    let choices =
        [sprint_stops, end_when_empty, steal, drop_on_quit, vision.is_some(), lifetime.is_some()];
    let bits = (0..).zip(choices).map(|(bit, choice)| u8::from(choice) << bit);
    let Lifetime { steps, food } = lifetime.unwrap_or(Lifetime { steps: 0, food: 0 });
    for number in [nuggets, min_piles, max_piles] {
        out.extend(number.to_le_bytes());
    }
    out.push(u8::try_from(max_players).expect("the rules were checked"));
    out.push(bits.sum());
    out.extend(vision.unwrap_or(0).to_le_bytes());
    out.extend(steps.to_le_bytes());
    out.extend(food.to_le_bytes());
}

fn read_rules(bytes: &mut Bytes) -> Option<Rules> {
    let (nuggets, min_piles, max_piles) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
    let (max_players, bits, vision) = (bytes.u8()?.into(), bytes.u8()?, bytes.u16()?);
    let lifetime = Lifetime { steps: bytes.u32()?, food: bytes.u32()? };
    let has = |bit: u8| bits >> bit & 1 == 1;
    (bits < 1 << 6).then_some(Rules {
        nuggets,
        min_piles,
        max_piles,
        max_players,
        sprint_stops: has(0),
        end_when_empty: has(1),
        steal: has(2),
        drop_on_quit: has(3),
        vision: has(4).then_some(vision),
        lifetime: has(5).then_some(lifetime),
    })
}

#[cfg(test)]
mod tests;
