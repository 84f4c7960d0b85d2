//! The file header: the program that wrote the file, the format, and the setup of the game.

use nuggets_game::{
    BadRules, Game, Lifetime, Map, Name, Rules, Seed, Setup, SightRule, TooFewSpots,
};
use nuggets_protocol::Dialect;
use thiserror::Error;

use crate::encoding::{ByteReader, push_prefixed};
use crate::reader::ReadError;
use crate::repair::Repair;

/// The version of the rules under which the same setup and inputs give the same game.
///
/// Raise it with every change after which some recorded input would have another effect: the
/// distribution of gold, the starts of players, the effect of a key, visibility, the coverage of a state
/// hash. A recording with another version is rejected, because its replay would differ. The tests of the
/// seed catalogue and of the kept recordings fail if you forget this.
pub const RULES_VERSION: u16 = 1;

/// The layout of the bytes. A new layout gets a new version; the old ones are still read, and a
/// journal that is resumed keeps its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    /// Peers are UDP addresses.
    V1,
    /// Peers are tokens, prefixed with their length.
    V2,
    /// The header is stored twice, and there are records of the kind `Heard`.
    V3,
}

impl Format {
    /// The format of new recordings.
    pub(crate) const LATEST: Self = Self::V3;

    pub(crate) fn number(self) -> u16 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
        }
    }

    fn from_number(number: u16) -> Option<Self> {
        [Self::V1, Self::V2, Self::V3].into_iter().find(|format| format.number() == number)
    }
}

const MAGIC: &[u8; 8] = b"nuggets\n";
/// The start of an outdated file, which is not read even if a copy of its header is left.
pub const STALE_MARK: &[u8] = b"stale ";
const THIS_PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Everything that is known before the first input.
///
/// ```
/// use nuggets_game::{Rules, Seed, Setup, shipped};
/// use nuggets_protocol::Dialect;
/// use nuggets_record::Header;
///
/// let setup = Setup::new(shipped::ALL[0].map(), Rules::default(), Seed::new(7), Dialect::V2021);
/// assert_eq!(Header { setup, port: 0 }.game().unwrap().remaining(), 250);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The setup, which fixes the game before its first input.
    pub setup: Setup,
    /// The port of the server; 0 if unknown.
    pub port: u16,
}

/// Why the setup in a header gives no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unplayable {
    /// The rules contradict each other.
    #[error("the rules in its header are invalid: {0}")]
    Rules(#[from] BadRules),
    /// The map has too few spots for the rules.
    #[error("the map in its header is too small: {0}")]
    Map(#[from] TooFewSpots),
}

/// A header as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HeaderRead {
    pub(crate) header: Header,
    /// Its bytes, those of its copy included.
    pub(crate) length: usize,
    pub(crate) format: Format,
    pub(crate) crc: u32,
    /// The repair of the damaged one of the two copies.
    pub(crate) repair: Option<Repair>,
}

/// The longest header: fixed parts, a version text of 255 bytes and the largest map.
const MAX_BYTES: usize = 8 + 2 + 2 + 1 + 255 + 4 + 36 + 4 + MAX_MAP_BYTES + 4;
/// A map fits one datagram.
const MAX_MAP_BYTES: usize = 65_507;
/// The bytes that reading a header needs at most: both copies.
pub(crate) const MAX_HEADER_BYTES: usize = 2 * MAX_BYTES;

impl Header {
    /// The game at its start.
    pub fn game(&self) -> Result<Game, Unplayable> {
        self.setup.rules.check()?;
        Ok(Game::new(&self.setup)?)
    }

    fn check(&self) -> Result<(), Unplayable> {
        self.setup.rules.check()?;
        Ok(self.setup.rules.check_room(&self.setup.map)?)
    }

    /// The header as bytes, with its copy, and its checksum.
    pub(crate) fn write(&self, format: Format) -> (Vec<u8>, u32) {
        let (mut out, crc) = self.write_once(format);
        if format >= Format::V3 {
            out.extend_from_within(..);
        }
        (out, crc)
    }

    fn write_once(&self, format: Format) -> (Vec<u8>, u32) {
        let mut out = MAGIC.to_vec();
        out.extend(format.number().to_le_bytes());
        out.extend(RULES_VERSION.to_le_bytes());
        push_prefixed(THIS_PROGRAM.as_bytes(), &mut out);
        let crc = crc32fast::hash(&out);
        out.extend(crc.to_le_bytes());
        let start = out.len();
        let Setup { map, rules, seed, dialect, sight_rule } = &self.setup;
        push_rules(rules, &mut out);
        out.extend(seed.number().to_le_bytes());
        out.push(index(&DIALECTS, dialect));
        out.push(index(&SIGHT_RULES, sight_rule));
        out.extend(self.port.to_le_bytes());
        let map = map.to_string();
        out.extend(u32::try_from(map.len()).expect("a map fits a datagram").to_le_bytes());
        out.extend(map.as_bytes());
        let crc = continued(crc, &out[start..]);
        out.extend(crc.to_le_bytes());
        (out, crc)
    }

