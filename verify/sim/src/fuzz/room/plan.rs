//! The game and the steps that a fuzz input stands for.

use nuggets_game::{HouseRule, RuleChoices, Rules, shipped};
use nuggets_protocol::Dialect;
use nuggets_server::Reliability;

use crate::fuzz::script::FuzzBytes;
use crate::maps::SMALL_MAPS;

pub(super) const PEERS: u8 = 32;

#[derive(Clone, Debug)]
pub(super) struct FuzzPlan {
    pub(super) map: &'static str,
    pub(super) dialect: Dialect,
    pub(super) rules: Rules,
    pub(super) seed: i64,
    pub(super) changed_only: bool,
    pub(super) reliability: Reliability,
    /// True for a game with rate limits, idle timeouts, unreachable peers, and crashes that lose the end of the
    /// journal. The model does not know any of these.
    pub(super) is_hard: bool,
}

#[derive(Clone, Debug)]
pub(super) enum FuzzAction {
    Send(u8, Vec<u8>),
    /// The room is woken if its timeout is due.
    Wake,
    /// A datagram to a peer could not be delivered.
    Unreachable(u8),
    /// The server is killed and resumed; this many bytes at the end of its journal are lost.
    Crash(u8),
}

impl FuzzPlan {
    /// Reads eight bytes of settings.
    pub(super) fn read(script: &mut FuzzBytes) -> Self {
        let kind = script.byte();
        let is_hard = kind & 4 != 0;
        let map = match script.below(8) {
            7 => shipped::find("narrow").expect("narrow is a built-in map").text,
            other => SMALL_MAPS[usize::from(other) % SMALL_MAPS.len()],
        };
        let reliability = Reliability {
            resends: kind & 8 != 0,
            linger_ms: if kind & 16 != 0 { 5_000 } else { 0 },
            idle_timeout_ms: (is_hard && kind & 32 != 0).then_some(20_000),
        };
        Self {
            map,
            dialect: if kind & 1 == 0 { Dialect::V2021 } else { Dialect::V2019 },
            rules: rules(script, map),
            seed: script.byte().into(),
            changed_only: kind & 2 != 0,
            reliability,
            is_hard,
        }
    }
}

/// Valid rules that fit the map.
fn rules(script: &mut FuzzBytes, map: &str) -> Rules {
    let third = u32::try_from(map.matches('.').count() / 3).expect("maps are small");
    let nuggets = u32::from(script.byte()) + 1;
    let piles = u32::from(script.below(4)) + 1;
    let max_piles = piles.min(nuggets).min(third);
    let choices = script.byte();
    let players = script.byte();
    let has = |bit: u8| choices >> bit & 1 == 1;
    let steps = u32::from(script.byte()) + 1;
    let max_players = if players % 8 == 7 { 26 } else { u32::from(players % 8) + 1 }.min(third);
    let mut chosen = RuleChoices::default()
        .with(HouseRule::Gold, nuggets)
        .with(HouseRule::MinPiles, max_piles.div_ceil(2))
        .with(HouseRule::MaxPiles, max_piles)
        .with(HouseRule::Players, max_players);
    chosen.set(HouseRule::Steal, (has(2) && max_players > 1).then_some(1));
    chosen.set(HouseRule::DropOnQuit, (has(3) && max_players > 1).then_some(1));
    chosen.set(HouseRule::Vision, has(4).then_some(u32::from(choices >> 6) * 2 + 1));
    chosen.set(HouseRule::Lifetime, has(5).then_some(steps));
    chosen.set(HouseRule::Food, has(5).then_some(third.min(3)));
    let rules = chosen.rules().expect("they fit together");
    Rules { sprint_stops: has(0), end_when_empty: has(1), ..rules }
}

impl FuzzAction {
    /// The next step, and the time since the previous one; none at the end of the script. Keys are the most frequent steps.
    pub(super) fn read(script: &mut FuzzBytes) -> Option<(u64, Self)> {
        let code = script.next()?;
        let peer = script.below(PEERS);
        let wait_ms = script.pick(&[0, 0, 1, 7, 40, 250, 400, 750, 1_000, 3_000, 4_000, 20_000]);
        let what = match code {
            0..16 => FuzzAction::Send(peer, play(peer)),
            16..24 => FuzzAction::Send(peer, b"SPECTATE".to_vec()),
            24..48 => {
                let length = script.byte();
                FuzzAction::Send(peer, script.take(length.into()).to_vec())
            }
            48..60 => {
                let name = usize::from(code) - 47;
                FuzzAction::Send(peer, [b"PLAY ", script.take(name)].concat())
            }
            60..80 => FuzzAction::Wake,
            80..90 => FuzzAction::Unreachable(peer),
            90..96 => FuzzAction::Crash(script.below(64)),
            96..108 => FuzzAction::Send(peer, b"KEY Q".to_vec()),
            _ => FuzzAction::Send(peer, vec![b'K', b'E', b'Y', b' ', key(code)]),
        };
        Some((wait_ms, what))
    }
}

/// Returns the usual join message of a peer.
fn play(peer: u8) -> Vec<u8> {
    format!("PLAY number {peer}").into_bytes()
}

fn key(code: u8) -> u8 {
    b"hjklyubnHJKLYUBN"[usize::from(code % 16)]
}
