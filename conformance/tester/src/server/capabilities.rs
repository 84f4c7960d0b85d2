//! The capabilities of a server, probed before any check: its answer to a join, a method to see the whole map
//! repeatedly, and its response times. Checks of other things use them, so that they neither fail because of what this
//! server never does nor wait for it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::picture::ShownMap;
use super::timeouts::SLOW_ANSWER;
use super::tracking::key_path;
use super::{ServerTest, TestMap};
use crate::suite::TestRun as _;
use crate::{TestSettings, Verdict, ensure};

/// The answers to `PLAY`, in the order of the specification.
pub(crate) const WELCOME: [&str; 4] = ["OK", "GRID", "GOLD", "DISPLAY"];
/// The number of probes in which something must be missing: a datagram may have been lost.
const PROBES: u32 = 2;
/// The keys between the maps that a method must show, so that a stale map is noticed. Wherever the player is, each
/// direction is open once.
const KEYS: [char; 8] = ['h', 'l', 'h', 'l', 'k', 'j', 'k', 'j'];

/// The keys after which the letters of two players must still be there. At least two of them lead somewhere.
const LETTER_KEYS: [char; 4] = ['h', 'l', 'k', 'j'];

/// The methods to see the whole map, the best first.
const METHODS: [SnapshotMethod; 4] =
    [SnapshotMethod::Replace, SnapshotMethod::Leave, SnapshotMethod::Stay, SnapshotMethod::Players];

/// The probed capabilities of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// The types of the messages that a new player is sent.
    pub(crate) welcome: Vec<&'static str>,
    /// True if spectators are sent maps, even wrong ones.
    pub(crate) spectators_are_sent_maps: bool,
    /// The method to see the whole map; `None` if neither spectators nor players are sent it.
    pub(crate) snapshots: Option<SnapshotMethod>,
    /// The crash of the server during that probe, if it crashed.
    pub(crate) crash: Option<String>,
    /// True if a spectator that replaces another is sent an old map.
    pub(crate) replacement_is_stale: bool,
    /// The keys for steps that lead elsewhere than they should.
    pub(crate) wrong_steps: Vec<char>,
    /// True if one of two players is drawn with a wrong letter when it moves.
    pub(crate) mixes_letters: bool,
    /// The time of the slowest answer.
    pub(crate) slowest: Duration,
    /// The time of the fastest answer; `None` if there was no answer.
    pub(crate) fastest: Option<Duration>,
}

/// A method to see the whole map repeatedly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SnapshotMethod {
    /// A new spectator replaces the one before.
    Replace,
    /// The spectator quits before a new one joins.
    Leave,
    /// The first spectator stays. It has seen everything once it has been sent nothing for a while.
    Stay,
    /// Without spectators: the views of all players, combined.
    Players,
}

/// Facts about the program under test, learned once for all checks.
#[derive(Debug, Default)]
pub struct Learned {
    pub(crate) capabilities: OnceLock<Capabilities>,
    /// True once the server has opened a port without announcing it in time.
    pub(crate) has_silent_port: AtomicBool,
}

impl Learned {
    /// Returns the capabilities of the server. The first call probes them; other calls wait for it.
    pub(crate) fn capabilities(&self, settings: &Arc<TestSettings>) -> &Capabilities {
        self.capabilities.get_or_init(|| Capabilities::probe(settings))
    }
}

impl Capabilities {
    /// True if every answer takes long.
    pub(crate) fn is_slow(&self) -> bool {
        self.fastest.is_some_and(|fastest| fastest >= SLOW_ANSWER)
    }

    fn probe(settings: &Arc<TestSettings>) -> Self {
        let mut slowest = Duration::ZERO;
        let mut fastest = None;
        let mut note_times = |test: &ServerTest| {
            let timeouts = &test.network.timeouts;
            slowest = slowest.max(timeouts.slowest());
            fastest = fastest.into_iter().chain(timeouts.fastest()).min();
        };
        let mut welcome = vec![];
        for probe in 0..PROBES {
            let mut test = ServerTest::probe(settings, probe);
            welcome.extend(answers_to_play(&mut test).unwrap_or_default());
            note_times(&test);
            if WELCOME.iter().all(|word| welcome.contains(word)) {
                break;
            }
        }
        let welcome: Vec<_> = WELCOME.into_iter().filter(|word| welcome.contains(word)).collect();
        let shows_map = welcome.contains(&"DISPLAY");
        let mut replacement_is_stale = false;
        let mut wrong_steps = vec![];
        let mut crash = None;
        let mut works = |method: SnapshotMethod| {
            (0..PROBES).any(|probe| {
                let mut test = ServerTest::probe(settings, probe);
                let walk = walk_about(&mut test, method, shows_map);
                note_times(&test);
                let Ok(walk) = walk else {
                    crash = crash.take().or_else(|| test.crash());
                    return false;
                };
                replacement_is_stale |= method == SnapshotMethod::Replace && walk.is_stale;
                wrong_steps = walk.wrong_steps;
                !walk.is_stale
            })
        };
        let is_sent = (0..PROBES).any(|probe| {
            let mut test = ServerTest::probe(settings, probe);
            test.start().is_ok() && test.snapshot_by(SnapshotMethod::Stay).is_ok()
        });
        let is_possible = |method: &SnapshotMethod| match method {
            SnapshotMethod::Players => shows_map,
            SnapshotMethod::Replace | SnapshotMethod::Leave | SnapshotMethod::Stay => is_sent,
        };
        let snapshots = METHODS.into_iter().find(|method| is_possible(method) && works(*method));
        let mixes_letters =
            snapshots.filter(|method| *method != SnapshotMethod::Players).is_some_and(|method| {
                let mixes = |probe| mixes_letters(&mut ServerTest::probe(settings, probe), method);
                (0..PROBES).all(|probe| mixes(probe).unwrap_or(false))
            });
        Self {
            welcome,
            spectators_are_sent_maps: is_sent,
            snapshots,
            crash,
            replacement_is_stale,
            wrong_steps,
            mixes_letters,
            slowest,
            fastest,
        }
    }
}

