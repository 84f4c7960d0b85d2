//! Detection of an idle program under test: it has handled everything that was sent to it if it sleeps and no datagram
//! waits for it. The kernel reports both, so that a busy machine does not look like an idle program.

use std::sync::OnceLock;
use std::time::Duration;

use nuggets_subprocess::ProcessMarker;
use nuggets_subprocess::proc::{read, stat_fields};
use rustix::process::Pid;

use super::port;

/// The unit of processor time in `/proc`: Linux shows hundredths of a second on all common processors.
const TICK_MS: u64 = 10;
/// A busy server gets at least one part in this many of a processor.
const MAX_STARVATION: u32 = 8;

/// Observes a running server.
#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) port: u16,
    marker: ProcessMarker,
    /// Its processes, found at the first observation, because finding them takes long.
    pids: OnceLock<Vec<Pid>>,
}

impl Observer {
    pub(crate) fn new(port: u16, marker: &ProcessMarker) -> Self {
        Self { port, marker: marker.clone(), pids: OnceLock::new() }
    }

    fn pids(&self) -> &[Pid] {
        self.pids.get_or_init(|| self.marker.pids())
    }

    /// True if a datagram waits at the server's port; `None` where the system does not report it.
    pub(crate) fn has_waiting_datagrams(&self) -> Option<bool> {
        let mut sockets = port::open_sockets();
        sockets.retain(|socket| socket.port == self.port);
        let is_reported = !sockets.is_empty() && !self.pids().is_empty();
        is_reported.then(|| sockets.iter().any(|socket| socket.queued_bytes > 0))
    }

    /// Returns the processor time of the server; `None` where the system does not report it.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let ticks = self.pids().iter().filter_map(|pid| ticks_used(&read(*pid, "stat")?));
        let ticks = ticks.reduce(|one, two| one + two)?;
        Some(Duration::from_millis(ticks * TICK_MS))
    }

    /// True if the server works or waits for a processor, so that an answer may still come.
    pub(crate) fn is_busy(&self) -> bool {
        !self.pids().iter().all(|pid| is_asleep(*pid))
    }
}

/// A limit for waiting on a busy server. It counts processor time, not only elapsed time: on a busy machine the server
/// gets little of that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BusyLimit {
    begun: Duration,
    /// The processor time used before the wait.
    used: Option<Duration>,
}

impl BusyLimit {
    /// Starts a limit at this time of the test run's clock. Only the server's work from now on counts.
    pub(crate) fn new(observer: &Observer, begun: Duration) -> Self {
        Self { begun, used: observer.processor_time() }
    }

    /// True if the server has worked this long, or can't be expected to.
    pub(crate) fn is_reached(&self, observer: &Observer, now: Duration, max: Duration) -> bool {
        let waited = now.saturating_sub(self.begun);
        if waited < max {
            return false;
        }
        let worked =
            observer.processor_time().zip(self.used).map(|(now, used)| now.saturating_sub(used));
        waited >= max * MAX_STARVATION || worked.is_none_or(|worked| worked >= max)
    }
}

/// True if no thread of the process runs or waits for a processor or a disk. A process that has ended does not.
fn is_asleep(pid: Pid) -> bool {
    let folder = format!("/proc/{}/task", pid.as_raw_nonzero());
    let threads = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut stats = threads.filter_map(|it| std::fs::read_to_string(it.path().join("stat")).ok());
    stats.all(|stat| !is_busy(&stat))
}

/// The processor time of the process with this line in `stat`, as a user and in the kernel.
fn ticks_used(stat: &str) -> Option<u64> {
    let mut fields = stat_fields(stat).skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some(user + kernel)
}

/// True if the thread with this line in `stat` runs, or waits for a processor or a disk.
fn is_busy(stat: &str) -> bool {
    stat_fields(stat).next().is_some_and(|state| matches!(state, "R" | "D"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_the_sum_of_two_fields() {
        let stat = "7 (a b) S 1 7 7 0 -1 4194304 90 0 0 0 30 12 0 0 20 0 1 0 100 4096 50";
        assert_eq!(ticks_used(stat), Some(42));
        assert_eq!(ticks_used("7 (a"), None);
    }

    #[test]
    fn a_thread_that_runs_or_waits_for_a_disk_is_busy() {
        assert!(is_busy("7 (a) S (b) R 1 7") && is_busy("7 (sh) D 1"));
        assert!(!is_busy("7 (R) S 1 7") && !is_busy("7 (sh) Z 1") && !is_busy(""));
    }

    /// Observes these processes.
    #[cfg(target_os = "linux")]
    fn observer(port: u16, pids: Vec<Pid>) -> Observer {
        let marker = ProcessMarker::new().unwrap();
        Observer { port, marker, pids: OnceLock::from(pids) }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_server_that_has_hardly_worked_is_waited_for_longer() {
        let observer = observer(0, vec![rustix::process::getpid()]);
        let max = Duration::from_secs(60);
        let limit = BusyLimit::new(&observer, Duration::ZERO);
        assert!(!limit.is_reached(&observer, max / 2, max));
        assert!(!limit.is_reached(&observer, max * 2, max), "it has not worked for a minute");
        assert!(limit.is_reached(&observer, max * MAX_STARVATION, max));
        let has_worked = BusyLimit { used: Some(Duration::ZERO), ..limit };
        let used = observer.processor_time().unwrap();
        assert!(has_worked.is_reached(&observer, max, used), "it has worked that long");
        assert!(BusyLimit { used: None, ..limit }.is_reached(&observer, max, max));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_datagram_that_nobody_has_read_is_noticed() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let at = socket.local_addr().unwrap();
        let own = observer(at.port(), vec![rustix::process::getpid()]);
        assert_eq!(own.has_waiting_datagrams(), Some(false));
        socket.send_to(b"KEY h", at).unwrap();
        assert_eq!(own.has_waiting_datagrams(), Some(true));
        assert!(own.is_busy(), "this thread runs");
        assert_eq!(observer(at.port(), vec![]).has_waiting_datagrams(), None);
    }
}
