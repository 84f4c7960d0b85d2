//! Maps: those that come with the game, random ones, and the check of an own one.

use axum::Json;
use axum::extract::{Query, State};
use nuggets_game::{RuleChoices, shipped};
use serde::{Deserialize, Serialize};

use super::Body;
use crate::setup::{MAX_MAP_BYTES, check_map, random_map};
use crate::web::App;
use crate::web::rate_limits::Limited;
use crate::web::rejection::Rejection;
use crate::web::visitor::{OwnPage, Visitor};
use crate::{Complaint, SpecError, random};

/// A map that comes with the game.
#[derive(Debug, Serialize)]
pub(super) struct BuiltIn {
    name: &'static str,
    about: &'static str,
    rows: u16,
    cols: u16,
    text: &'static str,
}

/// `GET /api/maps`
pub(super) async fn list() -> Json<Vec<BuiltIn>> {
    let built_in = shipped::ALL.iter().map(|shipped| {
        let map = shipped.map();
        let shipped::ShippedMap { name, about, text } = *shipped;
        BuiltIn { name, about, rows: map.rows(), cols: map.cols(), text }
    });
    Json(built_in.collect())
}

/// Which random map.
#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    seed: Option<i64>,
}

/// A random map and the seed that gives it again.
#[derive(Debug, Serialize)]
pub(super) struct Drawn {
    seed: i64,
    text: String,
}

/// The largest number that JavaScript holds exactly: 53 bits.
const MAX_SEED: i64 = (1 << 53) - 1;

/// `GET /api/maps/random?seed=N`
pub(super) async fn random(
    State(app): State<App>,
    visitor: Visitor,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Drawn>, Rejection> {
    app.limits.spend(Limited::MapCheck, visitor.asker.source)?;
    let seed = wanted.seed.unwrap_or_else(|| random::seed().number() & MAX_SEED);
    let drawn = tokio::task::spawn_blocking(move || random_map(seed).to_string()).await;
    Ok(Json(Drawn { seed, text: drawn.map_err(Rejection::internal)? }))
}

/// A map to check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToCheck {
    text: String,
    /// How much room it must have.
    #[serde(default, with = "crate::spec::rules")]
    rules: RuleChoices,
}

/// What is wrong with it; nothing if it can be played.
#[derive(Debug, Serialize)]
pub(super) struct Checked {
    complaints: Vec<Complaint>,
}

/// `POST /api/maps/check`
pub(super) async fn check(
    State(app): State<App>,
    OwnPage(visitor): OwnPage,
    Body(ToCheck { text, rules }): Body<ToCheck>,
) -> Result<Json<Checked>, Rejection> {
    app.limits.spend(Limited::MapCheck, visitor.asker.source)?;
    if text.len() > MAX_MAP_BYTES {
        return Err(SpecError::MapTooLong.into());
    }
    // Rules that can't be are complained about where they are chosen.
    let rules = rules.rules().unwrap_or_default();
    let checked = tokio::task::spawn_blocking(move || check_map(&text, &rules)).await;
    Ok(Json(Checked { complaints: checked.map_err(Rejection::internal)? }))
}
