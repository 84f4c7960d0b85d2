//! Translates between the classic messages of sessions and the lines of the WebSocket protocol
//! (docs/web-protocol.md). Knows neither socket nor clock: feed messages and lines through `handle_…`, then drain
//! `poll_line` (for the server) and `poll_message` (for the session).

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use nuggets_protocol::web::{
    ClientLine, DirectLine, Hello, Join, JoinClient, LineOrder, ResultLine, Stage, StreamLine,
    StreamPlace, Watch,
};
use nuggets_protocol::{
    ClientMessage, DISPLAY_HEAD, MAX_MESSAGE_BYTES, Name, ServerMessage, house_rules,
};
use thiserror::Error;
use tracing::debug;

/// Close codes after which reconnecting makes no sense: normal, policy violation, too large, internal error.
const FINAL_CLOSE_CODES: [u16; 4] = [1000, 1008, 1009, 1011];

/// One session over any number of connections.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    wish: Option<Wish>,
    /// The id of this client and the number of its joins, which `join` carries.
    client: Option<JoinClient>,
    /// The data of the last `hello`.
    seat: Option<WebSeat>,
    place: StreamPlace,
    picture: WebPicture,
    connection: ConnectionStage,
    is_waiting: bool,
    is_leaving: bool,
    /// True if the session has been sent a `QUIT`.
    has_ended: bool,
    /// The last error line, unless a line about the game has arrived since.
    last_error: Option<String>,
    lines: VecDeque<String>,
    messages: VecDeque<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    Play(String),
    Watch,
}

/// The progress of the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ConnectionStage {
    #[default]
    Closed,
    Open,
    /// `join` or `watch` was sent.
    Asked,
    /// `hello` has arrived.
    Greeted,
}

#[derive(Debug)]
struct WebSeat {
    letter: Option<char>,
    token: Option<String>,
    rows: u16,
    cols: u16,
}

#[derive(Debug, Default)]
struct WebPicture {
    /// The body of a `DISPLAY`, without its head; empty before the first whole picture.
    bytes: Vec<u8>,
    /// True if the picture has changed since the last `DISPLAY`.
    is_new: bool,
    /// True if the whole picture was requested and has not arrived yet.
    is_awaited: bool,
}

/// The next step after a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Connect again.
    Reconnect,
    /// The session is over.
    Final,
}

/// An error in a text message from the server.
#[derive(Debug, Error)]
pub(crate) enum BadLine {
    #[error("malformed line: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the map of {rows} x {cols} is too large")]
    Size { rows: u32, cols: u32 },
    #[error("a picture that does not fit the map")]
    Picture,
    #[error("a change outside the map")]
    Change,
}

impl Translation {
    /// Creates the translation for a client with this random id, by which hosts recognize its latest connection.
    pub(crate) fn for_client(id: u64) -> Self {
        Self { client: Some(JoinClient { id, attempt: 0 }), ..Self::default() }
    }

    /// True if the session asks for a seat.
    pub(crate) fn is_playing(&self) -> bool {
        matches!(self.wish, Some(Wish::Play(_)))
    }

    /// Handles a classic message from the session.
    pub(crate) fn handle_classic(&mut self, bytes: &[u8]) {
        match ClientMessage::parse(bytes) {
            Ok(ClientMessage::Play(name)) => {
                let name = Name::new(name).map(|name| name.to_string()).unwrap_or_default();
                self.wish = Some(Wish::Play(name));
                self.ask();
            }
            Ok(ClientMessage::Spectate) => {
                self.wish = Some(Wish::Watch);
                self.ask();
            }
            Ok(ClientMessage::Key(b'Q')) => self.leave(),
            Ok(ClientMessage::Key(key)) => self.push_line(&ClientLine::Key(key.into())),
            Err(why) => debug!("not sent: {why}"),
        }
    }

    /// Handles a new connection: asks to join or watch.
    pub(crate) fn handle_connected(&mut self) {
        self.connection = ConnectionStage::Open;
        self.ask();
    }

