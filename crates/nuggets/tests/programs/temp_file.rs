//! A file that a program under test writes, removed when the test ends.

use std::path::PathBuf;
use std::thread;

use crate::host::LIMIT;
use crate::terminal::PAUSE;

pub(crate) struct TempFile(PathBuf);

impl TempFile {
    /// A path for a new file, named after its test.
    pub(crate) fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("nuggets-{test}-{}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Waits until the file contains this.
    pub(crate) fn wait_for(&self, part: &str) {
        let read = || std::fs::read_to_string(&self.0).unwrap_or_default();
        for _ in 0..LIMIT.as_millis() / PAUSE.as_millis() {
            if read().contains(part) {
                return;
            }
            thread::sleep(PAUSE);
        }
        panic!("no {part:?} in:\n{}", read());
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // A test that fails may not have written it.
        let _ = std::fs::remove_file(&self.0);
    }
}
