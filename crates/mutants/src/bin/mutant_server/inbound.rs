//! What comes in, bent before the room hears it: words, names, keys, and who says them.

use nuggets_game::Stroke;
use nuggets_protocol::ClientMessage;
use nuggets_server::Peer;

use crate::fault::Fault;
use crate::mutant::Mutant;
use crate::steps;

/// What the room is told in place of this, and by whom.
pub(crate) fn bend(mutant: &mut Mutant, from: Peer, bytes: &[u8]) -> Vec<(Peer, Vec<u8>)> {
    let bytes = spell(mutant.fault, bytes);
    let from = mutant.seats.masked(from);
    match ClientMessage::parse(&bytes) {
        Ok(ClientMessage::Play(name)) => play(mutant, from, name),
        Ok(ClientMessage::Spectate) => spectate(mutant, from),
        Ok(ClientMessage::Key(key)) => press(mutant, from, key),
        Err(_) if is_farewell(mutant, from, &bytes) => press(mutant, from, b'Q'),
        Err(_) => vec![(from, bytes)],
    }
}

/// The words of a client, and those of a server.
const CLIENT_WORDS: [&[u8]; 3] = [b"PLAY", b"KEY", b"SPECTATE"];
const SERVER_WORDS: [&[u8]; 8] =
    [b"OK", b"GRID", b"GOLD", b"DISPLAY", b"QUIT", b"GAMEOVER", b"ERROR", b"NO"];

/// Malformed messages that somebody takes for a player's `Q`.
fn is_farewell(mutant: &Mutant, from: Peer, bytes: &[u8]) -> bool {
    let word = bytes.split(|byte| b" \n".contains(byte)).next().unwrap_or_default();
    let is_servers = SERVER_WORDS.contains(&word);
    // A word of a client that is misspelled is another matter.
    let begins_with = |known: &&[u8]| word.to_ascii_uppercase().starts_with(known);
    let is_clients = CLIENT_WORDS.iter().any(begins_with);
    let is_word = !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic);
    let is_meant = match mutant.fault {
        Fault::UnknownWordQuits => is_word && !is_servers && !is_clients,
        Fault::ServerWordsObeyed => is_servers && bytes.len() > word.len(),
        _ => false,
    };
    is_meant && mutant.active(from).is_some()
}

/// Malformed messages that somebody takes for well-formed ones.
fn spell(fault: Fault, bytes: &[u8]) -> Vec<u8> {
    match fault {
        Fault::DoubleKeyTaken if is_long_key(bytes) => bytes[..5].to_vec(),
        Fault::LowerCaseTaken => in_capitals(bytes),
        Fault::NewlineTaken => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        Fault::NoBlankTaken if bytes.len() == 4 && bytes.starts_with(b"KEY") => {
            [b"KEY ", &bytes[3..]].concat()
        }
        Fault::GluedPlayTaken => match bytes.strip_prefix(b"PLAY") {
            Some(name) if name.first().is_some_and(u8::is_ascii_alphabetic) => {
                [b"PLAY ", name].concat()
            }
            _ => bytes.to_vec(),
        },
        Fault::BarePlayNameless if bytes == b"PLAY" => b"PLAY ".to_vec(),
        Fault::LeadingBlankTaken => bytes.trim_ascii_start().to_vec(),
        Fault::SpectateTailTaken if bytes.starts_with(b"SPECTATE") => b"SPECTATE".to_vec(),
        _ => bytes.to_vec(),
    }
}

fn is_long_key(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(b"KEY ").unwrap_or_default();
    rest.len() > 1 && rest.iter().all(u8::is_ascii_graphic)
}

fn in_capitals(bytes: &[u8]) -> Vec<u8> {
    let word = bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
    if !matches!(word, b"play" | b"spectate" | b"key") {
        return bytes.to_vec();
    }
    [&word.to_ascii_uppercase(), &bytes[word.len()..]].concat()
}

fn play(mutant: &mut Mutant, from: Peer, name: &[u8]) -> Vec<(Peer, Vec<u8>)> {
    if mutant.fault == Fault::FormatNameRefused && name.contains(&b'%') {
        // The room complains about that.
        return vec![(from, b"PLAY%".to_vec())];
    }
    let is_blank = name.iter().all(u8::is_ascii_whitespace);
    let name = match mutant.fault {
        Fault::NamelessTaken if name.is_empty() => b"Player".to_vec(),
        Fault::BlankNameTaken if is_blank && !name.is_empty() => b"Player".to_vec(),
        // Whoever gives no name is refused.
        Fault::NameDigitsRefused if name.iter().any(u8::is_ascii_digit) => vec![],
        Fault::NameCutShort => name[..name.len().min(10)].to_vec(),
        Fault::NameBlanksCleaned if !is_blank => {
            name.iter().map(|byte| if *byte == b' ' { b'_' } else { *byte }).collect()
        }
        Fault::NameOneWord => first_word(name).to_vec(),
        _ => name.to_vec(),
    };
    let is_active = mutant.active(from).is_some();
    let is_gone = mutant.seats.letter(from).is_some() && !is_active;
    let from = match mutant.fault {
        Fault::SecondLetter if is_active => mask(mutant, from),
        Fault::QuitterReturns if is_gone => mask(mutant, from),
        Fault::SameNameSamePlayer if mutant.seats.is_stranger(from) => {
            namesake(mutant, from, &name)
        }
        _ => from,
    };
    vec![(from, ClientMessage::Play(&name).to_bytes())]
}

