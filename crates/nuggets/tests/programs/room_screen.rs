//! A player in a terminal at a server that sends what a test dictates, and the screen that it shows then.

use nuggets_testkit::{FakeServer, PseudoTerminal, ROOM, cursor};

use crate::starting::start_player;

/// The status line above the room.
pub(crate) const STATUS: &str = "Player A has 0 nuggets (250 nuggets unclaimed).";

/// Starts a player in an ordinary terminal, which shows the room.
pub(crate) fn join_fake_server() -> (FakeServer, PseudoTerminal) {
    join_fake_server_with(&[], &[])
}

/// The same with options and variables in its environment.
pub(crate) fn join_fake_server_with(
    options: &[&str],
    variables: &[(&str, &str)],
) -> (FakeServer, PseudoTerminal) {
    let server = FakeServer::new();
    let terminal = start_player(server.port, options, variables);
    server.accept();
    wait_for_room(&terminal);
    (server, terminal)
}

/// Waits until the player sees the whole room with nothing beside the status line.
pub(crate) fn wait_for_room(terminal: &PseudoTerminal) {
    terminal.wait_for_lines(&shown(STATUS));
    // The cursor comes last.
    terminal.wait_for(|screen| cursor(screen) == Some((2, 9)));
}

/// A whole screen: this line above the room.
pub(crate) fn shown(status: &str) -> Vec<String> {
    std::iter::once(status).chain(ROOM.lines()).map(|line| line.trim_end().to_owned()).collect()
}
