//! Nodes, brokers, links and clients in virtual time: what is on its way, and where it arrives.

use std::collections::{BTreeMap, VecDeque};

use nuggets_time::Timestamp;

use super::ClusterOutcome;
use super::brokers::{BROKERS, Brokers, STREAMS};
use super::client::SimClient;
use super::faults::Repair;
use super::links::Links;
use super::plan::ClusterPlan;
use super::process::{Disk, Input, Process};
use super::rng::SimRng;
use super::sabotage::ClusterSabotage;
use super::stream::{ReplyTo, SimPublish};
use super::truth::Truth;
use crate::{EngineReply, Instance, LogName, NodeId, Seq, Subject};

/// The last lines of the trace that a failure shows.
const MAX_TRACE: usize = 60;
/// The clock of a node reads this at the start, plus its own offset.
const CLOCK_START: u64 = 1_000_000;
/// Brokers replicate this often.
const TICK_MS: u64 = 5;
/// How long it takes to read a record and to rebuild what it did. Logs are short here: real ones are read much faster.
const READ_MS: u64 = 1;
/// A node looks for another broker if its own does not answer for this long.
const RECONNECT_MS: u64 = 400;

#[derive(Debug)]
pub(super) struct World {
    pub(super) plan: ClusterPlan,
    pub(super) rng: SimRng,
    pub(super) now: u64,
    queue: BTreeMap<(u64, u64), Event>,
    count: u64,
    pub(super) nodes: Vec<SimNode>,
    pub(super) brokers: Brokers,
    pub(super) links: Links,
    pub(super) clients: Vec<SimClient>,
    pub(super) truth: Truth,
    /// How much of what the brokers have committed in each stream was checked.
    pub(super) checked: [usize; STREAMS],
    /// Messages are lost and late only while it is set.
    pub(super) is_faulty: bool,
    pub(super) is_pressing: bool,
    /// A node that clients do not go to, because it has failed.
    pub(super) shunned: Option<usize>,
    /// When a key of each log was last answered.
    pub(super) answered_at: BTreeMap<LogName, u64>,
    /// When a log was stopped to be handed over.
    pub(super) stopped_at: BTreeMap<LogName, u64>,
    trace: VecDeque<String>,
    pub(super) outcome: ClusterOutcome,
}

#[derive(Debug)]
pub(super) struct SimNode {
    pub(super) id: NodeId,
    pub(super) process: Option<Process>,
    pub(super) incarnation: u64,
    pub(super) disk: Disk,
    broker: usize,
    broker_failed_since: Option<u64>,
    pub(super) paused_until: u64,
    /// What has arrived while it was paused.
    pub(super) unread: Vec<Input>,
    pub(super) clock: u64,
    wake_at: u64,
}

#[derive(Debug)]
pub(super) enum Event {
    ToNode { node: usize, incarnation: u64, input: Input },
    ToBroker { broker: usize, request: BrokerRequest },
    Wake { node: usize, incarnation: u64 },
    Tick,
    Client(usize),
    Repair(Repair),
}

#[derive(Clone, Debug)]
pub(super) enum BrokerRequest {
    Publish(SimPublish),
    Read { reply_to: ReplyTo, subject: Subject, after: Seq },
    Watch { node: usize, incarnation: u64, after: Seq },
    Pass { to: PassTo, input: Input },
}

/// Where a core message goes.
#[derive(Clone, Debug)]
pub(super) enum PassTo {
    All,
    One(Instance),
}

