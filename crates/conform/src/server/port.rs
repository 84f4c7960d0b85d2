//! Where a server waits for messages: found in whatever it announces, and in what it has opened.

use rustix::process::Pid;

/// The port that these words announce, given the ports that the program has really opened (none,
/// where the system doesn't tell).
pub(crate) fn announced(out: &[u8], err: &[u8], open: Option<&[u16]>) -> Option<u16> {
    let lines = [out, err].map(lines_of).concat();
    if let Some(open) = open {
        let numbers = lines.iter().flat_map(|line| numbers(line));
        return numbers.map(|(_, number)| number).find(|number| open.contains(number));
    }
    let named = lines.iter().find_map(|line| number_behind_port(line));
    named.or_else(|| lines.iter().find_map(|line| only_number(line)))
}

/// Is there any number in these words that may be a port?
pub(crate) fn may_be_announced(out: &[u8], err: &[u8]) -> bool {
    [out, err].map(lines_of).concat().iter().any(|line| !numbers(line).is_empty())
}

/// The ports that these processes have opened for datagrams; nothing where the system doesn't tell.
pub(crate) fn opened_by(processes: &[Pid]) -> Option<Vec<u16>> {
    let tables = ["/proc/net/udp", "/proc/net/udp6"].map(std::fs::read_to_string);
    let table: Vec<(u16, String)> =
        tables.into_iter().flatten().flat_map(|text| ports_and_sockets(&text)).collect();
    let held: Vec<String> = processes.iter().flat_map(|pid| sockets_of(*pid)).collect();
    let is_held = |socket: &String| held.contains(socket);
    let open = table.into_iter().filter(|(_, socket)| is_held(socket)).map(|(port, _)| port);
    std::fs::exists("/proc/self/fd").ok().filter(|there| *there).map(|_| open.collect())
}

/// Each line of the system's table that names a port has the socket's number in its tenth column.
fn ports_and_sockets(table: &str) -> Vec<(u16, String)> {
    let rows = table.lines().skip(1).map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    rows.filter_map(|row| {
        let port = u16::from_str_radix(row.get(1)?.rsplit(':').next()?, 16).ok()?;
        Some((port, (*row.get(9)?).to_owned()))
    })
    .collect()
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
    // A last line without its end may be half a number.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    String::from_utf8_lossy(&text[..whole]).lines().map(str::to_owned).collect()
}

/// The plausible numbers of a line, with where they start.
fn numbers(line: &str) -> Vec<(usize, u16)> {
    let mut found = vec![];
    let mut start = 0;
    for word in line.split(|c: char| !c.is_ascii_digit()) {
        if let Ok(number @ 1024..) = word.parse() {
            found.push((start, number));
        }
        start += word.len() + line[start + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

fn number_behind_port(line: &str) -> Option<u16> {
    let place = line.to_ascii_lowercase().find("port")?;
    numbers(line).into_iter().find(|(start, _)| *start > place).map(|(_, number)| number)
}

fn only_number(line: &str) -> Option<u16> {
    match numbers(line)[..] {
        [(_, number)] => Some(number),
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
    fn any_wording_will_do() {
        assert_eq!(found("Ready to play, waiting at port 12345\n"), Some(12345));
        assert_eq!(found("message_init: ready at port '54321'\n"), Some(54321));
        assert_eq!(found("map 21x79, 250 nuggets\nPort: 40000.\n"), Some(40000));
        assert_eq!(found("é 33333\n"), Some(33333));
        assert_eq!(found("seed 2000, listening on port 40000\n"), Some(40000));
        assert_eq!(found("listening: 40000\n"), Some(40000));
        assert_eq!(announced(b"", b"ready at port 40001\n", None), Some(40001));
    }

    #[test]
    fn half_a_line_and_two_numbers_are_no_announcement() {
        assert_eq!(found("port 123"), None);
        assert_eq!(found("from 2000 to 3000\n"), None);
        assert_eq!(found("port 99999\n"), None);
        assert!(may_be_announced(b"", b"at 1024\n") && !may_be_announced(b"21x79\n", b"at 1024"));
    }

    #[test]
    fn a_number_that_is_really_open_counts_before_all_words() {
        let words = b"process 2000 at port 3000, spare 4000\n";
        assert_eq!(announced(words, b"", Some(&[4000])), Some(4000));
        assert_eq!(announced(words, b"", Some(&[])), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_open_is_told_by_the_system() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(opened_by(&[rustix::process::getpid()]).unwrap().contains(&port));
        drop(socket);
    }
}
