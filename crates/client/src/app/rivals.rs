//! The other players, as far as messages show them: their letters and names, and the gold that they took.
//!
//! The wire says how much gold is left, never who took it. But a picture that shows a player where gold lay a moment
//! ago does.

use std::collections::BTreeMap;
use std::str::FromStr;

use nuggets_atlas::{Gold, Picture, Point, Size};

/// The nuggets of a game by the specification.
const USUAL_NUGGETS: u32 = 250;

/// The known facts about a rival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rival {
    pub(crate) name: Option<String>,
    /// The nuggets that it was seen taking.
    pub(crate) taken: u32,
    /// True if it has left: it vanished from a spectator's picture.
    pub(crate) is_gone: bool,
    /// True if it was in a picture. Its name may be known before that.
    was_seen: bool,
}

/// All rivals, and the last picture for comparison with the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rivals {
    by_letter: BTreeMap<u8, Rival>,
    last: Option<Seen>,
    /// Nuggets that were taken according to the last `GOLD`, until a picture shows the taker.
    pending: u32,
    /// Nuggets whose takers were not seen.
    pub(crate) taken_unseen: u32,
    /// True if every nugget ever taken was counted.
    is_complete: bool,
}

/// The positions of players and gold in a picture.
#[derive(Clone, Debug, Default)]
struct Seen {
    size: Option<Size>,
    players: BTreeMap<u8, Point>,
    gold: Vec<Point>,
    you: Option<Point>,
}

/// News of a rival in a new picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RivalNews {
    /// It appeared for the first time.
    Appeared(u8),
    /// It is no longer visible.
    Vanished(u8),
    /// It took this much gold.
    Took(u8, u32),
    /// This much gold was taken out of sight.
    TakenUnseen(u32),
    /// We have changed places with it.
    Swapped(u8),
}

impl Rivals {
    /// Handles a new `GOLD` message. `found` of the nuggets are ours.
    pub(super) fn handle_gold(&mut self, before: Option<Gold>, now: Gold, found: u32, total: u32) {
        match before {
            None => self.is_complete = now.remaining.saturating_add(now.purse) >= total,
            Some(before) => {
                let gone = before.remaining.saturating_sub(now.remaining);
                self.pending = self.pending.saturating_add(gone.saturating_sub(found));
            }
        }
    }

    /// Compares a picture with the one before it.
    pub(super) fn handle_picture(
        &mut self,
        picture: &Picture,
        is_spectator: bool,
    ) -> Vec<RivalNews> {
        let seen = Seen::of(picture);
        let last = self.last.take().filter(|last| last.size == seen.size).unwrap_or_default();
        let mut news = Vec::new();
        for &letter in seen.players.keys() {
            let rival = self.by_letter.entry(letter).or_default();
            if !std::mem::replace(&mut rival.was_seen, true) {
                news.push(RivalNews::Appeared(letter));
            }
            rival.is_gone = false;
        }
        if is_spectator {
            for &letter in last.players.keys().filter(|letter| !seen.players.contains_key(letter)) {
                self.by_letter.entry(letter).or_default().is_gone = true;
                news.push(RivalNews::Vanished(letter));
            }
        }
        if let Some((&letter, _)) = seen.players.iter().find(|(letter, at)| {
            last.you == Some(**at)
                && last.players.contains_key(letter)
                && last.players.get(letter) == seen.you.as_ref()
        }) {
            news.push(RivalNews::Swapped(letter));
        }
        news.extend(self.settle(&last, &seen, is_spectator));
        self.last = Some(seen);
        news
    }

    /// Decides which rival took the pending nuggets.
    fn settle(&mut self, last: &Seen, seen: &Seen, is_spectator: bool) -> Option<RivalNews> {
        let nuggets = std::mem::take(&mut self.pending);
        if nuggets == 0 {
            return None;
        }
        let gone: Vec<Point> =
            last.gold.iter().copied().filter(|at| !seen.gold.contains(at)).collect();
        let moved = seen.players.iter().filter_map(|(&letter, &to)| {
            let from = *last.players.get(&letter)?;
            (from != to).then_some((letter, from, to))
        });
        let moved: Vec<(u8, Point, Point)> = moved.collect();
        let walked_over =
            |&&(_, from, to): &&(u8, Point, Point)| gone.iter().any(|&at| is_on_path(at, from, to));
        let mut takers = moved.iter().filter(walked_over).map(|&(letter, ..)| letter);
        let taker = match (takers.next(), takers.next()) {
            (Some(taker), None) => Some(taker),
            _ if is_spectator && moved.len() == 1 => Some(moved[0].0),
            // The taker came into sight on a remembered pile.
            _ => seen.players.iter().find(|(_, at)| gone.contains(at)).map(|(&letter, _)| letter),
        };
        Some(if let Some(letter) = taker {
            let rival = self.by_letter.entry(letter).or_default();
            rival.taken = rival.taken.saturating_add(nuggets);
            RivalNews::Took(letter, nuggets)
        } else {
            self.taken_unseen = self.taken_unseen.saturating_add(nuggets);
            RivalNews::TakenUnseen(nuggets)
        })
    }

    /// Sets a name, which only a server in this process can provide.
    pub(super) fn set_name(&mut self, letter: u8, name: &str) {
        let clean = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
        let name = name.chars().map(clean).collect();
        self.by_letter.entry(letter).or_default().name = Some(name);
    }

    /// All rivals by letter.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u8, &Rival)> {
        self.by_letter.iter().map(|(&letter, rival)| (letter, rival))
    }

    /// True if the nuggets that rivals were seen taking are all that they have.
    pub(crate) fn are_complete(&self) -> bool {
        self.is_complete && self.taken_unseen == 0
    }

    pub(crate) fn name_of(&self, letter: u8) -> Option<&str> {
        self.by_letter.get(&letter)?.name.as_deref()
    }
}

impl Seen {
    fn of(picture: &Picture) -> Self {
        let players = picture.points_of(|cell| cell.is_ascii_uppercase());
        Self {
            size: Some(picture.size()),
            players: players.map(|at| (picture.cell(at), at)).collect(),
            gold: picture.points_of(|cell| cell == b'*').collect(),
            you: picture.you(),
        }
    }
}

/// True if a step or sprint between these spots passes or ends at `at`.
fn is_on_path(at: Point, from: Point, to: Point) -> bool {
    let part = |to: u16, from: u16| i32::from(to) - i32::from(from);
    let (down, right) = (part(to.row, from.row), part(to.col, from.col));
    let (at_down, at_right) = (part(at.row, from.row), part(at.col, from.col));
    let is_straight = down == 0 || right == 0 || down.abs() == right.abs();
    let steps = at_down.abs().max(at_right.abs());
    is_straight
        && (1..=down.abs().max(right.abs())).contains(&steps)
        && at_down == down.signum() * steps
        && at_right == right.signum() * steps
}

/// The nuggets of the whole game, by the house rules.
pub(super) fn total_nuggets(house_rules: Option<&str>) -> u32 {
    house_rules.and_then(|rules| number_after("gold ", rules)).unwrap_or(USUAL_NUGGETS)
}

/// Returns the number after this text in the house rules.
pub(super) fn number_after<N: FromStr>(words: &str, rules: &str) -> Option<N> {
    let (_, rest) = rules.split_once(words)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
