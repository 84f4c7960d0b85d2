//! Finds the port of a server in its output, and among the ports that it has opened.

use rustix::process::Pid;

/// Returns the port that the output announces. `open` lists the ports that the program has opened; `None` where the
/// system does not report them.
pub(crate) fn announced(out: &[u8], err: &[u8], open: Option<&[u16]>) -> Option<u16> {
    let lines = [out, err].map(lines_of).concat();
    if let Some(open) = open {
        let mut numbers = lines.iter().flat_map(|line| numbers(line));
        return numbers.find(|number| open.contains(number));
    }
    let named = lines.iter().find_map(|line| number_after_port(line));
    named.or_else(|| lines.iter().find_map(|line| only_number(line)))
}

/// True if the output contains a number that may be a port.
pub(crate) fn may_be_announced(out: &[u8], err: &[u8]) -> bool {
    [out, err].map(lines_of).concat().iter().any(|line| !numbers(line).is_empty())
}

/// An open UDP socket, as the kernel reports it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OpenSocket {
    pub(crate) port: u16,
    /// The number of received bytes that wait to be read.
    pub(crate) queued_bytes: u64,
    inode: String,
}

/// Returns all open UDP sockets; none where the system does not report them.
pub(crate) fn open_sockets() -> Vec<OpenSocket> {
    let tables = ["/proc/net/udp", "/proc/net/udp6"].map(std::fs::read_to_string);
    tables.into_iter().flatten().flat_map(|table| parse_sockets(&table)).collect()
}

/// Reads the second, fifth and tenth column: local address, queues and inode.
fn parse_sockets(table: &str) -> Vec<OpenSocket> {
    let rows = table.lines().skip(1).map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    rows.filter_map(|row| {
        let port = u16::from_str_radix(row.get(1)?.rsplit(':').next()?, 16).ok()?;
        let queued_bytes = u64::from_str_radix(row.get(4)?.rsplit(':').next()?, 16).ok()?;
        Some(OpenSocket { port, queued_bytes, inode: (*row.get(9)?).to_owned() })
    })
    .collect()
}

/// Returns the UDP ports that these processes have opened; `None` where the system does not report them.
pub(crate) fn opened_by(processes: &[Pid]) -> Option<Vec<u16>> {
    if !std::fs::exists("/proc/self/fd").is_ok_and(|exists| exists) {
        return None;
    }
    let held: Vec<String> = processes.iter().flat_map(|pid| sockets_of(*pid)).collect();
    let own = open_sockets().into_iter().filter(|socket| held.contains(&socket.inode));
    Some(own.map(|socket| socket.port).collect())
}

fn sockets_of(pid: Pid) -> Vec<String> {
    let folder = format!("/proc/{}/fd", pid.as_raw_nonzero());
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .filter_map(|file| std::fs::read_link(file.path()).ok())
        .filter_map(|link| {
            let name = link.to_str()?.strip_prefix("socket:[")?;
            Some(name.strip_suffix(']')?.to_owned())
        })
        .collect()
}

fn lines_of(text: &[u8]) -> Vec<String> {
    // An unterminated last line may end in the middle of a number.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    String::from_utf8_lossy(&text[..whole]).lines().map(str::to_owned).collect()
}

/// The plausible port numbers of a line.
fn numbers(line: &str) -> Vec<u16> {
    let words = line.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).filter(|number| *number >= 1024).collect()
}

fn number_after_port(line: &str) -> Option<u16> {
    let place = line.to_ascii_lowercase().find("port")?;
    numbers(&line[place..]).first().copied()
}

fn only_number(line: &str) -> Option<u16> {
    match numbers(line)[..] {
        [number] => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(out: &str) -> Option<u16> {
        announced(out.as_bytes(), b"", None)
    }

    #[test]
    fn the_port_is_found_in_any_wording() {
        assert_eq!(found("Ready to play, waiting at port 12345\n"), Some(12345));
        assert_eq!(found("message_init: ready at port '54321'\n"), Some(54321));
        assert_eq!(found("map 21x79, 250 nuggets\nPort: 40000.\n"), Some(40000));
        assert_eq!(found("é 33333\n"), Some(33333));
        assert_eq!(found("seed 2000, listening on port 40000\n"), Some(40000));
        assert_eq!(found("listening: 40000\n"), Some(40000));
        assert_eq!(announced(b"", b"ready at port 40001\n", None), Some(40001));
    }

    #[test]
    fn an_unterminated_line_or_two_numbers_are_no_announcement() {
        assert_eq!(found("port 123"), None);
        assert_eq!(found("from 2000 to 3000\n"), None);
        assert_eq!(found("port 99999\n"), None);
        assert!(may_be_announced(b"", b"at 1024\n") && !may_be_announced(b"21x79\n", b"at 1024"));
    }

    #[test]
    fn an_open_port_takes_precedence_over_the_wording() {
        let words = b"process 2000 at port 3000, spare 4000\n";
        assert_eq!(announced(words, b"", Some(&[4000])), Some(4000));
        assert_eq!(announced(words, b"", Some(&[])), None);
    }

    #[test]
    fn waiting_datagrams_are_read_from_the_table_of_the_kernel() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n \
            10: 0100007F:1F90 00000000:0000 07 00000000:00000300 00:00000000 00000000  0  0 7 2\n \
            11: 0100007F:1F91 00000000:0000 07 00000000:00000000 00:00000000 00000000  0  0 8 2\n";
        let socket = |port, queued_bytes, inode: &str| OpenSocket {
            port,
            queued_bytes,
            inode: inode.into(),
        };
        assert_eq!(parse_sockets(table), [socket(8080, 0x300, "7"), socket(8081, 0, "8")]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn open_ports_are_found_in_proc() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(opened_by(&[rustix::process::getpid()]).unwrap().contains(&port));
        drop(socket);
    }
}
