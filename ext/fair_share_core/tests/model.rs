//! Compares a queue with a model, over random sequences of verbs and of what others do to the lists meanwhile.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use fair_share_core::control::{Change, Settings};
use fair_share_core::leases::Recovered;
use fair_share_core::queue::{Charge, Limits, Queue};
use fair_share_core::route::Route;
use fair_share_core::turns::{Enqueued, Job, Reserved, Ticket};
use proptest::prelude::*;
use support::bed::{payload_of, Bed, Held, OWNER, PID, PREFIX};

/// Ids and configured weights; the last is the lane.
const TENANTS: [(&str, Option<f64>); 5] = [
    ("a", None),
    ("b", Some(2.0)),
    ("c", Some(0.5)),
    ("", None),
    ("%", None),
];
const LANE: usize = TENANTS.len() - 1;

fn route(tenant: usize) -> Route {
    match TENANTS[tenant] {
        _ if tenant == LANE => Route::lane(),
        (id, weight) => Route::to(id, weight),
    }
}

/// A step of a sequence. The number of a lease is taken modulo the number of leases.
#[derive(Debug, Clone)]
enum Step {
    Enqueue(usize),
    Reserve,
    /// A stock pop precedes the reserve and hands its ticket on; with `mend`, a mend runs between the two.
    PopAndReserve {
        mend: bool,
    },
    /// Repeats the reserve of a lease, as after a lost reply.
    ReserveAgain(usize),
    Release {
        lease: usize,
        took: u64,
    },
    ReleaseAgain(usize),
    Recover {
        lease: usize,
        started: bool,
    },
    RecoverAgain(usize),
    /// Another client pushes a payload.
    Push {
        tenant: usize,
        left: bool,
    },
    /// A worker without this gem pops.
    Pop,
    Mend,
    Set {
        tenant: usize,
        settings: (Change<f64>, Change<u64>, Change<bool>),
    },
    Cap(u64),
}

fn change<T: Clone + std::fmt::Debug + 'static>(to: Vec<T>) -> impl Strategy<Value = Change<T>> {
    prop_oneof![
        2 => Just(Change::Keep),
        1 => Just(Change::TakeBack),
        2 => prop::sample::select(to).prop_map(Change::To),
    ]
}

fn step(caps_vary: bool) -> impl Strategy<Value = Step> {
    let tenant = 0..TENANTS.len();
    let settings = (
        change(vec![0.5, 1.0, 3.0]),
        change(vec![0, 1, 2]),
        change(vec![true, false, false]),
    );
    prop_oneof![
        30 => tenant.clone().prop_map(Step::Enqueue),
        25 => Just(Step::Reserve),
        3 => any::<bool>().prop_map(|mend| Step::PopAndReserve { mend }),
        2 => any::<usize>().prop_map(Step::ReserveAgain),
        18 => (any::<usize>(), 0..3000_u64).prop_map(|(lease, took)| Step::Release { lease, took }),
        2 => any::<usize>().prop_map(Step::ReleaseAgain),
        5 => (any::<usize>(), any::<bool>())
            .prop_map(|(lease, started)| Step::Recover { lease, started }),
        2 => any::<usize>().prop_map(Step::RecoverAgain),
        5 => (tenant, any::<bool>()).prop_map(|(tenant, left)| Step::Push { tenant, left }),
        3 => Just(Step::Pop),
        3 => Just(Step::Mend),
        5 => (0..LANE, settings).prop_map(|(tenant, settings)| Step::Set { tenant, settings }),
        if caps_vary { 10 } else { 1 } =>
            if caps_vary { (0..4_u64).prop_map(Step::Cap).boxed() } else { Just(Step::Mend).boxed() },
    ]
}

struct Model<'a> {
    bed: &'a mut Bed,
    /// Payloads by encoded partition, the next one first.
    waiting: BTreeMap<String, VecDeque<String>>,
    running: Vec<Job>,
    ended: Vec<String>,
    /// The number of tickets in the main list, and the other payloads there.
    tickets: usize,
    foreign: Vec<String>,
    /// How often each payload went to a worker, and how often it has to go to one.
    handed_out: BTreeMap<String, u32>,
    expected: BTreeMap<String, u32>,
    caps_vary: bool,
}

impl<'a> Model<'a> {
    fn new(bed: &'a mut Bed, limits: Limits, caps_vary: bool) -> Self {
        bed.tell(&["FLUSHALL"]);
        bed.queue = Queue::new(PREFIX, "fair");
        bed.limits = limits;
        Self {
            bed,
            waiting: BTreeMap::new(),
            running: Vec::new(),
            ended: Vec::new(),
            tickets: 0,
            foreign: Vec::new(),
            handed_out: BTreeMap::new(),
            expected: BTreeMap::new(),
            caps_vary,
        }
    }

