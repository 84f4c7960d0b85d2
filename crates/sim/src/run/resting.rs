//! The end of a game that does not end: the weather clears, everybody rests, and whoever hears
//! anything must have the right picture before its eyes.
//!
//! Everybody asks once more. The answer is said four times in all: at once, and again after 250 ms,
//! 1 s and 4 s. To each client the network brings just one of these, whichever. Then somebody takes a
//! few steps, and the same must hold though nobody asks.

use nuggets_game::{Chance, Seed};
use nuggets_server::Millis;

use super::referee::Referee;
use super::{Run, Step, Turn};
use crate::net::{Freight, Party};

/// When a client hears the answer itself, and each of its three repeats: from when, until when.
const WINDOWS: [(u64, u64); 4] = [(0, 200), (200, 700), (700, 2_000), (2_000, REST_MS)];
/// So long they rest.
const REST_MS: u64 = 8_000;
/// The last steps. Sprints could take too much gold and end the game.
const LAST_KEYS: [&[u8]; 4] = [b"KEY h", b"KEY k", b"KEY l", b"KEY n"];

impl Run {
    pub(super) fn rest(&mut self, referee: &mut Referee) -> Step {
        self.net.clear(self.now);
        self.run_idle(referee, self.now, &[])?;
        if referee.end().is_some() {
            return Ok(());
        }
        let windows = self.draw_windows(0);
        for number in 0..self.clients.len() {
            // A script may have got in under another name than it meant to.
            let own = self.clients[number].question();
            let question = own.map(|own| referee.question(number as u64).unwrap_or(own));
            self.send_all(number, question.as_slice());
        }
        self.run_idle(referee, self.now.after(REST_MS), &windows)?;
        // The last of the silent may have been let go, and the game with them.
        if referee.end().is_some() {
            return Ok(());
        }
        self.check_pictures(referee)?;
        self.rest_after_steps(referee)
    }

    fn rest_after_steps(&mut self, referee: &mut Referee) -> Step {
        let is_here = |peer: &u64| {
            let number = usize::try_from(*peer).unwrap_or(usize::MAX);
            self.clients.get(number).is_some_and(|client| client.question().is_some())
        };
        let mover = referee.steppers(LAST_KEYS.len()).into_iter().find(is_here);
        let Some(mover) = mover.filter(|_| self.plan.care.idle_timeout_ms.is_none()) else {
            return Ok(());
        };
        let windows = self.draw_windows(1);
        let number = usize::try_from(mover).unwrap_or(usize::MAX);
        self.send_all(number, &LAST_KEYS.map(<[u8]>::to_vec));
        self.run_idle(referee, self.now.after(REST_MS), &windows)?;
        self.check_pictures(referee)
    }

    /// When each client can hear. Where the silent are let go there is news later, too.
    fn draw_windows(&self, time: i64) -> Vec<(Millis, Millis)> {
        let mut chance = Chance::new(Seed::new(self.plan.game_seed.number().wrapping_add(time)));
        let last = WINDOWS.len() - 1;
        let drawn = self.clients.iter().map(|_| match self.plan.care.idle_timeout_ms {
            Some(_) => WINDOWS[last],
            None => WINDOWS[chance.index(WINDOWS.len())],
        });
        drawn.map(|(since, until)| (self.now.after(since), self.now.after(until))).collect()
    }

    /// Network and room go on until then; clients listen, but say nothing.
    fn run_idle(
        &mut self,
        referee: &mut Referee,
        until: Millis,
        windows: &[(Millis, Millis)],
    ) -> Step {
        while let Some((at, turn)) = self.next_idle(referee).filter(|(at, _)| *at <= until) {
            self.now = self.now.max(at);
            if turn == Turn::Room {
                self.wake_room(referee)?;
            } else {
                self.deliver_idle(referee, windows)?;
            }
        }
        self.now = until;
        Ok(())
    }

    fn next_idle(&self, referee: &Referee) -> Option<(Millis, Turn)> {
        let net = self.net.next_at().map(|at| (at, Turn::Net));
        let room = referee.next_at().map(|at| (at, Turn::Room));
        net.into_iter().chain(room).min()
    }

    fn deliver_idle(&mut self, referee: &mut Referee, windows: &[(Millis, Millis)]) -> Step {
        let Some(delivery) = self.net.take() else { return Ok(()) };
        let Party::Client(number) = delivery.to else {
            return self.deliver(&delivery, referee);
        };
        let hears =
            windows.get(number).is_none_or(|(since, until)| (since..until).contains(&&self.now));
        if hears || delivery.freight == Freight::Unreachable {
            self.deliver_to_client(number, &delivery, &mut Vec::new());
        }
        Ok(())
    }

    fn check_pictures(&self, referee: &Referee) -> Step {
        for (number, client) in self.clients.iter().enumerate() {
            let seen = referee.should_see(number as u64);
            let Some((picture, gold)) = seen.filter(|_| client.question().is_some()) else {
                continue;
            };
            if client.heard.picture.as_ref() != Some(&picture) {
                return Err(format!("client {number} is left with a wrong picture"));
            }
            let heard = client.heard.gold.as_ref().map(|gold| String::from_utf8_lossy(gold));
            if !heard.is_some_and(|heard| heard.ends_with(&format!(" {gold}"))) {
                return Err(format!("client {number} is left with wrong gold"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that did not come to an end, and what is right there.
    fn rested() -> (Run, Referee) {
        let played = (1..).find_map(|seed| {
            let mut run = Run::new(seed);
            let mut referee = Referee::new(&run.plan).unwrap();
            run.play_before(&mut referee).unwrap();
            let someone = (0..run.clients.len()).any(|n| referee.should_see(n as u64).is_some());
            (referee.end().is_none() && someone).then_some((run, referee))
        });
        played.unwrap()
    }

    #[test]
    fn who_is_left_with_a_wrong_picture_or_wrong_gold_is_noticed() {
        let (mut run, referee) = rested();
        assert_eq!(run.check_pictures(&referee), Ok(()));
        for client in &mut run.clients {
            client.heard.gold = Some(b"GOLD 0 9999 9999".to_vec());
        }
        assert!(run.check_pictures(&referee).unwrap_err().ends_with("wrong gold"));
        for client in &mut run.clients {
            client.heard.picture = Some(b"DISPLAY\n".to_vec());
        }
        assert!(run.check_pictures(&referee).unwrap_err().ends_with("wrong picture"));
    }
}
