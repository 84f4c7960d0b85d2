//! What a client says, as a server reads it.

use nuggets_game::{MAX_NAME_BYTES, Name};
use nuggets_protocol::ClientMessage;

use crate::harmless::assert_harmless;

/// One datagram to a server. What is understood is written back to the byte; what is not is
/// refused with words that may be shown.
pub fn client_message(data: &[u8]) {
    match ClientMessage::parse(data) {
        Ok(message) => check(message, data),
        Err(why) => assert_harmless(&why.to_string()),
    }
}

fn check(message: ClientMessage, data: &[u8]) {
    let written = message.to_bytes();
    assert_eq!(written, data, "written otherwise than it was read");
    assert_eq!(ClientMessage::parse(&written), Ok(message));
    if let ClientMessage::Play(given) = message {
        check_name(given);
    }
}

/// A name is short and harmless (a tab is allowed in it), and made of one it is the same.
fn check_name(given: &[u8]) {
    let Some(name) = Name::new(given) else { return };
    assert_harmless(&name.as_str().replace('\t', " "));
    assert!(name.as_str().len() <= MAX_NAME_BYTES, "{name} is too long");
    assert_eq!(Name::new(name.as_str().as_bytes()), Some(name));
}