    /// Makes a payload that contains its tenant, so that it can be routed.
    fn new_payload(&mut self, tenant: usize) -> String {
        let payload = format!("{{{tenant}:{}}}", self.expected.len());
        self.expected.insert(payload.clone(), 1);
        payload
    }

    fn count_waiting(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    fn main_length(&self) -> usize {
        self.tickets + self.foreign.len()
    }

    fn in_flight(&self, partition: &str) -> u64 {
        let of_it = |job: &&Job| job.partition == partition;
        self.running.iter().filter(of_it).count() as u64
    }

    fn nth_running(&mut self, n: usize) -> Option<Job> {
        (!self.running.is_empty()).then(|| self.running[n % self.running.len()].clone())
    }

    fn nth_ended(&self, n: usize) -> Option<String> {
        (!self.ended.is_empty()).then(|| self.ended[n % self.ended.len()].clone())
    }

    fn end(&mut self, job: &Job) {
        self.running.retain(|other| other.lease_id != job.lease_id);
        self.ended.push(job.lease_id.clone());
    }

    fn handed_out(&mut self, payload: String) {
        *self.handed_out.entry(payload).or_default() += 1;
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Enqueue(tenant) => self.enqueue(tenant),
            Step::Reserve => self.reserve(Ticket::Take),
            Step::PopAndReserve { mend } => {
                if self.stock_pop() {
                    if mend {
                        self.mend();
                    }
                    self.reserve(Ticket::Given);
                }
            }
            Step::ReserveAgain(n) => {
                if let Some(job) = self.nth_running(n) {
                    self.bed.queue.give_back(PID, job.lease_id.clone());
                    let again = self.bed.take();
                    assert_eq!((again.lease_id, again.element), (job.lease_id, job.element));
                }
            }
            Step::Release { lease, took } => {
                if let Some(job) = self.nth_running(lease) {
                    self.bed.age(&job.lease_id, took);
                    let released = self.bed.release(&job.lease_id);
                    self.end(&job);
                    let in_flight = self.in_flight(&job.partition);
                    assert_eq!(released, Some((job.partition, in_flight)));
                }
            }
            Step::ReleaseAgain(n) => {
                if let Some(id) = self.nth_ended(n) {
                    assert_eq!(self.bed.release(&id), None);
                }
            }
            Step::Recover { lease, started } => {
                if let Some(job) = self.nth_running(lease) {
                    self.recover(&job, started);
                }
            }
            Step::RecoverAgain(n) => {
                if let Some(id) = self.nth_ended(n) {
                    assert_eq!(self.bed.recover(&id), Recovered::Gone);
                }
            }
            Step::Push { tenant, left } => {
                let payload = self.new_payload(tenant);
                let main = self.bed.main();
                let command = if left { "LPUSH" } else { "RPUSH" };
                self.bed.tell(&[command, &main, &payload]);
                self.foreign.push(payload);
            }
            Step::Pop => {
                self.stock_pop();
            }
            Step::Mend => self.mend(),
            Step::Set { tenant, settings } => {
                let (weight, cap, paused) = settings;
                let settings = Settings {
                    weight,
                    cap,
                    paused,
                };
                let (queue, limits) = (&self.bed.queue, self.bed.limits);
                queue
                    .set(&mut self.bed.redis, &route(tenant), settings, limits.cap)
                    .unwrap();
            }
            Step::Cap(cap) => self.bed.limits.cap = cap,
        }
    }

    fn enqueue(&mut self, tenant: usize) {
        let payload = self.new_payload(tenant);
        let route = route(tenant);
        match self.bed.enqueue_to(&route, &payload) {
            Enqueued::Queued { pending } => {
                let list = self.waiting.entry(route.partition).or_default();
                list.push_back(payload);
                assert_eq!(pending, list.len() as u64);
                self.tickets += 1;
            }
            Enqueued::Plain => {
                assert_eq!(tenant, LANE);
                assert!(self.running.is_empty() && self.count_waiting() == 0);
                self.foreign.push(payload);
            }
        }
    }

