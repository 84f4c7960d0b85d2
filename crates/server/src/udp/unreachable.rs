//! ICMP messages about datagrams that came back. On systems that don't report them, no client is ever disconnected.

use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

/// Asks the system to report datagrams that come back, if it can.
#[cfg(target_os = "linux")]
pub fn report_unreachable(socket: &UdpSocket) -> std::io::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt};

    if socket.local_addr()?.is_ipv6() {
        setsockopt(socket, sockopt::Ipv6RecvErr, &true)?;
    }
    // An IPv6 socket may also send to IPv4 addresses.
    setsockopt(socket, sockopt::Ipv4RecvErr, &true)?;
    Ok(())
}

/// A datagram that came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnedDatagram {
    /// The recipient of the datagram.
    pub to: SocketAddr,
    /// True if no socket listens there. Otherwise the datagram was only too large for a link, or was rejected on the
    /// way.
    pub is_gone: bool,
}

/// Returns the next datagram that came back. Does not block.
#[cfg(target_os = "linux")]
pub fn next_unreachable(socket: &impl AsFd) -> Option<ReturnedDatagram> {
    use std::os::fd::AsRawFd;

    use nix::cmsg_space;
    use nix::libc::{sock_extended_err, sockaddr_in6};
    use nix::sys::socket::ControlMessageOwned::{Ipv4RecvErr, Ipv6RecvErr};
    use nix::sys::socket::{MsgFlags, SockaddrStorage, recvmsg};

    use super::socket_address;

    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let mut space = cmsg_space!(sock_extended_err, sockaddr_in6);
    let report =
        recvmsg::<SockaddrStorage>(socket.as_fd().as_raw_fd(), &mut [], Some(&mut space), flags);
    let report = report.ok()?;
    let is_gone = report.cmsgs().any(|message| match message {
        Ipv4RecvErr(why, _) | Ipv6RecvErr(why, _) => {
            i32::try_from(why.ee_errno).is_ok_and(means_gone)
        }
        _ => false,
    });
    let to = socket_address(&report.address?)?;
    Some(ReturnedDatagram { to, is_gone })
}

/// True if this error number means that no socket listens there. Three of them have no `ErrorKind`.
#[cfg(target_os = "linux")]
fn means_gone(errno: i32) -> bool {
    use nix::libc::{EHOSTDOWN, ENONET, ENOPROTOOPT};
    use nuggets_protocol::UdpError;

    let kind = std::io::Error::from_raw_os_error(errno).kind();
    UdpError::of(kind) == UdpError::Unreachable || [EHOSTDOWN, ENONET, ENOPROTOOPT].contains(&errno)
}

/// Asks the system to report datagrams that come back, if it can.
#[cfg(not(target_os = "linux"))]
pub fn report_unreachable(_: &UdpSocket) -> std::io::Result<()> {
    Ok(())
}

/// Returns the next datagram that came back. Does not block.
#[cfg(not(target_os = "linux"))]
pub fn next_unreachable(_: &impl AsFd) -> Option<ReturnedDatagram> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use nix::libc::{ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH, EMSGSIZE, ENETUNREACH, EPROTO};

    use super::*;

    /// A picture that is too large for a link is sent in fragments next time.
    #[test]
    fn a_datagram_that_was_too_large_disconnects_nobody() {
        for errno in [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN] {
            assert!(means_gone(errno), "{errno}");
        }
        assert!(!means_gone(EMSGSIZE) && !means_gone(EPROTO));
    }
}
