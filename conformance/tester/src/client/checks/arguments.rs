//! Command line arguments.

use nuggets_subprocess::Exit;

use super::CLIENT;
use crate::client::ClientTest;
use crate::client::settings::ClientArgs;
use crate::client::test_run::{USUAL_SIZE, quoted};
use crate::client::window::KeySource;
use crate::{Check, Section, Verdict, fail};

const SECTION: Section = Section::new("Arguments", CLIENT);
const HOST: Option<&str> = Some("127.0.0.1");
const NAME: Option<&str> = Some("Ann");

pub(super) const CHECKS: &[Check<ClientTest>] = &[
    SECTION.should(
        "args.none",
        "Without any argument the client says what is wrong and exits with a code other than 0.",
        |test| is_rejected(test, &ClientArgs::default()),
    ),
    SECTION.should(
        "args.few",
        "With a hostname and no port the client says what is wrong and exits with a code other than 0.",
        |test| is_rejected(test, &ClientArgs { host: HOST, ..ClientArgs::default() }),
    ),
    SECTION.should(
        "args.many",
        "With more than three arguments the client says what is wrong and exits with a code other than 0.",
        |test| {
            let port = test.bind_port()?.to_string();
            let extra = &["one", "two", "three"];
            is_rejected(test, &ClientArgs { host: HOST, port: Some(&port), name: NAME, extra })
        },
    ),
    SECTION.should(
        "args.port-word",
        "A port that is no number is rejected with a message and a code other than 0.",
        |test| is_rejected_at(test, "127.0.0.1", "port"),
    ),
    SECTION.should(
        "args.port-range",
        "A port above 65535 is rejected with a message and a code other than 0.",
        |test| is_rejected_at(test, "127.0.0.1", "70000"),
    ),
    // A label of a host name has at most 63 letters, so no name server needs to be asked.
    SECTION.should(
        "args.host",
        "A host that can't exist is rejected with a message and a code other than 0.",
        |test| is_rejected_at(test, &"x".repeat(70), "12345"),
    ),
];

fn is_rejected_at(test: &mut ClientTest, host: &str, port: &str) -> Verdict {
    let args = ClientArgs { host: Some(host), port: Some(port), name: NAME, extra: &[] };
    is_rejected(test, &args)
}

fn is_rejected(test: &mut ClientTest, args: &ClientArgs) -> Verdict {
    const EXPECTED: &str =
        "it says what is wrong with its arguments and exits with a code other than 0";
    test.allow_exit();
    test.run(args, KeySource::Terminal, USUAL_SIZE)?;
    match test.exit_or_first_message(EXPECTED)? {
        Some(Exit::Code(code)) if code != 0 && !test.printed().is_empty() => Ok(()),
        Some(Exit::Code(code)) if code != 0 => {
            fail(EXPECTED, "it exited without a message on stderr or its terminal")
        }
        Some(exit) => fail(EXPECTED, exit.to_string()),
        None => {
            let first = test.first_message()?;
            fail(EXPECTED, format!("it continued and sent {}", quoted(&first)))
        }
    }
}
