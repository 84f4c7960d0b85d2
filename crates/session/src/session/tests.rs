//! Sessions in virtual time: inputs and the exact outputs. Effects are written as text: a datagram as it is, leaving
//! as `leave:` and the outcome.

mod joining;
mod leaving;
mod next_game;

use super::*;

/// An input to a session.
#[derive(Clone, Copy, Debug)]
enum In<'a> {
    /// A message from the server.
    Hear(&'a str),
    Key(u8),
    Quit,
    Impatience,
    PortClosed,
    AddressChange,
    Hangup,
}
use In::*;

const MAP: &str = "DISPLAY\n+---+\n|@.*|\n+---+\n";
const WELCOME: [&str; 4] = ["OK A", "GRID 3 5", "GOLD 0 0 250", MAP];
const POLICIES: [SessionPolicy; 2] = [SessionPolicy::PERSON, SessionPolicy::BOT];

fn joining(policy: SessionPolicy) -> Session {
    let mut session = Session::new(Timestamp(0), Some(b"Ann"), policy);
    assert_eq!(effects(&mut session), ["PLAY Ann"]);
    session
}

fn spectator() -> Session {
    let mut session = Session::new(Timestamp(0), None, SessionPolicy::PERSON);
    assert_eq!(effects(&mut session), ["SPECTATE"]);
    session
}

/// A session that has been accepted, with a complete answer.
fn playing(policy: SessionPolicy) -> Session {
    let mut session = joining(policy);
    hear_all(&mut session, 0, &WELCOME);
    assert_eq!(session.stage(), SessionStage::Playing);
    session
}

fn effects(session: &mut Session) -> Vec<String> {
    let text = |effect| match effect {
        Effect::Send(bytes) => bytes.escape_ascii().to_string(),
        Effect::Leave(outcome) => format!("leave: {outcome:?}"),
    };
    std::iter::from_fn(|| session.poll_effect()).map(text).collect()
}

/// Feeds an input to the session and returns its effects.
fn feed(session: &mut Session, ms: u64, input: In) -> Vec<String> {
    let now = Timestamp(ms);
    match input {
        Hear(text) => _ = session.handle_message(now, text.as_bytes()),
        Key(key) => session.send_key(now, key),
        Quit => session.handle_quit(now),
        Impatience => session.handle_impatience(),
        PortClosed => session.handle_port_closed(now),
        AddressChange => session.handle_address_change(now),
        Hangup => session.handle_hangup(),
    }
    effects(session)
}

fn hear_all(session: &mut Session, ms: u64, messages: &[&str]) {
    for message in messages {
        assert_eq!(feed(session, ms, Hear(message)), [""; 0], "{message:?}");
    }
}

/// Checks that each input at its time produces exactly these effects, and that there are none in between.
fn check(mut session: Session, table: &[(u64, In, &[&str])]) {
    for &(ms, input, expected) in table {
        assert_eq!(wake_until(&mut session, ms), [], "before {ms} ms");
        assert_eq!(feed(&mut session, ms, input), expected, "{input:?} at {ms} ms");
    }
}

/// Wakes the session at each of its timeouts and returns the effects with their times.
fn wake_until(session: &mut Session, ms: u64) -> Vec<(u64, String)> {
    let mut out = Vec::new();
    while let Some(at) = session.poll_timeout().filter(|at| at.0 <= ms) {
        session.handle_timeout(at);
        out.extend(effects(session).into_iter().map(|effect| (at.0, effect)));
        assert_ne!(session.poll_timeout(), Some(at), "woken twice for the same");
    }
    out
}

fn at(ms: u64, effect: &str) -> (u64, String) {
    (ms, effect.to_owned())
}
