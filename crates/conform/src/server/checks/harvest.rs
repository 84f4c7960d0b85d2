//! A whole game: players collect everything.

use nuggets_protocol::{Dialect, ServerMessage};

use super::taking::take_nearest;
use crate::Failure;
use crate::server::{Caller, ServerStage, follow};

/// No game takes more piles than this, even with a server that drops new ones.
const MOST_PILES: u32 = 300;

/// Collects all gold and waits for the end; the table that the player is sent.
pub(super) fn play_to_the_end(
    stage: &mut ServerStage,
    caller: &mut Caller,
) -> Result<String, Failure> {
    collect_all(stage, caller)?;
    table(stage, caller)
}

/// Players take turns at the nearest piles until only so many are left.
pub(super) fn collect(
    stage: &mut ServerStage,
    players: &mut [Caller],
    leave: usize,
) -> Result<(), Failure> {
    let most = usize::try_from(MOST_PILES).unwrap_or(usize::MAX);
    for turn in 0..most {
        if stage.look()?.gold().len() <= leave {
            return Ok(());
        }
        // Whoever stands by hears much in the meantime.
        players.iter_mut().for_each(Caller::take_waiting);
        let player = turn % players.len();
        take_nearest(stage, &mut players[player])?;
    }
    Err(Failure::new("all gold can be collected", "there is always more"))
}

/// Walks from pile to pile until the server says that nothing is left.
fn collect_all(stage: &mut ServerStage, caller: &mut Caller) -> Result<(), Failure> {
    let sight = stage.sight()?;
    for _ in 0..MOST_PILES {
        let truth = stage.truth()?;
        let at = stage.place_of(caller)?;
        let walks = truth.gold().into_iter().filter_map(|pile| {
            follow::walk(&sight, &truth, at, pile).map(|keys| (keys.len(), pile))
        });
        let Some((steps, pile)) = walks.min() else { return Ok(()) };
        let is_last = truth.gold().len() == 1;
        if is_last {
            stage.may_end();
            // Up to the pile, and the last step by itself: the server may be gone before anybody
            // can look.
            let keys = follow::walk(&sight, &truth, at, pile).unwrap_or_default();
            let mut here = at;
            for key in &keys[..steps - 1] {
                here = *follow::path(&sight, here, *key).last().unwrap_or(&here);
                stage.press_to(caller, *key, here)?;
            }
            caller.press(keys[steps - 1]);
            return Ok(());
        }
        stage.walk_to(caller, pile)?;
    }
    Err(Failure::new("all gold can be collected", "there is always more"))
}

/// The table at the end as a client is sent it.
pub(super) fn table(stage: &ServerStage, caller: &mut Caller) -> Result<String, Failure> {
    let dialect = stage.dialect();
    let found = caller.wait_for(|message| match (dialect, ServerMessage::parse(message)) {
        (Dialect::V2021, Ok(ServerMessage::Quit(text))) => {
            Some(String::from_utf8_lossy(text.strip_prefix(b"GAME OVER:\n")?).into_owned())
        }
        (Dialect::V2019, Ok(ServerMessage::GameOver(text))) => {
            Some(String::from_utf8_lossy(&text).into_owned())
        }
        _ => None,
    });
    let expected = match dialect {
        Dialect::V2021 => "'QUIT GAME OVER:' and the table when the last nugget is taken",
        Dialect::V2019 => "'GAMEOVER' and the table when the last nugget is taken",
    };
    found.ok_or_else(|| Failure::silence(expected, "no such message"))
}
