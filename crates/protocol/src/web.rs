//! The lines of the WebSocket protocol (docs/web-protocol.md), shared by the host and its clients. A text message
//! holds one or more lines, each a JSON value. Knows neither sockets nor the game.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A line from the server in the numbered stream of a view. Every field but `seq` is optional; a client applies the
/// fields that are present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamLine {
    /// The number in the stream (see [`StreamPlace`]).
    pub seq: u64,
    /// The whole picture, row by row. It replaces the previous picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<Vec<String>>,
    /// Changes of the picture: (row * columns + column, the new characters from there on).
    #[serde(skip_serializing_if = "TextRuns::is_empty")]
    pub set: TextRuns,
    /// Gridpoints that enter or leave the field of view, run-length encoded (see [`flips`]); only in a player's view.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sight: Vec<u32>,
    /// As in GOLD: nuggets just collected, nuggets in the purse, nuggets left in the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<[u32; 3]>,
    /// All players, including those who have left, ordered by letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<Vec<PlayerLine>>,
    /// All purses, ordered by letter; only in views of the whole map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purses: Option<Vec<u32>>,
    /// Steps left to the player whose view this is, if the rules limit them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The new stage of the game. Keys have an effect only in [`Stage::Playing`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The final table, richest player first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<Vec<ResultLine>>,
    /// A notice from the host to all connections of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Id of the game that the players continue in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A position in the numbered stream of a view. The contract of such a stream:
///
/// - `hello` names the stream; sequence numbers of another stream are meaningless.
/// - A line with `whole` may have any number. It replaces everything before it.
/// - Any other line has the number after the previous line's and changes the state that the previous line left.
/// - A reader skips a line that it has already applied. After a gap it requests the whole picture, once.
/// - A reader that reconnects sends its position (`since`). It receives the lines that it missed, or a whole picture.
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

/// The position of a line relative to the lines already applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOrder {
    /// The line can be applied.
    Next,
    /// The line has already been applied.
    Old,
    /// Lines before it are missing.
    Gap,
}

impl StreamPlace {
    /// Begins to read the stream that a `hello` names. Returns true if it continues the stream of the previous
    /// connection.
    pub fn begin(&mut self, stream: &str) -> bool {
        let is_same = self.stream == stream;
        if !is_same {
            *self = Self { stream: stream.to_owned(), seq: None };
        }
        is_same
    }

    /// Classifies a line relative to the last applied one.
    pub fn order(&self, line: &StreamLine) -> LineOrder {
        match self.seq {
            _ if line.whole.is_some() => LineOrder::Next,
            Some(seq) if line.seq <= seq => LineOrder::Old,
            Some(seq) if line.seq == seq + 1 => LineOrder::Next,
            _ => LineOrder::Gap,
        }
    }

    /// Records that the line with this number has been applied.
    pub fn advance(&mut self, seq: u64) {
        self.seq = Some(seq);
    }

    /// Discards the position: the stream must start again with a whole picture.
    pub fn restart(&mut self) {
        self.seq = None;
    }

    /// The id of the stream.
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The number of the last applied line; `None` before the first.
    pub fn seq(&self) -> Option<u64> {
        self.seq
    }

    /// The position to send when reconnecting; `None` before the first line.
    pub fn since(&self) -> Option<Since> {
        self.seq.map(|seq| Since { stream: self.stream.clone(), seq })
    }
}

/// Maximum run of unchanged characters within an entry of `set`: a new entry costs about as much, `"],[1234,"`.
const MAX_UNCHANGED: usize = 9;

/// Changes of a picture, for `set`: new characters, and for each run of them the number of its first gridpoint. All runs
/// share one text, and `clear` keeps the memory, because a host fills one of these for every picture that a key changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRuns {
    /// The first gridpoint of each run, and the end of its text.
    runs: Vec<(u32, usize)>,
    text: String,
}

impl TextRuns {
    /// Adds the changed gridpoints of a picture, which are in ascending order. The picture has a newline after each row of this
    /// many columns. Changes that are close together in a row share a run.
    ///
    /// ```
    /// # use nuggets_protocol::web::TextRuns;
    /// let picture = b"A.@.................\n...................B\n";
    /// let mut set = TextRuns::default();
    /// set.add_changes(picture, 20, [0, 2, 39]);
    /// assert!(set.iter().eq([(0, "A.@"), (39, "B")]));
    /// ```
    pub fn add_changes(
        &mut self,
        picture: &[u8],
        cols: usize,
        changed: impl IntoIterator<Item = usize>,
    ) {
        let cols = cols.max(1);
        let mut add = |(from, end): (usize, usize)| {
            let start = from + from / cols;
            let offset = u32::try_from(from).expect("a map fits a datagram");
            self.push(offset, &String::from_utf8_lossy(&picture[start..start + end - from]));
        };
        let mut run: Option<(usize, usize)> = None;
        for at in changed {
            match &mut run {
                Some((from, end)) if at / cols == *from / cols && at - *end <= MAX_UNCHANGED => {
                    *end = at + 1;
                }
                _ => run.replace((at, at + 1)).into_iter().for_each(&mut add),
            }
        }
        run.into_iter().for_each(add);
    }

    /// Adds a run.
    pub fn push(&mut self, offset: u32, text: &str) {
        self.text.push_str(text);
        self.runs.push((offset, self.text.len()));
    }

