//! The owners of all games, as the database said last. Pure: the scan of the database fills it, requests read it.

use std::collections::BTreeMap;

use crate::GameId;

/// One process run of a node: a random number, so that a node that was started again is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// The number of owners that a game has had. Only the owner of the current epoch can append to its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub u64);

/// A node of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name, the same over restarts.
    pub name: String,
    /// The run of its process.
    pub run: RunId,
    /// Host and port that other nodes reach.
    pub address: String,
}

/// A game of another node, for as long as that owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteGame {
    /// The game.
    pub game: GameId,
    /// The node that runs it.
    pub member: Member,
    /// The epoch in which it belongs to that node.
    pub epoch: Epoch,
}

/// The place that a request about a game goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// This node runs the game.
    Here,
    /// Another node runs it.
    There(RemoteGame),
    /// The game exists, but its owner is not known to live: come back in a moment.
    Nowhere,
    /// No unfinished game with this id was known at the last look.
    Unknown,
}

/// The owners of all unfinished games.
#[derive(Clone, Debug)]
pub struct Routes {
    me: RunId,
    members: BTreeMap<RunId, Member>,
    games: BTreeMap<GameId, (RunId, Epoch)>,
}

impl Routes {
    /// Nothing is known yet.
    pub fn new(me: RunId) -> Self {
        Self { me, members: BTreeMap::new(), games: BTreeMap::new() }
    }

    /// Replaces the nodes that live.
    pub fn set_members(&mut self, members: impl IntoIterator<Item = Member>) {
        self.members = members.into_iter().map(|member| (member.run, member)).collect();
    }

    /// Replaces the owners of all games. What was read before a later owner was known changes nothing.
    pub fn set_games(&mut self, games: impl IntoIterator<Item = (GameId, RunId, Epoch)>) {
        let before = std::mem::take(&mut self.games);
        for (game, run, epoch) in games {
            let known = before.get(&game).copied().filter(|(_, known)| *known > epoch);
            self.games.insert(game, known.unwrap_or((run, epoch)));
        }
    }

    /// The owner of one game, or that it is not running. An older epoch is out of date and changes nothing.
    pub fn set_game(&mut self, game: GameId, owner: Option<(RunId, Epoch)>) {
        match owner {
            Some(owner) => {
                let known = self.games.entry(game).or_insert(owner);
                if owner.1 >= known.1 {
                    *known = owner;
                }
            }
            None => drop(self.games.remove(&game)),
        }
    }

    /// Finds the place that a request about a game goes to.
    pub fn route(&self, game: GameId) -> Route {
        match self.games.get(&game) {
            None => Route::Unknown,
            Some((run, _)) if *run == self.me => Route::Here,
            Some((run, epoch)) => match self.members.get(run) {
                Some(member) => {
                    Route::There(RemoteGame { game, member: member.clone(), epoch: *epoch })
                }
                None => Route::Nowhere,
            },
        }
    }

    /// The node of a process run, if it lives.
    pub(crate) fn member(&self, run: RunId) -> Option<&Member> {
        self.members.get(&run)
    }

    /// All nodes that live.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }
}
