//! Where the nodes run: all on loopback, or each in a network namespace of its own, which can be cut off from the brokers.
//!
//! A namespace has two links, so that a node that is cut off from the brokers still has its clients:
//!
//! ```text
//! clients ── 10.201.n.1 ── 10.201.n.2 ┐
//!                                     ├ node n
//! brokers ── 10.202.n.1 ── 10.202.n.2 ┘
//! ```

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

/// The network of one node.
pub(crate) enum Network {
    /// Loopback.
    Shared,
    /// A namespace.
    Own(Namespace),
}

/// A network namespace. It is deleted when the test is over, however it ends.
pub(crate) struct Namespace {
    name: String,
    number: u8,
}

/// A direction in which nothing arrives any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Both,
    FromBrokers,
    ToBrokers,
}

impl Network {
    /// Where clients find the node.
    pub(crate) fn address(&self) -> Ipv4Addr {
        match self {
            Self::Shared => Ipv4Addr::LOCALHOST,
            Self::Own(namespace) => Ipv4Addr::new(10, 201, namespace.number, 2),
        }
    }

    /// Where the node finds the brokers.
    pub(crate) fn brokers(&self) -> Ipv4Addr {
        match self {
            Self::Shared => Ipv4Addr::LOCALHOST,
            Self::Own(namespace) => Ipv4Addr::new(10, 202, namespace.number, 1),
        }
    }

    /// A command that runs in this network, in the same process.
    pub(crate) fn command(&self, program: &str) -> Command {
        match self {
            Self::Shared => Command::new(program),
            Self::Own(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", &namespace.name, program]);
                command
            }
        }
    }
}

impl Namespace {
    /// Makes a namespace, or nothing where that is not permitted.
    pub(crate) fn new(number: u8) -> Option<Self> {
        let namespace = Self { name: format!("nuggets-{}-{number}", std::process::id()), number };
        let made = ip(&["netns", "add", &namespace.name]);
        made.then_some(())?;
        let name = &*namespace.name;
        let links = ["c", "b"].iter().zip([201, 202]).all(|(side, net)| {
            let outer = namespace.link(side);
            let (ours, its) =
                (format!("10.{net}.{number}.1/24"), format!("10.{net}.{number}.2/24"));
            ip(&["link", "add", &outer, "type", "veth", "peer", "name", side, "netns", name])
                && ip(&["addr", "add", &ours, "dev", &outer])
                && ip(&["link", "set", "dev", &outer, "up"])
                && ip(&["-n", name, "addr", "add", &its, "dev", side])
                && ip(&["-n", name, "link", "set", "dev", side, "up"])
        });
        // Clients keep their address, whichever node they talk to.
        let gateway = format!("10.201.{number}.1");
        let is_up = ip(&["-n", name, "link", "set", "dev", "lo", "up"])
            && ip(&["-n", name, "route", "add", "default", "via", &gateway]);
        (links && is_up).then_some(namespace)
    }

    /// Cuts the node off from the brokers.
    pub(crate) fn cut(&self, cut: Cut) {
        let (ours, its) = self.brokers_link();
        if cut != Cut::FromBrokers {
            assert!(ip(&["-n", &self.name, "route", "add", "blackhole", &ours]));
        }
        if cut != Cut::ToBrokers {
            assert!(ip(&["route", "add", "blackhole", &its]));
        }
    }

    /// Connects it again.
    pub(crate) fn mend(&self) {
        let (ours, its) = self.brokers_link();
        // Only one of them may be there.
        ip(&["-n", &self.name, "route", "del", "blackhole", &ours]);
        ip(&["route", "del", "blackhole", &its]);
    }

    fn brokers_link(&self) -> (String, String) {
        (format!("10.202.{}.1/32", self.number), format!("10.202.{}.2/32", self.number))
    }

    /// The outer end of a link. Names of links have at most 15 characters.
    fn link(&self, side: &str) -> String {
        format!("ng{}{side}{}", std::process::id(), self.number)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let (_, its) = self.brokers_link();
        ip(&["route", "del", "blackhole", &its]);
        // Its links go with it.
        ip(&["netns", "del", &self.name]);
    }
}

/// Runs `ip`; true if it succeeds.
fn ip(args: &[&str]) -> bool {
    let mut command = Command::new("ip");
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