    /// True if there are no changes.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Removes all runs.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.text.clear();
    }

    /// Returns each run: its first gridpoint, and the characters from there on.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let mut start = 0;
        self.runs.iter().map(move |(offset, end)| {
            (*offset, &self.text[std::mem::replace(&mut start, *end)..*end])
        })
    }
}

impl Serialize for TextRuns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for TextRuns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut runs = Self::default();
        for (offset, text) in Vec::<(u32, String)>::deserialize(deserializer)? {
            runs.push(offset, &text);
        }
        Ok(runs)
    }
}

/// Encodes gridpoints, in ascending order, for `sight`: the number to skip, the number to flip, and so on.
///
/// ```
/// # use nuggets_protocol::web::{flips, runs_of};
/// assert_eq!(runs_of([5, 6, 7, 20]), [5, 3, 12, 1]);
/// assert_eq!(flips(&[5, 3, 12, 1]).collect::<Vec<_>>(), [5, 6, 7, 20]);
/// ```
pub fn runs_of(gridpoints: impl IntoIterator<Item = usize>) -> Vec<u32> {
    let mut runs = Vec::new();
    write_runs(gridpoints, &mut runs);
    runs
}

/// Does the same into a vector that was used before.
pub fn write_runs(gridpoints: impl IntoIterator<Item = usize>, runs: &mut Vec<u32>) {
    runs.clear();
    let mut end = 0;
    for at in gridpoints {
        match runs.last_mut() {
            Some(length) if at == end => *length += 1,
            _ => runs.extend([u32::try_from(at - end).unwrap_or(u32::MAX), 1]),
        }
        end = at + 1;
    }
}

/// Decodes `sight`: yields the gridpoints whose visibility flips between visible and not visible.
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
    /// True if a bot of the host controls this player.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bot: bool,
    /// True if the player has left.
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
    /// Nuggets.
    pub purse: u32,
}

/// The stage of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// People can join; keys have no effect yet.
    Waiting {
        /// The number of players still needed, if the start depends on it.
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
    /// The first line after `join` or `watch`. In a box, because every connection has a queue of the other lines.
    Hello(Box<Hello>),
    /// The reason why the last message was rejected or why the connection ends.
    Error(String),
    /// A notice from the host to this connection only, for example that the host is stopping.
    Notice(String),
    /// The reply to `ping`, with the same number.
    Pong(u64),
}

/// The parameters of the game and of this client's view of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The id of the game.
    pub game: String,
    /// The client's letter; `None` for a watcher.
    pub letter: Option<char>,
    /// The letter of the player whose view this is; `None` for the whole map.
    pub view: Option<char>,
    /// The client's name in the game; `None` for a watcher.
    pub name: Option<String>,
    /// Rows of the map.
    pub rows: u32,
    /// Columns of the map.
    pub cols: u32,
    /// The id of the stream; sequence numbers of another stream are meaningless.
    pub stream: String,
    /// The secret that identifies this client when it reconnects; only for clients without a cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Sentences that explain the house rules; empty if the game follows the specification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// True if this client created the game and may therefore start and end it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub creator: bool,
    /// Delay of a watcher's view, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_s: u32,
    /// Limit of the line of sight in steps, if the house rules set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<u16>,
}

/// A line from a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientLine {
    /// Takes a seat, or returns to the client's seat. The first line must be this or `watch`.
    Join(Join),
    /// Watches the whole map or one player's view. Also switches the view of a watcher.
    Watch(Watch),
    /// Presses a key, as in `KEY`; `Q` leaves the game.
    Key(char),
    /// Starts the game; for its creator only.
    Start,
    /// Ends the game; for its creator only.
    End,
    /// Requests the whole picture.
    Whole,
    /// Requests a `pong`.
    Ping(u64),
}

/// The parameters of `join`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Join {
    /// For clients without a cookie: the name to play under.
    pub name: Option<String>,
    /// For clients without a cookie: the token of an earlier `hello`.
    pub token: Option<String>,
    /// The last line that the client has received: the host sends the lines after it instead of the whole picture, if
    /// it can.
    pub since: Option<Since>,
    /// The client and the number of its connection: the host ignores keys from an earlier connection of the same
    /// client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<JoinClient>,
}

/// A page or program that plays, over any number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinClient {
    /// A random number below 2^53 that stays the same as long as the client runs.
    pub id: u64,
    /// The number of joins that the client has sent, including this one.
    pub attempt: u64,
}

/// The parameters of `watch`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Watch {
    /// The letter of the player to follow; `None` for the whole map.
    pub view: Option<char>,
    /// The last line that the client has received.
    pub since: Option<Since>,
}

/// A position in a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// The id of the stream, as in `hello`.
    pub stream: String,
    /// The number of the last line received.
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
    fn changes_of_a_row_are_runs_and_near_ones_are_joined() {
        let picture = b"..A@.......*..........B\nC......................\n";
        let mut set = TextRuns::default();
        set.add_changes(picture, 23, [2, 3, 11, 22, 23]);
        assert!(set.iter().eq([(2, "A@.......*"), (22, "B"), (23, "C")]), "{set:?}");
    }

    #[test]
    fn lines_look_as_documented() {
        let mut set = TextRuns::default();
        set.push(412, ".@");
        let line = StreamLine { seq: 17, set, gold: Some([3, 10, 240]), ..StreamLine::default() };
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