impl World {
    pub(super) fn new(plan: ClusterPlan) -> Self {
        let mut rng = SimRng::new(plan.seed ^ 0x5eed);
        let node = |number: usize| SimNode {
            id: NodeId::new(&format!("n{number}")).expect("a good name"),
            process: None,
            incarnation: 0,
            disk: Disk::new(),
            broker: number % BROKERS,
            broker_failed_since: None,
            paused_until: 0,
            unread: vec![],
            clock: CLOCK_START + rng.below(CLOCK_START),
            wake_at: u64::MAX,
        };
        let nodes: Vec<SimNode> = (0..plan.nodes).map(node).collect();
        let outcome = ClusterOutcome { seed: plan.seed, ..ClusterOutcome::default() };
        let mut world = Self {
            links: Links::new(plan.nodes),
            plan,
            rng,
            now: 0,
            queue: BTreeMap::new(),
            count: 0,
            nodes,
            brokers: Brokers::new(),
            clients: vec![],
            truth: Truth::default(),
            checked: [0; STREAMS],
            is_faulty: false,
            is_pressing: true,
            shunned: None,
            answered_at: BTreeMap::new(),
            stopped_at: BTreeMap::new(),
            trace: VecDeque::new(),
            outcome,
        };
        world.schedule(0, Event::Tick);
        for node in 0..world.nodes.len() {
            world.start(node);
        }
        world
    }

    pub(super) fn note(&mut self, line: &str) {
        if self.trace.len() == MAX_TRACE {
            self.trace.pop_front();
        }
        let (seconds, ms) = (self.now / 1_000, self.now % 1_000);
        self.trace.push_back(format!("{seconds:3}.{ms:03} {line}"));
    }

    pub(super) fn take_trace(&mut self) -> Vec<String> {
        std::mem::take(&mut self.trace).into()
    }

    pub(super) fn schedule(&mut self, after_ms: u64, event: Event) {
        self.count += 1;
        self.queue.insert((self.now + after_ms, self.count), event);
    }

    pub(super) fn repair_later(&mut self, after_ms: u64, repair: Repair) {
        self.schedule(after_ms, Event::Repair(repair));
    }

    pub(super) fn add_client(&mut self, client: SimClient) {
        self.clients.push(client);
        self.schedule(10, Event::Client(self.clients.len() - 1));
    }

    /// Starts the process of a node, with what is on its disk.
    pub(super) fn start(&mut self, node: usize) {
        let now = self.now;
        let sim = &mut self.nodes[node];
        if sim.process.is_some() {
            return;
        }
        sim.incarnation += 1;
        let me = Instance { node: sim.id.clone(), incarnation: sim.incarnation };
        let reading = Timestamp(now + sim.clock);
        sim.process = Some(Process::new(reading, me, self.plan.sabotage));
        sim.paused_until = 0;
        sim.unread.clear();
        let incarnation = sim.incarnation;
        self.schedule(0, Event::Wake { node, incarnation });
    }

    /// Ends the process of a node: only its disk is left.
    pub(super) fn kill(&mut self, node: usize) {
        self.nodes[node].process = None;
        self.disconnect_clients(node);
    }

    /// The clients of a node notice that it has failed.
    pub(super) fn disconnect_clients(&mut self, node: usize) {
        let gone =
            self.clients.iter_mut().filter(|it| it.at.as_ref().is_some_and(|at| at.0 == node));
        gone.for_each(SimClient::disconnect);
    }

    /// Lets time pass until this time.
    pub(super) fn run_until(&mut self, end: u64) -> Result<(), String> {
        while let Some(entry) = self.queue.first_entry()
            && entry.key().0 <= end
        {
            let ((at, _), event) = entry.remove_entry();
            self.now = at;
            self.handle_event(event)?;
        }
        self.now = self.now.max(end);
        Ok(())
    }

    fn handle_event(&mut self, event: Event) -> Result<(), String> {
        self.outcome.events += 1;
        match event {
            Event::Tick => {
                self.schedule(TICK_MS, Event::Tick);
                for (reply_to, reply) in self.brokers.tick(self.now, &self.links, &mut self.rng) {
                    self.reply(reply_to, reply);
                }
                self.check_committed()
            }
            Event::ToBroker { broker, request } => {
                if !self.brokers.is_down(broker) {
                    self.handle_request(broker, request);
                }
                Ok(())
            }
            Event::ToNode { node, incarnation, input } => self.deliver(node, incarnation, input),
            Event::Wake { node, incarnation } => {
                self.nodes[node].wake_at = u64::MAX;
                self.deliver(node, incarnation, Input::Wake)
            }
            Event::Client(number) => self.act(number),
            Event::Repair(repair) => {
                self.repair(repair);
                Ok(())
            }
        }
    }

