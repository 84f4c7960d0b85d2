//! Detection of an idle program under test: it has handled everything that was sent to it if it sleeps and no datagram
//! waits for it. The kernel reports both, so that a busy machine does not look like an idle program.

use std::sync::OnceLock;
use std::time::Duration;

use nuggets_subprocess::{ProcessMarker, stat_fields};
use rustix::process::Pid;

use super::port;

/// The unit of processor time in `/proc`: Linux shows hundredths of a second on all common processors.
const TICK_MS: u64 = 10;
/// A busy server gets at least one part in this many of a processor.
const MAX_STARVATION: u32 = 8;

/// Observes a running server.
#[derive(Debug)]
pub(crate) struct Observer {
    port: u16,
    marker: ProcessMarker,
    /// Its processes, found at the first observation, because finding them takes long.
    pids: OnceLock<Vec<Pid>>,
}

impl Observer {
    pub(crate) fn new(port: u16, marker: &ProcessMarker) -> Self {
        Self { port, marker: marker.clone(), pids: OnceLock::new() }
    }

    /// Returns the current activity of the server; `None` where the system does not report it.
    pub(crate) fn activity(&self) -> Option<Activity> {
        activity(self.pids.get_or_init(|| self.marker.pids()), self.port)
    }

    /// Returns the processor time of the server; `None` where the system does not report it.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let pids = self.pids.get_or_init(|| self.marker.pids());
        let stats = pids.iter().filter_map(|pid| {
            std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()
        });
        let ticks: Vec<u64> = stats.filter_map(|stat| ticks_used(&stat)).collect();
        (!ticks.is_empty()).then(|| Duration::from_millis(ticks.iter().sum::<u64>() * TICK_MS))
    }

    /// True if the server works or waits for a processor, so that an answer may still come.
    pub(crate) fn is_busy(&self) -> bool {
        let pids = self.pids.get_or_init(|| self.marker.pids());
        !pids.iter().all(|pid| is_asleep(*pid))
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

/// The activity of a program as reported by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Activity {
    /// True if no datagram waits at its port.
    pub(crate) has_empty_queue: bool,
    /// True if all its threads sleep.
    pub(crate) is_asleep: bool,
}

/// Returns the activity of these processes, which receive on this port; `None` where the system does not report it.
fn activity(processes: &[Pid], port: u16) -> Option<Activity> {
    let mut sockets = port::open_sockets();
    sockets.retain(|socket| socket.port == port);
    if sockets.is_empty() || processes.is_empty() {
        return None;
    }
    let has_empty_queue = sockets.iter().all(|socket| socket.queued_bytes == 0);
    Some(Activity { has_empty_queue, is_asleep: processes.iter().all(|pid| is_asleep(*pid)) })
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

    #[test]
    #[cfg(target_os = "linux")]
    fn a_server_that_has_hardly_worked_is_waited_for_longer() {
        let own = rustix::process::getpid();
        let marker = ProcessMarker::new().unwrap();
        let observer = Observer { port: 0, marker, pids: OnceLock::from(vec![own]) };
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
        let own = [rustix::process::getpid()];
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let at = socket.local_addr().unwrap();
        assert!(activity(&own, at.port()).unwrap().has_empty_queue);
        socket.send_to(b"KEY h", at).unwrap();
        // This thread runs, so the process is not asleep.
        let expected = Activity { has_empty_queue: false, is_asleep: false };
        assert_eq!(activity(&own, at.port()), Some(expected));
        assert_eq!(activity(&[], at.port()), None);
    }
}
