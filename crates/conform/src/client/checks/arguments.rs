//! What the client makes of its command line.

use nuggets_stranger::Ending;

use crate::chapter::Chapter;
use crate::client::ClientStage;
use crate::client::settings::Given;
use crate::client::stage::{ORDINARY, shown};
use crate::client::window::Keys;
use crate::{Check, Failure, Verdict};

const ARGUMENTS: Chapter = Chapter { section: "Arguments", source: "Requirements, Client" };

pub(super) const CHECKS: &[Check<ClientStage>] = &[
    ARGUMENTS.should(
        "args.none",
        "Without any argument the client says what is wrong and exits with a code other than 0.",
        none,
    ),
    ARGUMENTS.should(
        "args.few",
        "With a hostname and no port the client says what is wrong and exits with a code other than 0.",
        few,
    ),
    ARGUMENTS.should(
        "args.many",
        "With more than three arguments the client says what is wrong and exits with a code other than 0.",
        many,
    ),
    ARGUMENTS.should(
        "args.port-word",
        "A port that is no number is refused with a message and a code other than 0.",
        port_word,
    ),
    ARGUMENTS.should(
        "args.port-range",
        "A port above 65535 is refused with a message and a code other than 0.",
        port_range,
    ),
    ARGUMENTS.should(
        "args.host",
        "A host that can't exist is refused with a message and a code other than 0.",
        host,
    ),
];

const HOST: Option<&str> = Some("127.0.0.1");
const NAME: Option<&str> = Some("Ann");

fn none(stage: &mut ClientStage) -> Verdict {
    refuses(stage, &Given::default())
}

fn few(stage: &mut ClientStage) -> Verdict {
    refuses(stage, &Given { host: HOST, ..Given::default() })
}

fn many(stage: &mut ClientStage) -> Verdict {
    let port = stage.open_door()?.to_string();
    let more = &["one", "two", "three"];
    refuses(stage, &Given { host: HOST, port: Some(&port), name: NAME, more })
}

fn port_word(stage: &mut ClientStage) -> Verdict {
    refuses(stage, &Given { host: HOST, port: Some("port"), name: NAME, more: &[] })
}

fn port_range(stage: &mut ClientStage) -> Verdict {
    refuses(stage, &Given { host: HOST, port: Some("70000"), name: NAME, more: &[] })
}

/// A part of a name has at most 63 letters: nobody has to be asked to know that there is no such
/// host.
fn host(stage: &mut ClientStage) -> Verdict {
    let host = "x".repeat(70);
    refuses(stage, &Given { host: Some(&host), port: Some("12345"), name: NAME, more: &[] })
}

fn refuses(stage: &mut ClientStage, given: &Given) -> Verdict {
    const WISH: &str =
        "it says what is wrong with its arguments and exits with a code other than 0";
    stage.let_end();
    stage.run(given, Keys::Terminal, ORDINARY)?;
    let ending = stage.end_unless_heard(WISH)?;
    match ending {
        Some(Ending::Exit(0)) => Err(Failure::new(WISH, "it exited with code 0")),
        Some(Ending::Exit(_)) if stage.printed().is_empty() => {
            Err(Failure::new(WISH, "it exited without a word on stderr or its terminal"))
        }
        Some(Ending::Exit(_)) => Ok(()),
        Some(died) => Err(Failure::new(WISH, died.to_string())),
        None => {
            let first = stage.first()?;
            Err(Failure::new(WISH, format!("it went on and sent {}", shown(&first))))
        }
    }
}
