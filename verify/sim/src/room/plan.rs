//! What a seed stands for: the map, the rules, the network conditions and the clients.

use std::fmt;

use nuggets_bots::BrainKind;
use nuggets_game::map::generate::{Blueprint, MapStyle, generate};
use nuggets_game::{Lifetime, Rng, Rules, Seed, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::{Reliability, Timestamp};

use crate::maps::SMALL_MAPS;
use crate::net::NetworkConditions;

/// The longest time for which a server is down.
const MAX_DOWN_MS: u32 = 3_000;
/// Ten times as many as the longest run in a million needs.
const MAX_STEPS: u64 = 2_000_000;

/// The built-in maps on which the model is not too slow.
const SHIPPED: [&str; 5] = ["main", "edges", "hole", "maze", "narrow"];

/// One run, before it begins. Everything in it may be changed for an experiment.
#[derive(Clone, Debug)]
pub struct RoomPlan {
    /// The seed that it was drawn from.
    pub seed: u64,
    /// All clients are bots that wait until all have joined and play until the game is over; the network loses
    /// and delays datagrams but does not damage them.
    pub is_bot_game: bool,
    /// The text of the map.
    pub map: String,
    /// The dialect of the room.
    pub dialect: Dialect,
    /// The dialect whose lines of sight the room has: the same, except to test that a difference is noticed.
    pub sight_dialect: Dialect,
    /// The rules of the model.
    pub rules: Rules,
    /// The rules of the room: the same, except to test that a difference is noticed.
    pub room_rules: Rules,
    /// A move is sent only to clients whose picture it changes.
    pub changed_only: bool,
    /// Resends, linger time and idle timeout that the room must keep to.
    pub reliability: Reliability,
    /// Those of the room: the same, except to test that a difference is noticed.
    pub room_reliability: Reliability,
    /// When the server crashes, ordered by time.
    pub crashes: Vec<CrashPlan>,
    /// A crash while the end is sent, counted from the end of the game. At 0 ms it comes in the input that ends it.
    pub end_crash: Option<CrashPlan>,
    /// A run with more steps gets nowhere.
    pub max_steps: u64,
    /// The seed of the game.
    pub game_seed: Seed,
    /// The network conditions.
    pub(crate) network: NetworkConditions,
    /// The seed of the network.
    pub network_seed: Seed,
    /// When the network becomes perfect and the clients stop, if the game is not over.
    pub settles_at: Timestamp,
    /// The clients, by number.
    pub clients: Vec<ClientPlan>,
}

/// One client of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientPlan {
    /// What decides its messages.
    pub kind: ClientKind,
    /// The mean time between two keys.
    pub key_interval_ms: u32,
    /// The seed of its decisions.
    pub seed: u64,
    /// When it starts.
    pub joins_at: Timestamp,
    /// When it vanishes without quitting.
    pub vanishes_at: Option<Timestamp>,
    /// When it starts again, without any memory.
    pub returns_at: Option<Timestamp>,
}

/// A crash of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashPlan {
    /// When it is due.
    pub at: Timestamp,
    /// What is lost.
    pub kind: CrashKind,
    /// How long the server is down.
    pub down_ms: u32,
}

/// What is lost in a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashKind {
    /// Nothing: it comes between two inputs.
    BetweenInputs,
    /// It comes in the next input that has an effect: all but this percentage of its journal is lost, and nothing
    /// of it is sent.
    Torn(u8),
    /// It comes in the next input that has an effect: its journal is stored, and this percentage of its messages
    /// is sent.
    Unsent(u8),
    /// A power failure so much later: all but this percentage of the journal since then is lost, although its
    /// messages were sent.
    PowerFailure {
        /// From `at` to the failure.
        after_ms: u32,
        /// What is left.
        percent: u8,
    },
}

/// What decides a client's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// A bot with this brain.
    Bot(BrainKind),
    /// Random messages, most of them valid.
    Script,
}

