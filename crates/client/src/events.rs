//! All events of a client, sent by several threads into one channel.

use std::io::{self, Read};
use std::sync::mpsc::{Sender, SyncSender, channel};

use nuggets_session::{Link, LinkId};
use nuggets_tui::{TerminalEvent, start_thread};

/// The number of bytes of a script that are read at once.
const SCRIPT_BLOCK_BYTES: usize = 256;

/// An event of the client.
#[derive(Debug)]
pub(crate) enum ClientEvent {
    /// An event of the terminal.
    Terminal(TerminalEvent),
    /// Keys arrived from a pipe.
    Script(Vec<u8>),
    /// The pipe has ended.
    ScriptEnd,
    /// A datagram arrived over this link.
    Message(LinkId, Vec<u8>),
    /// This link reported an error: the server can't be reached.
    LinkError(LinkId, io::Error),
}

impl From<TerminalEvent> for ClientEvent {
    fn from(event: TerminalEvent) -> Self {
        Self::Terminal(event)
    }
}

/// Reads keys from a pipe, a block on each request, so that an endless pipe waits for the game.
#[derive(Debug)]
pub(crate) struct ScriptReader {
    requests: Sender<()>,
    is_reading: bool,
}

impl ScriptReader {
    pub(crate) fn start(events: SyncSender<ClientEvent>) -> io::Result<Self> {
        let (requests, requested) = channel();
        start_thread("script", events, move |events| {
            let mut block = [0; SCRIPT_BLOCK_BYTES];
            while requested.recv().is_ok()
                && let Some(length) = read_block(&mut block)
            {
                let _ = events.send(ClientEvent::Script(block[..length].to_vec()));
            }
            let _ = events.send(ClientEvent::ScriptEnd);
        })?;
        Ok(Self { requests, is_reading: false })
    }

    /// Asks for a block, unless one is being read.
    pub(crate) fn request(&mut self) {
        if !self.is_reading {
            // The reader is gone when the script has ended; then nothing is left to read.
            let _ = self.requests.send(());
            self.is_reading = true;
        }
    }

    /// Notes that the requested block has arrived.
    pub(crate) fn handle_block(&mut self) {
        self.is_reading = false;
    }
}

/// Returns the number of bytes read; `None` at the end or after an error.
fn read_block(block: &mut [u8]) -> Option<usize> {
    loop {
        match io::stdin().read(block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.ok().filter(|&length| length > 0),
        }
    }
}

/// Starts a thread that receives from the link's current address.
pub(crate) fn listen(events: SyncSender<ClientEvent>, link: &dyn Link) -> io::Result<()> {
    let id = link.id();
    let listener = link.listener();
    start_thread("link", events, move |events| {
        listener(&mut |received| {
            let event = match received {
                Ok(bytes) => ClientEvent::Message(id, bytes),
                Err(error) => ClientEvent::LinkError(id, error),
            };
            events.send(event).is_ok()
        });
    })
}