    /// Something arrives at a node. A paused process gets it when it runs again.
    pub(super) fn deliver(
        &mut self,
        node: usize,
        incarnation: u64,
        input: Input,
    ) -> Result<(), String> {
        let now = self.now;
        let sim = &mut self.nodes[node];
        if sim.incarnation != incarnation || sim.process.is_none() {
            return Ok(());
        }
        if sim.paused_until > now {
            sim.unread.push(input);
            return Ok(());
        }
        self.reconnect_if_needed(node);
        let mut inputs = std::mem::take(&mut self.nodes[node].unread);
        inputs.push(input);
        let is_from_owner = inputs.iter().any(|input| matches!(input, Input::FromOwner { .. }));
        for input in inputs {
            let sim = &mut self.nodes[node];
            let reading = Timestamp(now + sim.clock);
            let Some(process) = &mut sim.process else { return Ok(()) };
            let effects = process.handle(reading, input, &mut sim.disk);
            self.carry_out(node, effects)?;
        }
        if is_from_owner {
            self.note_answers(node);
        }
        self.schedule_wake(node);
        Ok(())
    }

    /// Nothing happens in the process of a node for so long.
    pub(super) fn pause(&mut self, node: usize, pause_ms: u64) {
        let sim = &mut self.nodes[node];
        sim.paused_until = self.now + pause_ms;
        let incarnation = sim.incarnation;
        self.schedule(pause_ms, Event::Wake { node, incarnation });
    }

    fn schedule_wake(&mut self, node: usize) {
        let sim = &mut self.nodes[node];
        let Some(process) = &sim.process else { return };
        let at = process.wake_at().0.saturating_sub(sim.clock).max(self.now + 1);
        if at < sim.wake_at {
            sim.wake_at = at;
            let incarnation = sim.incarnation;
            self.schedule(at - self.now, Event::Wake { node, incarnation });
        }
    }

    fn reconnect_if_needed(&mut self, node: usize) {
        let is_good = |broker: usize| {
            let is_linked = self.links.is_up(node, broker) && self.links.is_down(node, broker);
            is_linked && !self.brokers.is_down(broker)
        };
        let is_failed = !is_good(self.nodes[node].broker);
        let good: Vec<usize> = (0..BROKERS).filter(|broker| is_good(*broker)).collect();
        let sim = &mut self.nodes[node];
        if !is_failed {
            sim.broker_failed_since = None;
        } else if self.now - *sim.broker_failed_since.get_or_insert(self.now) >= RECONNECT_MS
            && !good.is_empty()
        {
            sim.broker = good[self.rng.index(good.len())];
            sim.broker_failed_since = None;
        }
    }

    /// How long a message takes; `None` if it is lost.
    fn delay(&mut self) -> Option<u64> {
        let delay = self.rng.between(1, 4);
        if !self.is_faulty {
            return Some(delay);
        }
        if self.rng.is_in_thousand(self.plan.loss) {
            self.outcome.lost += 1;
            return None;
        }
        let is_late = self.rng.is_in_thousand(self.plan.late);
        Some(if is_late { self.rng.between(100, 3_000) } else { delay })
    }

