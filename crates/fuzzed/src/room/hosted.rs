//! A room under watch: whatever happens to it, what it does is checked.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use nuggets_game::{Game, Map, Player, Seed, Sight};
use nuggets_model::Answer;
use nuggets_protocol::{MAX_MESSAGE_BYTES, ServerMessage};
use nuggets_record::{Recording, Tail, verify};
use nuggets_server::{Guard, Limits, Millis, Peer, RecordKind, Room, sight_rule};

use super::plan::{PEERS, Plan, Step, What};
use crate::harmless::assert_harmless;

mod modelled;

use modelled::Modelled;

/// A room, its journal, and the model beside it in a plain game.
pub(super) struct Hosted {
    plan: Plan,
    room: Room,
    now: Millis,
    journal: Vec<u8>,
    model: Option<Modelled>,
    sent: Vec<Vec<u8>>,
}

impl Hosted {
    pub(super) fn new(plan: Plan) -> Self {
        plan.rules.check().expect("these rules make sense");
        let map = Map::parse(plan.map.as_bytes()).expect("that is a map").map;
        let sight = Sight::new(map, sight_rule(plan.dialect)).within(plan.rules.vision);
        let seed = Seed::new(plan.seed);
        let game = Game::new(Arc::new(sight), plan.rules, seed).expect("there is room");
        let model = (!plan.is_hard).then(|| Modelled::new(&plan, &game));
        let room = Room::new(game, plan.dialect).recorded(RecordKind::Journal, seed, 9000);
        let room = equipped(room, &plan);
        let (now, journal, sent) = (Millis(0), vec![], vec![]);
        let mut hosted = Self { plan, room, now, journal, model, sent };
        assert_eq!(hosted.drain(), [], "nobody is there yet");
        hosted
    }

    /// Does what the step says.
    pub(super) fn take(&mut self, step: Step) {
        self.now = self.now.after(step.wait_ms);
        match step.what {
            What::Say(peer, bytes) => self.say(peer, &bytes),
            What::Wake => self.wake(),
            What::Lose(peer) if self.plan.is_hard => {
                self.room.handle_unreachable(self.now, address(peer, true));
                self.drain();
            }
            What::Lose(_) => {}
            What::Crash(torn) => self.crash(torn.into()),
        }
        self.check_game();
    }

    fn say(&mut self, peer: u8, bytes: &[u8]) {
        let joined = self.room.game().players().len();
        self.room.handle_message(self.now, address(peer, self.plan.is_hard), bytes);
        let newcomer = self.room.game().players().get(joined);
        let landing = newcomer.and_then(Player::at);
        let real = self.drain();
        if let Some(model) = &mut self.model {
            model.say(peer.into(), bytes, landing, &real);
            model.compare(&self.room);
        }
    }

    /// The room is woken until it asks for a later moment. That must come soon.
    fn wake(&mut self) {
        for _ in 0..20 {
            if self.room.poll_timeout().is_none_or(|at| at > self.now) {
                return;
            }
            self.room.handle_timeout(self.now);
            let repeated = self.drain();
            if let Some(model) = &mut self.model {
                model.check_sent(&repeated);
                model.compare(&self.room);
            }
        }
        panic!("the room wants to be woken at {:?} for ever", self.now);
    }

    /// Goes on from the journal. In a plain game nothing of it is lost.
    fn crash(&mut self, torn: usize) {
        let torn = if self.plan.is_hard { torn } else { 0 };
        let left = self.journal.len().saturating_sub(torn);
        // Without a header there is nothing to go on with.
        let Ok(reading) = Recording::read(&self.journal[..left]) else { return };
        let room = Room::resume(&reading).expect("a room that isn't shut down can be");
        self.journal.truncate(reading.good_bytes);
        self.room = equipped(room, &self.plan);
        let anew = self.drain();
        if let Some(model) = &mut self.model {
            model.check_sent(&anew);
            model.compare(&self.room);
        }
        if self.room.is_over() {
            self.wake();
        }
    }

    /// Shuts the room down. The journal tells of the same game.
    pub(super) fn end(mut self) -> Vec<Vec<u8>> {
        self.room.shut_down();
        let real = self.drain();
        if let Some(model) = &mut self.model {
            model.end(&real);
        }
        assert!(self.room.is_closed());
        let reading = Recording::read(&self.journal).expect("a whole journal can be read");
        assert_eq!(reading.tail, Tail::Whole);
        let verified = verify(&reading.recording).expect("it was played like that");
        assert_eq!(verified.game.state_hash(), self.room.game().state_hash());
        self.sent
    }

    /// Takes everything out. What is sent can be read by a client and fits a datagram; what is
    /// logged is harmless.
    fn drain(&mut self) -> Vec<Answer> {
        while let Some((_, bytes)) = self.room.poll_record() {
            self.journal.extend(bytes);
        }
        let mut answers = vec![];
        while let Some(transmit) = self.room.poll_transmit() {
            let payload = transmit.payload.to_vec();
            let said = payload.escape_ascii();
            assert!(ServerMessage::parse(&payload).is_ok(), "no message: {said}");
            assert!(payload.len() <= MAX_MESSAGE_BYTES, "too long: {said}");
            answers.push((number(transmit.to, self.plan.is_hard), payload.clone()));
            self.sent.push(payload);
        }
        while let Some(notice) = self.room.poll_notice() {
            assert_harmless(&notice.to_string());
        }
        answers
    }

    /// Gold is conserved, and everybody has a spot alone.
    fn check_game(&self) {
        let game = self.room.game();
        let purses: u32 = game.players().iter().map(Player::purse).sum();
        let piles: u32 = game.piles().map(|(_, nuggets)| nuggets).sum();
        assert_eq!(purses + piles, self.plan.rules.nuggets, "gold was made or lost");
        let players = game.players().iter().filter_map(Player::at);
        let laid = game.piles().map(|(at, _)| at).chain(game.food().iter().copied());
        let mut taken: Vec<_> = players.chain(laid).collect();
        let count = taken.len();
        taken.sort_unstable_by_key(|at| (at.row, at.col));
        taken.dedup();
        assert_eq!(taken.len(), count, "two things are on one spot");
    }
}

/// What a room is given beside its game.
fn equipped(room: Room, plan: &Plan) -> Room {
    let room = room.changed_only(plan.changed_only).careful(plan.care);
    if plan.is_hard { room.guarded(Guard::new(Limits::default(), [7; 16])) } else { room }
}

/// Where a peer is. In a hard game several share a source, and a few are where nobody can be.
fn address(peer: u8, is_hard: bool) -> Peer {
    let ip = match peer {
        _ if !is_hard => Ipv4Addr::LOCALHOST,
        31 => Ipv4Addr::new(224, 0, 0, 1),
        30 => Ipv4Addr::new(192, 168, 0, 9),
        29 => Ipv4Addr::BROADCAST,
        _ => Ipv4Addr::new(203, 0, 113, peer / 6),
    };
    let port = if is_hard && peer == 28 { 0 } else { 1000 + u16::from(peer) };
    SocketAddr::new(IpAddr::V4(ip), port).into()
}

fn number(peer: Peer, is_hard: bool) -> u64 {
    let found = (0..PEERS).find(|number| address(*number, is_hard) == peer);
    found.expect("nobody else ever spoke").into()
}
