//! What a recording tells of its players, in numbers: found by playing it again. How they are
//! shown is not asked here.

use nuggets_game::{Event, Game, Letter, Name, Player, Point, PointSet};

use crate::run::Run;
use crate::{BadRecord, Entry, Millis, Recording, What};

/// The numbers of a whole game.
///
/// ```
/// # use nuggets_game::{Name, Rules, Seed, SightRule, shipped};
/// # use nuggets_protocol::Dialect;
/// # use nuggets_record::{Entry, Header, Millis, Recording, What, Writer};
/// use nuggets_record::Statistics;
///
/// # let header = Header {
/// #     rules: Rules::default(),
/// #     seed: Seed::new(7),
/// #     dialect: Dialect::V2021,
/// #     sight: SightRule::DarkPassages,
/// #     map: shipped::ALL[0].map(),
/// #     port: 0,
/// # };
/// # let mut game = header.game().unwrap();
/// # let (mut writer, mut bytes) = Writer::new(&header, &game);
/// # let what = What::Join { name: Name::new(b"Ann").unwrap(), peer: None };
/// # game.apply(what.input().unwrap(), &mut vec![]);
/// # writer.append(&Entry::new(Millis(1500), what), &game, &mut bytes);
/// let recording = Recording::read(&bytes).unwrap().recording;
/// let statistics = Statistics::of(&recording).unwrap();
/// let ann = &statistics.players[0];
/// assert_eq!((ann.name.as_str(), ann.steps), ("Ann", 0));
/// assert!(statistics.explored_share(ann) > 0.0, "what is seen from the first spot");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// How long the recording goes on.
    pub duration: Millis,
    /// Everybody who ever joined, in the order of letters.
    pub players: Vec<PlayerStatistics>,
    /// Nuggets that nobody had taken, from each time on.
    pub remaining: Vec<(Millis, u32)>,
    /// How often somebody came onto each gridpoint, row after row.
    pub heat: Vec<u32>,
    /// How many spots the map has.
    pub spots: u32,
}

/// The numbers of one player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerStatistics {
    /// The letter.
    pub letter: Letter,
    /// The name.
    pub name: Name,
    /// When it joined.
    pub joined: Millis,
    /// When it quit or starved, if it did.
    pub gone: Option<Millis>,
    /// The purse, from each time on.
    pub purse: Vec<(Millis, u32)>,
    /// Every spot it came onto.
    pub path: Vec<(Millis, Point)>,
    /// Keys that moved it.
    pub keys: u32,
    /// Steps of its own. (Being swapped is none.)
    pub steps: u32,
    /// Piles taken.
    pub piles: u32,
    /// How many of the map's spots it knew, from each time on.
    pub explored: Vec<(Millis, u32)>,
    /// Gridpoints known at the last count. It tells without counting whether there are new ones.
    known: usize,
}

impl Statistics {
    /// The numbers of this recording.
    pub fn of(recording: &Recording) -> Result<Self, BadRecord> {
        let (mut run, mut events) = (Run::start(recording)?, vec![]);
        let map = &recording.header.map;
        let mut spots = PointSet::empty(map.tiles().len());
        map.spots().into_iter().for_each(|at| spots.insert(map.index(at)));
        let mut statistics = Self {
            duration: recording.duration(),
            players: vec![],
            remaining: vec![(Millis(0), run.game.remaining())],
            heat: vec![0; map.tiles().len()],
            spots: count(spots.len()),
        };
        for entry in recording.entries() {
            run.step(recording, &mut events)?;
            statistics.add(entry, &events, &run.game, &spots);
        }
        Ok(statistics)
    }

    /// The part of the map's spots that a player knew in the end, from 0 to 1.
    pub fn explored_share(&self, player: &PlayerStatistics) -> f64 {
        let known = player.explored.last().map_or(0, |(_, known)| *known);
        f64::from(known) / f64::from(self.spots.max(1))
    }

    fn add(&mut self, entry: &Entry, events: &[Event], game: &Game, spots: &PointSet) {
        let at = entry.at;
        let newcomers = game.players().iter().skip(self.players.len());
        self.players.extend(newcomers.map(|player| PlayerStatistics::new(player, at)));
        if let What::Press(letter, _) = entry.what {
            self.players[letter.index()].keys += 1;
        }
        for event in events {
            self.take(*event, at, game);
        }
        note(&mut self.remaining, at, game.remaining());
        for (numbers, player) in self.players.iter_mut().zip(game.players()) {
            note(&mut numbers.purse, at, player.purse());
            numbers.explore(at, player, spots);
        }
    }

    fn take(&mut self, event: Event, at: Millis, game: &Game) {
        match event {
            Event::Joined { player, at: spot } => self.arrive(player, spot, at, game),
            Event::Moved { player, to, .. } => {
                self.players[player.index()].steps += 1;
                self.arrive(player, to, at, game);
            }
            Event::Swapped { mover, other, from, to } => {
                self.players[mover.index()].steps += 1;
                self.arrive(mover, to, at, game);
                self.arrive(other, from, at, game);
            }
            Event::Collected { player, .. } => self.players[player.index()].piles += 1,
            Event::Left { player, .. } | Event::Starved { player, .. } => {
                self.players[player.index()].gone = Some(at);
            }
            Event::Stole { .. }
            | Event::Ate { .. }
            | Event::Dropped { .. }
            | Event::Over(_)
            | Event::Refused(_) => {}
        }
    }

    fn arrive(&mut self, player: Letter, spot: Point, at: Millis, game: &Game) {
        self.players[player.index()].path.push((at, spot));
        self.heat[game.map().index(spot)] += 1;
    }
}

impl PlayerStatistics {
    fn new(player: &Player, joined: Millis) -> Self {
        Self {
            letter: player.letter(),
            name: player.name().clone(),
            joined,
            gone: None,
            purse: vec![],
            path: vec![],
            keys: 0,
            steps: 0,
            piles: 0,
            explored: vec![],
            known: 0,
        }
    }

    fn explore(&mut self, at: Millis, player: &Player, spots: &PointSet) {
        let known = player.known().len();
        if known != self.known {
            self.known = known;
            let explored = player.known().iter().filter(|index| spots.contains(*index)).count();
            note(&mut self.explored, at, count(explored));
        }
    }
}

/// Adds a number to a row of them if it is a new one.
fn note(row: &mut Vec<(Millis, u32)>, at: Millis, number: u32) {
    if row.last().is_none_or(|(_, last)| *last != number) {
        row.push((at, number));
    }
}

fn count(gridpoints: usize) -> u32 {
    u32::try_from(gridpoints).expect("a map fits a datagram")
}
