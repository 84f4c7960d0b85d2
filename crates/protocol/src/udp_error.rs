//! The meaning of UDP socket errors, for servers and clients alike. ICMP messages about earlier datagrams
//! are reported as errors of the next call.

use std::io::ErrorKind;

/// The meaning of an error that a UDP socket reports.
///
/// ```
/// use std::io::ErrorKind;
///
/// use nuggets_protocol::UdpError;
///
/// assert_eq!(UdpError::of(ErrorKind::TimedOut), UdpError::NothingArrived);
/// assert_eq!(UdpError::of(ErrorKind::ConnectionRefused), UdpError::Unreachable);
/// assert_eq!(UdpError::of(ErrorKind::PermissionDenied), UdpError::Failure);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UdpError {
    /// Nothing arrived in time, or a signal interrupted the call.
    NothingArrived,
    /// An earlier datagram came back: its port is closed, or there is no route.
    Unreachable,
    /// The socket itself failed.
    Failure,
}

impl UdpError {
    /// The meaning of an error of this kind.
    pub fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {
                Self::NothingArrived
            }
            ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable => Self::Unreachable,
            _ => Self::Failure,
        }
    }
}
