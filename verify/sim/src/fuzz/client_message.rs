//! Messages of clients, as a server parses them.

use nuggets_protocol::{ClientMessage, MAX_NAME_BYTES, Name};

use crate::fuzz::assert_printable;

/// Parses one datagram to a server. A valid message is written back byte for byte; the error of an invalid one is
/// printable.
pub fn client_message(data: &[u8]) {
    match ClientMessage::parse(data) {
        Ok(message) => check(message, data),
        Err(why) => assert_printable(&why.to_string()),
    }
}

fn check(message: ClientMessage, data: &[u8]) {
    let written = message.to_bytes();
    assert_eq!(written, data, "written differently than it was read");
    assert_eq!(ClientMessage::parse(&written), Ok(message));
    if let ClientMessage::Play(given) = message {
        check_name(given);
    }
}

/// Checks that a name is short and printable except for tabs, and that cleaning it again changes nothing.
fn check_name(given: &[u8]) {
    let Some(name) = Name::new(given) else { return };
    assert_printable(&name.as_str().replace('\t', " "));
    assert!(name.as_str().len() <= MAX_NAME_BYTES, "{name} is too long");
    assert_eq!(Name::new(name.as_str().as_bytes()), Some(name));
}
