//! A file that a program under test writes, gone when the test is over.

use std::path::PathBuf;
use std::thread;

use crate::host::LIMIT;
use crate::terminal::PAUSE;

pub(crate) struct KeptFile(PathBuf);

impl KeptFile {
    /// A file that is not there yet, named after its test.
    pub(crate) fn new(test: &str) -> Self {
        Self(std::env::temp_dir().join(format!("nuggets-{test}-{}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Waits until this is in the file.
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

impl Drop for KeptFile {
    fn drop(&mut self) {
        // A test that fails may not have come as far as writing it.
        let _ = std::fs::remove_file(&self.0);
    }
}
