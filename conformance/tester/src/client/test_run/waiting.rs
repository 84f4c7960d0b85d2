//! Waiting for a condition: never longer than a limit, and no longer than the program runs.

use std::net::SocketAddr;
use std::time::Duration;

use nuggets_subprocess::Exit;

use super::ClientTest;
use crate::client::screen;
use crate::client::server_socket::ServerSocket;
use crate::client::window::ClientTerminal;
use crate::{CheckFailure, ExchangeKind, Verdict};

/// The interval at which the socket is read while the program writes nothing.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The maximum number of datagrams handled before the program's output, so that none of both is starved.
const MAX_DATAGRAMS: usize = 64;
/// The time after which messages that may have been lost are resent.
const RESEND_INTERVAL: Duration = Duration::from_millis(200);
/// The maximum wait for the last output of a program that has exited.
const LAST_OUTPUT_WAIT: Duration = Duration::from_secs(3);
/// The number of messages kept; later ones are dropped.
const MAX_RECEIVED: usize = 10_000;

/// The shortest wait: our own machine may be busy.
const MIN_WAIT: Duration = Duration::from_millis(1500);
/// The factor by which a reaction may take longer than the start of the program.
const START_FACTOR: u32 = 10;
/// The longest wait for a reaction of a program that starts slowly.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The limit for the first message: a program in an interpreter starts slowly.
const START_WAIT: Duration = Duration::from_secs(15);

/// The limits for waiting for a client. A slow client is not a wrong one, so the limits adapt to the time that the
/// program took to start. Each attempt waits longer than the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientTimeouts {
    usual: Duration,
    start: Duration,
}

impl ClientTimeouts {
    pub(super) fn new(attempt: u32, longest: Duration) -> Self {
        let usual = (MIN_WAIT * (1 << attempt.min(4))).min(longest);
        Self { usual, start: Duration::ZERO }
    }

    /// Records the time until the first message.
    fn record_start(&mut self, took: Duration) {
        self.start = self.start.max(took);
    }

    /// The limit for one reaction.
    fn reaction(&self) -> Duration {
        self.start.saturating_mul(START_FACTOR).clamp(self.usual, MAX_WAIT.max(self.usual))
    }
}

/// Waiting for conditions.
impl ClientTest {
    /// Waits until the condition holds. If datagrams are dropped, the last messages are resent meanwhile.
    pub(crate) fn wait_until(
        &mut self,
        expected: &str,
        condition: impl Fn(&Self) -> bool,
    ) -> Verdict {
        self.wait_until_with(expected, self.timeout(), condition, Self::resend)
    }

    /// Like `wait_until`, with another limit and another way to retry.
    pub(crate) fn wait_until_with(
        &mut self,
        expected: &str,
        limit: Duration,
        condition: impl Fn(&Self) -> bool,
        retry: impl Fn(&mut Self),
    ) -> Verdict {
        let begun = self.clock.elapsed();
        let mut retried = begun;
        loop {
            if condition(self) {
                return Ok(());
            }
            if self.try_exit().is_some() {
                self.read_last_output();
                return if condition(self) { Ok(()) } else { Err(self.missing(expected)) };
            }
            if self.since(begun) >= limit {
                return Err(self.missing(expected));
            }
            if self.is_lossy() && self.since(retried) >= RESEND_INTERVAL {
                retry(self);
                retried = self.clock.elapsed();
            }
            self.handle_events();
        }
    }

    /// Waits until the condition holds and retries meanwhile, even if no datagrams are dropped.
    pub(crate) fn wait_until_retrying(
        &mut self,
        expected: &str,
        condition: impl Fn(&Self) -> bool,
        retry: impl Fn(&mut Self),
    ) -> Verdict {
        let begun = self.clock.elapsed();
        loop {
            match self.wait_until_with(expected, RESEND_INTERVAL, &condition, |_| {}) {
                Ok(()) => return Ok(()),
                Err(failure)
                    if self.try_exit().is_some() || self.since(begun) >= self.timeout() =>
                {
                    return Err(failure);
                }
                Err(_) => retry(self),
            }
        }
    }

    /// True if the condition holds within the limit; the check continues either way.
    pub(crate) fn holds_within(
        &mut self,
        limit: Duration,
        condition: impl Fn(&Self) -> bool,
    ) -> bool {
        self.wait_until_with("", limit, condition, |_| {}).is_ok()
    }