    /// Reserves until it has a job or there is none.
    fn reserve(&mut self, mut ticket: Ticket) {
        for _ in 0..10 {
            // A ticket that `mend` has replaced does not count any more.
            let given = ticket == Ticket::Given && self.main_length() < self.count_waiting();
            let reserved = self.bed.try_reserve(ticket).unwrap();
            ticket = Ticket::Take;
            let held = self.bed.held();
            if given && held.partitions.is_empty() && !matches!(reserved, Reserved::Job { .. }) {
                self.tickets += 1;
            }
            match reserved {
                Reserved::Job { job, .. } => {
                    if !given {
                        self.tickets = self.tickets.saturating_sub(1);
                    }
                    return self.got(job, &held);
                }
                Reserved::Adopt(elements) => self.adopt(elements),
                Reserved::Nothing { .. } => {
                    assert_eq!(held.partitions, BTreeMap::new(), "none may run: {held:#?}");
                    if self.count_waiting() == 0 {
                        self.tickets = 0;
                    }
                    if self.tickets >= self.count_waiting() {
                        assert!(self.foreign.is_empty(), "it was reached: {held:#?}");
                    }
                    return;
                }
                other => {
                    assert_eq!(other, Reserved::Plain);
                    assert!(self.running.is_empty() && self.count_waiting() == 0);
                    assert_ne!(held.main.first().map(String::as_str), Some("null"));
                    self.tickets = held.tickets();
                    return;
                }
            }
        }
        panic!("it was told to adopt for ever");
    }

    fn got(&mut self, job: Job, held: &Held) {
        let (_, own_cap, paused) = held.policy(&job.partition);
        let cap = own_cap.unwrap_or(self.bed.limits.cap);
        let before = self.in_flight(&job.partition);
        if job.partition != "%" {
            assert!(!paused, "{} is paused", job.partition);
            assert!(cap == 0 || before < cap, "{} is at its cap", job.partition);
        }
        let list = self.waiting.get_mut(&job.partition).unwrap();
        assert_eq!(list.pop_front(), Some(payload_of(&job)), "oldest first");
        assert_eq!(
            (job.pending, job.in_flight),
            (list.len() as u64, before + 1)
        );
        self.waiting.retain(|_, list| !list.is_empty());
        self.handed_out(payload_of(&job));
        self.running.push(job);
    }

    fn adopt(&mut self, elements: Vec<Vec<u8>>) {
        let routed: Vec<_> = elements
            .into_iter()
            .map(|element| {
                let route = (element != b"null").then(|| route(usize::from(element[1] - b'0')));
                (element, route)
            })
            .collect();
        let adopted = self.bed.try_adopt(&routed).unwrap();
        let mut foreign = 0;
        for (element, route) in routed {
            let Some(route) = route else { continue };
            let payload = String::from_utf8(element).unwrap();
            self.foreign.retain(|other| *other != payload);
            self.waiting
                .entry(route.partition)
                .or_default()
                .push_back(payload);
            self.tickets += 1;
            foreign += 1;
        }
        assert_eq!(adopted, foreign);
    }

    fn recover(&mut self, job: &Job, started: bool) {
        let record = self.bed.queue.keys().worker(OWNER);
        self.bed.tell(&["DEL", &record]);
        if started {
            self.bed.begin(&job.lease_id);
        }
        let recovered = self.bed.recover(&job.lease_id);
        self.bed.tell(&["DEL", &record]);
        self.end(job);
        let (partition, in_flight) = (job.partition.clone(), self.in_flight(&job.partition));
        if started {
            assert_eq!(
                recovered,
                Recovered::Freed {
                    partition,
                    in_flight
                }
            );
            return;
        }
        let payload = payload_of(job);
        *self.expected.get_mut(&payload).unwrap() += 1;
        let list = self.waiting.entry(partition.clone()).or_default();
        list.push_front(payload);
        let pending = list.len() as u64;
        self.tickets += 1;
        assert_eq!(
            recovered,
            Recovered::Requeued {
                partition,
                pending,
                in_flight
            }
        );
    }

    /// Pops as stock Resque does. Returns whether it popped a ticket. The worker runs a popped payload as its job.
    fn stock_pop(&mut self) -> bool {
        let main = self.bed.main();
        let popped = match self.bed.ask::<Option<String>>(&["LPOP", &main]) {
            None => false,
            Some(ticket) if ticket == "null" => {
                self.tickets -= 1;
                true
            }
            Some(payload) => {
                self.foreign.retain(|other| *other != payload);
                self.handed_out(payload);
                false
            }
        };
        if self.running.is_empty() && self.count_waiting() + self.main_length() == 0 {
            // The queue is empty now, which only the next look for dead owners notices.
            self.mend();
        }
        popped
    }

    fn mend(&mut self) {
        let missing = self.count_waiting().saturating_sub(self.main_length());
        assert_eq!(self.bed.mend(), missing as u64);
        self.tickets += missing;
    }

