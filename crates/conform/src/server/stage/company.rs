//! Who is on a stage: players that join, and the spectator that watches.

use std::sync::Arc;

use nuggets_protocol::{DISPLAY_HEAD, ServerMessage};

use super::{ServerStage, trouble};
use crate::server::caller::{Caller, Shared, brief};
use crate::server::picture::Picture;
use crate::{Failure, Verdict};

/// So often a join or a look is asked for where datagrams are lost.
const ASKED: u32 = 12;
/// Spectators that were replaced stay on the line so long that nobody minds their going.
const KEPT_WATCHERS: usize = 8;

/// What answers a `PLAY`.
#[derive(Debug, Default)]
struct Welcome {
    letter: Option<char>,
    grid: bool,
    gold: bool,
    display: bool,
    heard: Vec<String>,
}

impl ServerStage {
    /// A new address that has said nothing yet. Every one has a name of its own: the second watcher
    /// is `watcher 2`.
    pub fn caller(&mut self, who: &str) -> Result<Caller, Failure> {
        self.callers += 1;
        let count = self.names.entry(who.to_owned()).or_default();
        *count += 1;
        let who = if *count > 1 { format!("{who} {count}") } else { who.to_owned() };
        let server = self.server()?;
        let shared = Shared {
            port: server.port,
            clock: self.clock,
            transcript: self.transcript.clone(),
            patience: self.patience.clone(),
            lost: Arc::clone(&self.lost),
            loss_percent: self.settings.loss_percent,
            ports: self.ports.clone(),
        };
        let seed = self.seed.wrapping_mul(1009).wrapping_add(self.callers);
        Caller::new(&who, &shared, seed).map_err(|why| trouble(&why))
    }

    /// A new player under its name, with everything that a new player is sent.
    pub fn player(&mut self, name: &str) -> Result<Caller, Failure> {
        let mut caller = self.caller(name)?;
        self.join(&mut caller, name.as_bytes())?;
        Ok(caller)
    }

    /// Lets a caller join. Where datagrams are lost it asks again.
    pub(crate) fn join(&mut self, caller: &mut Caller, name: &[u8]) -> Verdict {
        let mut welcome = Welcome::default();
        for _ in 0..self.asks() {
            caller.say_surely(&[b"PLAY ", name].concat());
            caller.wait_for(|message| {
                welcome.note(message);
                welcome.is_whole().then_some(())
            });
            if welcome.is_whole() {
                caller.letter = welcome.letter;
                return Ok(());
            }
        }
        let name = name.escape_ascii();
        let expected = format!("'PLAY {name}' is answered with OK, GRID, GOLD and DISPLAY");
        Err(Failure::silence(expected, welcome.told()))
    }

    /// A new spectator, which from now on is the one that watches; the whole picture.
    pub(crate) fn look(&mut self) -> Result<Picture, Failure> {
        let mut last = Failure::silence("", "");
        for _ in 0..self.asks() {
            let mut watcher = self.caller("watcher")?;
            watcher.say_surely(b"SPECTATE");
            let message = watcher.wait_for_start("DISPLAY");
            if message.is_some() {
                let (rows, cols) = self.size()?;
                let picture = watcher.last_picture(rows, cols);
                self.watchers.push(watcher);
                let extra = self.watchers.len().saturating_sub(KEPT_WATCHERS);
                self.watchers.drain(..extra);
                return picture;
            }
            let came = watcher.told_since(0);
            last = Failure::silence("a new spectator is sent a DISPLAY of the whole map", came);
        }
        Err(last)
    }

    /// Everything that was sent before has been dealt with when this returns: a new spectator has
    /// had its answer.
    pub(crate) fn fence(&mut self) -> Verdict {
        self.look().map(|_| ())
    }

    /// What the spectator was shown last.
    pub(crate) fn truth(&mut self) -> Result<Picture, Failure> {
        let (rows, cols) = self.size()?;
        match self.watchers.last_mut() {
            Some(watcher) => watcher.last_picture(rows, cols),
            None => self.look(),
        }
    }

    /// The one that watches now.
    pub(crate) fn watcher(&mut self) -> Result<&mut Caller, Failure> {
        if self.watchers.is_empty() {
            self.look()?;
        }
        self.watchers.last_mut().ok_or_else(|| Failure::silence("a spectator", "none"))
    }

    /// Nobody watches any more. A server that goes on telling the end need not do it for us.
    pub(crate) fn close_watchers(&mut self) {
        self.watchers.clear();
    }

    fn asks(&self) -> u32 {
        if self.is_lossy() { ASKED } else { 1 }
    }
}

impl Welcome {
    fn note(&mut self, message: &[u8]) {
        self.heard.push(brief(message));
        match ServerMessage::parse(message) {
            Ok(ServerMessage::Ok(letter)) => self.letter = Some(letter),
            Ok(ServerMessage::Grid { .. }) => self.grid = true,
            Ok(ServerMessage::Gold { .. }) => self.gold = true,
            _ => self.display |= message.starts_with(DISPLAY_HEAD),
        }
    }

    fn is_whole(&self) -> bool {
        self.letter.is_some() && self.grid && self.gold && self.display
    }

    fn told(&self) -> String {
        if self.heard.is_empty() { "nothing".into() } else { self.heard.join(", then ") }
    }
}
