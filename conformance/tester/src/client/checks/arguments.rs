//! Command line arguments.

use nuggets_subprocess::Exit;

use crate::client::ClientTest;
use crate::client::test_run::{ClientStart, quoted};
use crate::{CheckTable, Verdict, fail};

pub(super) const CHECKS: CheckTable<ClientTest> = &[
    ("args.none", |test| is_rejected(test, &ClientStart { host: None, ..ClientStart::SPECTATOR })),
    ("args.few", |test| is_rejected(test, &ClientStart::SPECTATOR)),
    ("args.many", |test| {
        let port = test.bind_port()?.to_string();
        let extra = &["one", "two", "three"];
        is_rejected(test, &ClientStart { port: Some(&port), extra, ..ClientStart::PLAYER })
    }),
    ("args.port-word", |test| is_rejected_at(test, "127.0.0.1", "port")),
    ("args.port-range", |test| is_rejected_at(test, "127.0.0.1", "70000")),
    // A label of a host name has at most 63 letters, so no name server needs to be asked.
    ("args.host", |test| is_rejected_at(test, &"x".repeat(70), "12345")),
];

fn is_rejected_at(test: &mut ClientTest, host: &str, port: &str) -> Verdict {
    is_rejected(test, &ClientStart { host: Some(host), port: Some(port), ..ClientStart::PLAYER })
}

fn is_rejected(test: &mut ClientTest, start: &ClientStart) -> Verdict {
    const EXPECTED: &str =
        "it says what is wrong with its arguments and exits with a code other than 0";
    test.allow_exit();
    test.run(start)?;
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