impl RoomPlan {
    /// The plan of this seed. One in four is a game of bots.
    pub fn draw(seed: u64) -> Self {
        let mut rng = Rng::new(Seed::new(seed.cast_signed()));
        let is_bot_game = rng.below(4) == 0;
        Self::draw_kind(seed, is_bot_game, &mut rng)
    }

    /// A game of bots of this seed.
    pub fn draw_bot_game(seed: u64) -> Self {
        let mut rng = Rng::new(Seed::new(seed.cast_signed()));
        Self::draw_kind(seed, true, &mut rng)
    }

    fn draw_kind(seed: u64, is_bot_game: bool, rng: &mut Rng) -> Self {
        let map = draw_map(rng);
        let rules = fitted(draw_rules(rng, is_bot_game), &map);
        let span_ms = 3_000 + rng.below(9_000);
        let count = 1 + rng.index(rules.max_players.min(8));
        let network = if is_bot_game {
            NetworkConditions::draw_lossy(rng, 30)
        } else {
            NetworkConditions::draw(rng, count, span_ms)
        };
        let idle_timeout_ms = (!is_bot_game && rng.below(3) == 0).then_some(3_000);
        let vanishing = !is_bot_game && rng.below(2) == 0;
        let mut clients: Vec<ClientPlan> =
            (0..count).map(|_| ClientPlan::draw(rng, is_bot_game, vanishing, span_ms)).collect();
        if is_bot_game {
            // At least one bot must be able to end the game.
            clients[0].kind = ClientKind::Bot(BrainKind::Miner);
        }
        let reliability = Reliability { idle_timeout_ms, ..Reliability::default() };
        let dialect = Dialect::ALL[rng.index(Dialect::ALL.len())];
        Self {
            seed,
            is_bot_game,
            map,
            dialect,
            sight_dialect: dialect,
            rules,
            room_rules: rules,
            changed_only: rng.below(5) == 0,
            reliability,
            room_reliability: reliability,
            crashes: draw_crashes(rng, is_bot_game, span_ms),
            end_crash: (rng.below(3) == 0).then(|| draw_end_crash(rng)),
            max_steps: MAX_STEPS,
            game_seed: draw_seed(rng),
            network,
            network_seed: draw_seed(rng),
            settles_at: Timestamp(span_ms.into()),
            clients,
        }
    }
}

/// Clients, dialect, map size and network conditions, in one line.
impl fmt::Display for RoomPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bots = self.clients.iter().filter(|client| client.kind != ClientKind::Script).count();
        let scripts = self.clients.len() - bots;
        let vanishing = self.clients.iter().filter(|client| client.vanishes_at.is_some()).count();
        let rows = self.map.lines().count();
        let cols = self.map.lines().next().map_or(0, str::len);
        write!(f, "{bots} bots, {scripts} scripts; {vanishing} of these clients vanish")?;
        write!(f, "; dialect {}, map {rows}x{cols}; {}", self.dialect, self.network)
    }
}

impl ClientPlan {
    fn draw(rng: &mut Rng, is_bot_game: bool, vanishing: bool, span_ms: u32) -> Self {
        let kind = match rng.below(5) {
            0 | 1 if !is_bot_game => ClientKind::Script,
            _ => ClientKind::Bot(BrainKind::ALL[rng.index(BrainKind::ALL.len())]),
        };
        let vanishes = vanishing && rng.below(2) == 0;
        let vanishes_at = vanishes.then(|| Timestamp(rng.below(span_ms).into()));
        let returns = vanishes_at.filter(|_| rng.below(2) == 0);
        Self {
            kind,
            key_interval_ms: 60 + rng.below(240),
            seed: draw_seed(rng).number().cast_unsigned(),
            joins_at: Timestamp(rng.below(1_000).into()),
            vanishes_at,
            returns_at: returns.map(|at| at.after(100 + u64::from(rng.below(3_000)))),
        }
    }
}