/// Returns the message types of the answers to `PLAY`.
fn answers_to_play(test: &mut ServerTest) -> Verdict<Vec<&'static str>> {
    test.start()?;
    let mut ann = test.client("Ann")?;
    ann.send(b"PLAY Ann");
    let mut missing = WELCOME.to_vec();
    ann.wait_for_welcome(&mut missing);
    Ok(WELCOME.into_iter().filter(|word| !missing.contains(word)).collect())
}

/// A short walk, seen by spectators.
#[derive(Debug)]
struct ProbedWalk {
    /// True if the player was sent different maps in the second half, but the spectators always the same.
    is_stale: bool,
    wrong_steps: Vec<char>,
}

/// Walks a few steps and compares the maps. `shows_map` is true if a new player is sent a map.
fn walk_about(
    test: &mut ServerTest,
    method: SnapshotMethod,
    shows_map: bool,
) -> Verdict<ProbedWalk> {
    test.start_on(&TestMap::named("yard"))?;
    let mut ann = test.client("Ann")?;
    ann.send(b"PLAY Ann");
    if shows_map {
        ann.wait_for_welcome(&mut vec!["DISPLAY"]);
    }
    ann.letter.get_or_insert('A');
    test.player_views.add(&ann);
    let mut maps = vec![test.snapshot_by(method)?];
    if shows_map {
        // A map that shows something else where a player sees itself is useless.
        let own = ann.last_display()?.only(b'@');
        let is_shown = own.is_none_or(|at| maps[0].at(at).is_ascii_uppercase());
        ensure(is_shown, "a letter where a player sees itself", "something else")?;
    }
    let mut own = vec![];
    for key in KEYS {
        ann.press(key);
        maps.push(test.snapshot_by(method)?);
        own.push(ann.last_display().ok());
    }
    let later = KEYS.len() / 2;
    let is_still = all_equal(&maps[later + 1..]);
    // The method is useless if it never shows a player elsewhere.
    let is_stale = is_still && (method == SnapshotMethod::Players || !all_equal(&own[later..]));
    if is_stale {
        return Ok(ProbedWalk { is_stale, wrong_steps: vec![] });
    }
    let sight = test.sight()?;
    let is_wrong = |(key, maps): &(char, &[ShownMap])| {
        let spot = |map: &ShownMap| map.only(ann.cell());
        let (Some(from), Some(to)) = (spot(&maps[0]), spot(&maps[1])) else { return false };
        to != *key_path(&sight, from, *key).last().unwrap_or(&from)
    };
    let steps = KEYS.into_iter().zip(maps.windows(2));
    Ok(ProbedWalk { is_stale, wrong_steps: steps.filter(is_wrong).map(|(key, _)| key).collect() })
}

/// True if the letters of two players are not on the map once each when the first of them has moved.
fn mixes_letters(test: &mut ServerTest, method: SnapshotMethod) -> Verdict<bool> {
    test.start_on(&TestMap::named("yard"))?;
    let mut players = vec![];
    for name in ["Ann", "Bob"] {
        let mut player = test.client_that_sends(name, format!("PLAY {name}").as_bytes())?;
        player.wait_for_prefix("DISPLAY");
        players.push(player);
    }
    let letters = |map: &ShownMap| -> Vec<u8> {
        let mut letters = map.cells.clone();
        letters.retain(u8::is_ascii_uppercase);
        letters.sort_unstable();
        letters
    };
    let before = letters(&test.snapshot_by(method)?);
    for key in LETTER_KEYS {
        players[0].press(key);
        if letters(&test.snapshot_by(method)?) != before {
            return Ok(true);
        }
    }
    Ok(false)
}

fn all_equal<T: PartialEq>(items: &[T]) -> bool {
    items.iter().all(|item| *item == items[0])
}
