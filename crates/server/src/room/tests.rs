//! The room as (message in, exact messages out). Newlines are written as `/`, and the picture of a room one row high as
//! that row in brackets.

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

    fn with(mut self, reliability: Reliability) -> Self {
        self.room.options.reliability = reliability;
        self
    }

    /// Lets these peers join: `s` is the spectator, the others are players.
    fn joined(mut self, who: &str) -> Self {
        for from in who.chars() {
            let says = match from {
                'a' => "PLAY Ann",
                'b' => "PLAY Bob",
                'c' => "PLAY Cy",
                _ => "SPECTATE",
            };
            self.hear(from, says.as_bytes());
        }
        self.notices();
        self
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
            sent.push(format!("{}> {}", who(transmit.to), shown(transmit.payload)));
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

/// The messages to one peer.
fn to(sent: &[String], who: char) -> Vec<&str> {
    sent.iter().filter_map(|text| text.strip_prefix(who)?.strip_prefix("> ")).collect()
}

fn shown(payload: &[u8]) -> String {
    let text = std::str::from_utf8(payload).unwrap().replace('\n', "/");
    let row = text.split('|').nth(1).unwrap_or_default();
    let wall = format!("+{}+", "-".repeat(row.len()));
    let is_whole = text == format!("DISPLAY/{wall}/|{row}|/{wall}/");
    if is_whole { format!("[{row}]") } else { text }
}

fn joined(dialect: Dialect, drawn: &str, who: &str) -> Talk {
    Talk::new(dialect, drawn).joined(who)
}

const BOTH: [Dialect; 2] = Dialect::ALL;

/// The end of a game with this table, as one peer is sent it.
fn over(dialect: Dialect, to: char, table: &str) -> Vec<String> {
    match dialect {
        Dialect::V2021 => vec![format!("{to}> QUIT GAME OVER:/{table}")],
        Dialect::V2019 => vec![format!("{to}> GAMEOVER/{table}/"), format!("{to}> QUIT")],
    }
}

/// A `QUIT` with a reason of our own, as one peer is sent it.
fn dismissed(dialect: Dialect, to: char, why: &str) -> Vec<String> {
    match dialect {
        Dialect::V2021 => vec![format!("{to}> QUIT {why}")],
        Dialect::V2019 => vec![format!("{to}> NO {why}"), format!("{to}> QUIT")],
    }
}

fn complaint(dialect: Dialect, to: char, why: &str) -> String {
    let word = if dialect == Dialect::V2021 { "ERROR" } else { "NO" };
    format!("{to}> {word} {why}")
}
