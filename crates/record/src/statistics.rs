//! Statistics of a recorded game, measured by replaying it. This module must not know their presentation.

use nuggets_game::{Event, Game, Letter, Name, Player, Point, PointSet};

use crate::verify::Playback;
use crate::{BadRecord, Entry, RecordedEvent, Recording, Timestamp};

/// The statistics of a whole game.
///
/// ```
/// use nuggets_record::{Recording, Statistics};
///
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept_v3_journal.nuggets"));
/// let recording = Recording::read(bytes).unwrap().recording;
/// let statistics = Statistics::of(&recording).unwrap();
/// let first = &statistics.players[0];
/// assert!(first.keys <= first.steps, "an accepted key is a step or several");
/// assert!(statistics.explored_share(first) > 0.0, "what is visible from the first spot");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// The time of the last entry.
    pub duration: Timestamp,
    /// Everyone who ever joined, in the order of letters.
    pub players: Vec<PlayerStatistics>,
    /// Nuggets in no purse, from each time on.
    pub remaining: Vec<(Timestamp, u32)>,
    /// The number of times that a player came onto each gridpoint, row after row.
    pub visits: Vec<u32>,
    /// The number of spots on the map.
    pub spots: u32,
}

/// The statistics of one player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerStatistics {
    /// The player's letter.
    pub letter: Letter,
    /// The player's name.
    pub name: Name,
    /// The time of joining.
    pub joined: Timestamp,
    /// The time of quitting or starving.
    pub gone: Option<Timestamp>,
    /// Nuggets in the purse, from each time on.
    pub purse: Vec<(Timestamp, u32)>,
    /// Every spot the player came onto.
    pub path: Vec<(Timestamp, Point)>,
    /// Accepted keys.
    pub keys: u32,
    /// The player's own steps; being swapped does not count.
    pub steps: u32,
    /// Piles collected.
    pub piles: u32,
    /// The number of known spots, from each time on.
    pub explored: Vec<(Timestamp, u32)>,
    /// Gridpoints known at the last count: spots are counted again only when this has changed.
    known: usize,
}

impl Statistics {
    /// Replays a recording and measures it.
    pub fn of(recording: &Recording) -> Result<Self, BadRecord> {
        let mut playback = Playback::start(recording)?;
        let mut events = vec![];
        let map = &recording.header.setup.map;
        let spots = map.spot_set();
        let mut statistics = Self {
            duration: recording.duration(),
            players: vec![],
            remaining: vec![(Timestamp(0), playback.game.remaining())],
            visits: vec![0; map.tiles().len()],
            spots: count(spots.len()),
        };
        for entry in recording.entries() {
            playback.step(recording, &mut events)?;
            statistics.add(entry, &events, &playback.game, &spots);
        }
        Ok(statistics)
    }

    /// The share of the map's spots that a player knew in the end, from 0 to 1.
    pub fn explored_share(&self, player: &PlayerStatistics) -> f64 {
        let known = player.explored.last().map_or(0, |(_, known)| *known);
        f64::from(known) / f64::from(self.spots.max(1))
    }

    fn add(&mut self, entry: &Entry, events: &[Event], game: &Game, spots: &PointSet) {
        let at = entry.at;
        let newcomers = game.players().iter().skip(self.players.len());
        self.players.extend(newcomers.map(|player| PlayerStatistics::new(player, at)));
        if let RecordedEvent::Press(letter, _) = entry.what {
            self.players[letter.index()].keys += 1;
        }
        for event in events {
            self.count_event(*event, at, game);
        }
        note(&mut self.remaining, at, game.remaining());
        for (numbers, player) in self.players.iter_mut().zip(game.players()) {
            note(&mut numbers.purse, at, player.purse());
            numbers.explore(at, player, spots);
        }
    }

    fn count_event(&mut self, event: Event, at: Timestamp, game: &Game) {
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
            | Event::Rejected(_) => {}
        }
    }

    fn arrive(&mut self, player: Letter, spot: Point, at: Timestamp, game: &Game) {
        self.players[player.index()].path.push((at, spot));
        self.visits[game.map().index(spot)] += 1;
    }
}

impl PlayerStatistics {
    fn new(player: &Player, joined: Timestamp) -> Self {
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

    fn explore(&mut self, at: Timestamp, player: &Player, spots: &PointSet) {
        let known = player.known().len();
        if known != self.known {
            self.known = known;
            let explored = player.known().iter().filter(|index| spots.contains(*index)).count();
            note(&mut self.explored, at, count(explored));
        }
    }
}

/// Appends a number unless it equals the last one.
fn note(row: &mut Vec<(Timestamp, u32)>, at: Timestamp, number: u32) {
    if row.last().is_none_or(|(_, last)| *last != number) {
        row.push((at, number));
    }
}

fn count(gridpoints: usize) -> u32 {
    u32::try_from(gridpoints).expect("a map fits a datagram")
}
