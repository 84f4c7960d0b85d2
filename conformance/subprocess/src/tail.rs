//! The end of a stream of text.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of bytes kept.
const MAX_BYTES: usize = 2_000;
/// The maximum number of lines that are shown.
const MAX_LINES: usize = 12;

/// The last part of a stream. A separate thread reads it, so that its writer never blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutputTail {
    shared: Arc<(Mutex<TailBytes>, Condvar)>,
}

#[derive(Debug, Default)]
struct TailBytes {
    bytes: Vec<u8>,
    has_ended: bool,
}

impl OutputTail {
    pub(crate) fn of(mut stream: impl Read + Send + 'static) -> Self {
        let tail = Self::default();
        let shared = tail.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => shared.append(&buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            shared.kept().has_ended = true;
            shared.shared.1.notify_all();
        });
        tail
    }

    fn append(&self, bytes: &[u8]) {
        let mut kept = self.kept();
        kept.bytes.extend_from_slice(bytes);
        let excess = kept.bytes.len().saturating_sub(MAX_BYTES);
        kept.bytes.drain(..excess);
    }

    fn kept(&self) -> MutexGuard<'_, TailBytes> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last lines, without control characters. Waits up to this long for the end of the stream.
    pub(crate) fn text(&self, wait: Duration) -> String {
        let must_wait = |kept: &mut TailBytes| !kept.has_ended;
        let waited = self.shared.1.wait_timeout_while(self.kept(), wait, must_wait);
        let (kept, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept.bytes);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let shown = &lines[lines.len().saturating_sub(MAX_LINES)..];
        let is_shown = |c: &char| *c == '\n' || !c.is_control();
        shown.join("\n").replace('\t', "    ").chars().filter(is_shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(written: &str) -> String {
        OutputTail::of(std::io::Cursor::new(written.to_owned())).text(Duration::from_secs(60))
    }

    #[test]
    fn the_last_lines_are_kept_without_control_characters() {
        assert_eq!(text_of(""), "");
        assert_eq!(text_of("Traceback:\n\tline 7\x1b[2J\n\n"), "Traceback:\n    line 7[2J");
        let many: Vec<String> = (0..1000).map(|line| line.to_string()).collect();
        assert_eq!(text_of(&many.join("\n")), many[1000 - MAX_LINES..].join("\n"));
    }

    #[test]
    fn one_long_line_is_cut() {
        let long = format!("{}end", "x".repeat(9_000));
        let text = text_of(&long);
        assert_eq!((text.len(), text.ends_with("xend")), (MAX_BYTES, true));
    }
}
