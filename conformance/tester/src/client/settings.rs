//! Settings of a test of clients, and the command line of the program.

use std::ffi::OsString;
use std::time::Duration;

use nuggets_protocol::Dialect;
use nuggets_subprocess::CommandLine;

/// The settings of a test of a client.
///
/// ```
/// use nuggets_conformance::client::ClientTestSettings;
/// use nuggets_protocol::Dialect;
/// use nuggets_subprocess::CommandLine;
///
/// let command = CommandLine::new(&["sh".into()], "/".as_ref()).unwrap();
/// let settings = ClientTestSettings { loss_percent: 5, ..ClientTestSettings::new(command, Dialect::V2021) };
/// assert_eq!(settings.seed, 1);
/// ```
#[derive(Debug)]
pub struct ClientTestSettings {
    /// The program. `{host}`, `{port}` and `{name}` in it are replaced; otherwise they are appended.
    pub command: CommandLine,
    /// The dialect whose specification applies.
    pub dialect: Dialect,
    /// The seed of the tester's own random choices.
    pub seed: u32,
    /// The percentage of datagrams dropped on purpose, each way.
    pub loss_percent: u32,
    /// The longest wait for one reaction, unless the program has proved to be slow.
    pub longest_wait: Duration,
}

/// The arguments of the program. `None` leaves an argument out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClientArgs<'a> {
    pub(crate) host: Option<&'a str>,
    pub(crate) port: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    /// Appended after everything else.
    pub(crate) extra: &'a [&'a str],
}

impl ClientTestSettings {
    /// The default settings for this program.
    pub fn new(command: CommandLine, dialect: Dialect) -> Self {
        let longest_wait = Duration::from_secs(5);
        Self { command, dialect, seed: 1, loss_percent: 0, longest_wait }
    }

    pub(crate) fn is_lossy(&self) -> bool {
        self.loss_percent > 0
    }

    /// Returns the command line. A word with the placeholder of an omitted argument is dropped.
    pub(crate) fn words(&self, args: &ClientArgs) -> Vec<OsString> {
        let mut words = self.command.words().to_vec();
        let values = [("{host}", args.host), ("{port}", args.port), ("{name}", args.name)];
        for (placeholder, value) in values {
            let is_placed = words.iter().any(|word| contains(word, placeholder));
            match value {
                Some(value) if is_placed => replace(&mut words, placeholder, value),
                Some(value) => words.push(value.into()),
                None => words.retain(|word| !contains(word, placeholder)),
            }
        }
        words.extend(args.extra.iter().map(OsString::from));
        words
    }
}

fn contains(word: &OsString, placeholder: &str) -> bool {
    word.to_str().is_some_and(|text| text.contains(placeholder))
}

fn replace(words: &mut [OsString], placeholder: &str, value: &str) {
    for word in words {
        if let Some(text) = word.to_str().filter(|text| text.contains(placeholder)) {
            *word = text.replace(placeholder, value).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &[&str], args: ClientArgs) -> Vec<String> {
        let words: Vec<OsString> = command.iter().map(Into::into).collect();
        let command = CommandLine::new(&words, "/".as_ref()).unwrap();
        let words = ClientTestSettings::new(command, Dialect::V2021).words(&args);
        words[1..].iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    const ALL: ClientArgs =
        ClientArgs { host: Some("127.0.0.1"), port: Some("7"), name: Some("Ann B"), extra: &[] };

    #[test]
    fn arguments_without_a_placeholder_are_appended() {
        assert_eq!(words(&["sh"], ALL), ["127.0.0.1", "7", "Ann B"]);
        assert_eq!(words(&["sh", "-p{port}", "-v"], ALL), ["-p7", "-v", "127.0.0.1", "Ann B"]);
        let spectating = ClientArgs { name: None, ..ALL };
        assert_eq!(words(&["sh"], spectating), ["127.0.0.1", "7"]);
    }

    #[test]
    fn arguments_that_are_left_out_leave_no_word_behind() {
        let command = ["sh", "{host}", "{port}", "--name={name}", "x"];
        assert_eq!(words(&command, ClientArgs { name: None, ..ALL }), ["127.0.0.1", "7", "x"]);
        assert_eq!(
            words(&command, ClientArgs { extra: &["y"], ..ClientArgs::default() }),
            ["x", "y"]
        );
    }
}
