//! The lines of the WebSocket protocol (docs/web-protocol.md), which the host and its clients share. A text message
//! holds one or more lines, each a JSON value. No socket, no game.

use serde::{Deserialize, Serialize};

/// A line from the server that belongs to the numbered stream of a view. Every field but `seq` may be missing; a
/// client applies those that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamLine {
    /// The number in the stream (see [`StreamPlace`]).
    pub seq: u64,
    /// The whole picture, row by row. It replaces everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<Vec<String>>,
    /// Changes of the picture: (row * columns + column, the new characters from there on).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<(u32, String)>,
    /// What comes into sight or goes out of sight, as [`flips`] reads it; only in views of a player.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sight: Vec<u32>,
    /// As in GOLD: just collected, in the purse, left in the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<[u32; 3]>,
    /// Everybody who plays or has played, in the order of letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<Vec<PlayerLine>>,
    /// All purses, in the order of letters; only for views of the whole map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purses: Option<Vec<u32>>,
    /// The steps that are left to the player whose eyes these are, if the rules limit them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Whether keys act.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The final table, the richest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Vec<ResultLine>>,
    /// Words of the host to everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The game that its people play next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A place in the numbered stream of a view. The contract of such a stream:
///
/// - `hello` names the stream; numbers of another stream mean nothing.
/// - A line with `whole` may have any number. It replaces everything before it.
/// - Any other line has the number after that of the line before it, and changes what that line has left.
/// - A line that was applied already is skipped. After a gap the reader asks for the whole picture, once.
/// - A reader that comes back says where it was (`since`). It is sent what it has missed, or a whole picture.
///
/// The host writes these streams (`ViewStream`) and follows those of other hosts with the same type; `player` reads them
/// with this type, and pages with its counterpart `Place` in web/socket.js.
///
/// ```
/// # use nuggets_protocol::web::{LineOrder, StreamLine, StreamPlace};
/// let line = |seq| StreamLine { seq, ..StreamLine::default() };
/// let mut place = StreamPlace::default();
/// assert!(!place.begin("7f2a"), "another stream");
/// assert_eq!(place.order(&line(8)), LineOrder::Gap, "a stream begins with a whole picture");
/// place.advance(8);
/// assert!(place.begin("7f2a"), "the connection was broken, and the same stream continues");
/// assert_eq!([8, 9, 10].map(|seq| place.order(&line(seq))), [LineOrder::Old, LineOrder::Next, LineOrder::Gap]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamPlace {
    stream: String,
    seq: Option<u64>,
}

/// The order of a line after those that were applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOrder {
    /// It can be applied.
    Next,
    /// It was applied already.
    Old,
    /// Lines before it are missing.
    Gap,
}

impl StreamPlace {
    /// Begins to read the stream of a `hello`. True if it is the same one as before, which continues.
    pub fn begin(&mut self, stream: &str) -> bool {
        let is_same = self.stream == stream;
        if !is_same {
            *self = Self { stream: stream.to_owned(), seq: None };
        }
        is_same
    }

    /// The order of this line after those before it.
    pub fn order(&self, line: &StreamLine) -> LineOrder {
        match self.seq {
            _ if line.whole.is_some() => LineOrder::Next,
            Some(seq) if line.seq <= seq => LineOrder::Old,
            Some(seq) if line.seq == seq + 1 => LineOrder::Next,
            _ => LineOrder::Gap,
        }
    }

    /// The line with this number is applied.
    pub fn advance(&mut self, seq: u64) {
        self.seq = Some(seq);
    }

    /// Nothing of the stream can be used any more: it begins again with a whole picture.
    pub fn restart(&mut self) {
        self.seq = None;
    }

    /// The stream.
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The number of the last line; none before the first.
    pub fn seq(&self) -> Option<u64> {
        self.seq
    }

    /// The place for a client that comes back.
    pub fn since(&self) -> Option<Since> {
        self.seq.map(|seq| Since { stream: self.stream.clone(), seq })
    }
}

/// Encodes gridpoints, in ascending order, for `sight`: how many to skip, how many to flip, and so on.
///
/// ```
/// # use nuggets_protocol::web::{flips, runs_of};
/// assert_eq!(runs_of([5, 6, 7, 20]), [5, 3, 12, 1]);
/// assert_eq!(flips(&[5, 3, 12, 1]).collect::<Vec<_>>(), [5, 6, 7, 20]);
/// ```
pub fn runs_of(gridpoints: impl IntoIterator<Item = usize>) -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    let mut end = 0;
    for at in gridpoints {
        match runs.last_mut() {
            Some(length) if at == end => *length += 1,
            _ => runs.extend([u32::try_from(at - end).unwrap_or(u32::MAX), 1]),
        }
        end = at + 1;
    }
    runs
}

