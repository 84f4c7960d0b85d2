//! What a tester of clients is told, and the words that start the program.

use std::ffi::OsString;
use std::time::Duration;

use nuggets_protocol::Dialect;
use nuggets_stranger::CommandLine;

/// Which client, and how to test it.
///
/// ```
/// use nuggets_conform::client::Settings;
/// use nuggets_protocol::Dialect;
/// use nuggets_stranger::CommandLine;
///
/// let command = CommandLine::new(&["sh".into()], "/".as_ref()).unwrap();
/// let settings = Settings { loss_percent: 5, ..Settings::new(command, Dialect::V2021) };
/// assert_eq!(settings.seed, 1);
/// ```
#[derive(Debug)]
pub struct Settings {
    /// The program; `{host}`, `{port}` and `{name}` in it are filled in, or put behind it.
    pub command: CommandLine,
    /// Which documents it follows.
    pub dialect: Dialect,
    /// Fixes all chance on our side.
    pub seed: u32,
    /// So many of a hundred datagrams are thrown away on purpose, each way.
    pub loss_percent: u32,
    /// The longest wait for one thing to happen, unless the program showed itself to be slow.
    pub longest_wait: Duration,
}

/// What the program is given. What is missing is left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given<'a> {
    pub(crate) host: Option<&'a str>,
    pub(crate) port: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    /// Words behind everything else.
    pub(crate) more: &'a [&'a str],
}

impl Settings {
    /// The usual ones for this program.
    pub fn new(command: CommandLine, dialect: Dialect) -> Self {
        let longest_wait = Duration::from_secs(5);
        Self { command, dialect, seed: 1, loss_percent: 0, longest_wait }
    }

    pub(crate) fn is_lossy(&self) -> bool {
        self.loss_percent > 0
    }

    /// The words to run. One that has the place of something that is not given goes.
    pub(crate) fn words(&self, given: &Given) -> Vec<OsString> {
        let mut words = self.command.words().to_vec();
        let values = [("{host}", given.host), ("{port}", given.port), ("{name}", given.name)];
        for (place, value) in values {
            let placed = words.iter().any(|word| holds(word, place));
            match value {
                Some(value) if placed => fill(&mut words, place, value),
                Some(value) => words.push(value.into()),
                None => words.retain(|word| !holds(word, place)),
            }
        }
        words.extend(given.more.iter().map(OsString::from));
        words
    }
}

fn holds(word: &OsString, place: &str) -> bool {
    word.to_str().is_some_and(|text| text.contains(place))
}

fn fill(words: &mut [OsString], place: &str, value: &str) {
    for word in words {
        if let Some(text) = word.to_str().filter(|text| text.contains(place)) {
            *word = text.replace(place, value).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &[&str], given: Given) -> Vec<String> {
        let words: Vec<OsString> = command.iter().map(Into::into).collect();
        let command = CommandLine::new(&words, "/".as_ref()).unwrap();
        let words = Settings::new(command, Dialect::V2021).words(&given);
        words[1..].iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    const ALL: Given =
        Given { host: Some("127.0.0.1"), port: Some("7"), name: Some("Ann B"), more: &[] };

    #[test]
    fn what_is_placed_nowhere_goes_to_the_end() {
        assert_eq!(words(&["sh"], ALL), ["127.0.0.1", "7", "Ann B"]);
        assert_eq!(words(&["sh", "-p{port}", "-v"], ALL), ["-p7", "-v", "127.0.0.1", "Ann B"]);
        let watching = Given { name: None, ..ALL };
        assert_eq!(words(&["sh"], watching), ["127.0.0.1", "7"]);
    }

    #[test]
    fn what_is_not_given_leaves_nothing_behind() {
        let command = ["sh", "{host}", "{port}", "--name={name}", "x"];
        assert_eq!(words(&command, Given { name: None, ..ALL }), ["127.0.0.1", "7", "x"]);
        assert_eq!(words(&command, Given { more: &["y"], ..Given::default() }), ["x", "y"]);
    }
}
