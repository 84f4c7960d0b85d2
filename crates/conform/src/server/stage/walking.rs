//! Players on the move: where they are, where keys bring them, and what they are shown.

use nuggets_game::Point;

use super::ServerStage;
use crate::server::caller::Caller;
use crate::server::drawing::difference;
use crate::server::follow::{self, Follow};
use crate::server::picture::Picture;
use crate::{Failure, Verdict};

impl ServerStage {
    /// Where a player is, by what the spectator sees.
    pub(crate) fn place_of(&mut self, caller: &Caller) -> Result<Point, Failure> {
        let letter = caller.letter.unwrap_or('?');
        let truth = self.truth()?;
        let cell = u8::try_from(letter).unwrap_or(b'?');
        truth.only(cell).ok_or_else(|| {
            let times = truth.all(|shown| shown == cell).len();
            let expected = format!("the spectator sees player {letter} once");
            Failure::new(expected, format!("it is shown {times} times"))
        })
    }

    /// A player followed by our own sight, from where it is now. It must have just landed.
    pub(crate) fn follow(&mut self, caller: &Caller) -> Result<Follow, Failure> {
        let at = self.place_of(caller)?;
        let sight = self.sight()?;
        Ok(Follow::new(&sight, caller.letter.unwrap_or('?'), at))
    }

    /// Presses a key and waits until the spectator sees the player there; then looks.
    pub(crate) fn press_to(
        &mut self,
        caller: &mut Caller,
        key: char,
        to: Point,
    ) -> Result<Picture, Failure> {
        let (rows, cols) = self.size()?;
        let cell = caller.letter.and_then(|letter| u8::try_from(letter).ok()).unwrap_or(b'?');
        let watcher = self.watcher()?;
        watcher.skip();
        caller.press(key);
        let is_there = |message: &[u8]| {
            // The mover hears as much meanwhile as the spectator.
            caller.take_waiting();
            let picture = Picture::read(message, rows, cols).ok()?;
            (picture.at(to) == cell).then_some(picture)
        };
        let waits = !self.watchers_miss_moves;
        if waits && let Some(picture) = self.watcher()?.wait_for(is_there) {
            return Ok(picture);
        }
        // Perhaps only the picture was lost.
        let picture = self.look()?;
        if picture.at(to) == cell {
            self.watchers_miss_moves = !self.is_lossy();
            return Ok(picture);
        }
        let letter = char::from(cell);
        let place = picture.only(cell).map_or("nowhere".to_owned(), |at| at.to_string());
        // The key was dealt with before that look.
        Err(Failure::new(
            format!("key {key} brings player {letter} to {to}"),
            format!("the spectator sees it at {place}"),
        ))
    }

    /// Walks a player to a spot, past gold and others; the last picture.
    pub(crate) fn walk_to(&mut self, caller: &mut Caller, to: Point) -> Result<Picture, Failure> {
        let mut truth = self.truth()?;
        let sight = self.sight()?;
        let mut at = self.place_of(caller)?;
        let keys = follow::walk(&sight, &truth, at, to).ok_or_else(|| {
            Failure::new(format!("a free way from {at} to {to}"), "gold or players are in the way")
        })?;
        for key in keys {
            at = *follow::path(&sight, at, key).last().unwrap_or(&at);
            truth = self.press_to(caller, key, at)?;
        }
        Ok(truth)
    }

    /// Waits until a player's last picture is as it must be; the difference, drawn, if it isn't.
    pub(crate) fn sees(&mut self, caller: &mut Caller, expected: &Picture) -> Verdict {
        let (rows, cols) = (expected.rows, expected.cols);
        let mut shown = caller.last_picture(rows, cols);
        // It may be on its way, or be sent again; where datagrams are lost, even several times.
        let waits = if self.is_lossy() { 4 } else { 1 };
        for _ in 0..waits {
            if shown.as_ref() == Ok(expected) {
                break;
            }
            // An older picture may have been just like this, and be still unread.
            caller.skip_known();
            caller.wait_for(|message| {
                let picture = Picture::read(message, rows, cols).ok()?;
                (picture == *expected).then_some(())
            });
            shown = caller.last_picture(rows, cols);
        }
        let shown = shown?;
        if shown == *expected {
            return Ok(());
        }
        let who = caller.letter.unwrap_or('?');
        Err(Failure::new(
            format!("player {who} is shown just what it sees and remembers"),
            "another picture",
        )
        .drawn(difference(expected, &shown)))
    }
}
