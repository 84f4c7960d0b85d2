//! A client in virtual time: inputs, and the exact outputs. Effects are written as text: a datagram as it is, leaving
//! as `leave:` and the outcome. The session crate tests the behaviour that all clients share.

mod auto;
mod happenings;
mod joining;
mod leaving;
mod pause;
mod playing;
mod script;

use super::*;
use nuggets_atlas::Point;

/// An input of the client.
#[derive(Clone, Copy, Debug)]
pub(super) enum In<'a> {
    Press(Key),
    /// A character is typed.
    Type(char),
    /// A message from the server.
    Hear(&'a str),
    /// Keys from a pipe.
    Pipe(&'a str),
    PipeEnd,
    /// A click on this row and column of the map.
    Click(u16, u16),
    Pause,
    PortClosed,
    Hangup,
}
pub(super) use In::*;

pub(super) fn player() -> App {
    app(Some("Ann"))
}

/// `o` explores, and clicks walk.
pub(super) fn auto() -> AppOptions {
    AppOptions { auto: true, ..AppOptions::default() }
}

pub(super) fn spectator() -> App {
    app(None)
}

pub(super) fn app(name: Option<&str>) -> App {
    App::new(
        Timestamp(0),
        JoinTarget {
            place: "localhost:1234".into(),
            name: name.map(|name| name.as_bytes().to_vec()),
        },
    )
}

/// A player on a small map, with no effect pending.
pub(super) fn playing() -> App {
    let mut app = player();
    for message in ["OK A", "GRID 3 5", "GOLD 0 0 250", MAP] {
        feed(&mut app, 0, Hear(message));
    }
    assert_eq!(effects(&mut app), ["PLAY Ann"]);
    app
}

pub(super) const MAP: &str = "DISPLAY\n+---+\n|@.*|\n+---+\n";

pub(super) fn effects(app: &mut App) -> Vec<String> {
    let text = |effect| match effect {
        Effect::Send(bytes) => bytes.escape_ascii().to_string(),
        Effect::Leave(outcome) => format!("leave: {outcome:?}"),
    };
    std::iter::from_fn(|| app.poll_effect()).map(text).collect()
}

pub(super) fn feed(app: &mut App, ms: u64, input: In) {
    let now = Timestamp(ms);
    match input {
        Press(key) => app.handle_key(now, key),
        Type(c) => app.handle_key(now, Key::Char(c)),
        Hear(text) => _ = app.handle_message(now, text.as_bytes()),
        Pipe(keys) => keys.bytes().for_each(|b| app.handle_script_byte(now, b)),
        PipeEnd => app.handle_script_end(now),
        Click(row, col) => app.handle_click(now, Point::new(row, col)),
        Pause => app.handle_pause(),
        PortClosed => app.handle_port_closed(now),
        Hangup => app.handle_hangup(),
    }
}

/// Feeds each input at its time, and expects exactly these effects after it and none in between.
pub(super) fn check(mut app: App, table: &[(u64, In, &[&str])]) {
    let mut past = Vec::new();
    for &(ms, input, expected) in table {
        past.extend(wake_until(&mut app, ms));
        assert_eq!(past, [], "before {ms} ms");
        feed(&mut app, ms, input);
        assert_eq!(effects(&mut app), expected, "{input:?} at {ms} ms");
    }
}

/// Wakes the client whenever it asks for it; returns its effects with their times.
pub(super) fn wake_until(app: &mut App, ms: u64) -> Vec<(u64, String)> {
    let mut out = Vec::new();
    while let Some(at) = app.poll_timeout().filter(|at| at.0 <= ms) {
        app.handle_timeout(at);
        out.extend(effects(app).into_iter().map(|effect| (at.0, effect)));
        assert_ne!(app.poll_timeout(), Some(at), "woken twice for the same");
    }
    out
}

pub(super) fn at(ms: u64, effect: &str) -> (u64, String) {
    (ms, effect.to_owned())
}
