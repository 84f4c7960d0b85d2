//! The data is applied as the page applies it, and compared with the game.

use nuggets_game::{
    Event, Game, Letter, Lifetime, Name, Rng, Rules, Seed, Setup, Stroke, Viewer, shipped,
};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, Writer};

use super::*;
use crate::tests::{game, join, press, recorded};

/// The pictures of all views, changed frame by frame.
struct Pictures(Vec<(char, Vec<u8>)>);

impl Pictures {
    fn new(data: &ReplayData) -> Self {
        let blank = vec![b' '; usize::from(data.rows) * usize::from(data.cols)];
        let eyes = data.players.iter().map(|player| (player.letter, blank.clone()));
        let mut pictures: Vec<_> = eyes.collect();
        pictures.push(('*', data.start.concat().into_bytes()));
        Self(pictures)
    }

    fn apply(&mut self, frame: &ReplayFrame) {
        for ViewChanges(views, set) in &frame.2 {
            for (_, picture) in self.0.iter_mut().filter(|(name, _)| views.contains(*name)) {
                for (offset, text) in set.iter() {
                    let offset = offset as usize;
                    picture[offset..offset + text.len()].copy_from_slice(text.as_bytes());
                }
            }
        }
    }

    fn of(&self, view: char) -> String {
        let (_, picture) = self.0.iter().find(|(name, _)| *name == view).unwrap();
        String::from_utf8(picture.clone()).unwrap()
    }
}

fn drawn(game: &Game, viewer: Viewer) -> String {
    game.view(viewer).to_string().replace('\n', "")
}

/// A game with every variant in which many players press random keys.
fn random_recording(seed: i64, inputs: usize) -> Recording {
    let rules = Rules {
        max_players: 20,
        steal: true,
        drop_on_quit: true,
        vision: Some(9),
        lifetime: Some(Lifetime { steps: 400, food: 25 }),
        ..Rules::default()
    };
    let map = shipped::find("hole").unwrap().map();
    let header = Header { setup: Setup::new(map, rules, Seed::new(seed), Dialect::V2021), port: 0 };
    let mut game = header.game().unwrap();
    let (mut writer, mut bytes) = Writer::new(&header, &game);
    let mut rng = Rng::new(Seed::new(seed));
    let mut ms = 0;
    let mut accepted = 0;
    while accepted < inputs && game.end().is_none() {
        let what = random_input(&mut rng);
        let mut events = vec![];
        game.apply(what.input().unwrap(), &mut events);
        if matches!(events[..], [Event::Rejected(_)]) {
            continue;
        }
        // Often several inputs at the same time.
        ms += u64::from(rng.below(3)) * 40;
        writer.append(&Entry::new(Timestamp(ms), what), &game, &mut bytes);
        accepted += 1;
    }
    Recording::read(&bytes).unwrap().recording
}

fn random_input(rng: &mut Rng) -> RecordedEvent {
    let letter = Letter::nth(rng.index(20)).unwrap();
    match rng.below(300) {
        0..12 => RecordedEvent::Join { name: Name::new(b"somebody").unwrap(), peer: None },
        12 => RecordedEvent::Leave(letter),
        _ => RecordedEvent::Press(
            letter,
            Stroke::from_key(b"hjklyubnHJKLYUBN"[rng.index(16)]).unwrap(),
        ),
    }
}

/// Checks that every view after every frame equals the picture of the game; a player who is gone keeps its last one.
fn compare(recording: &Recording, data: &ReplayData) {
    let mut pictures = Pictures::new(data);
    let mut replay = Replay::new(recording.clone()).unwrap();
    assert_eq!(pictures.of('*'), drawn(replay.game(), Viewer::Spectator));
    let mut ms = 0;
    for frame in &data.frames {
        let before: Vec<String> = data.players.iter().map(|p| pictures.of(p.letter)).collect();
        pictures.apply(frame);
        ms += frame.0;
        let mut inputs = 0;
        while inputs < data.inputs_per_frame
            && let Some(step) = replay.step().unwrap()
        {
            inputs += usize::from(step.entry.what.input().is_some());
            assert!(step.entry.at.0 <= ms);
        }
        assert_eq!(pictures.of('*'), drawn(replay.game(), Viewer::Spectator));
        for player in replay.game().players() {
            let shown = pictures.of(player.letter().as_char());
            if player.at().is_some() {
                assert_eq!(shown, drawn(replay.game(), Viewer::Player(player.letter())));
            } else if data.inputs_per_frame == 1 {
                assert_eq!(shown, before[player.letter().index()]);
            }
        }
    }
    let last = nuggets_record::verify(recording).unwrap().game;
    assert_eq!(pictures.of('*'), drawn(&last, Viewer::Spectator));
}