    /// Asserts that Redis has what the model has.
    fn check(&mut self) -> Held {
        let held = self.bed.held();
        held.assert_consistent();
        if self.caps_vary {
            // The cap of an earlier call may have parked a partition, but not for ever.
            for partition in held.parked.keys() {
                let waits_for_a_release = held.in_flight.contains_key(partition);
                assert!(
                    held.policy(partition).2 || waits_for_a_release,
                    "{partition}: {held:#?}"
                );
            }
        } else {
            held.assert_parked_by(self.bed.limits.cap);
        }
        let waiting: BTreeMap<String, Vec<String>> = held
            .lists
            .keys()
            .map(|partition| (partition.clone(), held.payloads(partition)))
            .collect();
        let expected: BTreeMap<String, Vec<String>> = self
            .waiting
            .iter()
            .map(|(partition, list)| (partition.clone(), list.iter().cloned().collect()))
            .collect();
        assert_eq!(waiting, expected);

        assert_eq!(held.leases.len(), self.running.len());
        for job in &self.running {
            let lease = &held.leases[&job.lease_id];
            assert_eq!(
                (&lease.partition, &lease.element),
                (&job.partition, &job.element)
            );
        }

        assert_eq!(held.tickets(), self.tickets, "tickets: {held:#?}");
        let mut foreign: Vec<&String> = held
            .main
            .iter()
            .filter(|element| *element != "null")
            .collect();
        let mut expected: Vec<&String> = self.foreign.iter().collect();
        foreign.sort();
        expected.sort();
        assert_eq!(foreign, expected);
        let paused = held
            .settings
            .iter()
            .filter(|(id, _)| *id != "%paused" && held.policy(id).2);
        let count = held
            .settings
            .get("%paused")
            .map_or(0, |count| count.parse().unwrap());
        assert_eq!(paused.count(), count);
        held
    }

    fn drain(&mut self) {
        self.bed.limits.cap = 0;
        let settings = self.bed.key("settings");
        let ids: Vec<String> = self.bed.ask(&["HKEYS", &settings]);
        for tenant in (0..LANE).filter(|tenant| ids.contains(&route(*tenant).partition)) {
            let back = (Change::TakeBack, Change::TakeBack, Change::TakeBack);
            self.take(&Step::Set {
                tenant,
                settings: back,
            });
        }
        while self.count_waiting() + self.running.len() + self.foreign.len() > 0 {
            while let Some(job) = self.nth_running(0) {
                self.take(&Step::Release { lease: 0, took: 1 });
                assert!(self.ended.contains(&job.lease_id));
            }
            self.reserve(Ticket::Take);
            if self.running.is_empty() && self.count_waiting() == 0 {
                // The state is gone, so stock Resque serves these payloads.
                while !self.foreign.is_empty() {
                    self.stock_pop();
                }
            }
            self.check();
        }
        self.reserve(Ticket::Take);
        self.mend();
    }
}

fn clock(held: &Held) -> Option<f64> {
    held.state.get("clock").map(|clock| clock.parse().unwrap())
}

fn run(bed: &mut Bed, steps: &[Step], limits: Limits, caps_vary: bool) {
    let mut model = Model::new(bed, limits, caps_vary);
    let mut before = None;
    for step in steps {
        model.take(step);
        let now = clock(&model.check());
        if let (Some(before), Some(now)) = (before, now) {
            assert!(now >= before, "the clock went from {before} to {now}");
        }
        before = now;
    }
    model.drain();
    assert_eq!(model.handed_out, model.expected, "each job once");
    let keys: Vec<String> = model.bed.ask(&["KEYS", "*"]);
    assert!(keys.iter().all(|key| key == "resque:queues"), "{keys:?}");
}

/// `PROPTEST_CASES=2000` tests longer.
fn config() -> ProptestConfig {
    let default = ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig {
            cases: 80,
            ..default
        },
    }
}

fn charge() -> impl Strategy<Value = Charge> {
    prop_oneof![Just(Charge::Time), Just(Charge::Jobs)]
}

thread_local! {
    static BED: RefCell<Bed> = RefCell::new(Bed::unchecked(0));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn under_one_cap(
        steps in prop::collection::vec(step(false), 1..80),
        cap in 0..4_u64,
        charge in charge(),
    ) {
        BED.with_borrow_mut(|bed| run(bed, &steps, Limits { cap, charge }, false));
    }

    #[test]
    fn while_the_configured_cap_changes(
        steps in prop::collection::vec(step(true), 1..80),
        charge in charge(),
    ) {
        BED.with_borrow_mut(|bed| run(bed, &steps, Limits { cap: 1, charge }, true));
    }
}
