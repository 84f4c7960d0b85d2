//! The shell of a room: one UDP socket, one thread, a clock, perhaps files; nothing of the game.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nuggets_time::Clock;
use socket2::{Domain, Protocol, Socket, Type};
use tracing::{debug, enabled, info, warn};

use crate::files::Files;
use crate::room::MOST_UNSENT;
use crate::{Level, LogBudget, Peer, Room};

mod unreachable;

use unreachable::CameBack;

/// How long a blocking read may last before the clock and the stop flag are looked at again.
const LOOK_UP_EVERY: Duration = Duration::from_millis(50);
/// Room for a burst of the largest pictures. Also lifts the limit that macOS sets on a datagram.
const BUFFER_BYTES: usize = 1 << 20;
/// An error that comes this often without a message in between isn't a passing one.
const MOST_ERRORS_IN_A_ROW: u32 = 100;

/// Opens the server's socket: on this address, or on all interfaces, IPv6 and IPv4 together where
/// the system has both. Port 0 lets the system choose.
pub fn bind(address: Option<IpAddr>, port: u16) -> io::Result<UdpSocket> {
    match address {
        Some(address) => open(SocketAddr::new(address, port)),
        None => open((Ipv6Addr::UNSPECIFIED, port).into()).or_else(|why| {
            if why.kind() == ErrorKind::AddrInUse {
                return Err(why);
            }
            debug!("no IPv6 here ({why}), IPv4 only");
            open((Ipv4Addr::UNSPECIFIED, port).into())
        }),
    }
}

fn open(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED) {
        socket.set_only_v6(false)?;
    }
    for enlarged in
        [socket.set_recv_buffer_size(BUFFER_BYTES), socket.set_send_buffer_size(BUFFER_BYTES)]
    {
        if let Err(why) = enlarged {
            debug!("the socket keeps its own buffer size: {why}");
        }
    }
    socket.bind(&address.into())?;
    socket.set_read_timeout(Some(LOOK_UP_EVERY))?;
    Ok(socket.into())
}

/// Hosts the room on this socket until nothing more happens there, or `stop` becomes true; then
/// everybody still here is told. `over` is called once, when the game has ended. Fails only when the
/// socket can't be read or the journal can't be written any more.
pub fn serve(
    socket: &UdpSocket,
    room: &mut Room,
    files: &mut Files,
    stop: &AtomicBool,
    over: impl FnOnce(&Room),
) -> io::Result<()> {
    if let Err(why) = unreachable::listen(socket) {
        debug!("the system doesn't tell who can't be reached: {why}");
    }
    let clock = Clock::starting_at(room.now());
    let is_v6 = socket.local_addr()?.is_ipv6();
    let log = LogBudget::default();
    let mut shell = Shell { socket, is_v6, room, files, clock, log, errors: 0 };
    let served = shell.serve(stop, over);
    shell.say_what_was_left_out();
    served
}

/// A room with its socket, clock, files and log.
struct Shell<'a> {
    socket: &'a UdpSocket,
    is_v6: bool,
    room: &'a mut Room,
    files: &'a mut Files,
    clock: Clock,
    log: LogBudget,
    errors: u32,
}

