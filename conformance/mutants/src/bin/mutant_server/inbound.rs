//! Faults in received messages: the fatal ones, and the replacements that the room receives.

use nuggets_game::Stroke;
use nuggets_protocol::ClientMessage;
use nuggets_server::Peer;

use crate::fault::Fault;
use crate::movement;
use crate::mutant::{AfterMessage, Mutant};

/// The number of malformed messages that causes a crash.
const FLOOD: u32 = 100;
/// The number of keys that causes a crash.
const MANY_KEYS: u32 = 1000;
/// The number of addresses that have asked to play that causes a crash.
const CROWD: usize = 40;
/// The number of gridpoints above which a map causes a crash.
const LARGE_MAP: usize = 20_000;

const CLIENT_WORDS: [&[u8]; 3] = [b"PLAY", b"KEY", b"SPECTATE"];
const SERVER_WORDS: [&[u8]; 8] =
    [b"OK", b"GRID", b"GOLD", b"DISPLAY", b"QUIT", b"GAMEOVER", b"ERROR", b"NO"];

/// Returns the end of the program that this message causes, if any.
pub(crate) fn fatal(mutant: &Mutant, from: Peer, bytes: &[u8]) -> Option<AfterMessage> {
    let seats = &mutant.seats;
    let is_key = bytes.starts_with(b"KEY ");
    let is_play = bytes.starts_with(b"PLAY ");
    if mutant.slip == Fault::CrashOnSpectator && bytes == b"SPECTATE" {
        return Some(AfterMessage::Crash);
    }
    let is_fatal = match mutant.fault {
        Fault::CrashOnSpectator => bytes == b"SPECTATE",
        Fault::CrashOnEmpty => bytes.is_empty(),
        Fault::CrashOnHuge => bytes.len() > 1000,
        Fault::CrashOnNul => bytes.contains(&0),
        Fault::CrashOnBinary => !bytes.is_ascii(),
        Fault::CrashOnLongName => is_play && bytes.len() > 55,
        Fault::CrashOnVeryLongName => is_play && bytes.len() > 2005,
        Fault::CrashOnPercent => bytes.windows(2).any(|pair| matches!(pair, b"%n" | b"%s")),
        Fault::CrashOnBarePlay => bytes == b"PLAY",
        Fault::CrashOnBareKey => bytes == b"KEY" || bytes == b"KEY ",
        Fault::CrashOnFlood => mutant.malformed_received >= FLOOD,
        Fault::CrashOnManyKeys => mutant.keys_received >= MANY_KEYS,
        Fault::CrashOnCrowd => mutant.join_requests.len() >= CROWD,
        Fault::CrashOnUnknownPeerKey => is_key && seats.is_unknown(from),
        Fault::CrashOnTwentySeventh => {
            is_play && seats.is_unknown(from) && mutant.room.game().is_full()
        }
        Fault::CrashOnKeyAfterQuit => {
            is_key && seats.letter(from).is_some() && mutant.active(from).is_none()
        }
        Fault::CrashOnSecondSpectator => {
            bytes == b"SPECTATE" && seats.spectator.is_some_and(|peer| peer != from)
        }
        Fault::CrashOnTallMap => is_play && mutant.map.rows() > mutant.map.cols(),
        Fault::CrashOnLargeMap => is_play && mutant.map.tiles().len() > LARGE_MAP,
        Fault::HangsOnMalformed | Fault::ExitsOnMalformed => ClientMessage::parse(bytes).is_err(),
        _ => false,
    };
    is_fatal.then_some(match mutant.fault {
        Fault::HangsOnMalformed => AfterMessage::Hang,
        Fault::ExitsOnMalformed => AfterMessage::Exit(1),
        _ => AfterMessage::Crash,
    })
}

/// Returns the messages that the room receives in place of this one, with their senders.
pub(crate) fn rewrite(mutant: &mut Mutant, from: Peer, bytes: &[u8]) -> Vec<(Peer, Vec<u8>)> {
    let bytes = correct_spelling(mutant.fault, bytes);
    let from = mutant.seats.alias_of(from);
    match ClientMessage::parse(&bytes) {
        Ok(ClientMessage::Play(name)) => play(mutant, from, name),
        Ok(ClientMessage::Spectate) => spectate(mutant, from),
        Ok(ClientMessage::Key(key)) => press(mutant, from, key),
        Err(_) if is_read_as_quit(mutant, from, &bytes) => press(mutant, from, b'Q'),
        Err(_) => vec![(from, bytes)],
    }
}