    /// The limit for one reaction.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeouts.reaction()
    }

    fn since(&self, then: Duration) -> Duration {
        self.clock.elapsed().saturating_sub(then)
    }

    /// Waits for the first message of the client.
    pub(crate) fn first_message(&mut self) -> Verdict<Vec<u8>> {
        let has_client = |test: &Self| test.client.is_some();
        self.wait_until_with("a first message to the server", START_WAIT, has_client, |_| {})?;
        Ok(self.client.as_ref().map(|(_, first)| first.clone()).unwrap_or_default())
    }

    /// Decides if a missing reaction is mere slowness. A client that has had the time twice and shows the next map, but
    /// still not this, is not slow: the check need not be retried.
    pub(crate) fn confirm(
        &mut self,
        failure: CheckFailure,
        condition: impl Fn(&Self) -> bool,
    ) -> CheckFailure {
        let is_first_attempt = self.timeout() == MIN_WAIT;
        if !failure.is_retryable || is_first_attempt || self.is_lossy() || self.fence().is_err() {
            return failure;
        }
        if self.holds_within(RESEND_INTERVAL, condition) {
            return failure;
        }
        let actual = format!("{}, although the next map was shown", failure.actual);
        CheckFailure { actual, is_retryable: false, ..failure }
    }

    /// Waits until the program exits, or sends a message: then returns `None`. A program that does neither fails at once,
    /// as the limit is long.
    pub(crate) fn exit_or_first_message(&mut self, expected: &str) -> Verdict<Option<Exit>> {
        let has_client = |test: &Self| test.client.is_some();
        if let Err(failure) = self.wait_until_with(expected, START_WAIT, has_client, |_| {})
            && self.try_exit().is_none()
        {
            return Err(CheckFailure { is_retryable: false, ..failure });
        }
        Ok(if self.client.is_some() { None } else { self.try_exit() })
    }

    /// Waits until the program exits, and reads its last output.
    pub(crate) fn wait_for_exit(&mut self, expected: &str) -> Verdict<Exit> {
        self.allow_exit();
        let has_exited = |test: &Self| test.window.as_ref().is_some_and(|it| it.exit.is_some());
        self.wait_until(expected, has_exited)?;
        self.read_last_output();
        self.try_exit().ok_or_else(|| self.missing(expected))
    }

    /// Reads everything that the program wrote and sent before its exit.
    fn read_last_output(&mut self) {
        let begun = self.clock.elapsed();
        let is_closed = |test: &Self| test.window.as_ref().is_none_or(|window| window.is_closed);
        while !is_closed(self) && self.since(begun) < LAST_OUTPUT_WAIT {
            self.handle_events();
        }
        self.drain();
    }

    /// Reads everything that was sent to us before now.
    pub(crate) fn drain(&mut self) {
        let Some(own) = self.socket.as_ref().map(ServerSocket::send_fence) else { return };
        let begun = self.clock.elapsed();
        while self.since(begun) < LAST_OUTPUT_WAIT {
            match self.handle_datagram() {
                Some(from) if from == own => return,
                Some(_) => {}
                None => std::thread::yield_now(),
            }
        }
    }

    /// Creates the failure for something that did not happen.
    fn missing(&mut self, expected: &str) -> CheckFailure {
        let stderr = self.window.as_ref().map_or_else(String::new, ClientTerminal::stderr);
        let skipped = stderr.trim().chars().count().saturating_sub(400);
        let end: String = stderr.trim().chars().skip(skipped).collect();
        let stderr = if end.is_empty() { end } else { format!("; its stderr: {end}") };
        let failure = if let Some(exit) = self.try_exit() {
            CheckFailure::new(expected, format!("{exit}{stderr}"))
        } else {
            let seconds = self.timeout().as_secs_f32();
            CheckFailure::retryable(
                expected,
                format!("it did not happen within {seconds} s{stderr}"),
            )
        };
        failure.with_drawing(self.drawing())
    }

    /// The screen in a frame.
    pub(crate) fn drawing(&self) -> String {
        let Some(screen) = self.screen() else { return String::new() };
        screen::framed(&screen::lines(screen), usize::from(screen.size().1.get()))
    }
}

/// Handling events.
impl ClientTest {
    /// Handles the datagrams that have arrived and the next output. Waits for it briefly.
    fn handle_events(&mut self) {
        let _ = (0..MAX_DATAGRAMS).find(|_| self.handle_datagram().is_none());
        match &mut self.window {
            Some(window) if !window.is_closed => window.handle_output_within(POLL_INTERVAL),
            _ => std::thread::sleep(POLL_INTERVAL),
        }
    }

    /// Handles the next datagram that has arrived; returns its sender.
    fn handle_datagram(&mut self) -> Option<SocketAddr> {
        let socket = self.socket.as_ref()?;
        let (bytes, from) = socket.receive()?;
        if from != socket.address {
            self.handle_message(bytes, from);
        }
        Some(from)
    }

    fn handle_message(&mut self, bytes: Vec<u8>, from: SocketAddr) {
        if self.socket.as_mut().is_none_or(ServerSocket::drops_next) {
            return self.transcript.note("lost", ExchangeKind::Note, &bytes);
        }
        match &self.client {
            // Meant for a client that had this port before us.
            None if is_server_message(&bytes) => {}
            None => {
                self.transcript.note("server", ExchangeKind::Out, &bytes);
                self.timeouts.record_start(self.clock.elapsed());
                self.client = Some((from, bytes));
                self.join_requests = 1;
            }
            Some((client, _)) if *client != from => {
                self.note(&format!("from another address ({from}): {}", bytes.escape_ascii()));
            }
            Some((_, first)) => {
                let is_repeated = *first == bytes;
                self.transcript.note("server", ExchangeKind::Out, &bytes);
                if is_repeated {
                    self.join_requests += 1;
                    // The answer may have been lost.
                    if self.has_welcomed {
                        self.send_welcome();
                    }
                } else if self.received.len() < MAX_RECEIVED {
                    self.received.push_back(bytes);
                }
            }
        }
    }
}

/// True if the first word is one that only servers send.
fn is_server_message(bytes: &[u8]) -> bool {
    let word = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    [&b"OK"[..], b"GRID", b"GOLD", b"DISPLAY", b"QUIT", b"ERROR", b"NO"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_starts_slowly_gets_more_time() {
        let mut timeouts = ClientTimeouts::new(0, Duration::from_secs(5));
        assert_eq!(timeouts.reaction(), MIN_WAIT);
        timeouts.record_start(Duration::from_millis(900));
        assert_eq!(timeouts.reaction(), Duration::from_secs(9));
        timeouts.record_start(Duration::from_secs(9));
        assert_eq!(timeouts.reaction(), MAX_WAIT);
        assert_eq!(
            ClientTimeouts::new(9, Duration::from_secs(5)).reaction(),
            Duration::from_secs(5)
        );
    }
}