impl Shell<'_> {
    fn serve(&mut self, stop: &AtomicBool, over: impl FnOnce(&Room)) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        self.flush()?;
        self.serve_while(&mut buffer, |room| !room.is_over() && !stop.load(Ordering::Relaxed))?;
        over(self.room);
        self.serve_while(&mut buffer, |room| {
            room.is_over() && !room.is_closed() && !stop.load(Ordering::Relaxed)
        })?;
        self.close()
    }

    /// Everybody is told, or knows the end already. A journal that can't even be told that will be taken
    /// up once more, to tell it again: that spoils no game.
    fn close(&mut self) -> io::Result<()> {
        let is_told = self.room.is_closed();
        self.room.shut_down();
        if !is_told {
            return self.flush();
        }
        if let Err(why) = self.files.keep(self.room) {
            warn!("the end was told, but not that it was: {why}");
        }
        Ok(())
    }

    fn serve_while(
        &mut self,
        buffer: &mut [u8],
        goes_on: impl Fn(&Room) -> bool,
    ) -> io::Result<()> {
        while goes_on(self.room) {
            self.listen(buffer)?;
            let now = self.clock.now();
            if self.room.poll_timeout().is_some_and(|due| due <= now) {
                self.room.handle_timeout(now);
                self.flush()?;
            }
        }
        Ok(())
    }

    fn listen(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        match self.socket.recv_from(buffer) {
            Ok((length, from)) => {
                self.errors = 0;
                self.room.handle_message(self.clock.now(), peer_at(from), &buffer[..length]);
                if self.files.are_slow() {
                    self.listen_on(buffer)?;
                }
                self.flush()
            }
            Err(why) => self.weigh(why),
        }
    }

    /// What others say about datagrams of ours is no trouble of the socket's, however often they say it.
    fn weigh(&mut self, why: io::Error) -> io::Result<()> {
        let has_come_back = self.give_up_unreachable()?;
        if has_come_back || is_passing(why.kind()) {
            return Ok(());
        }
        if self.errors == MOST_ERRORS_IN_A_ROW {
            return Err(why);
        }
        self.errors += 1;
        warn!("can't read from the socket: {why}");
        std::thread::sleep(Duration::from_millis(10));
        Ok(())
    }

    /// Whatever has come meanwhile shares one write to the disk, up to a limit.
    fn listen_on(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.socket.set_nonblocking(true)?;
        let mut ended = None;
        for _ in 1..MOST_UNSENT {
            match self.socket.recv_from(buffer) {
                Ok((length, from)) => {
                    let now = self.clock.now();
                    self.room.handle_message(now, peer_at(from), &buffer[..length]);
                }
                Err(why) => {
                    ended = Some(why.kind());
                    break;
                }
            }
        }
        self.socket.set_nonblocking(false)?;
        // The error that tells of it is gone now: nobody else would look.
        if ended.is_some_and(|kind| kind != ErrorKind::WouldBlock) {
            self.give_up_unreachable()?;
        }
        Ok(())
    }

    /// True if something came back.
    fn give_up_unreachable(&mut self) -> io::Result<bool> {
        let (mut any, mut is_news) = (false, false);
        while let Some(CameBack { to, is_gone }) = unreachable::next(self.socket) {
            any = true;
            if is_gone {
                self.room.handle_unreachable(self.clock.now(), peer_at(to));
                is_news = true;
            }
        }
        if is_news {
            self.flush()?;
        }
        Ok(any)
    }

    /// First what must be kept, then what may be told.
    fn flush(&mut self) -> io::Result<()> {
        if let Err(why) = self.files.keep(self.room) {
            // Nothing may be heard of a move that isn't kept.
            self.room.break_off();
            // A recording may still be told of the end; the journal is past help.
            let _ = self.files.keep(self.room);
            self.write_log();
            self.send_all();
            return Err(why);
        }
        self.write_log();
        if self.send_all() {
            self.give_up_unreachable()?;
        }
        Ok(())
    }

    /// True if something came back.
    fn send_all(&mut self) -> bool {
        let mut has_come_back = false;
        while let Some(transmit) = self.room.poll_transmit() {
            if let Err(why) =
                send(self.socket, transmit.payload, address_of(transmit.to, self.is_v6))
            {
                debug!("can't send to {}: {why}", transmit.to);
                has_come_back = true;
            }
        }
        has_come_back
    }

    fn write_log(&mut self) {
        let now = self.clock.now();
        if let Some(count) = self.log.poll_left_out(now) {
            warn!("{count} more lines were left out of the log");
        }
        while let Some(notice) = self.room.poll_notice() {
            // What nobody wants to read must not use up the room for the rest.
            let is_wanted = notice.level() != Level::Debug || enabled!(tracing::Level::DEBUG);
            if is_wanted && self.log.may_log(now) {
                match notice.level() {
                    Level::Warn => warn!("{notice}"),
                    Level::Info => info!("{notice}"),
                    Level::Debug => debug!("{notice}"),
                }
            }
        }
    }

    fn say_what_was_left_out(&mut self) {
        if let Some(count) = self.log.take_left_out() {
            warn!("{count} more lines were left out of the log");
        }
    }
}

/// Somebody is the same over IPv4 whichever kind of socket hears it: a journal may be taken up again
/// behind another.
fn peer_at(address: SocketAddr) -> Peer {
    match (address.ip().to_canonical(), address) {
        (ip @ IpAddr::V4(_), SocketAddr::V6(_)) => SocketAddr::new(ip, address.port()).into(),
        _ => address.into(),
    }
}

/// A peer's address as a socket of this kind wants it.
fn address_of(peer: Peer, is_v6: bool) -> SocketAddr {
    match SocketAddr::from(peer) {
        SocketAddr::V4(to) if is_v6 => (to.ip().to_ipv6_mapped(), to.port()).into(),
        to => to,
    }
}

/// Timeouts and signals, and what other people's closed ports and lost routes answer.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}

/// What an earlier datagram brought back may be reported on this one: then it was not sent, and is
/// sent again.
fn send(socket: &UdpSocket, payload: &[u8], to: SocketAddr) -> io::Result<()> {
    let Err(why) = socket.send_to(payload, to) else { return Ok(()) };
    socket.send_to(payload, to)?;
    Err(why)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