/// True for a malformed message that the fault treats as a player's `Q`.
fn is_read_as_quit(mutant: &Mutant, from: Peer, bytes: &[u8]) -> bool {
    let word = bytes.split(|byte| b" \n".contains(byte)).next().unwrap_or_default();
    let is_servers = SERVER_WORDS.contains(&word);
    // A misspelled client word is malformed, not unknown.
    let upper = word.to_ascii_uppercase();
    let is_clients = CLIENT_WORDS.iter().any(|known| upper.starts_with(known));
    let is_word = !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic);
    let is_quit = match mutant.fault {
        Fault::UnknownWordQuits => is_word && !is_servers && !is_clients,
        Fault::ServerMessageQuits => is_servers && bytes.len() > word.len(),
        _ => false,
    };
    is_quit && mutant.active(from).is_some()
}

/// Turns malformed messages that the fault accepts into well-formed ones.
fn correct_spelling(fault: Fault, bytes: &[u8]) -> Vec<u8> {
    match fault {
        Fault::DoubleKeyAccepted if is_long_key(bytes) => bytes[..5].to_vec(),
        Fault::LowerCaseAccepted => upper_case_word(bytes),
        Fault::NewlineAccepted => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
        Fault::MissingBlankAccepted if bytes.len() == 4 && bytes.starts_with(b"KEY") => {
            [b"KEY ", &bytes[3..]].concat()
        }
        Fault::GluedPlayAccepted => match bytes.strip_prefix(b"PLAY") {
            Some(name) if name.first().is_some_and(u8::is_ascii_alphabetic) => {
                [b"PLAY ", name].concat()
            }
            _ => bytes.to_vec(),
        },
        Fault::BarePlayNameless if bytes == b"PLAY" => b"PLAY ".to_vec(),
        Fault::LeadingBlankAccepted => bytes.trim_ascii_start().to_vec(),
        Fault::SpectateTrailingTextAccepted if bytes.starts_with(b"SPECTATE") => {
            b"SPECTATE".to_vec()
        }
        _ => bytes.to_vec(),
    }
}

fn is_long_key(bytes: &[u8]) -> bool {
    let rest = bytes.strip_prefix(b"KEY ").unwrap_or_default();
    rest.len() > 1 && rest.iter().all(u8::is_ascii_graphic)
}

fn upper_case_word(bytes: &[u8]) -> Vec<u8> {
    let word = bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
    if !matches!(word, b"play" | b"spectate" | b"key") {
        return bytes.to_vec();
    }
    [&word.to_ascii_uppercase(), &bytes[word.len()..]].concat()
}

fn play(mutant: &mut Mutant, from: Peer, name: &[u8]) -> Vec<(Peer, Vec<u8>)> {
    let is_blank = name.iter().all(u8::is_ascii_whitespace);
    let name = match mutant.fault {
        // Malformed, so that the room sends an error reply.
        Fault::PercentNameRejected if name.contains(&b'%') => {
            return vec![(from, b"PLAY%".to_vec())];
        }
        Fault::NamelessAccepted if name.is_empty() => b"Player".to_vec(),
        Fault::BlankNameAccepted if is_blank && !name.is_empty() => b"Player".to_vec(),
        // The room rejects an empty name.
        Fault::NameDigitsRejected if name.iter().any(u8::is_ascii_digit) => vec![],
        Fault::NameTruncatedTooShort => name[..name.len().min(10)].to_vec(),
        Fault::NameBlanksCleaned if !is_blank => {
            name.iter().map(|byte| if *byte == b' ' { b'_' } else { *byte }).collect()
        }
        Fault::NameFirstWordOnly => {
            let mut words = name.split(|byte| *byte == b' ');
            words.find(|word| !word.is_empty()).unwrap_or_default().to_vec()
        }
        _ => name.to_vec(),
    };
    let is_active = mutant.active(from).is_some();
    let has_quit = mutant.seats.letter(from).is_some() && !is_active;
    let from = match mutant.fault {
        Fault::SecondLetter if is_active => alias(mutant, from),
        Fault::QuitterRejoins if has_quit => alias(mutant, from),
        Fault::SameNameSamePlayer if mutant.seats.is_unknown(from) => {
            take_over_namesake(mutant, from, &name)
        }
        _ => from,
    };
    vec![(from, ClientMessage::Play(&name).to_bytes())]
}

fn alias(mutant: &mut Mutant, from: Peer) -> Peer {
    let owner = mutant.seats.recipient(from);
    mutant.seats.add_alias(owner)
}

/// Returns the active player of that name, whose seat the sender takes over, or the sender.
fn take_over_namesake(mutant: &mut Mutant, from: Peer, name: &[u8]) -> Peer {
    let mut players = mutant.seats.players.iter().zip(&mutant.seats.names);
    let is_namesake =
        |(peer, given): &(&Peer, &Vec<u8>)| *given == name && mutant.active(**peer).is_some();
    let Some(player) = players.find(is_namesake).map(|(peer, _)| *peer) else { return from };
    mutant.seats.hand_over(player, from);
    player
}

