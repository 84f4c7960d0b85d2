//! A recording as data for the page: the picture of each view at every time, and the events. Its JSON is described in
//! docs/replay.md.

use nuggets_game::{End, Event, Game, Letter, Player, Point, SightRule};
use nuggets_protocol::web::ResultLine;
use nuggets_record::{
    BadRecord, EventKind, RecordedEvent, Recording, RecordingEnd, Replay, TimelineEntry, Timestamp,
};
use serde::Serialize;

use super::view_changes::{RecordedViews, ViewChanges};

/// A recording for the page. Every state hash was compared while it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayData {
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub cols: u16,
    /// Nuggets in the whole game.
    pub gold: u32,
    /// The time of the last record.
    pub duration_ms: u64,
    /// The time at which the page begins: just before the first key if the wait for it was long, otherwise 0.
    pub lead_ms: u64,
    /// The limit of the line of sight, if there is one.
    pub vision: Option<u16>,
    /// True if players see along passages, as in the game of 2019.
    pub sees_passages: bool,
    /// Everyone who ever joined, in the order of letters.
    pub players: Vec<ReplayPlayer>,
    /// The whole map at the start. The view of a player is blank until it joins.
    pub start: Vec<String>,
    /// The changes, in order.
    pub frames: Vec<ReplayFrame>,
    /// The number of inputs per frame: more than one only in very long games.
    pub inputs_per_frame: usize,
    /// The events, in order.
    pub events: Vec<ReplayEvent>,
    /// The number of events left out because there were too many.
    pub events_left_out: usize,
    /// Changed purses: the time, the player, the nuggets from then on.
    pub purses: Vec<(u64, char, u32)>,
    /// All purses at the end, the richest first.
    pub results: Vec<ResultLine>,
    /// Why the recording ends.
    pub end: ReplayEnd,
    /// The result of the verification.
    pub proof: Proof,
}

/// A player of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayPlayer {
    /// `A` to `Z`.
    pub letter: char,
    /// The name.
    pub name: String,
    /// The time of joining.
    pub joined_ms: u64,
    /// The time of quitting or starving.
    pub left_ms: Option<u64>,
    /// Accepted keys.
    pub keys: u32,
}

/// The changes of all views by one input, or by several in a very long game. An array in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayFrame(
    /// The time since the frame before, in milliseconds.
    pub u64,
    /// The last input: a letter and the key it pressed, `+` if it joined, `-` if it quit.
    pub String,
    /// The changes; views with the same changes share one item.
    pub Vec<ViewChanges>,
);

/// An event of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayEvent {
    /// The time since the start of the recording, in milliseconds.
    pub ms: u64,
    /// The number of frames shown once it has happened.
    pub frame: usize,
    /// The kind of event.
    pub kind: &'static str,
    /// The player it happened to, or who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<char>,
    /// The other player: who was robbed, or swapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<char>,
    /// The number of nuggets involved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nuggets: Option<u32>,
    /// The gridpoint of the event: row * columns + column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spot: Option<usize>,
}

/// Why a recording ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayEnd {
    /// All gold was found.
    AllCollected,
    /// All players who could ever join have joined and quit.
    NobodyLeft,
    /// The last player quit, and the rules end the game then.
    Emptied,
    /// The host has ended the game.
    ByHost,
    /// The game was ended because no more gold was found.
    Stalemate,
    /// The game was not over when the recording ended.
    Unfinished,
}

/// The proof that the page shows the recorded game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The state hash of the game at the end, in hexadecimal.
    pub state: String,
    /// The number of records replayed.
    pub records: usize,
    /// The number of state hashes compared.
    pub states: usize,
}

/// The maximum number of frames: beyond it several inputs share one.
pub const MAX_FRAMES: usize = 50_000;
/// The approximate maximum size of the frames as JSON, in bytes.
const MAX_FRAME_BYTES: usize = 8 << 20;
/// The maximum numbers of events and, among them, of swaps: a crowd of bots swaps all the time.
const MAX_EVENTS: usize = 20_000;
const MAX_SWAPS: usize = 2_000;
/// The longest wait for the first key that is shown in full; of a longer one, only the last second is shown.
const MAX_WAIT_MS: u64 = 5_000;
const LEAD_SHOWN_MS: u64 = 1_000;

impl ReplayData {
    /// Replays a recording, compares every state hash, and collects what the page needs. The size is limited: in a
    /// very long game several inputs make one frame.
    pub fn of(recording: Recording) -> Result<Self, BadRecord> {
        Self::within(recording, MAX_FRAMES, MAX_FRAME_BYTES)
    }

