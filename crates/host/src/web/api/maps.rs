//! Maps: the built-in ones, random ones, and the check of a player's map.

use axum::Json;
use axum::extract::Query;
use nuggets_game::{RuleChoices, shipped};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Body;
use crate::setup::{MAX_MAP_BYTES, check_map, random_map};
use crate::web::rate_limits::Limited;
use crate::web::rejection::HttpError;
use crate::web::visitor::{OwnPage, Visitor};
use crate::{SpecError, random};

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

#[derive(Debug, Deserialize)]
pub(super) struct RandomMapQuery {
    seed: Option<i64>,
}

/// The largest integer that JavaScript represents exactly: 53 bits.
const MAX_SEED: i64 = (1 << 53) - 1;

/// `GET /api/maps/random?seed=N`: a random map and the seed that reproduces it.
pub(super) async fn random(
    visitor: Visitor,
    Query(wanted): Query<RandomMapQuery>,
) -> Result<Json<Value>, HttpError> {
    visitor.app.limits.spend(Limited::MapCheck, visitor.client.source)?;
    let seed = wanted.seed.unwrap_or_else(|| random::seed().number() & MAX_SEED);
    let drawn = tokio::task::spawn_blocking(move || random_map(seed).to_string()).await;
    Ok(Json(json!({ "seed": seed, "text": drawn.map_err(HttpError::internal)? })))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapToCheck {
    text: String,
    /// The rules of the game, which decide how many room spots the map needs.
    #[serde(default, with = "crate::spec::rules")]
    rules: RuleChoices,
}

/// `POST /api/maps/check`: the faults of a map; none if it can be played.
pub(super) async fn check(
    OwnPage(visitor): OwnPage,
    Body(MapToCheck { text, rules }): Body<MapToCheck>,
) -> Result<Json<Value>, HttpError> {
    visitor.app.limits.spend(Limited::MapCheck, visitor.client.source)?;
    if text.len() > MAX_MAP_BYTES {
        return Err(SpecError::MapTooLong.into());
    }
    // Invalid rules are reported at their own fields of the form.
    let rules = rules.rules().unwrap_or_default();
    let checked = tokio::task::spawn_blocking(move || check_map(&text, &rules)).await;
    Ok(Json(json!({ "complaints": checked.map_err(HttpError::internal)? })))
}