fn spectate(mutant: &mut Mutant, from: Peer) -> Vec<(Peer, Vec<u8>)> {
    let spectate = (from, ClientMessage::Spectate.to_bytes());
    let is_second = mutant.seats.spectator.is_some_and(|peer| peer != from);
    match mutant.fault {
        // Malformed, so that the room sends an error reply.
        Fault::SecondSpectatorRejected if is_second => vec![(from, b"SPECTATE too".to_vec())],
        Fault::SpectatorTakesLetter if mutant.seats.is_unknown(from) => {
            let player = mutant.seats.add_alias(None);
            vec![(player, ClientMessage::Play(b"Spectator").to_bytes()), spectate]
        }
        _ => vec![spectate],
    }
}

fn press(mutant: &mut Mutant, from: Peer, key: u8) -> Vec<(Peer, Vec<u8>)> {
    let seats = &mutant.seats;
    let moves_first_player = key != b'Q'
        && match mutant.fault {
            Fault::UnknownPeerMoves => seats.is_unknown(from),
            Fault::FirstPlayerMoves => mutant.active(from).is_some(),
            Fault::SpectatorMoves => seats.spectator == Some(from),
            _ => false,
        };
    let first = seats.players.first().copied().filter(|_| moves_first_player);
    let from = first.unwrap_or(from);
    if mutant.fault == Fault::ReplacedQuitRemovesOther && seats.replaced_spectators.contains(&from)
    {
        let quitter = seats.spectator.filter(|_| key == b'Q').unwrap_or(from);
        return vec![(quitter, ClientMessage::Key(key).to_bytes())];
    }
    let active = mutant.active(from);
    let key = active.map_or(key, |_| other_key(mutant.fault, key));
    let is_ignored_quit = mutant.fault == Fault::QuitKeyIgnored && key == b'Q' && active.is_some();
    if Some(key) == dead_key(mutant.fault) || (is_frozen(mutant) && key != b'Q') || is_ignored_quit
    {
        return vec![];
    }
    let planned = active.zip(Stroke::from_key(key));
    let planned = planned.and_then(|(letter, stroke)| movement::plan(mutant, letter, stroke));
    let keys = planned.unwrap_or(vec![key]);
    keys.into_iter().map(|key| (from, ClientMessage::Key(key).to_bytes())).collect()
}

/// True if a player has quit and the fault is that this stops the game.
fn is_frozen(mutant: &Mutant) -> bool {
    let mut players = mutant.room.game().players().iter();
    mutant.fault == Fault::QuitFreezesGame && players.any(|player| player.at().is_none())
}

fn other_key(fault: Fault, key: u8) -> u8 {
    let is_unknown = Stroke::from_key(key).is_none() && key != b'Q';
    match fault {
        Fault::UnknownKeyMoves if is_unknown => b'l',
        Fault::UnknownKeyQuits if is_unknown => b'Q',
        Fault::SmallQQuits if key == b'q' => b'Q',
        Fault::LeftRightSwapped => swapped(key, *b"hl"),
        Fault::UpDownSwapped => swapped(key, *b"jk"),
        Fault::DiagonalsMirrored => swapped(swapped(key, *b"yu"), *b"bn"),
        Fault::KeysTurned => turned(key),
        _ => key,
    }
}

/// Returns the other of two keys, as a step or as a sprint.
fn swapped(key: u8, [one, two]: [u8; 2]) -> u8 {
    let other = match key.to_ascii_lowercase() {
        lower if lower == one => two,
        lower if lower == two => one,
        _ => return key,
    };
    if key.is_ascii_uppercase() { other.to_ascii_uppercase() } else { other }
}

/// Returns the key of the direction a quarter turn to the right, as a step or as a sprint.
fn turned(key: u8) -> u8 {
    const CLOCKWISE: [u8; 8] = *b"kulnjbhy";
    let Some(at) = CLOCKWISE.iter().position(|it| *it == key.to_ascii_lowercase()) else {
        return key;
    };
    let other = CLOCKWISE[(at + 2) % CLOCKWISE.len()];
    if key.is_ascii_uppercase() { other.to_ascii_uppercase() } else { other }
}

/// Returns the key that does nothing: the last part of `dead-step-h` or `dead-sprint-h`.
fn dead_key(fault: Fault) -> Option<u8> {
    let name = fault.to_string();
    let (kind, key) = name.rsplit_once('-')?;
    match (kind, key.as_bytes()) {
        ("dead-step", [key]) => Some(*key),
        ("dead-sprint", [key]) => Some(key.to_ascii_uppercase()),
        _ => None,
    }
}
