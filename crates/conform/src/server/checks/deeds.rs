//! What many checks do.

use nuggets_game::{Direction, Point};
use nuggets_protocol::Dialect;

use crate::server::caller::brief;
use crate::server::picture::Picture;
use crate::server::{Caller, ServerStage, follow};
use crate::{Failure, Verdict};

/// Names for as many as may come. Some servers are choosy about names: digits and blanks have checks
/// of their own.
pub(super) const NAMES: [&str; 26] = [
    "Ada", "Ben", "Cleo", "Dora", "Emil", "Fritz", "Greta", "Hugo", "Ida", "Jack", "Kate", "Leo",
    "Mia", "Nils", "Olga", "Paul", "Queenie", "Rosa", "Sam", "Tina", "Udo", "Vic", "Wanda",
    "Xaver", "Yara", "Zeno",
];

/// Starts the server, and one player joins.
pub(super) fn start_with_ann(stage: &mut ServerStage) -> Result<Caller, Failure> {
    stage.start()?;
    stage.player("Ann")
}

/// Waits for exactly this message.
pub(super) fn hears(caller: &mut Caller, exact: &str) -> Verdict {
    let before = caller.heard().len();
    let found = caller.wait_for(|message| (message == exact.as_bytes()).then_some(()));
    if found.is_some() {
        return Ok(());
    }
    let came = caller.told_since(before);
    let expected = format!("{} is sent exactly '{}'", caller.who(), exact.escape_default());
    let word = exact.split(' ').next().unwrap_or(exact);
    let has_other = caller.heard()[before..].iter().any(|heard| has_word(&heard.bytes, &[word]));
    Err(if has_other { Failure::new(expected, came) } else { Failure::silence(expected, came) })
}

/// Waits for a message that begins with one of these words.
pub(super) fn hears_word(caller: &mut Caller, words: &[&str]) -> Result<Vec<u8>, Failure> {
    let before = caller.heard().len();
    let found = caller.wait_for(|message| has_word(message, words).then(|| message.to_vec()));
    found.ok_or_else(|| {
        let came = caller.told_since(before);
        let expected = format!("{} is sent {}", caller.who(), words.join(" or "));
        Failure::silence(expected, came)
    })
}

/// Is one of these its first word?
pub(super) fn has_word(message: &[u8], words: &[&str]) -> bool {
    let first = message.split(|byte| b" \n".contains(byte)).next().unwrap_or_default();
    words.iter().any(|word| word.as_bytes() == first)
}

/// The dialect's words for a refusal: `QUIT` and this text, or `NO`.
pub(super) fn is_refused(stage: &ServerStage, caller: &mut Caller, text: &str) -> Verdict {
    match stage.dialect() {
        Dialect::V2021 => hears(caller, &format!("QUIT {text}")),
        Dialect::V2019 => hears_word(caller, &["NO"]).map(|_| ()),
    }
}

/// Fails if something with one of these words has come from that place on.
pub(super) fn has_not_heard(
    caller: &mut Caller,
    from: usize,
    words: &[&str],
    why: &str,
) -> Verdict {
    caller.take_waiting();
    let wrong = caller.heard()[from..].iter().find(|heard| has_word(&heard.bytes, words));
    match wrong.map(|heard| brief(&heard.bytes)) {
        Some(came) => Err(Failure::new(why, format!("{} was sent {came}", caller.who()))),
        None => Ok(()),
    }
}

/// A step that a player can take onto a free spot.
pub(super) fn free_step(
    stage: &mut ServerStage,
    caller: &Caller,
) -> Result<(char, Point), Failure> {
    let none = || Failure::silence("a free spot beside a player", "none; try another seed");
    free_steps(stage, caller)?.first().copied().ok_or_else(none)
}

/// All steps that a player can take onto free spots.
pub(super) fn free_steps(
    stage: &mut ServerStage,
    caller: &Caller,
) -> Result<Vec<(char, Point)>, Failure> {
    let truth = stage.look()?;
    let at = stage.place_of(caller)?;
    let sight = stage.sight()?;
    let free = |way: Direction| {
        let key = char::from(way.key());
        let to = *follow::path(&sight, at, key).first()?;
        (!truth.is_taken(to)).then_some((key, to))
    };
    Ok(Direction::ALL.into_iter().filter_map(free).collect())
}

/// The game goes on for this player: some key still moves it, whichever.
pub(super) fn still_moves(stage: &mut ServerStage, caller: &mut Caller) -> Verdict {
    let steps = free_steps(stage, caller)?;
    let before = stage.place_of(caller)?;
    for (key, _) in &steps {
        caller.press(*key);
        stage.look()?;
        if stage.place_of(caller)? != before {
            return Ok(());
        }
    }
    let keys: String = steps.iter().map(|(key, _)| *key).collect();
    let who = caller.letter.unwrap_or('?');
    let expected = format!("the game goes on: one of the keys {keys} moves player {who}");
    Err(Failure::silence(expected, format!("it stays at {before}")))
}

/// Fails if anything on the map has changed.
pub(super) fn is_unchanged(before: &Picture, after: &Picture, deed: &str) -> Verdict {
    if before == after {
        return Ok(());
    }
    let drawing = crate::server::drawing::difference(before, after);
    Err(Failure::new(format!("{deed} changes nothing"), "the map has changed").drawn(drawing))
}

/// Says something to which nobody may react but with a complaint: nobody moves, joins or leaves,
/// and the game goes on for whoever said it (if it plays).
pub(super) fn is_ignored(stage: &mut ServerStage, caller: &mut Caller, bytes: &[u8]) -> Verdict {
    let deed = shown(bytes);
    let before = stage.look()?;
    caller.skip();
    let from = caller.heard().len();
    caller.say_surely(bytes);
    let after = stage.look()?;
    is_unchanged(&before, &after, &deed)?;
    let why = format!("{deed} is answered with a complaint or not at all");
    has_not_heard(caller, from, &["OK", "QUIT", "GRID", "GAMEOVER"], &why)?;
    if caller.letter.is_some() { still_moves(stage, caller) } else { Ok(()) }
}

fn shown(bytes: &[u8]) -> String {
    match bytes.len() {
        0 => "an empty datagram".into(),
        1..=60 => format!("'{}'", bytes.escape_ascii()),
        more => format!("'{}…' ({more} bytes)", bytes[..20].escape_ascii()),
    }
}
