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

/// The next address that something came back from.
#[cfg(target_os = "linux")]
pub(super) fn next(socket: &UdpSocket) -> Option<SocketAddr> {
    use std::net::{SocketAddrV4, SocketAddrV6};
    use std::os::fd::AsRawFd;

    use nix::sys::socket::{MsgFlags, SockaddrStorage, recvmsg};

    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let told = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut [], None, flags).ok()?;
    let to = told.address?;
    let v4 = to.as_sockaddr_in().map(|to| SocketAddrV4::from(*to).into());
    v4.or_else(|| to.as_sockaddr_in6().map(|to| SocketAddrV6::from(*to).into()))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn listen(_: &UdpSocket) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn next(_: &UdpSocket) -> Option<SocketAddr> {
    None
}
