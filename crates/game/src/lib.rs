//! The rules of Nuggets: maps, visibility, gold, players, and the game made of them.
//!
//! This crate is pure. It has no clock, socket, thread, file or global, and knows no messages or
//! addresses: a setup and an ordered list of inputs fix everything that ever happens.
//!
//! ```
//! use nuggets_game::{Game, Input, Name, Rules, Seed, Setup, Stroke, Viewer, shipped};
//! use nuggets_protocol::Dialect;
//!
//! let map = shipped::find("main").unwrap().map();
//! let setup = Setup::new(map, Rules::default(), Seed::new(7), Dialect::V2021);
//! let mut game = Game::new(&setup).unwrap();
//!
//! let mut events = Vec::new();
//! game.apply(Input::Join(Name::new(b"Ann").unwrap()), &mut events);
//! let ann = game.players()[0].letter();
//! game.apply(Input::Press(ann, Stroke::from_key(b'L').unwrap()), &mut events);
//! assert_eq!(game.view(Viewer::Player(ann)).to_string().matches('@').count(), 1);
//! ```

mod canvas;
mod changes;
mod game;
mod game_over_table;
mod gold;
pub mod map;
mod occupants;
mod player;
mod point_set;
mod rng;
mod rules;
mod setup;
mod sight;
mod view;

pub use canvas::Canvas;
pub use changes::Changes;
pub use game::{End, Event, Game, Input, Rejection};
pub use game_over_table::GameOverTable;
pub use map::{Map, Tile, shipped};
pub use nuggets_protocol::{Direction, Name, Point, Stroke};
pub use player::{Letter, Player};
pub use point_set::PointSet;
pub use rng::{Rng, Seed};
pub use rules::{BadRules, HouseRule, HouseRuleEntry, Lifetime, RuleChoices, Rules, TooFewSpots};
pub use setup::Setup;
#[cfg(any(test, feature = "oracle"))]
pub use sight::line::is_visible;
pub use sight::{Sight, SightRule};
pub use view::{View, Viewer};