/// Up to three crashes. A game of bots must end, so nothing that was sent may be lost there, and no crash comes
/// before all bots have asked to join.
fn draw_crashes(rng: &mut Rng, is_bot_game: bool, span_ms: u32) -> Vec<CrashPlan> {
    let (first_ms, kinds) = if is_bot_game { (1_500, 3) } else { (0, 4) };
    let mut crashes: Vec<CrashPlan> = (0..rng.below(4))
        .map(|_| CrashPlan {
            at: Timestamp((first_ms + rng.below(span_ms)).into()),
            kind: match rng.below(kinds) {
                0 => CrashKind::BetweenInputs,
                1 => CrashKind::Torn(percent(rng)),
                2 => CrashKind::Unsent(percent(rng)),
                _ => CrashKind::PowerFailure { after_ms: rng.below(800), percent: percent(rng) },
            },
            down_ms: rng.below(MAX_DOWN_MS),
        })
        .collect();
    crashes.sort_by_key(|crash| crash.at);
    crashes
}

fn draw_end_crash(rng: &mut Rng) -> CrashPlan {
    let after_ms = if rng.below(2) == 0 { 0 } else { rng.below(4_900) };
    let kind = match rng.below(2) {
        0 => CrashKind::Torn(percent(rng)),
        _ => CrashKind::Unsent(percent(rng)),
    };
    CrashPlan { at: Timestamp(after_ms.into()), kind, down_ms: rng.below(MAX_DOWN_MS) }
}

fn percent(rng: &mut Rng) -> u8 {
    u8::try_from(rng.below(101)).unwrap_or(100)
}

/// Mostly a small map, sometimes a generated one, rarely a built-in one.
fn draw_map(rng: &mut Rng) -> String {
    match rng.below(80) {
        0 => {
            let name = SHIPPED[rng.index(SHIPPED.len())];
            shipped::find(name).map_or(SMALL_MAPS[0], |shipped| shipped.text).to_owned()
        }
        1..=8 => {
            let rows = 9 + rng.index(4);
            let cols = 20 + rng.index(12);
            let size = |number: usize| u16::try_from(number).unwrap_or(30);
            let blueprint = Blueprint::new(size(rows), size(cols), None, MapStyle::default());
            generate(&blueprint.unwrap_or_default(), draw_seed(rng)).to_string()
        }
        _ => SMALL_MAPS[rng.index(SMALL_MAPS.len())].to_owned(),
    }
}

fn draw_rules(rng: &mut Rng, is_bot_game: bool) -> Rules {
    if rng.below(6) == 0 {
        return Rules::default();
    }
    let nuggets = if rng.below(3) == 0 { 250 } else { 1 + rng.below(40) };
    let min_piles = 1 + rng.below(4.min(nuggets));
    let max_players = if rng.below(3) == 0 { 26 } else { 2 + rng.index(7) };
    let lifetime = Lifetime { steps: 1 + rng.below(60), food: rng.below(4) };
    Rules {
        nuggets,
        min_piles,
        max_piles: (min_piles + rng.below(4)).min(nuggets),
        max_players,
        sprint_stops: rng.below(2) == 0,
        end_when_empty: rng.below(2) == 0,
        vision: (rng.below(4) == 0).then_some(()).map(|()| 1 + small(rng.below(7))),
        steal: rng.below(3) == 0,
        drop_on_quit: rng.below(3) == 0,
        // Starving bots would not end the game.
        lifetime: (rng.below(4) == 0 && !is_bot_game).then_some(lifetime),
    }
}

fn small(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Smaller numbers where the map is too small.
fn fitted(mut rules: Rules, map: &str) -> Rules {
    let third = map.matches('.').count() / 3;
    let few = u32::try_from(third).unwrap_or(u32::MAX);
    rules.max_piles = rules.max_piles.min(few);
    rules.min_piles = rules.min_piles.min(few);
    if let Some(lifetime) = &mut rules.lifetime {
        lifetime.food = lifetime.food.min(few);
    }
    rules.max_players = rules.max_players.min(third);
    rules
}

fn draw_seed(rng: &mut Rng) -> Seed {
    let high = i64::from(rng.below(1 << 30));
    let low = i64::from(rng.below(1 << 30));
    Seed::new((high << 30 | low).max(1))
}
