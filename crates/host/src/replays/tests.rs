//! Replays of journals that a room wrote.

use std::collections::BTreeMap;

use nuggets_game::{Rng, Rules, Seed, Setup, shipped};
use nuggets_protocol::Dialect;
use nuggets_record::{Entry, Header, PeerToken, RecordedEvent, RecordingEnd, Writer};
use nuggets_server::{Peer, Room, Timestamp};
use serde_json::Value;

use super::*;

/// A room whose records become a journal, and the last picture sent to each peer.
struct Recorded {
    room: Room,
    now: Timestamp,
    writer: Writer,
    journal: Vec<u8>,
    /// The last picture of each peer, without newlines.
    sent: BTreeMap<Peer, String>,
    /// The value of `sent` at each time.
    history: Vec<(u64, BTreeMap<Peer, String>)>,
}

const SPECTATOR: Peer = Peer(99);

impl Recorded {
    fn new(seed: i64) -> Self {
        let map = shipped::find("hole").unwrap().map();
        let rules = Rules { nuggets: 40, steal: true, drop_on_quit: true, ..Rules::default() };
        let setup = Setup::new(map, rules, Seed::new(seed), Dialect::V2021);
        let room = Room::new(&setup).unwrap();
        let (writer, journal) = Writer::new(&Header { setup, port: 0 }, room.game());
        let now = Timestamp(0);
        Self { room, now, writer, journal, sent: BTreeMap::new(), history: vec![] }
    }

    fn say(&mut self, from: Peer, message: &str) {
        self.now = self.now.after(37);
        self.room.handle_message(self.now, from, message.as_bytes());
        while let Some(record) = self.room.poll_record() {
            let token = |peer: Peer| PeerToken::new(format!("web:{}", peer.0).as_bytes());
            let entry = record.map_peer(token);
            self.writer.append(&entry, self.room.game(), &mut self.journal);
        }
        while let Some(transmit) = self.room.poll_transmit() {
            let text = String::from_utf8(transmit.payload.to_vec()).unwrap();
            if let Some(picture) = text.strip_prefix("DISPLAY\n") {
                self.sent.insert(transmit.to, picture.replace('\n', ""));
            }
        }
        self.history.push((self.now.0, self.sent.clone()));
    }

    /// Plays a game of four players with random keys until all gold is found. One player leaves.
    fn played(seed: i64) -> Self {
        let mut recorded = Self::new(seed);
        recorded.say(SPECTATOR, "SPECTATE");
        let mut rng = Rng::new(Seed::new(seed));
        for player in 1..=4 {
            recorded.say(Peer(player), &format!("PLAY player {player}"));
        }
        let mut keys = 0;
        while !recorded.room.is_over() {
            keys += 1;
            let key = char::from(b"hjklyubnHJKLYUBN"[rng.index(16)]);
            let leaves = keys == 50;
            let peer = Peer(if leaves { 2 } else { 1 + u64::from(rng.below(4)) });
            let key = if leaves { 'Q' } else { key };
            recorded.say(peer, &format!("KEY {key}"));
        }
        recorded
    }
}

fn apply(picture: &mut [u8], set: &Value) {
    for change in set.as_array().unwrap() {
        let offset = usize::try_from(change[0].as_u64().unwrap()).unwrap();
        let text = change[1].as_str().unwrap().as_bytes();
        picture[offset..offset + text.len()].copy_from_slice(text);
    }
}

