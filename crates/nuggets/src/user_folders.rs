//! The folders of a user, by the XDG base directory specification.

use std::ffi::OsString;
use std::path::PathBuf;

/// A kind of files: the variable that names their folder, and the usual folder below the home folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserFolder(&'static str, &'static str);

pub(crate) const CONFIG: UserFolder = UserFolder("XDG_CONFIG_HOME", ".config");
#[cfg(feature = "host")]
pub(crate) const DATA: UserFolder = UserFolder("XDG_DATA_HOME", ".local/share");
pub(crate) const STATE: UserFolder = UserFolder("XDG_STATE_HOME", ".local/state");

impl UserFolder {
    /// The folder of Nuggets for these files. `None` without a home folder.
    pub(crate) fn path(self) -> Option<PathBuf> {
        self.path_in(&|name: &str| std::env::var_os(name))
    }

    /// The same with these variables. The specification ignores relative paths.
    pub(crate) fn path_in(self, variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute(self.0).or_else(|| absolute("HOME").map(|home| home.join(self.1)))?;
        Some(base.join("nuggets"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_follows_the_environment() {
        let folder = |xdg: Option<&str>, home: Option<&str>| {
            STATE.path_in(&|name: &str| match name {
                "XDG_STATE_HOME" => xdg.map(Into::into),
                _ => home.map(Into::into),
            })
        };
        assert_eq!(folder(Some("/x"), Some("/h")), Some("/x/nuggets".into()));
        assert_eq!(folder(Some("x"), Some("/h")), Some("/h/.local/state/nuggets".into()));
        assert_eq!(folder(None, None), None);
    }
}
