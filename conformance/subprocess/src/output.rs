//! The captured output of a subprocess, up to a limit.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of bytes kept of stdout and of stderr. The rest is read and discarded, so that the program never blocks
/// on a full pipe.
pub const MAX_OUTPUT_BYTES: usize = 256 << 10;

#[derive(Debug, Default)]
pub(crate) struct Captured {
    pub(crate) bytes: Vec<u8>,
    has_ended: bool,
}

/// Stdout and stderr, indexed by [`OutputStream`].
#[derive(Clone, Debug, Default)]
pub(crate) struct CapturedOutput {
    shared: Arc<(Mutex<[Captured; 2]>, Condvar)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OutputStream {
    Out,
    Err,
}

impl CapturedOutput {
    /// Reads a stream to its end, in a thread of its own.
    pub(crate) fn capture(&self, which: OutputStream, mut stream: impl Read + Send + 'static) {
        let output = self.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => output.append(which, &buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            output.captured()[which as usize].has_ended = true;
            output.shared.1.notify_all();
        });
    }

    fn append(&self, which: OutputStream, bytes: &[u8]) {
        let mut captured = self.captured();
        let kept = &mut captured[which as usize].bytes;
        let room = MAX_OUTPUT_BYTES - kept.len();
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        drop(captured);
        self.shared.1.notify_all();
    }

    pub(crate) fn captured(&self) -> MutexGuard<'_, [Captured; 2]> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `find` returns something for (stdout, stderr), both streams have ended, or the time
    /// limit is reached.
    pub(crate) fn wait<T>(
        &self,
        limit: Duration,
        find: impl Fn(&[u8], &[u8]) -> Option<T>,
    ) -> Option<T> {
        let search = |captured: &[Captured; 2]| find(&captured[0].bytes, &captured[1].bytes);
        let must_wait = |captured: &mut [Captured; 2]| {
            search(captured).is_none() && !captured.iter().all(|stream| stream.has_ended)
        };
        let waited = self.shared.1.wait_timeout_while(self.captured(), limit, must_wait);
        let (captured, _) = waited.unwrap_or_else(PoisonError::into_inner);
        search(&captured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_discarded() {
        let output = CapturedOutput::default();
        output.capture(OutputStream::Err, std::io::repeat(b'x').take(3 * MAX_OUTPUT_BYTES as u64));
        output.capture(OutputStream::Out, &b"hello"[..]);
        let ended = output.wait(Duration::from_secs(60), |_, _| None::<()>);
        assert_eq!(ended, None);
        let captured = output.captured();
        assert_eq!(captured[OutputStream::Out as usize].bytes, b"hello");
        assert_eq!(captured[OutputStream::Err as usize].bytes.len(), MAX_OUTPUT_BYTES);
    }
}
