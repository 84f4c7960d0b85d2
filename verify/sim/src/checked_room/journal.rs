//! A journal as the naive model plays it, and a model that follows a room through crashes.

use nuggets_game::{Game, Letter, Player, Point, Rules, Viewer};
use nuggets_model::{ModelSettings, Outgoing, Spot, World, Year};
use nuggets_protocol::Dialect;
use nuggets_record::{PeerToken, Reading, RecordedEvent};
use nuggets_server::{MemoryTransport, Timestamp};

use super::model::{Model, expect_same_answers, shows_game};
use super::{EndSent, Moment, expect_same};

/// After this many more inputs a player that joined may have been answered, so a restarted server need not
/// welcome it again. The server's own bound is higher.
const SURELY_UNANSWERED: u64 = 32;

/// Creates the model of a game, with piles and food on the spots that the game has chosen. The rules are a
/// separate argument, so that a room that plays by other rules is found.
pub(crate) fn model_of(
    map: &str,
    rules: &Rules,
    dialect: Dialect,
    changed_only: bool,
    game: &Game,
) -> World {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let settings = ModelSettings {
        year: match dialect {
            Dialect::V2021 => Year::Y2021,
            Dialect::V2019 => Year::Y2019,
        },
        gold: rules.nuggets,
        min_piles: count(rules.min_piles),
        max_piles: count(rules.max_piles),
        players: rules.max_players,
        vision: rules.vision.map(i64::from),
        steal: rules.steal,
        drop_on_quit: rules.drop_on_quit,
        lifetime: rules.lifetime.map(|lifetime| lifetime.steps),
        food: rules.lifetime.map_or(0, |lifetime| count(lifetime.food)),
        sprint_stops: rules.sprint_stops,
        end_when_empty: rules.end_when_empty,
        changed_only,
        piles: game.piles().map(|(at, nuggets)| (spot(at), nuggets)).collect(),
        food_at: game.food().iter().copied().map(spot).collect(),
    };
    World::new(map, settings)
}

/// Plays an entry of a journal in the game. Returns the datagram with which the model does the same: the peer, the message,
/// and the spot of a new player. `peer_of` is the peer of a newcomer.
pub(crate) fn play_entry(
    what: &RecordedEvent,
    game: &mut Game,
    world: &World,
    peer_of: impl Fn(Option<&PeerToken>) -> u64,
) -> Option<(u64, Vec<u8>, Option<Spot>)> {
    let joined = game.players().len();
    if let Some(input) = what.input() {
        game.apply(input, &mut Vec::new());
    }
    let landing = game.players().get(joined).and_then(Player::at).map(spot);
    let player = |letter: &Letter| world.players()[letter.index()].peer;
    let spectator = || world.spectator().unwrap_or(u64::MAX);
    let key = |byte: u8| vec![b'K', b'E', b'Y', b' ', byte];
    let (peer, message) = match what {
        RecordedEvent::Join { name, peer } => {
            (peer_of(peer.as_ref()), format!("PLAY {name}").into_bytes())
        }
        RecordedEvent::Press(letter, stroke) => (player(letter), key(stroke.key())),
        RecordedEvent::Leave(letter) => (player(letter), key(b'Q')),
        RecordedEvent::Watch { peer } => (peer_of(peer.as_ref()), b"SPECTATE".to_vec()),
        RecordedEvent::Unwatch => (spectator(), key(b'Q')),
        // A key that changes nothing.
        RecordedEvent::Heard(Viewer::Player(letter)) => (player(letter), key(b'?')),
        RecordedEvent::Heard(Viewer::Spectator) => (spectator(), key(b'?')),
        _ => return None,
    };
    Some((peer, message, landing))
}

/// Converts a gridpoint to the form of the model.
pub(crate) fn spot(at: Point) -> Spot {
    (at.row.into(), at.col.into())
}

impl Model {
    /// Returns a model that has only seen the inputs in this journal.
    pub(super) fn replay(&self, reading: &Reading) -> Result<Self, String> {
        let mut model = Self::new(self.initial.clone(), self.dialect, self.timing.reliability);
        model.ignores_house_rules = self.ignores_house_rules;
        let mut game = reading.recording.header.game().map_err(|why| why.to_string())?;
        let peer_of = |token: Option<&PeerToken>| {
            let peer = token.and_then(MemoryTransport::restore);
            peer.map_or(u64::MAX, |peer| peer.0)
        };
        for entry in reading.recording.entries() {
            let played = play_entry(&entry.what, &mut game, &model.world, peer_of);
            if let Some((peer, message, landing)) = played {
                let at = Moment { now: Timestamp(0), room: entry.at };
                model.handle_message(at, peer, &message, landing);
            }
        }
        if let (Some(end), Some(known)) = (&mut model.end, &self.end) {
            end.since = known.since;
        }
        Ok(model)
    }

    /// Checks that another model is in the same state of the game.
    pub(super) fn expect_same(&self, other: &Self) -> Result<(), String> {
        let (own, other) = (&self.world, &other.world);
        expect_same("players by the journal", own.players(), other.players())?;
        expect_same("spectator by the journal", &own.spectator(), &other.spectator())?;
        expect_same("piles by the journal", own.piles(), other.piles())?;
        expect_same("food by the journal", own.food(), other.food())
    }

    /// Handles a restart of the server, after which the state is that of the journal. Every peer with a seat is sent
    /// its gold and its picture; a peer whose join may be unanswered is welcomed again.
    pub(super) fn restart(
        &mut self,
        at: Moment,
        is_end_stored: bool,
        real: &[Outgoing],
    ) -> Result<(), String> {
        if at.room < self.last_input_at {
            let (resumed, last) = (at.room.0, self.last_input_at.0);
            return Err(format!("resumed at {resumed} ms, but the last input was at {last} ms"));
        }
        let present = self.present();
        self.unreachable.clear();
        self.timing.restart(at.now, &present, self.world.is_over());
        self.is_end_stored = is_end_stored;
        let seated = present.iter().copied().collect();
        let since = self.end.as_ref().map_or(at.now, |end| end.since);
        self.end = self.world.is_over().then_some(EndSent { since, at: at.now, seated });
        self.check_welcomes(&present, real)?;
        let is_shown = |(_, message): &&Outgoing| shows_game(message);
        let shown: Vec<Outgoing> = real.iter().filter(is_shown).cloned().collect();
        let expected = self.world.resume();
        expect_same_answers(&expected, &shown)?;
        self.check_sent(real)
    }

    fn check_welcomes(&self, present: &[u64], real: &[Outgoing]) -> Result<(), String> {
        for peer in present {
            let is_welcomed =
                real.iter().any(|(to, message)| to == peer && message.starts_with(b"GRID "));
            let joined_at = self.joined_at.get(peer).copied().unwrap_or_default();
            let is_new = self.inputs - joined_at < SURELY_UNANSWERED;
            if self.have_moved.contains(peer) && is_welcomed {
                return Err(format!("peer {peer} has moved and is welcomed after a restart"));
            }
            if is_new && !self.have_pressed.contains(peer) && !is_welcomed {
                return Err(format!("peer {peer} has just joined and is not welcomed"));
            }
        }
        let is_stranger = |(to, _): &&Outgoing| !present.contains(to);
        match real.iter().find(is_stranger) {
            Some((peer, _)) => Err(format!("peer {peer} has no seat after a restart")),
            None => Ok(()),
        }
    }
}
