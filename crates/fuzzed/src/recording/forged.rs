//! A recording that is written by a script, true or not.

use nuggets_game::{Event, Game, Letter, Name, Stroke};
use nuggets_record::{BadRecord, Ending, Entry, Header, Millis, Verified, What, Writer};

use crate::script::Script;

/// So many entries tell enough.
const MOST_ENTRIES: usize = 300;

/// What was written, and what is wrong with it.
#[derive(Debug)]
pub(super) struct Forged {
    pub(super) bytes: Vec<u8>,
    pub(super) entries: Vec<Entry>,
    /// The first entry that can't have happened.
    lie: Option<usize>,
    game: Game,
}

impl Forged {
    /// Writes what the script says. Its first byte says whether lies are written, too.
    pub(super) fn write(header: &Header, script: &mut Script) -> Self {
        let game = header.game().expect("a header that is read is playable");
        let (mut writer, bytes) = Writer::new(header, &game);
        let mut forged = Self { bytes, entries: vec![], lie: None, game };
        let is_liar = script.byte() & 1 == 1;
        while forged.entries.len() < MOST_ENTRIES
            && !forged.is_at_the_end()
            && let Some(code) = script.next()
        {
            let last = forged.entries.last().map_or(Millis(0), |entry| entry.at);
            let at = last.after(wait(script));
            let what = forged.what(code, script);
            let could_be = forged.apply(&what);
            if could_be || is_liar {
                let index = forged.entries.len();
                forged.lie = forged.lie.or((!could_be).then_some(index));
                let entry = Entry::new(at, what);
                writer.append(&entry, &forged.game, &mut forged.bytes);
                forged.entries.push(entry);
            }
        }
        forged
    }

    /// Nothing can follow when the end of a game was told.
    fn is_at_the_end(&self) -> bool {
        self.entries.last().is_some_and(|entry| entry.what == What::Told)
    }

    /// What is to be written. Behind a game that is closed or over there is no choice.
    fn what(&self, code: u8, script: &mut Script) -> What {
        let letter = Letter::nth(usize::from(code >> 4)).expect("there are 26");
        let last = self.entries.last().map(|entry| &entry.what);
        match code & 15 {
            _ if last == Some(&What::End(Ending::Closed)) => What::Resumed,
            _ if last == Some(&What::End(Ending::Over)) => What::Told,
            0 => {
                let given = script.byte();
                let name = Name::new(script.take(usize::from(given % 64)));
                let name = name.or_else(|| Name::new(b"Ann")).expect("that is a name");
                What::Join { name, peer: peer(script) }
            }
            1 => What::Leave(letter),
            2 => What::Watch { peer: peer(script) },
            3 => What::Unwatch,
            4 => What::Resumed,
            5 => What::End(Ending::Closed),
            6 => What::End(Ending::Over),
            _ => {
                let key = script.pick(b"hjklyubnHJKLYUBN");
                What::Press(letter, Stroke::from_key(key).expect("each of these is one"))
            }
        }
    }

    /// Does it; true if that could be done.
    fn apply(&mut self, what: &What) -> bool {
        let mut events = vec![];
        if let Some(input) = what.input() {
            self.game.apply(input, &mut events);
        }
        let is_refused = matches!(events[..], [Event::Refused(_)]);
        let is_early = *what == What::End(Ending::Over) && self.game.end().is_none();
        !is_refused && !is_early
    }

    /// The truth is verified to the same game, a lie is found where it stands.
    pub(super) fn check(&self, verified: Result<Verified, BadRecord>) {
        match verified {
            Ok(verified) => {
                assert_eq!(self.lie, None, "a lie was believed");
                assert_eq!(verified.entries, self.entries.len());
                assert_eq!(verified.game.state_hash(), self.game.state_hash());
            }
            Err(bad) => assert_eq!(self.lie, Some(bad.index), "{bad}"),
        }
    }
}

/// Mostly short, sometimes as long as can be.
fn wait(script: &mut Script) -> u64 {
    match script.byte() {
        255 => u64::MAX >> 9,
        wait => u64::from(wait) * 10,
    }
}

fn peer(script: &mut Script) -> Option<std::net::SocketAddr> {
    let peers = ["127.0.0.1:4000", "127.0.0.1:4001", "203.0.113.7:1", "[fe80::1%3]:65535"];
    let kind = usize::from(script.below(8));
    peers.get(kind).map(|peer| peer.parse().expect("that is an address"))
}