    fn within(recording: Recording, frames: usize, bytes: usize) -> Result<Self, BadRecord> {
        let inputs = recording.entries().filter(|entry| entry.what.input().is_some()).count();
        let mut inputs_per_frame = inputs.div_ceil(frames).max(1);
        let mut replay = Replay::without_snapshots(recording)?;
        loop {
            replay.seek(0)?;
            let mut collector = Collector::new(replay.game(), inputs_per_frame);
            collector.collect(&mut replay)?;
            if collector.frame_bytes <= bytes || inputs_per_frame >= inputs {
                return Ok(collector.finish(&replay));
            }
            inputs_per_frame *= 2;
        }
    }
}

/// The data collected while a recording is replayed.
struct Collector {
    views: RecordedViews,
    cols: usize,
    start: Vec<String>,
    players: Vec<ReplayPlayer>,
    frames: Vec<ReplayFrame>,
    frame_bytes: usize,
    last_frame_ms: u64,
    inputs_per_frame: usize,
    /// The inputs since the last frame.
    inputs: usize,
    last_input: (Timestamp, String),
    /// Nuggets in no purse.
    left: u32,
    events: Vec<ReplayEvent>,
    events_left_out: usize,
    swaps: usize,
    purses: Vec<(u64, char, u32)>,
    /// By letter, as of the last entry of `purses`.
    last_purses: Vec<u32>,
}

impl Collector {
    fn new(game: &Game, inputs_per_frame: usize) -> Self {
        let start = game.view(nuggets_game::Viewer::Spectator).to_string();
        Self {
            views: RecordedViews::new(game),
            cols: usize::from(game.map().cols()),
            start: start.lines().map(str::to_owned).collect(),
            players: vec![],
            frames: vec![],
            frame_bytes: 0,
            last_frame_ms: 0,
            inputs_per_frame,
            inputs: 0,
            last_input: Default::default(),
            left: game.remaining(),
            events: vec![],
            events_left_out: 0,
            swaps: 0,
            purses: vec![],
            last_purses: vec![],
        }
    }

    fn collect(&mut self, replay: &mut Replay) -> Result<(), BadRecord> {
        let mut events = vec![];
        while let Some(step) = replay.step()? {
            let (at, what) = (step.entry.at, step.entry.what.clone());
            events.clear();
            events.extend_from_slice(step.events);
            let notable = step.notable_events(&mut self.left);
            for event in &notable {
                self.add_event(event);
            }
            if what.input().is_some() {
                self.add_input(at, &what, replay.game(), &events);
            }
        }
        self.end_frame();
        Ok(())
    }

    fn add_input(&mut self, at: Timestamp, what: &RecordedEvent, game: &Game, events: &[Event]) {
        let newcomers = game.players().iter().skip(self.players.len());
        self.players.extend(newcomers.map(|player| newcomer(player, at)));
        if let RecordedEvent::Press(player, _) = what {
            self.players[player.index()].keys += 1;
        }
        for event in events {
            if let Event::Left { player, .. } | Event::Starved { player, .. } = event {
                self.players[player.index()].left_ms = Some(at.0);
            }
        }
        self.last_purses.resize(game.players().len(), 0);
        for (player, last) in game.players().iter().zip(&mut self.last_purses) {
            if *last != player.purse() {
                *last = player.purse();
                self.purses.push((at.0, player.letter().as_char(), *last));
            }
        }
        self.views.update(game, events);
        self.inputs += 1;
        self.last_input = (at, describe_input(what, game));
        if self.inputs == self.inputs_per_frame {
            self.end_frame();
        }
    }

    fn end_frame(&mut self) {
        if self.inputs == 0 {
            return;
        }
        let (at, input) = std::mem::take(&mut self.last_input);
        self.inputs = 0;
        let changes = self.views.take_changes();
        let runs = changes.iter().flat_map(|group| group.1.iter());
        // The approximate size of each in JSON.
        self.frame_bytes += 16 + changes.iter().map(|group| 6 + group.0.len()).sum::<usize>();
        self.frame_bytes += runs.map(|(_, text)| 10 + text.len()).sum::<usize>();
        self.frames.push(ReplayFrame(at.0 - self.last_frame_ms, input, changes));
        self.last_frame_ms = at.0;
    }