/// The gridpoints of `sight` that are flipped: in sight becomes out of sight, and the reverse.
pub fn flips(runs: &[u32]) -> impl Iterator<Item = usize> + '_ {
    let mut start = 0_usize;
    runs.chunks_exact(2).flat_map(move |run| {
        let from = start + run[0] as usize;
        start = from + run[1] as usize;
        from..start
    })
}

/// One player in the roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerLine {
    /// `A` to `Z`.
    pub letter: char,
    /// The name, cleaned.
    pub name: String,
    /// Whether a bot of the host plays it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bot: bool,
    /// Whether it has left.
    #[serde(default, skip_serializing_if = "is_false")]
    pub left: bool,
}

/// One row of the final table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultLine {
    /// `A` to `Z`.
    pub letter: char,
    /// The name, cleaned.
    pub name: String,
    /// The nuggets.
    pub purse: u32,
}

/// The stage of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// People join; keys don't act yet. The number says how many people are still missing, if the start depends
    /// on that.
    Waiting {
        /// People still missing.
        missing: Option<u8>,
    },
    /// Keys act.
    Playing,
    /// The game is over.
    Over,
}

/// A line from the server outside the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectLine {
    /// The first line after `join` or `watch`.
    Hello(Hello),
    /// The last message was rejected, or the connection ends.
    Error(String),
    /// Words of the host to this connection, such as that the host stops now.
    Notice(String),
    /// Answers `ping` with the same number.
    Pong(u64),
}

/// What a client must know to begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The id of the game.
    pub game: String,
    /// The own letter; none for a watcher.
    pub letter: Option<char>,
    /// Whose eyes: a letter, or none for the whole map.
    pub view: Option<char>,
    /// The name in the game; none for a watcher.
    pub name: Option<String>,
    /// Rows of the map.
    pub rows: u32,
    /// Columns of the map.
    pub cols: u32,
    /// Identifies the stream; numbers of another stream mean nothing.
    pub stream: String,
    /// Proves who this is when it comes back; only for clients without a cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Sentences about the rules of the house; none in the game of the specification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Whether this person created the game, and so may start and end it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub creator: bool,
    /// How far a watcher is behind, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_s: u32,
    /// The limit of the line of sight, by the rules of the house.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<u16>,
}

/// A line from a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientLine {
    /// Take a seat, or come back to the one that this person has. Must be the first line, or `watch`.
    Join(Join),
    /// Watch the whole map or through one player's eyes. Also changes the view of a watcher.
    Watch(Watch),
    /// Press a key, as in `KEY`; `Q` leaves the game.
    Key(char),
    /// The creator starts the game.
    Start,
    /// The creator ends the game.
    End,
    /// Asks for the whole picture.
    Whole,
    /// Asks for `pong`.
    Ping(u64),
}

/// How a person joins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Join {
    /// For clients without a cookie: the name to play under.
    pub name: Option<String>,
    /// For clients without a cookie: the token of an earlier `hello`.
    pub token: Option<String>,
    /// The last line that the client has: what it missed is sent instead of the whole picture, if possible.
    pub since: Option<Since>,
    /// The client and the number of its connection: keys of an earlier one don't act any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<JoinClient>,
}

/// A page or program that plays, over any number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinClient {
    /// A random number below 2^53 that the client keeps as long as it runs.
    pub id: u64,
    /// Counts its connections.
    pub attempt: u64,
}

/// How a person watches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Watch {
    /// Whose eyes: a letter, or none for the whole map.
    pub view: Option<char>,
    /// The last line that the client has.
    pub since: Option<Since>,
}

/// A place in a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// As in `hello`.
    pub stream: String,
    /// The number of the last line.
    pub seq: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_look_as_documented() {
        let line = StreamLine {
            seq: 17,
            set: vec![(412, ".@".into())],
            gold: Some([3, 10, 240]),
            ..StreamLine::default()
        };
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(text, r#"{"seq":17,"set":[[412,".@"]],"gold":[3,10,240]}"#);
        assert_eq!(serde_json::from_str::<StreamLine>(&text).unwrap(), line);

        let key: ClientLine = serde_json::from_str(r#"{"key":"h"}"#).unwrap();
        assert_eq!(key, ClientLine::Key('h'));
        let join: ClientLine = serde_json::from_str(r#"{"join":{}}"#).unwrap();
        assert_eq!(join, ClientLine::Join(Join::default()));
        let again = r#"{"join":{"client":{"id":7,"attempt":2}}}"#;
        let client = Some(JoinClient { id: 7, attempt: 2 });
        let join = ClientLine::Join(Join { client, ..Join::default() });
        assert_eq!(serde_json::from_str::<ClientLine>(again).unwrap(), join);
        assert_eq!(serde_json::from_str::<ClientLine>(r#""start""#).unwrap(), ClientLine::Start);
        assert!(serde_json::from_str::<ClientLine>(r#"{"key":"hh"}"#).is_err());
    }
}
