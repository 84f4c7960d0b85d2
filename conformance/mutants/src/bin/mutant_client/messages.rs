//! Faults in messages, on their way in and out.

use std::mem;

use nuggets_protocol::{ClientMessage, ServerMessage};

use crate::fault::Fault;

/// Some faults drop messages over this size.
const SMALL_BUFFER_BYTES: usize = 60_000;

/// Replaces messages as the fault demands, and keeps the state that the fault depends on.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    fault: Fault,
    /// `None` for a spectator.
    name: Option<Vec<u8>>,
    has_asked_to_join: bool,
    received: usize,
    ok_received: usize,
    gold_received: usize,
    /// The number of maps that differ from the one before.
    maps_received: usize,
    last_map: Vec<u8>,
    delayed_gold: Option<Vec<u8>>,
    /// True if a key was sent after the last map.
    has_sent_key: bool,
    delayed_keys: Vec<Vec<u8>>,
}

impl Messages {
    pub(crate) fn new(fault: Fault, name: Option<Vec<u8>>) -> Self {
        Self { fault, name, ..Self::default() }
    }

    pub(crate) fn is_spectator(&self) -> bool {
        self.name.is_none()
    }

    /// True until the first `OK` or map.
    pub(crate) fn is_joining(&self) -> bool {
        self.ok_received == 0 && self.maps_received == 0
    }

    /// Returns the messages to send in place of this one.
    pub(crate) fn outgoing(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        match ClientMessage::parse(message) {
            Ok(ClientMessage::Key(key)) => self.outgoing_key(key),
            Ok(_) => self.outgoing_join(message),
            Err(_) => vec![message.to_vec()],
        }
    }

    fn outgoing_join(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let play = |name: &[u8]| ClientMessage::Play(name).to_bytes();
        let asked = match (self.fault, &self.name) {
            (Fault::SpectateTrailingBlank, None) => b"SPECTATE ".to_vec(),
            (Fault::PlayTrailingNewline, Some(_)) => [message, b"\n"].concat(),
            (Fault::NameNotTruncated, Some(name)) => play(name),
            (Fault::NameTruncatedTooShort, Some(name)) => play(&name[..name.len().min(20)]),
            (Fault::NameFirstWordOnly, Some(name)) => {
                play(name.split(|&byte| byte == b' ').next().unwrap_or_default())
            }
            _ => message.to_vec(),
        };
        let is_first = !mem::replace(&mut self.has_asked_to_join, true);
        let count = if self.fault == Fault::JoinsTwice && is_first { 2 } else { 1 };
        vec![asked; count]
    }

    fn outgoing_key(&mut self, key: u8) -> Vec<Vec<u8>> {
        let key = match (self.fault, key) {
            (Fault::YSentAsU, b'y') => b'u',
            (Fault::QuitKeyLowercased, b'Q') => b'q',
            (Fault::SpectatorQuitNotSent, b'Q') if self.is_spectator() => return vec![],
            (Fault::SprintKeysLowercased, b'A'..=b'P' | b'R'..=b'Z') => key.to_ascii_lowercase(),
            _ => key,
        };
        let message = ClientMessage::Key(key).to_bytes();
        if self.fault == Fault::OneKeyPerMap && mem::replace(&mut self.has_sent_key, true) {
            self.delayed_keys.push(message);
            return vec![];
        }
        vec![message]
    }

    /// Returns delayed keys that may be sent now.
    pub(crate) fn take_delayed_keys(&mut self) -> Vec<Vec<u8>> {
        if self.has_sent_key { vec![] } else { mem::take(&mut self.delayed_keys) }
    }

    /// Returns the messages that the client receives in place of this one; `None` if it ends the client.
    pub(crate) fn incoming(&mut self, message: &[u8]) -> Option<Vec<Vec<u8>>> {
        self.received += 1;
        if self.is_fatal(message) {
            return None;
        }
        Some(match first_word(message) {
            b"DISPLAY" => self.incoming_map(message),
            b"GOLD" => self.incoming_gold(message),
            b"OK" => {
                self.ok_received += 1;
                let ok = if self.fault == Fault::LetterAlwaysA { b"OK A" } else { message };
                vec![ok.to_vec()]
            }
            word if self.is_ignored(word) => vec![],
            word if self.fault == Fault::QuitMatchedByPrefix && word.starts_with(b"QUIT") => {
                vec![[b"QUIT", &message[word.len()..]].concat()]
            }
            _ => vec![message.to_vec()],
        })
    }

