//! What is to be run, so that it can be run from another directory.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A program and its arguments. Every word that names something in the directory where it was given
/// is turned into a whole path, since the program will run elsewhere.
///
/// ```
/// use nuggets_stranger::CommandLine;
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

/// Why a command line can't be run.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum NoProgram {
    /// There is no first word.
    #[error("there is no program to run: give it after `--`")]
    Nothing,
    /// The first word names nothing.
    #[error("there is no program '{0}', neither here nor on the PATH: give its path, as ./server")]
    Missing(String),
    /// The first word names something that can't be run.
    #[error("'{0}' is there but can't be run: build it, or make it executable with chmod +x")]
    NotExecutable(String),
}

impl CommandLine {
    /// Takes the words as they were given in this directory.
    pub fn new(words: &[OsString], here: &Path) -> Result<Self, NoProgram> {
        let (program, args) = words.split_first().ok_or(NoProgram::Nothing)?;
        let mut whole = vec![find_program(program, here)?.into_os_string()];
        whole.extend(args.iter().map(|word| whole_path(word, here)));
        Ok(Self { given: words.to_vec(), words: whole })
    }

    /// The program, then its arguments, as they can be run from anywhere.
    pub fn words(&self) -> &[OsString] {
        &self.words
    }

    /// The same without the words that are nothing but `{name}`.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let place = format!("{{{name}}}");
        let words = self.words.iter().filter(|word| **word != *place).cloned().collect();
        Self { given: self.given.clone(), words }
    }

    /// The same with more words behind it.
    #[must_use]
    pub fn with(&self, more: &[&str]) -> Self {
        let more = more.iter().map(OsString::from);
        Self { given: self.given.clone(), words: self.words.iter().cloned().chain(more).collect() }
    }

    /// The same with every `{name}` replaced by its value; a value that is named nowhere is put
    /// behind the last word, in this order.
    #[must_use]
    pub fn filled(&self, values: &[(&str, &OsStr)]) -> Self {
        let mut words = self.words.clone();
        for (name, value) in values {
            let place = format!("{{{name}}}");
            let mut placed = false;
            for word in &mut words {
                let Some(text) = word.to_str().filter(|text| text.contains(&place)) else {
                    continue;
                };
                *word = text.replace(&place, &value.to_string_lossy()).into();
                placed = true;
            }
            if !placed {
                words.push((*value).to_owned());
            }
        }
        Self { given: self.given.clone(), words }
    }
}

/// As it was given, to be typed again in a shell.
impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, word) in self.given.iter().enumerate() {
            let blank = if place == 0 { "" } else { " " };
            write!(f, "{blank}{}", quoted(&word.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// A word as it is typed in a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@{}".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn find_program(word: &OsStr, here: &Path) -> Result<PathBuf, NoProgram> {
    let missing = || NoProgram::Missing(word.to_string_lossy().into_owned());
    if word.to_string_lossy().contains('/') {
        let path = here.join(word);
        return match is_executable(&path) {
            None => Err(missing()),
            Some(false) => Err(NoProgram::NotExecutable(word.to_string_lossy().into_owned())),
            Some(true) => Ok(path),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join(word));
    found.find(|path| is_executable(path) == Some(true)).ok_or_else(missing)
}

/// Nothing if there is no such file.
fn is_executable(path: &Path) -> Option<bool> {
    let about = path.metadata().ok()?;
    Some(about.is_file() && about.permissions().mode() & 0o111 != 0)
}

fn whole_path(word: &OsStr, here: &Path) -> OsString {
    let path = here.join(word);
    if !word.is_empty() && path.exists() { path.into_os_string() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str]) -> Result<CommandLine, NoProgram> {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        CommandLine::new(&words, Path::new(env!("CARGO_MANIFEST_DIR")))
    }

    #[test]
    fn words_that_name_files_become_whole_paths() {
        let line = line(&["sh", "src/lib.rs", "src/nothing.rs"]).unwrap();
        assert!(Path::new(&line.words()[1]).is_absolute());
        assert_eq!(line.words()[2], "src/nothing.rs");
        assert_eq!(line.to_string(), "sh src/lib.rs src/nothing.rs");
    }

    #[test]
    fn values_go_where_they_are_named_and_else_to_the_end() {
        let map = OsStr::new("/m.txt");
        let seed = OsStr::new("7");
        let filled = |words: &[&str]| {
            let line = line(words).unwrap().filled(&[("map", map), ("seed", seed)]);
            line.words()[1..].to_vec()
        };
        assert_eq!(filled(&["sh"]), ["/m.txt", "7"]);
        assert_eq!(filled(&["sh", "--seed={seed}", "-x"]), ["--seed=7", "-x", "/m.txt"]);
    }

    #[test]
    fn a_program_that_is_not_there_is_told_from_one_that_cant_be_run() {
        assert_eq!(line(&[]), Err(NoProgram::Nothing));
        assert_eq!(line(&["./no-such"]), Err(NoProgram::Missing("./no-such".into())));
        assert_eq!(line(&["no-such-xyz"]), Err(NoProgram::Missing("no-such-xyz".into())));
        assert_eq!(line(&["./Cargo.toml"]), Err(NoProgram::NotExecutable("./Cargo.toml".into())));
    }

    #[test]
    fn words_are_shown_so_that_a_shell_reads_them_again() {
        assert_eq!(line(&["sh", "a b", "it's", ""]).unwrap().to_string(), r"sh 'a b' 'it'\''s' ''");
    }
}