#[test]
fn every_picture_is_what_was_sent() {
    let recorded = Recorded::played(11);
    let replay = FinishedReplay::new(&recorded.journal).unwrap();
    let data: Value = serde_json::from_str(&replay.json).unwrap();
    let start: String =
        data["start"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let blank = vec![b' '; start.len()];
    let mut pictures = BTreeMap::from([('*', (SPECTATOR, start.into_bytes()))]);
    for (number, letter) in (1..).zip('A'..='D') {
        pictures.insert(letter, (Peer(number), blank.clone()));
    }
    let mut ms = 0;
    let mut compared = 0;
    for frame in data["frames"].as_array().unwrap() {
        ms += frame[0].as_u64().unwrap();
        for group in frame[2].as_array().unwrap() {
            for view in group[0].as_str().unwrap().chars() {
                apply(&mut pictures.get_mut(&view).unwrap().1, &group[1]);
            }
        }
        let (_, sent) = recorded.history.iter().find(|(at, _)| *at == ms).unwrap();
        for (peer, picture) in pictures.values() {
            let Some(sent) = sent.get(peer) else { continue };
            assert_eq!(std::str::from_utf8(picture).unwrap(), sent, "{peer:?} at {ms} ms");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared} pictures");
    assert_eq!(replay.summary.results.iter().map(|row| row.purse).sum::<u32>(), 40);
    assert!(replay.summary.frames.is_empty());
}

#[test]
fn the_shared_recording_is_the_same_game_without_tokens() {
    let recorded = Recorded::played(12);
    let replay = FinishedReplay::new(&recorded.journal).unwrap();
    let has_token = |bytes: &[u8]| bytes.windows(4).any(|window| window == b"web:");
    assert!(has_token(&recorded.journal) && !has_token(&replay.recording));
    assert!(!replay.json.contains("web:"));
    let shared = Recording::read(&replay.recording).unwrap().recording;
    let verified = nuggets_record::verify(&shared).unwrap();
    assert_eq!(replay.summary.proof.state, format!("{:016x}", verified.game.state_hash()));
}

#[test]
fn a_running_game_has_no_replay() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (replays, id) = (Replays::default(), GameId::from_random([3; 12]));
    let replay = runtime.block_on(replays.get(id, async { Ok(None) }));
    assert!(matches!(replay, Err(ReplayError::Running)));
    let summary = FinishedReplay::new(&Recorded::played(13).journal).unwrap().summary_json();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(
        (&summary["frames"], &summary["gold"]),
        (&Value::from(Vec::<u8>::new()), &40.into())
    );
}

#[test]
fn a_journal_that_was_changed_has_no_replay() {
    let mut recorded = Recorded::new(14);
    recorded.say(Peer(1), "PLAY Ann");
    let other = Recorded::new(15).room;
    let end = Entry::new(Timestamp(99), RecordedEvent::End(RecordingEnd::Over));
    recorded.writer.append(&end, other.game(), &mut recorded.journal);
    assert!(matches!(
        FinishedReplay::new(&recorded.journal),
        Err(ReplayError::Unshared(_) | ReplayError::Bad(_))
    ));
    assert!(matches!(FinishedReplay::new(b"no journal"), Err(ReplayError::Unreadable(_))));
}

#[test]
fn only_the_latest_replays_are_kept() {
    let replay = |bytes: usize| {
        let summary = ReplayData::of(Recording::read(&Recorded::new(1).journal).unwrap().recording);
        let (json, recording) = (" ".repeat(bytes), vec![]);
        Arc::new(FinishedReplay { summary: summary.unwrap(), json, recording })
    };
    let id = |number| GameId::from_random([number; 12]);
    let mut kept = CachedReplays::default();
    for number in 0..3 {
        kept.add(id(number), &replay(40), 100);
    }
    assert!(kept.take(id(0)).is_none() && kept.take(id(1)).is_some());
    // The second was used last, so the third is removed.
    kept.add(id(3), &replay(40), 100);
    assert!(kept.take(id(2)).is_none() && kept.take(id(1)).is_some());
    kept.add(id(4), &replay(101), 100);
    assert_eq!((kept.replays.len(), kept.bytes), (0, 0));
}

#[test]
fn a_replay_is_computed_once() {
    let journal = Recorded::played(16).journal;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (replays, id) = (Replays::default(), GameId::from_random([3; 12]));
    let first = runtime.block_on(replays.get(id, async { Ok(Some(journal)) })).unwrap();
    let second = runtime.block_on(replays.get(id, async { panic!("it is kept") })).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
}