    fn is_fatal(&self, message: &[u8]) -> bool {
        let words = message.split(|byte| b" \n".contains(byte)).filter(|word| !word.is_empty());
        let word_count = words.count();
        let is = |word: &[u8]| first_word(message.trim_ascii_start()) == word;
        match self.fault {
            Fault::ExitsAfterHundredMessages => self.received > 100,
            Fault::ExitsOnNul => message.contains(&0),
            Fault::ExitsOnBareDisplay => is(b"DISPLAY") && word_count < 2,
            Fault::ExitsOnLongMessage => !is(b"DISPLAY") && message.len() > SMALL_BUFFER_BYTES,
            Fault::ExitsOnEmptyMessage => message.is_empty(),
            Fault::ExitsOnClientMessage => is(b"PLAY") || is(b"KEY"),
            Fault::ExitsOnBareOk => is(b"OK") && word_count < 2,
            Fault::ExitsOnNinthOk => is(b"OK") && self.ok_received >= 8,
            Fault::ExitsOnShortGold => is(b"GOLD") && word_count < 4,
            Fault::ExitsOnGoldBeforeOk => {
                let is_gold =
                    matches!(ServerMessage::parse(message), Ok(ServerMessage::Gold { .. }));
                is_gold && self.ok_received == 0 && !self.is_spectator()
            }
            Fault::ExitsOnBareGrid => is(b"GRID") && word_count < 3,
            Fault::ExitsOnUnknownBeforeJoin => is(b"HELLO") && self.is_joining(),
            _ => false,
        }
    }

    fn is_ignored(&self, word: &[u8]) -> bool {
        let is_quit = matches!(word, b"QUIT" | b"GAMEOVER");
        let is_error = matches!(word, b"ERROR" | b"NO");
        match self.fault {
            Fault::IgnoresQuitWhileJoining => is_quit && self.is_joining(),
            Fault::IgnoresQuit => is_quit && !self.is_joining(),
            Fault::SpectatorIgnoresQuit => is_quit && !self.is_joining() && self.is_spectator(),
            Fault::IgnoresNoWhileJoining => is_error && self.is_joining(),
            Fault::ErrorsNotShown => is_error && !self.is_joining(),
            Fault::UnknownMessagesNotReported => !is_quit && !is_error && word != b"GRID",
            _ => false,
        }
    }

    fn incoming_map(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        self.has_sent_key = false;
        if self.last_map != message {
            self.last_map = message.to_vec();
            self.maps_received += 1;
        }
        let is_dropped = match self.fault {
            Fault::PlayerMapNotShown => !self.is_spectator(),
            Fault::SpectatorMapNotShown => self.is_spectator(),
            Fault::SmallReceiveBuffer => message.len() > SMALL_BUFFER_BYTES,
            Fault::MapUpdatesStop => self.maps_received > 2,
            _ => false,
        };
        if is_dropped {
            return vec![];
        }
        self.delayed_gold.take().into_iter().chain([message.to_vec()]).collect()
    }

    fn incoming_gold(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let Ok(ServerMessage::Gold { purse, remaining, .. }) = ServerMessage::parse(message) else {
            return self.incoming_malformed_gold(message);
        };
        self.gold_received += 1;
        match self.fault {
            Fault::GoldDelayedUntilMap if self.maps_received > 0 => {
                self.delayed_gold = Some(message.to_vec());
                vec![]
            }
            Fault::StatusUpdatesStop if self.gold_received > 2 => vec![],
            Fault::GoldNoteMissing => {
                vec![ServerMessage::Gold { found: 0, purse, remaining }.to_bytes()]
            }
            _ => vec![message.to_vec()],
        }
    }

    fn incoming_malformed_gold(&self, message: &[u8]) -> Vec<Vec<u8>> {
        let mut words: Vec<&[u8]> = message.split(|&byte| byte == b' ').skip(1).collect();
        match self.fault {
            Fault::MalformedMessagesNotReported => return vec![],
            Fault::GoldWordsReadAsZero if words.len() == 3 => words.fill(b"0"),
            Fault::GoldPaddedWithZeros if words.len() < 3 => {
                words.retain(|word| !word.is_empty());
                words.resize(3, b"0");
            }
            _ => return vec![message.to_vec()],
        }
        vec![[b"GOLD ", &*words.join(&b' ')].concat()]
    }
}

fn first_word(message: &[u8]) -> &[u8] {
    message.split(|byte| b" \n".contains(byte)).next().unwrap_or_default()
}
