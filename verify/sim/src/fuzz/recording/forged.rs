//! A recording that is written by a script, with or without entries that are impossible.

use nuggets_game::{Event, Game, Letter, Name, Stroke};
use nuggets_record::{
    BadRecord, Entry, Header, PeerToken, RecordedEvent, RecordingEnd, Timestamp, Verified, Writer,
};
use nuggets_server::udp;

use crate::fuzz::script::FuzzBytes;

const MAX_ENTRIES: usize = 300;

/// A recording with valid checksums, and the game that its possible entries lead to.
#[derive(Debug)]
pub(super) struct Forged {
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    /// The index of the first impossible entry.
    first_impossible: Option<usize>,
    game: Game,
}

impl Forged {
    /// Writes entries by the script. Its first byte sets whether impossible ones are written, too.
    pub(super) fn write(header: &Header, script: &mut FuzzBytes) -> Self {
        let game = header.game().expect("a valid header has a playable game");
        let (mut writer, bytes) = Writer::new(header, &game);
        let mut forged = Self { bytes, entries: vec![], first_impossible: None, game };
        let writes_impossible = script.byte() & 1 == 1;
        while forged.entries.len() < MAX_ENTRIES
            && !forged.is_at_the_end()
            && let Some(code) = script.next()
        {
            let last = forged.entries.last().map_or(Timestamp(0), |entry| entry.at);
            let at = last.after(wait(script));
            let what = forged.what(code, script);
            let is_possible = forged.apply(&what);
            if is_possible || writes_impossible {
                let index = forged.entries.len();
                forged.first_impossible =
                    forged.first_impossible.or((!is_possible).then_some(index));
                let entry = Entry::new(at, what);
                writer.append(&entry, &forged.game, &mut forged.bytes);
                forged.entries.push(entry);
            }
        }
        forged
    }

    /// True after the entry that says that the end was delivered: no other can follow.
    fn is_at_the_end(&self) -> bool {
        self.entries.last().is_some_and(|entry| entry.what == RecordedEvent::EndDelivered)
    }

    /// The next entry. After the end of a game there is no choice.
    fn what(&self, code: u8, script: &mut FuzzBytes) -> RecordedEvent {
        let letter = Letter::nth(usize::from(code >> 4)).expect("there are 26");
        let last = self.entries.last().map(|entry| &entry.what);
        match code & 15 {
            _ if last == Some(&RecordedEvent::End(RecordingEnd::Closed)) => RecordedEvent::Resumed,
            _ if last == Some(&RecordedEvent::End(RecordingEnd::Over)) => {
                RecordedEvent::EndDelivered
            }
            0 => {
                let given = script.byte();
                let name = Name::new(script.take(usize::from(given % 64)));
                let name = name.or_else(|| Name::new(b"Ann")).expect("that is a name");
                RecordedEvent::Join { name, peer: peer(script) }
            }
            1 => RecordedEvent::Leave(letter),
            2 => RecordedEvent::Watch { peer: peer(script) },
            3 => RecordedEvent::Unwatch,
            4 => RecordedEvent::Resumed,
            5 => RecordedEvent::End(RecordingEnd::Closed),
            6 => RecordedEvent::End(RecordingEnd::Over),
            7 => RecordedEvent::Begun,
            _ => {
                let key = script.pick(b"hjklyubnHJKLYUBN");
                RecordedEvent::Press(letter, Stroke::from_key(key).expect("each of these is one"))
            }
        }
    }

    /// Applies it; true if it was possible.
    fn apply(&mut self, what: &RecordedEvent) -> bool {
        let mut events = vec![];
        if let Some(input) = what.input() {
            self.game.apply(input, &mut events);
        }
        let is_refused = matches!(events[..], [Event::Rejected(_)]);
        let is_early = *what == RecordedEvent::End(RecordingEnd::Over) && self.game.end().is_none();
        !is_refused && !is_early
    }

    /// Checks that a possible recording verifies to the same game, and that an impossible entry is rejected at its index.
    pub(super) fn check(&self, verified: Result<Verified, BadRecord>) {
        match verified {
            Ok(verified) => {
                assert_eq!(self.first_impossible, None, "an impossible entry was accepted");
                assert_eq!(verified.entries, self.entries.len());
                assert_eq!(verified.game.state_hash(), self.game.state_hash());
            }
            Err(bad) => assert_eq!(self.first_impossible, Some(bad.index), "{bad}"),
        }
    }
}

/// Mostly short, sometimes as long as possible.
fn wait(script: &mut FuzzBytes) -> u64 {
    match script.byte() {
        255 => u64::MAX >> 9,
        wait => u64::from(wait) * 10,
    }
}

fn peer(script: &mut FuzzBytes) -> Option<PeerToken> {
    let peers = ["127.0.0.1:4000", "127.0.0.1:4001", "203.0.113.7:1", "[fe80::1%3]:65535"];
    let peer = peers.get(usize::from(script.below(8)))?;
    Some(udp::token(peer.parse().expect("that is an address")))
}
