//! What goes wrong, and when it ends.

use super::brokers::BROKERS;
use super::links::Link;
use super::plan::PowerLoss;
use super::world::World;

/// The end of a fault.
#[derive(Clone, Debug)]
pub(super) enum Repair {
    Links(Vec<Link>),
    StartNode(usize),
    StartBroker(usize),
}

impl World {
    /// One random fault.
    pub(super) fn inject_fault(&mut self) {
        self.outcome.faults += 1;
        let node = self.rng.index(self.nodes.len());
        let are_nodes_spared = self.plan.power_loss != PowerLoss::None;
        match self.rng.below(12) {
            0 | 1 if !are_nodes_spared => self.crash_node(node),
            2 | 3 if !are_nodes_spared => self.pause_node(node),
            4 | 5 if !are_nodes_spared => self.cut_node(node),
            6 if !are_nodes_spared => self.cut_brokers(),
            7 | 8 => self.crash_brokers(1),
            9 if !are_nodes_spared => {
                let count = 1 + self.rng.index(BROKERS);
                self.crash_brokers(count);
            }
            10 => self.jump_clock(node),
            _ => self.forge(node),
        }
    }

    fn crash_node(&mut self, node: usize) {
        let down_ms = self.rng.between(100, 5_000);
        self.note(&format!("{} crashes for {down_ms} ms", self.instance(node)));
        self.kill(node);
        self.repair_later(down_ms, Repair::StartNode(node));
    }

    fn pause_node(&mut self, node: usize) {
        let pause_ms = self.rng.between(100, 6_000);
        self.note(&format!("{} is paused for {pause_ms} ms", self.instance(node)));
        self.pause(node, pause_ms);
    }

    fn cut_node(&mut self, node: usize) {
        let direction = self.rng.below(3);
        let brokers = match self.rng.below(2) {
            0 => 0..BROKERS,
            _ => 0..1 + self.rng.index(BROKERS),
        };
        let links = brokers.flat_map(|broker| {
            let up = (direction != 0).then_some(Link::Up(node, broker));
            let down = (direction != 1).then_some(Link::Down(node, broker));
            up.into_iter().chain(down)
        });
        self.cut(links.collect());
    }

    fn cut_brokers(&mut self) {
        let one = self.rng.index(BROKERS);
        let is_one_way = self.rng.below(2) == 0;
        let others = (0..BROKERS).filter(|other| *other != one);
        let links = others.flat_map(|other| {
            let back = (!is_one_way).then_some(Link::Between(other, one));
            [Some(Link::Between(one, other)), back].into_iter().flatten()
        });
        self.cut(links.collect());
    }

    fn cut(&mut self, links: Vec<Link>) {
        let cut_ms = self.rng.between(100, 5_000);
        self.note(&format!("cut for {cut_ms} ms: {links:?}"));
        for link in &links {
            self.links.set(*link, false);
        }
        self.repair_later(cut_ms, Repair::Links(links));
    }

    fn crash_brokers(&mut self, count: usize) {
        for _ in 0..count {
            let broker = self.rng.index(BROKERS);
            let down_ms = self.rng.between(100, 4_000);
            let loses = if self.rng.below(2) == 0 { self.rng.index(20) } else { 0 };
            self.note(&format!("broker {broker} crashes for {down_ms} ms, and may lose {loses}"));
            self.brokers.crash(broker, loses);
            self.repair_later(down_ms, Repair::StartBroker(broker));
        }
    }

    fn jump_clock(&mut self, node: usize) {
        let jump_ms = self.rng.between(100, 400_000);
        let clock = &mut self.nodes[node].clock;
        if self.rng.below(2) == 0 {
            *clock += jump_ms;
        } else {
            *clock = clock.saturating_sub(jump_ms);
        }
        self.note(&format!("the clock of {} jumps", self.instance(node)));
    }

    pub(super) fn repair(&mut self, repair: Repair) {
        match repair {
            Repair::Links(links) => links.into_iter().for_each(|link| self.links.set(link, true)),
            Repair::StartNode(node) => self.start(node),
            Repair::StartBroker(broker) => self.brokers.restart(broker),
        }
    }

    /// All faults end.
    pub(super) fn heal(&mut self) {
        self.note("all faults end");
        self.is_faulty = false;
        self.shunned = None;
        self.links.heal();
        self.brokers.set_slow_elections(false);
        for broker in 0..BROKERS {
            self.brokers.restart(broker);
        }
        for node in 0..self.nodes.len() {
            if self.nodes[node].paused_until > self.now {
                self.pause(node, 0);
            }
            self.start(node);
        }
    }
}
