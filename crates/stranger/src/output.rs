//! What a stranger says, kept up to a limit.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So much of each of its two streams is kept; what follows is read and thrown away, so that the
/// program need not wait.
pub const MOST_OUTPUT_BYTES: usize = 256 << 10;

/// One stream as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) bytes: Vec<u8>,
    pub(crate) has_ended: bool,
}

/// Both streams.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    heard: Arc<(Mutex<[Kept; 2]>, Condvar)>,
}

/// Which of the two.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Out,
    Err,
}

impl Output {
    /// Reads a stream to its end, in a thread of its own.
    pub(crate) fn listen(&self, which: Stream, mut stream: impl Read + Send + 'static) {
        let output = self.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => output.keep(which, &buffer[..length]),
                    Err(why) if why.kind() == ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            output.kept()[which as usize].has_ended = true;
            output.heard.1.notify_all();
        });
    }

    fn keep(&self, which: Stream, bytes: &[u8]) {
        let mut kept = self.kept();
        let room = MOST_OUTPUT_BYTES - kept[which as usize].bytes.len();
        kept[which as usize].bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        drop(kept);
        self.heard.1.notify_all();
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, [Kept; 2]> {
        self.heard.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something is found in what has come, or both streams have ended, or for so long.
    pub(crate) fn wait<T>(
        &self,
        limit: Duration,
        find: impl Fn(&[u8], &[u8]) -> Option<T>,
    ) -> Option<T> {
        let search = |kept: &[Kept; 2]| find(&kept[0].bytes, &kept[1].bytes);
        let goes_on = |kept: &mut [Kept; 2]| {
            search(kept).is_none() && !kept.iter().all(|stream| stream.has_ended)
        };
        let waited = self.heard.1.wait_timeout_while(self.kept(), limit, goes_on);
        let (kept, _) = waited.unwrap_or_else(PoisonError::into_inner);
        search(&kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_thrown_away() {
        let output = Output::default();
        output.listen(Stream::Err, std::io::repeat(b'x').take(3 * MOST_OUTPUT_BYTES as u64));
        output.listen(Stream::Out, &b"hello"[..]);
        let ended = output.wait(Duration::from_secs(60), |_, _| None::<()>);
        assert_eq!(ended, None);
        let kept = output.kept();
        assert_eq!(kept[Stream::Out as usize].bytes, b"hello");
        assert_eq!(kept[Stream::Err as usize].bytes.len(), MOST_OUTPUT_BYTES);
    }
}
