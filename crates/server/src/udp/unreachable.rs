//! What comes back from addresses where nobody listens: "unreachable", by ICMP. Where a system
//! doesn't tell, nobody is given up.

use std::net::{SocketAddr, UdpSocket};

/// Asks the system to tell, if it can.
#[cfg(target_os = "linux")]
pub(super) fn listen(socket: &UdpSocket) -> std::io::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt};

    if socket.local_addr()?.is_ipv6() {
        setsockopt(socket, sockopt::Ipv6RecvErr, &true)?;
    }
    // A socket for both takes IPv4 addresses, too.
    setsockopt(socket, sockopt::Ipv4RecvErr, &true)?;
    Ok(())
}

/// Something that was sent has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CameBack {
    /// Where it should have gone.
    pub(super) to: SocketAddr,
    /// Nobody is there. Else it was only too large for some line, or not understood on the way.
    pub(super) is_gone: bool,
}

/// The next that came back.
#[cfg(target_os = "linux")]
pub(super) fn next(socket: &UdpSocket) -> Option<CameBack> {
    use std::net::{SocketAddrV4, SocketAddrV6};
    use std::os::fd::AsRawFd;

    use nix::cmsg_space;
    use nix::errno::Errno;
    use nix::libc::{sock_extended_err, sockaddr_in6};
    use nix::sys::socket::ControlMessageOwned::{Ipv4RecvErr, Ipv6RecvErr};
    use nix::sys::socket::{MsgFlags, SockaddrStorage, recvmsg};

    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let mut space = cmsg_space!(sock_extended_err, sockaddr_in6);
    let told = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut [], Some(&mut space), flags);
    let told = told.ok()?;
    let is_gone = told.cmsgs().any(|what| match what {
        Ipv4RecvErr(why, _) | Ipv6RecvErr(why, _) => {
            i32::try_from(why.ee_errno).is_ok_and(|number| means_gone(Errno::from_raw(number)))
        }
        _ => false,
    });
    let to = told.address?;
    let v4 = to.as_sockaddr_in().map(|to| SocketAddrV4::from(*to).into());
    let to = v4.or_else(|| to.as_sockaddr_in6().map(|to| SocketAddrV6::from(*to).into()))?;
    Some(CameBack { to, is_gone })
}

/// Whether this error says that nobody is there.
#[cfg(target_os = "linux")]
fn means_gone(why: nix::errno::Errno) -> bool {
    use nix::errno::Errno::{
        ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH, ENONET, ENOPROTOOPT,
    };

    matches!(why, ECONNREFUSED | EHOSTUNREACH | ENETUNREACH | ENOPROTOOPT | EHOSTDOWN | ENONET)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn listen(_: &UdpSocket) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn next(_: &UdpSocket) -> Option<CameBack> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use nix::errno::Errno;

    use super::*;

    /// A picture that some line is too narrow for is sent in pieces the next time.
    #[test]
    fn nobody_is_given_up_because_a_datagram_was_too_large() {
        assert!(means_gone(Errno::ECONNREFUSED) && means_gone(Errno::EHOSTUNREACH));
        assert!(!means_gone(Errno::EMSGSIZE) && !means_gone(Errno::EPROTO));
    }
}
