//! The exit of a program under test, by itself or killed, and its output until then.

use std::time::Duration;

use nuggets_subprocess::{CommandLine, Exit, Subprocess};

use super::ServerTest;
use crate::server::idle::{BusyLimit, Observer};
use crate::server::port;
use crate::{Verdict, fail};

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The time in which a program that has opened a port may still reject its arguments.
const WAIT_WITH_PORT: Duration = Duration::from_millis(1500);
/// The number of intervals without new output after which all output has arrived.
const QUIET_POLLS: u32 = 5;
/// The maximum number of polls for output: a program may print without end.
const MAX_OUTPUT_POLLS: u32 = 50;

impl ServerTest {
    /// Runs a command line that should exit by itself; returns the program and its exit.
    pub(crate) fn run_to_exit(&mut self, line: &CommandLine) -> Verdict<(Subprocess, Exit)> {
        let mut process = self.launch(line)?;
        let Some(exit) = self.wait_for_exit_or_port(&mut process) else {
            return fail("it exits at once, with a code other than 0", "it keeps running");
        };
        // Its last output may arrive just after its exit.
        process.wait_for_output(Duration::from_secs(1), |_, _| None::<()>);
        Ok((process, exit))
    }

    /// Waits until the program exits. A program that has opened a port waits for players, so it won't exit.
    fn wait_for_exit_or_port(&self, process: &mut Subprocess) -> Option<Exit> {
        let begun = self.network.clock.elapsed();
        while self.network.clock.elapsed().saturating_sub(begun) < self.network.timeouts.max() {
            if let Some(exit) = process.wait_for_exit(POLL_INTERVAL) {
                return Some(exit);
            }
            if port::opened_by(&process.marker().pids()).is_some_and(|open| !open.is_empty()) {
                break;
            }
        }
        let observer = Observer::new(0, process.marker());
        self.wait_for_exit_of(process, &observer, WAIT_WITH_PORT)
    }

    /// Waits for the exit of a program this long, and then as long as it is busy.
    fn wait_for_exit_of(
        &self,
        process: &mut Subprocess,
        observer: &Observer,
        wait: Duration,
    ) -> Option<Exit> {
        let limit = BusyLimit::new(observer, self.network.clock.elapsed());
        let mut exit = process.wait_for_exit(wait);
        while exit.is_none()
            && observer.is_busy()
            && !limit.is_reached(
                observer,
                self.network.clock.elapsed(),
                self.network.timeouts.max(),
            )
        {
            exit = process.wait_for_exit(POLL_INTERVAL);
        }
        exit
    }

    /// Kills the server; returns its whole stdout. Output arrives later than datagrams, but all of it has arrived when
    /// the stream ends.
    pub(crate) fn kill_and_read_stdout(&mut self) -> Vec<u8> {
        self.may_exit = true;
        if let Some(server) = &mut self.server {
            server.process.kill();
        }
        self.wait_for_exit();
        self.stdout()
    }

    /// Waits until the server exits by itself.
    pub(crate) fn wait_for_exit(&mut self) -> Option<Exit> {
        self.may_exit = true;
        let mut server = self.server.take()?;
        let wait = self.network.timeouts.max() * 2;
        let exit = self.wait_for_exit_of(&mut server.process, &server.observer, wait);
        // Its last output may arrive just after its exit.
        server.process.wait_for_output(self.network.timeouts.max(), |_, _| None::<()>);
        self.server = Some(server);
        exit
    }

    /// Waits until the server exits by itself, but only as long as for a few answers.
    pub(crate) fn wait_for_exit_briefly(&mut self) -> Option<Exit> {
        self.may_exit = true;
        let wait = self.network.timeouts.answer() * 4;
        self.server.as_mut()?.process.wait_for_exit(wait)
    }

    /// Returns the length of stdout once the server has handled everything and its output has arrived, which takes
    /// longer than for datagrams.
    pub(crate) fn settled_stdout_length(&self) -> usize {
        self.wait_until_idle();
        settled(|| {
            std::thread::sleep(POLL_INTERVAL);
            self.stdout().len()
        })
    }
}

/// Returns the value that is read several times in a row, or the last one if it never settles.
fn settled(mut read: impl FnMut() -> usize) -> usize {
    let mut last = read();
    let mut same = 0;
    for _ in 0..MAX_OUTPUT_POLLS {
        let next = read();
        same = if next == last { same + 1 } else { 0 };
        last = next;
        if same == QUIET_POLLS {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_has_settled_when_it_stays_the_same_for_a_while() {
        let lengths = [0, 7, 7, 7, 9, 9, 9, 9, 9, 9, 12];
        let mut read = lengths.into_iter();
        assert_eq!(settled(|| read.next().unwrap()), 9);
        assert_eq!(read.next(), Some(12), "nothing is read after that");
        let mut grows = 0..;
        let last = settled(|| grows.next().unwrap());
        assert_eq!(last, MAX_OUTPUT_POLLS as usize, "it prints for ever");
    }
}
