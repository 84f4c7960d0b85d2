//! The classic UDP ports of games: a game gets a port when it is opened and releases it when it is over.

use std::collections::BTreeSet;
use std::sync::Arc;

use tracing::{debug, warn};

use super::Service;
use crate::{ClaimedNames, GameId, GameMeta, HostOptions, StartError, UdpPort, UdpPorts};

/// Returns the classic ports if `--udp` enables them. They are bound to the address of the web server, or to all addresses
/// if a proxy is in front of it, since then that address is not the public one.
pub(super) fn ports(
    options: &HostOptions,
    claimed_names: &Arc<ClaimedNames>,
) -> Result<Option<UdpPorts>, StartError> {
    let Some(ports) = &options.udp else { return Ok(None) };
    let address = options.listen.ip();
    let bind = (!options.trust_proxy && !address.is_unspecified()).then_some(address);
    UdpPorts::new(bind, ports.len(), Arc::clone(claimed_names))
        .map(Some)
        .map_err(StartError::Runtime)
}

impl Service {
    /// Opens the classic port of a game: the port in `meta`, or else a free port that is not reserved for another game.
    /// Stores the opened port in `meta`. If no port is free, the game can still be played in the browser.
    pub(super) fn open_udp(
        &self,
        meta: &mut GameMeta,
        reserved: &BTreeSet<u16>,
    ) -> Option<UdpPort> {
        let own = meta.udp_port.take();
        let opened = self.udp.as_ref().and_then(|udp| {
            let free = self.lobby().free_udp_ports();
            let others = free.into_iter().filter(|port| !reserved.contains(port));
            own.into_iter().chain(others).find_map(|port| {
                let opened = udp.open(meta.id, port, &self.workers);
                let opened = opened.inspect_err(|why| debug!("can't open UDP port {port}: {why}"));
                Some((port, opened.ok()?))
            })
        });
        if opened.is_none() && self.udp.is_some() {
            warn!("game {} has no UDP port: none of --udp is free. Give a larger range", meta.id);
        }
        let (port, opened) = opened.unzip();
        meta.udp_port = port;
        self.lobby().set_udp_port(meta.id, port);
        opened
    }

    /// Closes the port of a finished game, which has resent its final message until now.
    pub(super) fn close_udp(&self, game: GameId) {
        self.udp.iter().for_each(|udp| udp.close(game));
    }
}
