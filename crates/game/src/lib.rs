//! The rules of Nuggets: maps, sight, gold, players, and the game that joins them.
//!
//! This room is pure. It knows no clock, socket, thread, file or global, and nothing of messages
//! or addresses: a map, a seed and an ordered list of inputs fix everything that ever happens.
//!
//! ```
//! use std::sync::Arc;
//! use nuggets_game::{Game, Input, Map, Name, Rules, Seed, Sight, SightRule, Stroke, Viewer, shipped};
//!
//! let map = shipped::find("main").unwrap().map();
//! let sight = Arc::new(Sight::new(map, SightRule::DarkPassages));
//! let mut game = Game::new(sight, Rules::default(), Seed::new(7)).unwrap();
//!
//! let mut events = Vec::new();
//! game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut events);
//! let ann = game.players()[0].letter();
//! game.apply(Input::Press(ann, Stroke::from_key(b'L').unwrap()), &mut events);
//! assert_eq!(game.view(Viewer::Player(ann)).to_string().matches('@').count(), 1);
//! ```

mod canvas;
mod chance;
mod changes;
mod game;
mod gold;
mod map;
mod occupants;
mod player;
mod point;
mod point_set;
mod rules;
mod sight;
mod table;
mod view;

pub use canvas::Canvas;
pub use chance::{Chance, Seed};
pub use changes::Changes;
pub use game::{End, Event, Game, Input, Refusal};
pub use map::check::drawing::{Fault, FaultKind};
pub use map::check::{Finding, Flaw, MapRule, Outcome, Remark, Report};
pub use map::generate::{Blueprint, BlueprintError, Style, UnknownStyle, generate};
pub use map::parse::{Character, MapError, Mend, Parsed, Place};
pub use map::shipped;
pub use map::stats::{GoldWalk, LongestWalk, MeanSight, Stats};
pub use map::{Map, Tile};
pub use player::{Letter, MAX_NAME_BYTES, Name, Player};
pub use point::{Direction, Point, Stroke};
pub use point_set::PointSet;
pub use rules::{BadRules, Lifetime, Rules, TooFewSpots};
#[cfg(any(test, feature = "oracle"))]
pub use sight::line::is_visible;
pub use sight::{Sight, SightRule};
pub use table::Table;
pub use view::{View, Viewer};
