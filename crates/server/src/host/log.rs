//! Writes the notices of the room to the log, within its quota.

use tracing::{Level, debug, enabled, info, warn};

use super::Host;
use crate::{Storage, Transport};

impl<S: Storage> Host<S> {
    /// Logs the number of lines that the log quota has dropped. Call it last.
    pub fn finish_log(&mut self) {
        warn_of_dropped(self.log.take_dropped());
    }

    pub(super) fn write_log(&mut self, transport: &impl Transport) {
        let now = self.now();
        warn_of_dropped(self.log.poll_dropped(now));
        while let Some(notice) = self.room.poll_notice() {
            // A line that the log would not show must not consume quota.
            let is_shown = notice.level() != Level::DEBUG || enabled!(Level::DEBUG);
            if is_shown && self.log.may_log(now) {
                let line = || notice.describe(|peer| transport.name(peer));
                match notice.level() {
                    Level::WARN => warn!("{}", line()),
                    Level::DEBUG => debug!("{}", line()),
                    _ => info!("{}", line()),
                }
            }
        }
    }
}

fn warn_of_dropped(lines: Option<u64>) {
    match lines {
        None => {}
        Some(1) => warn!("1 more line was left out of the log"),
        Some(count) => warn!("{count} more lines were left out of the log"),
    }
}