    fn add_event(&mut self, event: &TimelineEntry) {
        let is_swap = event.kind == EventKind::Swap;
        if self.events.len() >= MAX_EVENTS || (is_swap && self.swaps >= MAX_SWAPS) {
            self.events_left_out += 1;
            return;
        }
        self.swaps += usize::from(is_swap);
        let spot = |at: Point| usize::from(at.row) * self.cols + usize::from(at.col);
        self.events.push(ReplayEvent {
            ms: event.at.0,
            // The frame that shows the event ends with this input or a later one.
            frame: self.frames.len() + 1,
            kind: kind_word(event.kind),
            who: event.who.map(Letter::as_char),
            other: event.other.map(Letter::as_char),
            nuggets: Some(event.nuggets).filter(|nuggets| *nuggets > 0),
            spot: event.spot.map(spot),
        });
    }

    fn finish(mut self, replay: &Replay) -> ReplayData {
        let (game, recording) = (replay.game(), replay.recording());
        for event in &mut self.events {
            event.frame = event.frame.min(self.frames.len());
        }
        let setup = &recording.header.setup;
        ReplayData {
            rows: setup.map.rows(),
            cols: setup.map.cols(),
            gold: setup.rules.nuggets,
            duration_ms: recording.duration().0,
            lead_ms: lead_ms(recording),
            vision: setup.rules.vision,
            sees_passages: setup.sight_rule == SightRule::StraightPassages,
            players: self.players,
            start: self.start,
            frames: self.frames,
            inputs_per_frame: self.inputs_per_frame,
            events: self.events,
            events_left_out: self.events_left_out,
            purses: self.purses,
            results: results(game),
            end: replay_end(game, replay.recording().end()),
            proof: Proof {
                state: format!("{:016x}", game.state_hash()),
                records: recording.records.len(),
                states: recording.checkpoints.len(),
            },
        }
    }
}

/// The wait for the first key, less its last second; 0 if the wait was short.
fn lead_ms(recording: &Recording) -> u64 {
    let is_key = |what: &RecordedEvent| matches!(what, RecordedEvent::Press(..));
    let first = recording.entries().find(|entry| is_key(&entry.what));
    let lead = first.map_or(0, |entry| entry.at.0.saturating_sub(LEAD_SHOWN_MS));
    if lead > MAX_WAIT_MS { lead } else { 0 }
}

fn newcomer(player: &Player, at: Timestamp) -> ReplayPlayer {
    ReplayPlayer {
        letter: player.letter().as_char(),
        name: player.name().as_str().to_owned(),
        joined_ms: at.0,
        left_ms: None,
        keys: 0,
    }
}

fn describe_input(what: &RecordedEvent, game: &Game) -> String {
    match what {
        RecordedEvent::Press(letter, stroke) => format!("{letter}{}", char::from(stroke.key())),
        RecordedEvent::Leave(letter) => format!("{letter}-"),
        _ => format!("{}+", game.players().last().expect("somebody has joined").letter()),
    }
}

/// The name of a kind of event in the data.
fn kind_word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Join => "join",
        EventKind::Gold => "gold",
        EventKind::Steal => "steal",
        EventKind::Swap => "swap",
        EventKind::Drop => "drop",
        EventKind::Eat => "eat",
        EventKind::Leave => "leave",
        EventKind::Starve => "starve",
        EventKind::Over | EventKind::EndedByHost | EventKind::Stalemate => "over",
        EventKind::Closed => "closed",
        EventKind::Resumed => "resumed",
    }
}

/// The final table: the richest player first, equally rich ones in the order of letters.
pub fn results(game: &Game) -> Vec<ResultLine> {
    let row = |player: &Player| ResultLine {
        letter: player.letter().as_char(),
        name: player.name().as_str().to_owned(),
        purse: player.purse(),
    };
    let mut rows: Vec<_> = game.players().iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.purse));
    rows
}

fn replay_end(game: &Game, recorded: Option<RecordingEnd>) -> ReplayEnd {
    match game.end() {
        Some(End::AllCollected) => ReplayEnd::AllCollected,
        Some(End::NobodyLeft) => ReplayEnd::NobodyLeft,
        Some(End::Emptied) => ReplayEnd::Emptied,
        None => match recorded {
            Some(RecordingEnd::ByHost) => ReplayEnd::ByHost,
            Some(RecordingEnd::Stalemate) => ReplayEnd::Stalemate,
            Some(RecordingEnd::Over | RecordingEnd::Closed) | None => ReplayEnd::Unfinished,
        },
    }
}

#[cfg(test)]
mod tests;