    pub(super) fn send_up(&mut self, node: usize, request: BrokerRequest) {
        let broker = self.nodes[node].broker;
        if !self.links.is_up(node, broker) {
            return;
        }
        if self.is_faulty
            && matches!(request, BrokerRequest::Publish(_))
            && self.rng.is_in_thousand(self.plan.doubled)
        {
            self.outcome.doubled += 1;
            let later = self.rng.between(1, 3_000);
            self.schedule(later, Event::ToBroker { broker, request: request.clone() });
        }
        if let Some(delay) = self.delay() {
            self.schedule(delay, Event::ToBroker { broker, request });
        }
    }

    fn send_down(&mut self, node: usize, incarnation: u64, input: Input) {
        self.send_down_after(0, node, incarnation, input);
    }

    fn send_down_after(&mut self, ms: u64, node: usize, incarnation: u64, input: Input) {
        let broker = self.nodes[node].broker;
        if !self.links.is_down(node, broker) || self.brokers.is_down(broker) {
            return;
        }
        if let Some(delay) = self.delay() {
            self.schedule(ms + delay, Event::ToNode { node, incarnation, input });
        }
    }

    fn reply(&mut self, to: ReplyTo, reply: EngineReply) {
        let ReplyTo { node, incarnation, journal, id } = to;
        let read_ms = match &reply {
            EngineReply::Messages { messages, .. } => messages.len() as u64 * READ_MS,
            _ => 0,
        };
        self.send_down_after(read_ms, node, incarnation, Input::Reply { journal, id, reply });
    }

    fn handle_request(&mut self, broker: usize, request: BrokerRequest) {
        match request {
            BrokerRequest::Publish(publish) => {
                let Some((to, reply)) = self.brokers.publish(&self.links, broker, publish) else {
                    return;
                };
                // Often nobody says so.
                if reply != EngineReply::NoLeader || self.rng.below(2) == 0 {
                    self.reply(to, reply);
                }
            }
            BrokerRequest::Read { reply_to, subject, after } => {
                let mut reply = self.brokers.read(broker, &subject, after);
                let is_sabotaged = self.plan.sabotage == Some(ClusterSabotage::Tail);
                if is_sabotaged && matches!(subject, Subject::Log(..)) {
                    drop_last(&mut reply);
                }
                self.reply(reply_to, reply);
            }
            BrokerRequest::Watch { node, incarnation, after } => {
                let input = match self.brokers.watch(broker, after) {
                    Some((records, end)) => Input::Ownership { records, end },
                    None => Input::WatchRestart,
                };
                self.send_down(node, incarnation, input);
            }
            BrokerRequest::Pass { to, input } => self.pass(broker, &to, &input),
        }
    }

    fn pass(&mut self, broker: usize, to: &PassTo, input: &Input) {
        for node in 0..self.nodes.len() {
            let sim = &self.nodes[node];
            let incarnation = match to {
                PassTo::All => sim.incarnation,
                PassTo::One(instance) if instance.node == sim.id => instance.incarnation,
                PassTo::One(_) => continue,
            };
            if self.links.is_route(broker, sim.broker) {
                self.send_down(node, incarnation, input.clone());
            }
        }
    }

    /// What the brokers have committed is not so any more.
    pub(super) fn lose_power(&mut self, most_ms: u64) {
        self.note("all brokers lose power");
        self.brokers.lose_power(&mut self.rng, most_ms);
        // What was on its way to them is gone with their connections. Otherwise a publish could arrive whose expected
        // sequence has been used again.
        self.queue.retain(|_, event| !matches!(event, Event::ToBroker { .. }));
        self.truth.handle_power_loss();
        self.checked = [0; STREAMS];
    }

    pub(super) fn client_later(&mut self, client: usize, after_ms: u64) {
        self.schedule(after_ms, Event::Client(client));
    }

    pub(super) fn after_client(&mut self, node: usize) -> Result<(), String> {
        let incarnation = self.nodes[node].incarnation;
        self.deliver(node, incarnation, Input::Wake)
    }
}

fn drop_last(reply: &mut EngineReply) {
    if let EngineReply::Messages { messages, is_end } = reply
        && *is_end
    {
        messages.pop();
    }
}
