//! The room as (message in, exact messages out). Newlines are written as `/`.

mod audience;
mod hosting;
mod joining;
mod leaving;
mod misbehaving;
mod playing;
mod reliability;
mod variants;

use nuggets_game::{Map, Point, Rules, Seed, Setup, Viewer, shipped};
use nuggets_protocol::ServerMessage;

use super::*;

/// A room to talk to. Peers are named by one letter, which is also their number.
struct Talk {
    room: Room,
    now: Timestamp,
}

fn peer(who: char) -> Peer {
    Peer(who.into())
}

fn who(peer: Peer) -> char {
    u32::try_from(peer.0).ok().and_then(char::from_u32).unwrap()
}

impl Talk {
    /// One room with `*` for 10 nuggets and `%` for food; the players land on `1`, `2` and so on.
    fn in_room(dialect: Dialect, rules: Rules, drawn: &str) -> Self {
        let wall = format!("+{}+\n", "-".repeat(drawn.len()));
        let map: String = drawn.chars().map(|mark| if mark == '#' { '#' } else { '.' }).collect();
        let map = Map::parse(format!("{wall}|{map}|\n{wall}").as_bytes()).unwrap().map;
        let place = |index: usize| Point::new(1, u16::try_from(index).unwrap() + 1);
        let piles = drawn.match_indices('*').map(|(index, _)| (place(index), 10)).collect();
        let starts = "123456789".chars().map_while(|digit| drawn.find(digit)).map(place).collect();
        let setup = Setup::new(map, rules, Seed::new(1), dialect);
        let mut game = Game::arranged(&setup, piles, starts);
        for (index, _) in drawn.match_indices('%') {
            game.put_food(place(index));
        }
        Self { room: Room::with_game(game, dialect), now: Timestamp(0) }
    }

    fn new(dialect: Dialect, drawn: &str) -> Self {
        Self::in_room(dialect, Rules::default(), drawn)
    }

    fn set_reliability(&mut self, reliability: Reliability) {
        self.room.options.reliability = reliability;
    }

    /// Handles a message and returns the messages sent.
    fn hear(&mut self, from: char, bytes: &[u8]) -> Vec<String> {
        self.room.handle_message(self.now, peer(from), bytes);
        self.drain()
    }

    /// Lets this time pass and returns the messages sent, with their times.
    fn wait(&mut self, ms: u64) -> Vec<(u64, Vec<String>)> {
        let until = self.now.after(ms);
        let mut heard = Vec::new();
        while let Some(due) = self.room.poll_timeout().filter(|due| *due <= until) {
            self.room.handle_timeout(due);
            heard.push((due.0, self.drain()));
        }
        self.now = until;
        self.room.handle_timeout(until);
        let rest = self.drain();
        heard.extend((!rest.is_empty()).then_some((until.0, rest)));
        heard
    }

    fn drain(&mut self) -> Vec<String> {
        let mut sent = Vec::new();
        while self.room.poll_record().is_some() {}
        while let Some(transmit) = self.room.poll_transmit() {
            let text = std::str::from_utf8(transmit.payload).unwrap().replace('\n', "/");
            sent.push(format!("{}> {text}", who(transmit.to)));
        }
        sent
    }

    fn notices(&mut self) -> Vec<String> {
        let notices = std::iter::from_fn(|| self.room.poll_notice());
        notices.map(|notice| notice.describe(|peer| who(peer).to_string())).collect()
    }
}

/// Checks that this message causes exactly these messages.
fn check(talk: &mut Talk, from: char, says: &str, hears: &[&str]) {
    assert_eq!(talk.hear(from, says.as_bytes()), hears, "{from} says {says:?}");
}

/// The picture of a room one row high, as a message.
fn display(to: char, row: &str) -> String {
    let wall = format!("+{}+", "-".repeat(row.len()));
    format!("{to}> DISPLAY/{wall}/|{row}|/{wall}/")
}

fn joined(dialect: Dialect, drawn: &str, who: &[(char, &str)]) -> Talk {
    let mut talk = Talk::new(dialect, drawn);
    for (from, says) in who {
        talk.hear(*from, says.as_bytes());
    }
    talk.notices();
    talk
}

const BOTH: [Dialect; 2] = Dialect::ALL;

fn complaint(dialect: Dialect, to: char, why: &str) -> String {
    let word = if dialect == Dialect::V2021 { "ERROR" } else { "NO" };
    format!("{to}> {word} {why}")
}
