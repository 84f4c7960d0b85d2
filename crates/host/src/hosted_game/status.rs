//! The players and the score of a game, and its reports to the lobby.

use nuggets_game::{Letter, Player};
use nuggets_server::Storage;
use nuggets_time::Timestamp;

use super::HostedGame;
use super::identities::Identity;
use crate::wire::{PlayerLine, ResultLine, Stage};
use crate::{GameReport, SeatedPlayer};

/// Minimum interval between two reports of the number of connections.
const CONNECTED_PERIOD_MS: u64 = 500;

/// The values that were reported last.
#[derive(Debug, Default)]
pub(super) struct Reported {
    /// One element per letter: true if the player has left.
    left: Vec<bool>,
    gold_left: u32,
    connected: (u32, u32),
    connected_at: Option<Timestamp>,
}

fn has_left(player: &Player) -> bool {
    player.at().is_none()
}

impl<S: Storage> HostedGame<S> {
    pub(super) fn report_opened(&mut self) {
        let game = self.host.room().game();
        self.reported.gold_left = game.remaining();
        self.report(GameReport::Opened {
            gold_left: game.remaining(),
            has_started: self.host.room().has_begun(),
        });
    }

    /// Reports players who have joined or left. Returns the number of players before, or `None` without a change.
    pub(super) fn report_players(&mut self) -> Option<usize> {
        let players = self.host.room().game().players();
        let left = players.iter().map(has_left);
        if left.clone().eq(self.reported.left.iter().copied()) {
            return None;
        }
        let left: Vec<bool> = left.collect();
        let before = std::mem::replace(&mut self.reported.left, left);
        for seated in self.seated() {
            let letter = seated.letter;
            let known = before.get(letter.index()).copied();
            if known.is_none() {
                self.report(GameReport::Joined(seated));
            }
            if self.reported.left[letter.index()] && known != Some(true) {
                self.report(GameReport::Left(letter));
            }
        }
        Some(before.len())
    }

    pub(super) fn report_gold(&mut self) {
        let gold_left = self.host.room().game().remaining();
        if gold_left != self.reported.gold_left {
            self.reported.gold_left = gold_left;
            self.report(GameReport::GoldLeft(gold_left));
        }
    }

    /// Reports the number of connections if that is due.
    pub(super) fn report_connected(&mut self, now: Timestamp) {
        if self.connected_due().is_some_and(|at| at <= now) {
            let (players, watchers) = self.connected();
            self.reported.connected = (players, watchers);
            self.reported.connected_at = Some(now);
            self.report(GameReport::Connected { players, watchers });
        }
    }

    /// Returns the time to report the number of connections, if it has changed.
    pub(super) fn connected_due(&self) -> Option<Timestamp> {
        let last = self.reported.connected_at;
        let due = last.map_or(Timestamp(0), |at| at.after(CONNECTED_PERIOD_MS));
        (self.connected() != self.reported.connected).then_some(due)
    }

    /// Counts the people who play, over any transport, and the connections that watch.
    fn connected(&self) -> (u32, u32) {
        let (people, watchers) = self.attachments.count();
        let is_udp = |who: &&Identity| matches!(who, Identity::Udp(_));
        let udp = self.away.keys().filter(is_udp).count();
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        (count(people + udp), count(watchers))
    }

    pub(super) fn stage(&self) -> Stage {
        match self.over_at {
            Some(_) => Stage::Over,
            None if self.host.room().has_begun() => Stage::Playing,
            None => Stage::Waiting { missing: self.meta.start.missing(self.people()) },
        }
    }

    pub(super) fn roster(&self) -> Vec<PlayerLine> {
        self.seated().iter().map(SeatedPlayer::line).collect()
    }

    fn seated(&self) -> Vec<SeatedPlayer> {
        self.host.room().game().players().iter().map(|player| self.seated_of(player)).collect()
    }

    fn seated_of(&self, player: &Player) -> SeatedPlayer {
        let letter = player.letter();
        let who = self.identity(letter).and_then(|who| who.rated(&self.meta.bots.brain));
        SeatedPlayer { letter, name: player.name().to_string(), who, has_left: has_left(player) }
    }

    /// Returns the final table, the richest player first.
    pub(super) fn results(&self) -> Vec<ResultLine> {
        nuggets_replay::page::results(self.host.room().game())
    }

    /// Counts the players who are not bots and have not left.
    pub(super) fn people(&self) -> usize {
        let identities = self.seated_identities();
        identities.iter().filter(|who| !matches!(who, Identity::Bot(_))).count()
    }

    /// Returns all players, including bots, who have not left.
    pub(super) fn seated_identities(&self) -> Vec<Identity> {
        let players = self.host.room().game().players().iter();
        let playing = players.filter(|player| !has_left(player)).map(Player::letter);
        playing.filter_map(|letter| self.identity(letter)).collect()
    }

    fn identity(&self, letter: Letter) -> Option<Identity> {
        self.recipients.identities.of_letter(letter, self.host.room())
    }

    pub(super) fn letter(&self, identity: Identity) -> Option<Letter> {
        self.recipients.identities.letter(identity, self.host.room())
    }

    pub(super) fn has_left(&self, letter: Letter) -> bool {
        has_left(self.host.room().game().player(letter))
    }
}
