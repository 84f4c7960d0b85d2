//! A file that a program under test writes, removed when the test ends.

use std::path::PathBuf;

use nuggets_testkit::wait_until;

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
        wait_until(&format!("{part:?} in {}", self.path()), || {
            std::fs::read_to_string(&self.0).is_ok_and(|text| text.contains(part))
        });
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