    /// Reads the header at the start of a file: from its copy if it is damaged itself.
    pub(crate) fn read(all: &[u8]) -> Result<HeaderRead, ReadError> {
        if all.starts_with(STALE_MARK) {
            return Err(ReadError::NotARecording);
        }
        let read = match Self::read_once(all) {
            Err(why @ (ReadError::Header | ReadError::NotARecording)) => {
                return Self::read_copy(all).ok_or(why);
            }
            read => read?,
        };
        if read.format < Format::V3 {
            return Ok(read);
        }
        let (bytes, copy) = all[..].split_at(read.length);
        let copy = copy.get(..read.length).ok_or(ReadError::Header)?;
        let repair = (bytes != copy).then(|| Repair { offset: read.length, bytes: bytes.to_vec() });
        Ok(HeaderRead { length: 2 * read.length, repair, ..read })
    }

    /// Finds the copy of a damaged header: it begins where it is itself as long as everything before it.
    fn read_copy(all: &[u8]) -> Option<HeaderRead> {
        let starts = all.windows(MAGIC.len()).enumerate().skip(1);
        let mut starts = starts.filter(|(_, bytes)| bytes == MAGIC).map(|(offset, _)| offset);
        let (offset, read) = starts.find_map(|offset| {
            let read = Self::read_once(&all[offset..]).ok()?;
            (read.length == offset && read.format >= Format::V3).then_some((offset, read))
        })?;
        let repair = Some(Repair { offset: 0, bytes: all[offset..2 * offset].to_vec() });
        Some(HeaderRead { length: 2 * offset, repair, ..read })
    }

    fn read_once(all: &[u8]) -> Result<HeaderRead, ReadError> {
        let mut bytes = ByteReader::new(all);
        let (format, crc) = read_origin(&mut bytes)?;
        let start = bytes.taken();
        let header = Self::read_content(&mut bytes);
        let crc = continued(crc, &all[start..bytes.taken()]);
        if bytes.u32() != Some(crc) {
            return Err(ReadError::Header);
        }
        let header = header.ok_or(ReadError::Header)?;
        header.check()?;
        Ok(HeaderRead { header, length: bytes.taken(), format, crc, repair: None })
    }

    fn read_content(bytes: &mut ByteReader) -> Option<Self> {
        let rules = read_rules(bytes)?;
        let seed = Seed::new(i64::from_le_bytes(bytes.array()?));
        let dialect = *DIALECTS.get(usize::from(bytes.u8()?))?;
        let sight_rule = *SIGHT_RULES.get(usize::from(bytes.u8()?))?;
        let port = bytes.u16()?;
        let map_bytes = bytes.u32()?;
        let map_bytes = map_bytes.try_into().ok().filter(|length| *length <= MAX_MAP_BYTES)?;
        let drawn = bytes.take(map_bytes)?;
        let map = Map::parse(drawn).ok().filter(|parsed| parsed.repairs.is_empty())?.map;
        Some(Self { setup: Setup { map, rules, seed, dialect, sight_rule }, port })
    }
}

/// Reads the first part, which is the same in every version: the program that wrote the file, and the
/// format. Returns the format and the checksum of this part.
fn read_origin(bytes: &mut ByteReader) -> Result<(Format, u32), ReadError> {
    let magic = bytes.take(MAGIC.len()).ok_or(ReadError::NotARecording)?;
    if magic != MAGIC {
        return Err(ReadError::NotARecording);
    }
    let (Some(format), Some(rules), Some(by)) = (bytes.u16(), bytes.u16(), bytes.prefixed()) else {
        return Err(ReadError::Header);
    };
    let crc = crc32fast::hash(bytes.consumed());
    if bytes.u32() != Some(crc) {
        return Err(ReadError::Header);
    }
    // A player's name is safe to print, except for tabs.
    let by = Name::new(by).map(|by| by.as_str().replace('\t', " "));
    let by = by.unwrap_or_else(|| "an unknown version".to_owned());
    let ours = THIS_PROGRAM;
    let Some(known) = Format::from_number(format) else {
        return Err(ReadError::OtherFormat { by, format, ours });
    };
    if rules != RULES_VERSION {
        return Err(ReadError::OtherRules { by, rules, ours });
    }
    Ok((known, crc))
}

/// Encoded as the index in these lists.
const DIALECTS: [Dialect; 2] = [Dialect::V2021, Dialect::V2019];
const SIGHT_RULES: [SightRule; 2] = [SightRule::DarkPassages, SightRule::StraightPassages];

fn index<T: PartialEq>(list: &[T], wanted: &T) -> u8 {
    (0..).zip(list).find(|(_, one)| *one == wanted).expect("the list is complete").0
}

fn continued(crc: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(crc);
    hasher.update(bytes);
    hasher.finalize()
}

/// Destructures the rules, so that a new rule can't be forgotten here.
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

fn read_rules(bytes: &mut ByteReader) -> Option<Rules> {
    let nuggets = bytes.u32()?;
    let min_piles = bytes.u32()?;
    let max_piles = bytes.u32()?;
    let max_players = bytes.u8()?.into();
    let bits = bytes.u8()?;
    let vision = bytes.u16()?;
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
