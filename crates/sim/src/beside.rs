//! A room and the naive model of its game, side by side: the same game in the model's words, and
//! all that both must agree on though no message may have shown it yet.

use nuggets_game::{Game, Point, Rules};
use nuggets_model::{Settings, Spot, World, Year};
use nuggets_protocol::Dialect;
use nuggets_server::Room;

/// The same game, in the model's words: piles and food are where the game has them. The rules are
/// given apart: a room that plays by others must be found out.
pub fn settings(rules: &Rules, dialect: Dialect, changed_only: bool, game: &Game) -> Settings {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    Settings {
        year: match dialect {
            Dialect::V2021 => Year::Y2021,
            Dialect::V2019 => Year::Y2019,
        },
        gold: rules.nuggets,
        min_piles: count(rules.min_piles),
        max_piles: count(rules.max_piles),
        players: rules.max_players,
        vision: rules.vision.map(i64::from),
        steal: rules.steal,
        drop_on_quit: rules.drop_on_quit,
        lifetime: rules.lifetime.map(|lifetime| lifetime.steps),
        food: rules.lifetime.map_or(0, |lifetime| count(lifetime.food)),
        sprint_stops: rules.sprint_stops,
        end_when_empty: rules.end_when_empty,
        changed_only,
        piles: game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect(),
        food_at: game.food().iter().copied().map(spot).collect(),
    }
}

/// The first thing in which the room's game and the model differ, or in which the model finds a rule
/// broken.
pub fn compare(world: &World, room: &Room) -> Result<(), String> {
    no_flaws(&world.check())?;
    let game = room.game();
    let piles = game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect();
    same("piles", world.piles(), &piles)?;
    same("food", world.food(), &game.food().iter().copied().map(spot).collect())?;
    same("end", &world.is_over(), &room.is_over())?;
    same("table", &world.table(), &game.table().to_string())?;
    same("players", &world.players().len(), &game.players().len())?;
    for (model, real) in world.players().iter().zip(game.players()) {
        same("place", &model.at, &real.at().map(spot))?;
        same("steps", &model.steps_left, &real.steps_left())?;
    }
    Ok(())
}

/// Both must be the same.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, model: &T, real: &T) -> Result<(), String> {
    if model == real { Ok(()) } else { Err(format!("{what}: model {model:?}, reality {real:?}")) }
}

/// What the model found wrong, if anything.
pub fn no_flaws(flaws: &[String]) -> Result<(), String> {
    if flaws.is_empty() { Ok(()) } else { Err(flaws.join("\n")) }
}

/// A place, in the model's words.
pub fn spot(at: Point) -> Spot {
    (at.row.into(), at.col.into())
}
