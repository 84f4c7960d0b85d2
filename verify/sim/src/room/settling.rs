//! The end of a run whose game does not end: the network becomes perfect, no client acts by itself, and every
//! client that receives anything must have the right picture.
//!
//! Every client joins once more. The room sends its answer four times: at once, and again after 250 ms, 1 s and
//! 4 s. Each client receives only one of these, chosen by the seed. Then one player takes a few steps, and the
//! same must hold although no client asks. Only if that player finds gold, its own gold is not resent before 3 s.

use nuggets_game::{Rng, Seed};
use nuggets_server::Timestamp;

use super::{RoomRun, ShownView, Turn};
use crate::net::{ArrivedMessage, Endpoint};

/// When a client can receive, from the start of the phase: the answer itself, or one of its three resends.
const WINDOWS: [(u64, u64); 4] = [(0, 200), (200, 700), (700, 2_000), (2_000, SETTLE_MS)];
/// The duration of each of the two halves.
const SETTLE_MS: u64 = 8_000;
/// For so long after news of gold no other `GOLD` is sent by time alone.
const GOLD_NEWS_MS: u64 = 3_000;
/// The last keys. Sprints could collect too much gold and end the game.
const LAST_KEYS: [&[u8]; 4] = [b"KEY h", b"KEY k", b"KEY l", b"KEY n"];

impl RoomRun {
    pub(super) fn settle(&mut self) -> Result<(), String> {
        self.network.become_perfect(self.log.now);
        self.crashes.stop();
        self.restart_server()?;
        self.run_idle(self.log.now, &[])?;
        if self.room.end().is_some() {
            return Ok(());
        }
        let windows = self.draw_windows(0);
        for number in 0..self.clients.len() {
            // A script may have joined under another name than it meant to.
            let own = self.clients[number].join_message();
            let join =
                own.map(|own| self.room.model().rejoin_message(number as u64).unwrap_or(own));
            self.send_from_client(number, join.as_slice());
        }
        self.run_idle(self.log.now.after(SETTLE_MS), &windows)?;
        // The last player may have been dropped as idle, which ends the game.
        if self.room.end().is_some() {
            return Ok(());
        }
        self.check_pictures(None)?;
        self.settle_after_steps()
    }

    fn settle_after_steps(&mut self) -> Result<(), String> {
        if self.plan.reliability.idle_timeout_ms.is_some() {
            return Ok(());
        }
        let mut movers = self.room.safe_movers(LAST_KEYS.len()).into_iter();
        let mover = movers.find_map(|peer| {
            let number = usize::try_from(peer).ok()?;
            self.clients.get(number)?.join_message().map(|_| number)
        });
        let Some(mover) = mover else { return Ok(()) };
        let windows = self.draw_windows(1);
        let (since, until) = windows[mover];
        let misses_gold = since > self.log.now && until <= self.log.now.after(GOLD_NEWS_MS);
        let purse = self.room.model().purse(mover as u64);
        self.send_from_client(mover, &LAST_KEYS.map(<[u8]>::to_vec));
        self.run_idle(self.log.now.after(SETTLE_MS), &windows)?;
        let has_found_gold = self.room.model().purse(mover as u64) > purse;
        self.check_pictures((misses_gold && has_found_gold).then_some(mover))
    }

    /// When each client can receive. Where idle players are dropped there is news later, too.
    fn draw_windows(&self, half: i64) -> Vec<(Timestamp, Timestamp)> {
        let mut rng = Rng::new(Seed::new(self.plan.game_seed.number().wrapping_add(half)));
        let last = WINDOWS.len() - 1;
        let drawn = self.clients.iter().map(|_| match self.plan.reliability.idle_timeout_ms {
            Some(_) => WINDOWS[last],
            None => WINDOWS[rng.index(WINDOWS.len())],
        });
        drawn.map(|(since, until)| (self.log.now.after(since), self.log.now.after(until))).collect()
    }

    /// Runs network and room until then; clients receive in their windows and send nothing.
    fn run_idle(
        &mut self,
        until: Timestamp,
        windows: &[(Timestamp, Timestamp)],
    ) -> Result<(), String> {
        while let Some((at, turn)) = self.next_idle().filter(|(at, _)| *at <= until) {
            self.count_step()?;
            self.log.now = self.log.now.max(at);
            match turn {
                Turn::Room => self.wake_room()?,
                Turn::Crash => self.crash_or_restart()?,
                Turn::Network | Turn::Client(_) => self.deliver_idle(windows)?,
            }
        }
        self.log.now = until;
        Ok(())
    }

    fn deliver_idle(&mut self, windows: &[(Timestamp, Timestamp)]) -> Result<(), String> {
        let Some(arrival) = self.network.take() else { return Ok(()) };
        let Endpoint::Client(number) = arrival.to else {
            return self.deliver(&arrival);
        };
        let can_receive = windows
            .get(number)
            .is_none_or(|(since, until)| (since..until).contains(&&self.log.now));
        if can_receive || arrival.content == ArrivedMessage::Unreachable {
            self.deliver_to_client(number, &arrival, &mut Vec::new());
        }
        Ok(())
    }

    /// Every client in the game has the right picture and, except the one that can't, the right gold.
    fn check_pictures(&self, without_gold: Option<usize>) -> Result<(), String> {
        for (number, client) in self.clients.iter().enumerate() {
            let view = self.room.model().expected_view(number as u64, self.room.room().game());
            let Some(view) = view.filter(|_| client.join_message().is_some()) else { continue };
            let ShownView { picture, gold } = &client.received.shown;
            if *picture != view.picture {
                return Err(format!("client {number} is left with a wrong picture"));
            }
            if without_gold != Some(number) && *gold != view.gold {
                return Err(format!("client {number} is left with wrong gold"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::Simulation;
    use crate::room::RoomPlan;

    /// A run without an end in which a client has a seat, after settling.
    fn settled() -> RoomRun {
        let played = (1..).find_map(|seed| {
            let mut run = RoomRun::new(RoomPlan::draw(seed));
            run.play_to_end().unwrap();
            let mut clients = 0..run.clients.len();
            let present = run.room.model().present();
            let has_seat = clients.any(|number| present.contains(&(number as u64)));
            (run.room.end().is_none() && has_seat).then_some(run)
        });
        played.unwrap()
    }

    #[test]
    fn a_wrong_picture_or_wrong_gold_at_the_end_is_noticed() {
        let mut run = settled();
        assert_eq!(run.check_pictures(None), Ok(()));
        for client in &mut run.clients {
            client.received.shown.note(b"GOLD 0 9999 9999");
        }
        let fault = run.check_pictures(None).unwrap_err();
        assert!(fault.ends_with("is left with wrong gold"), "{fault}");
        for client in &mut run.clients {
            client.received.shown.note(b"DISPLAY\n");
        }
        let fault = run.check_pictures(None).unwrap_err();
        assert!(fault.ends_with("is left with a wrong picture"), "{fault}");
    }
}
