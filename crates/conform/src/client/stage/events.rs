//! Taking in what happens: what the client shows, and what it sends.

use std::net::SocketAddr;
use std::time::Duration;

use super::ClientStage;
use crate::Way;
use crate::client::door::Door;
use crate::client::inbox::Event;

/// What is heard beyond this is thrown away.
const MOST_HEARD: usize = 10_000;

impl ClientStage {
    /// Waits for something to happen, and takes it in.
    pub(super) fn pump(&mut self, limit: Duration) {
        if let Ok(event) = self.events.recv_timeout(limit) {
            self.take(event);
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Shown(bytes) => {
                if let Some(window) = &mut self.window {
                    window.take_in(&bytes);
                }
            }
            Event::Closed => {
                if let Some(window) = &mut self.window {
                    window.take_close();
                }
            }
            Event::Heard(bytes, from) => self.hear(bytes, from),
            Event::Emptied => self.is_emptied = true,
        }
    }

    fn hear(&mut self, bytes: Vec<u8>, from: SocketAddr) {
        if self.door.as_mut().is_none_or(Door::loses_one) {
            return self.transcript.note("lost", Way::Note, &bytes);
        }
        match &self.client {
            // Meant for whoever had this port before us.
            None if is_a_servers(&bytes) => {}
            None => {
                self.transcript.note("server", Way::Out, &bytes);
                self.patience.note(self.clock.elapsed());
                self.client = Some((from, bytes));
                self.asked = 1;
            }
            Some((client, _)) if *client != from => {
                let text = format!("from another address ({from}): {}", bytes.escape_ascii());
                self.remark(&text);
            }
            Some((_, first)) => {
                let again = *first == bytes;
                self.transcript.note("server", Way::Out, &bytes);
                if again {
                    self.asked += 1;
                    self.welcome_again();
                } else if self.heard.len() < MOST_HEARD {
                    self.heard.push_back(bytes);
                }
            }
        }
    }

    /// The answer may have been lost.
    fn welcome_again(&mut self) {
        if self.is_welcome {
            for message in self.room.welcome() {
                self.say(&message);
            }
        }
    }
}

/// A word that only servers say.
fn is_a_servers(bytes: &[u8]) -> bool {
    let word = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    [&b"OK"[..], b"GRID", b"GOLD", b"DISPLAY", b"QUIT", b"ERROR", b"NO"].contains(&word)
}