fn mask(mutant: &mut Mutant, from: Peer) -> Peer {
    let face = mutant.seats.face(from);
    mutant.seats.put_on_mask(face)
}

/// The player of that name, who is somebody else from now on.
fn namesake(mutant: &mut Mutant, from: Peer, name: &[u8]) -> Peer {
    let mut people = mutant.seats.players.iter().zip(&mutant.seats.names);
    let is_here =
        |(peer, given): &(&Peer, &Vec<u8>)| *given == name && mutant.active(**peer).is_some();
    let Some(player) = people.find(is_here).map(|(peer, _)| *peer) else { return from };
    mutant.seats.take_over(player, from);
    player
}

fn first_word(name: &[u8]) -> &[u8] {
    let words = name.split(|byte| *byte == b' ');
    words.into_iter().find(|word| !word.is_empty()).unwrap_or_default()
}

fn spectate(mutant: &mut Mutant, from: Peer) -> Vec<(Peer, Vec<u8>)> {
    let spectate = (from, ClientMessage::Spectate.to_bytes());
    let is_second = mutant.seats.spectator.is_some_and(|peer| peer != from);
    match mutant.fault {
        // The room complains about that.
        Fault::SecondSpectatorRefused if is_second => vec![(from, b"SPECTATE too".to_vec())],
        Fault::SpectatorTakesLetter if mutant.seats.is_stranger(from) => {
            let ghost = mutant.seats.put_on_mask(None);
            vec![(ghost, ClientMessage::Play(b"Spectator").to_bytes()), spectate]
        }
        _ => vec![spectate],
    }
}

fn press(mutant: &mut Mutant, from: Peer, key: u8) -> Vec<(Peer, Vec<u8>)> {
    let first = mutant.seats.players.first().copied();
    let from = match mutant.fault {
        Fault::StrangerMoves if mutant.seats.is_stranger(from) && key != b'Q' => {
            first.unwrap_or(from)
        }
        Fault::FirstPlayerMoves if mutant.active(from).is_some() && key != b'Q' => {
            first.unwrap_or(from)
        }
        Fault::SpectatorMoves if mutant.seats.spectator == Some(from) && key != b'Q' => {
            first.unwrap_or(from)
        }
        _ => from,
    };
    if mutant.fault == Fault::ReplacedQuitsOther && mutant.seats.replaced.contains(&from) {
        let other = mutant.seats.spectator.filter(|_| key == b'Q').unwrap_or(from);
        return vec![(other, ClientMessage::Key(key).to_bytes())];
    }
    let active = mutant.active(from);
    let key = active.map_or(key, |_| other_key(mutant.fault, key));
    let press = |key| (from, ClientMessage::Key(key).to_bytes());
    if Some(key) == dead_key(mutant.fault) || (is_frozen(mutant) && key != b'Q') {
        return vec![];
    }
    let steps = active.zip(Stroke::from_key(key));
    let steps = steps.and_then(|(letter, stroke)| steps::plan(mutant, letter, stroke));
    steps.map_or_else(|| vec![press(key)], |keys| keys.into_iter().map(press).collect())
}

/// Has somebody quit, and is that the end of all moving?
fn is_frozen(mutant: &Mutant) -> bool {
    let mut players = mutant.room.game().players().iter();
    mutant.fault == Fault::QuitFreezes && players.any(|player| player.at().is_none())
}

fn other_key(fault: Fault, key: u8) -> u8 {
    let is_unknown = Stroke::from_key(key).is_none() && key != b'Q';
    match fault {
        Fault::UnknownKeyMoves if is_unknown => b'l',
        Fault::UnknownKeyQuits if is_unknown => b'Q',
        Fault::SmallQQuits if key == b'q' => b'Q',
        Fault::LeftIsRight => exchanged(key, *b"hl"),
        Fault::UpIsDown => exchanged(key, *b"jk"),
        Fault::DiagonalsMirrored => exchanged(exchanged(key, *b"yu"), *b"bn"),
        _ => key,
    }
}

/// The other of two keys, as a step or as a sprint.
fn exchanged(key: u8, [one, two]: [u8; 2]) -> u8 {
    let other = match key.to_ascii_lowercase() {
        small if small == one => two,
        small if small == two => one,
        _ => return key,
    };
    if key.is_ascii_uppercase() { other.to_ascii_uppercase() } else { other }
}

fn dead_key(fault: Fault) -> Option<u8> {
    let name = fault.to_string();
    let (kind, key) = name.rsplit_once('-')?;
    match (kind, key.as_bytes()) {
        ("dead-step", [key]) => Some(*key),
        ("dead-sprint", [key]) => Some(key.to_ascii_uppercase()),
        _ => None,
    }
}
