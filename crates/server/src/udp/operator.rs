//! Executes the operator's requests and replies to them.

use std::fmt::Write as _;
use std::net::IpAddr;

use nuggets_game::Letter;
use tracing::{info, warn};

use super::control::{OperatorReply, PendingRequest};
use super::{OperatorRequest, Shell};
use crate::{Guard, Peer, QuitReason, Storage, Transport};

impl<S: Storage> Shell<'_, S> {
    pub(super) fn handle_asked(&mut self, asked: PendingRequest) {
        let reply = self.handle_request(asked.request);
        match asked.reply {
            // The requester may be gone.
            Some(sender) => _ = sender.send(reply),
            None => {
                if let Err(why) = reply {
                    warn!("{why}");
                }
            }
        }
    }

    pub(super) fn handle_request(&mut self, request: OperatorRequest) -> OperatorReply {
        match request {
            OperatorRequest::Stop => {
                self.has_stopped = true;
                Ok("the server stops".into())
            }
            OperatorRequest::Status => Ok(self.status()),
            OperatorRequest::Start => self.start(),
            OperatorRequest::End => self.end(),
            OperatorRequest::Say(words) => {
                info!("the host says: {words}");
                self.host.send_notice(&words);
                Ok(format!("said: {words}"))
            }
            OperatorRequest::Kick(letter) => self.kick(letter),
            OperatorRequest::BanPlayer(letter) => match self.address_of(letter) {
                Some(address) => self.ban(address),
                None => Err(format!("there is no player {letter}: nothing is banned")),
            },
            OperatorRequest::BanAddress(address) => self.ban(address),
            OperatorRequest::Unban(address) => self.unban(address),
            OperatorRequest::Pause(is_paused) => {
                self.host.pause(is_paused);
                Ok(String::new())
            }
        }
    }

    /// Describes the game, then the clients ordered by letter, the spectator last.
    fn status(&self) -> String {
        let room = self.host.room();
        let game = room.game();
        let players = game.players();
        let stage = match (room.is_over(), room.has_begun()) {
            (true, _) => "over",
            (false, false) => "not begun",
            (false, true) => "playing",
        };
        let here = players.iter().filter(|player| player.at().is_some()).count();
        let here = format!("{here} player{}", if here == 1 { "" } else { "s" });
        let (left, all) = (game.remaining(), game.rules().nuggets);
        let title = self.host.title();
        let mut text = format!("{title}{stage}, {here}, {left} of {all} nuggets left");
        for (index, peer) in room.peers().enumerate() {
            let place = self.transport.name(peer);
            let line = match players.get(index) {
                Some(player) => {
                    let gone = if player.at().is_none() { ", has left" } else { "" };
                    let (letter, purse) = (player.letter(), player.purse());
                    let unit = if purse == 1 { "nugget" } else { "nuggets" };
                    // A name may contain tabs.
                    let name = player.name().as_str().replace('\t', " ");
                    format!("{letter} '{name}' at {place}, {purse} {unit}{gone}")
                }
                None => format!("the spectator is at {place}"),
            };
            let _ = write!(text, "\n{line}");
        }
        text
    }

    fn start(&mut self) -> OperatorReply {
        if self.host.room().is_over() || self.host.room().has_begun() {
            return Err("there is no game that waits for its start".into());
        }
        self.host.start(&mut self.transport);
        Ok("the game begins".into())
    }

    fn end(&mut self) -> OperatorReply {
        if self.host.room().is_over() {
            return Err("the game is already over".into());
        }
        self.host.end_early(&mut self.transport);
        Ok("the game ends".into())
    }

    fn kick(&mut self, letter: Letter) -> OperatorReply {
        let players = self.host.room().game().players();
        if players.get(letter.index()).is_none_or(|player| player.at().is_none()) {
            return Err(format!("there is no player {letter}: nobody is removed"));
        }
        self.host.remove_player(&mut self.transport, letter, QuitReason::Kicked);
        Ok(format!("removed {letter}"))
    }

    /// Bans a source and removes all its clients.
    fn ban(&mut self, address: IpAddr) -> OperatorReply {
        let guard = self.transport.peers.guard.as_mut();
        if !guard.is_some_and(|guard| guard.ban(address)) {
            return Err(format!("can't ban {address}: there is no guard, or it has too many bans"));
        }
        info!("banned {address}");
        let room = self.host.room();
        let is_banned = |peer: Peer| {
            let at = self.transport.peers.address(peer);
            at.is_some_and(|at| Guard::is_same_source(at.ip(), address))
        };
        let watches = room.spectator().is_some_and(is_banned);
        let players = room.game().players().iter().zip(room.peers());
        let banned: Vec<Letter> = players
            .filter(|(_, peer)| is_banned(*peer))
            .map(|(player, _)| player.letter())
            .collect();
        for letter in banned {
            self.host.remove_player(&mut self.transport, letter, QuitReason::Banned);
        }
        if watches {
            self.host.remove_spectator(&mut self.transport, QuitReason::Banned);
        }
        Ok(format!("banned {address}"))
    }

    fn unban(&mut self, address: IpAddr) -> OperatorReply {
        let guard = self.transport.peers.guard.as_mut();
        if guard.is_some_and(|guard| guard.unban(address)) {
            info!("{address} may join again");
            Ok(format!("{address} may join again"))
        } else {
            Err(format!("{address} was not banned"))
        }
    }

    /// The address of a player who has not left.
    fn address_of(&self, letter: Letter) -> Option<IpAddr> {
        let room = self.host.room();
        let player = room.game().players().get(letter.index())?;
        let peer = room.peers().nth(letter.index()).filter(|_| player.at().is_some())?;
        self.transport.peers.address(peer).map(|address| address.ip())
    }
}