    /// Handles a text message from the server. Skips malformed lines and returns the first error.
    pub(crate) fn handle_text(&mut self, text: &str) -> Result<(), BadLine> {
        let mut result = Ok(());
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            result = result.and(self.handle_line(line));
        }
        self.push_picture();
        result
    }

    /// Handles the end of a connection: closed with this code, or broken if there is none.
    pub(crate) fn handle_closed(&mut self, code: Option<u16>) -> Ending {
        self.connection = ConnectionStage::Closed;
        self.lines.clear();
        if self.has_ended {
            return Ending::Final;
        }
        if code.is_none_or(|code| !FINAL_CLOSE_CODES.contains(&code)) {
            return Ending::Reconnect;
        }
        let text = self.last_error.take();
        self.end(&text.unwrap_or_else(|| self.farewell().to_owned()));
        Ending::Final
    }

    /// The text of the last error line, unless a line about the game has arrived since.
    pub(crate) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// Returns the next line for the server.
    pub(crate) fn poll_line(&mut self) -> Option<String> {
        self.lines.pop_front()
    }

    /// True if there are lines for the server.
    pub(crate) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Returns the next classic message for the session.
    pub(crate) fn poll_message(&mut self) -> Option<Vec<u8>> {
        self.messages.pop_front()
    }

    /// True once the server has sent a `hello`.
    pub(crate) fn is_seated(&self) -> bool {
        self.seat.is_some()
    }

    /// True if the game has not started yet.
    pub(crate) fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// True if the session has been sent a `QUIT`.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Asks for a seat or to watch, once per connection.
    fn ask(&mut self) {
        if self.connection != ConnectionStage::Open || self.has_ended {
            return;
        }
        let since = self.place.since();
        let token = self.seat.as_ref().and_then(|seat| seat.token.clone());
        let line = match &self.wish {
            None => return,
            Some(Wish::Play(name)) => {
                if let Some(client) = &mut self.client {
                    client.attempt += 1;
                }
                let (name, client) = (Some(name.clone()), self.client);
                ClientLine::Join(Join { name, token, since, client })
            }
            Some(Wish::Watch) => ClientLine::Watch(Watch { view: None, since }),
        };
        self.connection = ConnectionStage::Asked;
        self.push_line(&line);
    }

    fn leave(&mut self) {
        self.is_leaving = true;
        match self.wish {
            Some(Wish::Play(_)) => self.push_line(&ClientLine::Key('Q')),
            Some(Wish::Watch) | None => self.end(self.farewell()),
        }
    }

    /// Queues a line, but only on a connection that has sent `join` or `watch`; otherwise drops it.
    fn push_line(&mut self, line: &ClientLine) {
        if matches!(self.connection, ConnectionStage::Asked | ConnectionStage::Greeted) {
            let text = serde_json::to_string(line).expect("a line has only text and numbers");
            self.lines.push_back(text);
        }
    }

    fn handle_line(&mut self, line: &str) -> Result<(), BadLine> {
        let value: serde_json::Value = serde_json::from_str(line)?;
        if value.get("seq").is_some() {
            return self.handle_stream_line(serde_json::from_value(value)?);
        }
        match serde_json::from_value(value) {
            Ok(DirectLine::Hello(hello)) => self.handle_hello(*hello),
            Ok(DirectLine::Error(text)) => {
                self.push(&ServerMessage::Error(text.as_bytes().into()));
                self.last_error = Some(text);
                Ok(())
            }
            Ok(DirectLine::Notice(words)) => {
                self.push_notice(&words);
                Ok(())
            }
            Ok(DirectLine::Pong(_)) => Ok(()),
            // Newer servers may send more kinds of lines.
            Err(why) => {
                debug!("line not known: {why}");
                Ok(())
            }
        }
    }

    fn handle_hello(&mut self, hello: Hello) -> Result<(), BadLine> {
        let too_large = BadLine::Size { rows: hello.rows, cols: hello.cols };
        let sizes = u16::try_from(hello.rows).ok().zip(u16::try_from(hello.cols).ok());
        let fits = |&(rows, cols): &(u16, u16)| {
            let bytes = DISPLAY_HEAD.len() + usize::from(rows) * (usize::from(cols) + 1);
            rows > 0 && cols > 0 && bytes <= MAX_MESSAGE_BYTES
        };
        let (rows, cols) = sizes.filter(fits).ok_or(too_large)?;
        self.connection = ConnectionStage::Greeted;
        self.picture.is_awaited = false;
        self.last_error = None;
        let known = self.seat.as_ref();
        let is_same_size = known.is_some_and(|seat| (seat.rows, seat.cols) == (rows, cols));
        let token = hello.token.or_else(|| known?.token.clone());
        if !self.place.begin(&hello.stream) || !is_same_size {
            self.place.restart();
            self.picture.bytes.clear();
        }
        if let Some(letter) = hello.letter.filter(char::is_ascii_uppercase) {
            self.push(&ServerMessage::Ok(letter));
        }
        self.push(&ServerMessage::Grid { rows, cols });
        if !hello.rules.is_empty() && self.seat.is_none() {
            let rules = house_rules::rules_text(&hello.rules.join(" "));
            self.push(&ServerMessage::Error(rules.as_bytes().into()));
        }
        self.seat = Some(WebSeat { letter: hello.letter, token, rows, cols });
        Ok(())
    }

    fn handle_stream_line(&mut self, line: StreamLine) -> Result<(), BadLine> {
        match self.place.order(&line) {
            LineOrder::Next => {}
            LineOrder::Old => return Ok(()),
            LineOrder::Gap => {
                if !std::mem::replace(&mut self.picture.is_awaited, true) {
                    self.push_line(&ClientLine::Whole);
                }
                return Ok(());
            }
        }
        let last_error = self.last_error.take();
        if let Some([found, purse, remaining]) = line.gold {
            self.push_picture();
            self.push(&ServerMessage::Gold { found, purse, remaining });
        }
        // A picture that can't be used leaves a gap.
        if let Some(rows) = &line.whole {
            self.replace_picture(rows)?;
            self.picture.is_awaited = false;
        }
        for (offset, text) in line.set.iter() {
            self.change_picture(offset, text)?;
        }
        self.place.advance(line.seq);
        if self.has_left(&line) {
            let reason = last_error.filter(|_| !self.is_leaving);
            self.end(&reason.unwrap_or_else(|| self.farewell().to_owned()));
        }
        self.handle_news(line);
        Ok(())
    }

    /// Handles all fields of a line except gold and picture.
    fn handle_news(&mut self, line: StreamLine) {
        if let Some(stage) = line.stage {
            self.handle_stage(stage);
        }
        if let Some(words) = line.notice {
            self.push_notice(&words);
        }
        if let Some(table) = line.over {
            self.end(&table_text(table));
        }
    }

    /// True if the line reports that our player has left a game that continues.
    fn has_left(&self, line: &StreamLine) -> bool {
        let letter = self.seat.as_ref().and_then(|seat| seat.letter);
        let mut players = line.players.iter().flatten();
        line.over.is_none()
            && letter.is_some()
            && players.any(|player| Some(player.letter) == letter && player.left)
    }

    fn handle_stage(&mut self, stage: Stage) {
        let was_waiting =
            std::mem::replace(&mut self.is_waiting, matches!(stage, Stage::Waiting { .. }));
        match stage {
            Stage::Waiting { missing: Some(missing) } => {
                let players = if missing == 1 { "player" } else { "players" };
                self.push_notice(&format!("the game begins with {missing} more {players}"));
            }
            Stage::Waiting { missing: None } => {
                self.push_notice("the game begins when its creator starts it");
            }
            Stage::Playing if was_waiting => self.push_notice("the game has begun"),
            Stage::Playing | Stage::Over => {}
        }
    }

    fn replace_picture(&mut self, rows: &[String]) -> Result<(), BadLine> {
        let seat = self.seat.as_ref().ok_or(BadLine::Picture)?;
        let fits = |row: &String| row.is_ascii() && row.len() == usize::from(seat.cols);
        if rows.len() != usize::from(seat.rows) || !rows.iter().all(fits) {
            return Err(BadLine::Picture);
        }
        self.picture.bytes = rows.iter().flat_map(|row| row.bytes().chain([b'\n'])).collect();
        self.picture.is_new = true;
        Ok(())
    }

    fn change_picture(&mut self, offset: u32, text: &str) -> Result<(), BadLine> {
        let cols = usize::from(self.seat.as_ref().ok_or(BadLine::Change)?.cols);
        let offset = usize::try_from(offset).map_err(|_| BadLine::Change)?;
        let is_within_row = offset % cols + text.len() <= cols;
        // Each earlier row ends with a newline.
        let start = offset + offset / cols;
        let cells = self.picture.bytes.get_mut(start..start + text.len());
        let cells = cells.filter(|_| is_within_row && text.is_ascii()).ok_or(BadLine::Change)?;
        cells.copy_from_slice(text.as_bytes());
        self.picture.is_new = true;
        Ok(())
    }

    /// Sends one `DISPLAY` for all changes of a burst.
    fn push_picture(&mut self) {
        if std::mem::take(&mut self.picture.is_new) {
            self.messages.push_back([DISPLAY_HEAD, &self.picture.bytes].concat());
        }
    }

    fn push_notice(&mut self, words: &str) {
        self.push_picture();
        let text = house_rules::notice_text(words);
        self.push(&ServerMessage::Error(text.as_bytes().into()));
    }

    /// Ends the session with this text.
    pub(crate) fn end(&mut self, text: &str) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.push_picture();
            self.push(&ServerMessage::Quit(text.as_bytes().into()));
        }
    }

    fn farewell(&self) -> &'static str {
        match (&self.wish, self.is_leaving) {
            (Some(Wish::Play(_)), true) => "Thanks for playing!",
            (Some(Wish::Play(_)), false) => "You are no longer in the game.",
            _ => "Thanks for watching!",
        }
    }

    fn push(&mut self, message: &ServerMessage) {
        self.messages.push_back(message.to_bytes());
    }
}

/// Formats the table as in the final `QUIT`, ordered by letter.
fn table_text(mut table: Vec<ResultLine>) -> String {
    table.sort_by_key(|row| row.letter);
    let rows = table.iter().map(|row| format!("{} {:>10} {}", row.letter, row.purse, row.name));
    format!("GAME OVER:\n{}", rows.collect::<Vec<_>>().join("\n"))
}
