//! Which way messages can go: between brokers, and between nodes and brokers. Each direction can be cut by itself.

use super::brokers::BROKERS;

/// The links that are cut.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// From node to broker.
    up: Vec<[bool; BROKERS]>,
    /// From broker to node.
    down: Vec<[bool; BROKERS]>,
    between: [[bool; BROKERS]; BROKERS],
}

/// A direction between a node and a broker, or between two brokers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Link {
    Up(usize, usize),
    Down(usize, usize),
    Between(usize, usize),
}

impl Links {
    pub(super) fn new(nodes: usize) -> Self {
        let all = vec![[true; BROKERS]; nodes];
        Self { up: all.clone(), down: all, between: [[true; BROKERS]; BROKERS] }
    }

    pub(super) fn set(&mut self, link: Link, is_open: bool) {
        match link {
            Link::Up(node, broker) => self.up[node][broker] = is_open,
            Link::Down(node, broker) => self.down[node][broker] = is_open,
            Link::Between(from, to) => self.between[from][to] = is_open,
        }
    }

    pub(super) fn heal(&mut self) {
        *self = Self::new(self.up.len());
    }

    pub(super) fn is_up(&self, node: usize, broker: usize) -> bool {
        self.up[node][broker]
    }

    pub(super) fn is_down(&self, node: usize, broker: usize) -> bool {
        self.down[node][broker]
    }

    pub(super) fn is_route(&self, from: usize, to: usize) -> bool {
        from == to || self.between[from][to]
    }

    /// Both directions.
    pub(super) fn are_brokers_connected(&self, one: usize, other: usize) -> bool {
        self.is_route(one, other) && self.is_route(other, one)
    }
}
