//! Pictures and letters in a wrong form.

use crate::datagram::{Datagram, double};
use crate::fault::Fault;

pub(super) fn bend(fault: Fault, sent: &mut Vec<Datagram>) {
    if fault == Fault::DisplayTwice {
        double(sent, |datagram| datagram.is("DISPLAY"));
    }
    for datagram in sent {
        let bytes = &mut datagram.bytes;
        match fault {
            Fault::OkLowerCase if bytes.starts_with(b"OK ") => bytes[3..].make_ascii_lowercase(),
            Fault::OkNewline if bytes.starts_with(b"OK ") => bytes.push(b'\n'),
            Fault::OkNoBlank if bytes.starts_with(b"OK ") => drop(bytes.remove(2)),
            _ if bytes.starts_with(b"DISPLAY\n") => bend_picture(fault, bytes),
            _ => {}
        }
    }
}

fn bend_picture(fault: Fault, bytes: &mut Vec<u8>) {
    match fault {
        Fault::DisplayNoLastNewline => drop(bytes.pop()),
        Fault::DisplayRowShort => {
            let rows = &bytes[..bytes.len() - 1];
            let end = rows.iter().rposition(|byte| *byte == b'\n').unwrap_or_default();
            bytes.truncate(end + 1);
        }
        Fault::DisplayTrailingNul => bytes.push(0),
        Fault::DisplayRowsTrimmed => {
            let rows = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
            *bytes = rows.collect::<Vec<_>>().join(&b'\n');
        }
        Fault::DisplayBlankHead => bytes["DISPLAY".len()] = b' ',
        _ => {}
    }
}
