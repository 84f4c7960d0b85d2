//! A program and its arguments, so that they can be run from another directory.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A program and its arguments. Every word that names an existing file becomes an absolute path,
/// because the program will run in another directory.
///
/// ```
/// use nuggets_subprocess::CommandLine;
///
/// let words = ["sh", "-c", "exit 3"].map(Into::into);
/// let line = CommandLine::new(&words, "/".as_ref()).unwrap();
/// assert_eq!(line.to_string(), "sh -c 'exit 3'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    given: Vec<OsString>,
    words: Vec<OsString>,
}

/// The reason why a command line can't be run.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum CommandError {
    /// There is no first word.
    #[error("no program to run: give it after `--`")]
    Empty,
    /// No file has the name given by the first word.
    #[error(
        "program '{0}' not found, neither here nor on the PATH: give its path, such as ./server"
    )]
    NotFound(String),
    /// The first word names a file without execute permission.
    #[error("'{0}' is not executable: build it, or run chmod +x on it")]
    NotExecutable(String),
}

impl CommandLine {
    /// Resolves the program and its arguments, which may be relative to the directory `here`.
    pub fn new(words: &[OsString], here: &Path) -> Result<Self, CommandError> {
        let (program, args) = words.split_first().ok_or(CommandError::Empty)?;
        let mut resolved = vec![find_program(program, here)?.into_os_string()];
        resolved.extend(args.iter().map(|word| absolute_if_exists(word, here)));
        Ok(Self { given: words.to_vec(), words: resolved })
    }

    /// Returns the same command, displayed as `given`; for a program that runs from a copy of its folder.
    #[must_use]
    pub fn shown_as(self, given: &[OsString]) -> Self {
        Self { given: given.to_vec(), ..self }
    }

    /// Returns the program and its arguments, runnable from any directory.
    pub fn words(&self) -> &[OsString] {
        &self.words
    }

    /// True if `{name}` is part of a word.
    pub fn has_placeholder(&self, name: &str) -> bool {
        let placeholder = format!("{{{name}}}");
        self.words.iter().any(|word| word.to_string_lossy().contains(&placeholder))
    }

    /// Returns the same command without the words that contain `{name}`.
    #[must_use]
    pub fn without_placeholder(&self, name: &str) -> Self {
        let placeholder = format!("{{{name}}}");
        let mut words = self.words.clone();
        words.retain(|word| !word.to_string_lossy().contains(&placeholder));
        Self { given: self.given.clone(), words }
    }

    /// Returns the same command with more arguments appended.
    #[must_use]
    pub fn with_args(&self, more: &[&str]) -> Self {
        let more = more.iter().map(OsString::from);
        Self { given: self.given.clone(), words: self.words.iter().cloned().chain(more).collect() }
    }

    /// Returns the same command with every `{name}` replaced by its value. Values without a placeholder are appended,
    /// in the given order.
    #[must_use]
    pub fn with_values(&self, values: &[(&str, &OsStr)]) -> Self {
        let mut words = self.words.clone();
        for (name, value) in values {
            let placeholder = format!("{{{name}}}");
            let mut is_placed = false;
            for word in &mut words {
                let Some(text) = word.to_str().filter(|text| text.contains(&placeholder)) else {
                    continue;
                };
                *word = text.replace(&placeholder, &value.to_string_lossy()).into();
                is_placed = true;
            }
            if !is_placed {
                words.push((*value).to_owned());
            }
        }
        Self { given: self.given.clone(), words }
    }
}

/// Writes the command as it was given, quoted for a shell.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.given.iter().map(|word| shell_quote(&word.to_string_lossy()));
        f.write_str(&words.collect::<Vec<_>>().join(" "))
    }
}

/// A word quoted for a POSIX shell.
pub fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@{}".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn find_program(word: &OsStr, here: &Path) -> Result<PathBuf, CommandError> {
    let given = word.to_string_lossy().into_owned();
    if given.contains('/') {
        let path = here.join(word);
        return match is_executable(&path) {
            None => Err(CommandError::NotFound(given)),
            Some(false) => Err(CommandError::NotExecutable(given)),
            Some(true) => Ok(path),
        };
    }
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&search_path).map(|folder| folder.join(word));
    found.find(|path| is_executable(path) == Some(true)).ok_or(CommandError::NotFound(given))
}

/// `None` if there is no such file.
fn is_executable(path: &Path) -> Option<bool> {
    let metadata = path.metadata().ok()?;
    Some(metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn absolute_if_exists(word: &OsStr, here: &Path) -> OsString {
    let path = here.join(word);
    if !word.is_empty() && path.exists() { path.into_os_string() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Result<CommandLine, CommandError> {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        CommandLine::new(&words, Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    #[test]
    fn existing_files_become_absolute_paths() {
        let line = line(&["sh", "src/lib.rs", "src/nothing.rs"]).unwrap();
        assert!(Path::new(&line.words()[1]).is_absolute());
        assert_eq!(line.words()[2], "src/nothing.rs");
        assert_eq!(line.to_string(), "sh src/lib.rs src/nothing.rs");
    }

    #[test]
    fn values_replace_their_placeholders_or_are_appended() {
        let map = OsStr::new("/m.txt");
        let seed = OsStr::new("7");
        let filled = |words: &[&str]| {
            let line = line(words).unwrap().with_values(&[("map", map), ("seed", seed)]);
            line.words()[1..].to_vec()
        };
        assert_eq!(filled(&["sh"]), ["/m.txt", "7"]);
        assert_eq!(filled(&["sh", "--seed={seed}", "-x"]), ["--seed=7", "-x", "/m.txt"]);
        let seedless = line(&["sh", "{map}", "--seed={seed}", "-x"]).unwrap();
        assert_eq!(seedless.without_placeholder("seed").words()[1..], ["{map}", "-x"]);
    }

    #[test]
    fn a_missing_program_differs_from_one_that_is_not_executable() {
        assert_eq!(line(&[]), Err(CommandError::Empty));
        assert_eq!(line(&["./no-such"]), Err(CommandError::NotFound("./no-such".into())));
        assert_eq!(line(&["no-such-xyz"]), Err(CommandError::NotFound("no-such-xyz".into())));
        assert_eq!(
            line(&["./Cargo.toml"]),
            Err(CommandError::NotExecutable("./Cargo.toml".into()))
        );
    }

    #[test]
    fn a_copy_is_shown_as_the_original() {
        let line = line(&["sh", "x"]).unwrap().shown_as(&["./sh".into()]);
        assert_eq!(line.to_string(), "./sh");
        assert_eq!(line.words()[1], "x");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(line(&["sh", "a b", "it's", ""]).unwrap().to_string(), r"sh 'a b' 'it'\''s' ''");
    }
}