#[test]
fn every_view_after_every_frame_is_what_the_game_draws() {
    for seed in 1..6 {
        let recording = random_recording(seed, 900);
        let data = ReplayData::of(recording.clone()).unwrap();
        assert_eq!((data.frames.len(), data.inputs_per_frame), (recording.records.len(), 1));
        assert!(data.players.len() > 5 && data.events.iter().any(|event| event.nuggets.is_some()));
        compare(&recording, &data);
    }
}

#[test]
fn in_a_long_game_several_inputs_make_one_frame() {
    let recording = random_recording(3, 900);
    let inputs = recording.records.len();
    let by_count = ReplayData::within(recording.clone(), 100, usize::MAX).unwrap();
    assert_eq!((by_count.inputs_per_frame, by_count.frames.len()), (9, 100));
    compare(&recording, &by_count);

    let full = ReplayData::of(recording.clone()).unwrap();
    let small = ReplayData::within(recording.clone(), usize::MAX, 20_000).unwrap();
    let bytes = |data: &ReplayData| serde_json::to_string(&data.frames).unwrap().len();
    assert!(bytes(&small) < 22_000, "{} bytes", bytes(&small));
    assert!(bytes(&full) > 30_000 && small.inputs_per_frame > 1);
    assert_eq!(small.frames.len(), inputs.div_ceil(small.inputs_per_frame));
    compare(&recording, &small);
    assert_eq!((small.events.len(), &small.purses), (full.events.len(), &full.purses));
}

#[test]
fn the_json_of_a_small_game() {
    let data = ReplayData::of(game()).unwrap();
    let json = serde_json::to_value(&data).unwrap();
    assert_eq!(json["players"][1]["name"], "Bob");
    assert_eq!(json["players"][0]["keys"], 3);
    assert_eq!(json["start"][1], "|*....####...|");
    // Ann joins, and then sprints to the left.
    assert_eq!(
        json["frames"][0],
        serde_json::json!([
            500,
            "A+",
            [["*", [[19, "A"]]], ["A", [[0, "+-----+"], [14, "|*...@#"], [28, "+-----+"]]],]
        ])
    );
    assert_eq!(json["frames"][2][1], "AH");
    let gold: Vec<_> = data.events.iter().filter(|e| e.kind == "gold").collect();
    assert_eq!(gold.len(), 2);
    assert_eq!(
        (gold[0].who, gold[0].ms, gold[0].frame, gold[0].spot),
        (Some('A'), 1_500, 3, Some(15))
    );
    let total: u32 = data.results.iter().map(|row| row.purse).sum();
    assert_eq!((total, data.gold, data.end), (9, 9, ReplayEnd::AllCollected));
    assert_eq!(data.purses.iter().map(|purse| purse.0).collect::<Vec<_>>(), [1_500, 61_000]);
    let verified = nuggets_record::verify(&game()).unwrap();
    assert_eq!(data.proof.state, format!("{:016x}", verified.game.state_hash()));
    assert_eq!((data.proof.records, data.proof.states), (verified.entries, verified.states));
}

#[test]
fn the_richest_is_first_and_who_left_is_marked() {
    let left = RecordedEvent::Leave(Letter::nth(0).unwrap());
    let end = RecordedEvent::End(RecordingEnd::Closed);
    let data = ReplayData::of(recorded(&[
        (1, join("Ann")),
        (2, join("Bob")),
        (3, left),
        (4, press(1, b'h')),
        (5, RecordedEvent::Resumed),
        (9, end),
    ]))
    .unwrap();
    assert_eq!((data.players[0].left_ms, data.players[1].left_ms), (Some(3), None));
    assert_eq!((data.end, data.duration_ms), (ReplayEnd::Unfinished, 9));
    let kinds: Vec<_> = data.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds[kinds.len() - 2..], ["resumed", "closed"]);
    assert!(data.events.iter().all(|event| event.frame <= data.frames.len()));
    assert!(data.results.is_sorted_by(|one, next| one.purse >= next.purse));
}

#[test]
fn a_long_wait_for_the_first_key_is_left_out() {
    let lead = |first_ms| {
        let entries =
            [(1, join("Ann")), (first_ms, press(0, b'h')), (first_ms + 9_000, press(0, b'h'))];
        ReplayData::of(recorded(&entries)).unwrap().lead_ms
    };
    assert_eq!([lead(2), lead(6_000), lead(6_001), lead(60_000)], [0, 0, 5_001, 59_000]);
    assert_eq!(ReplayData::of(recorded(&[(90_000, join("Ann"))])).unwrap().lead_ms, 0);
}
