//! The job of a step, as the scripts of chains take it.

use crate::keys::QueueKeys;
use crate::route::Route;

/// The words of a script's arguments.
pub(crate) type Words = Vec<Vec<u8>>;

/// The destination of a step's job.
#[derive(Debug, Clone, PartialEq)]
pub enum Destination {
    /// Its partition, the queue's lane, or the main list of a queue without fair-share state.
    Queue,
    /// The main list, as `dequeue_strategy = :legacy_scan` stores jobs.
    List,
    /// resque-scheduler's delayed jobs, in so many seconds. The payload is an item of that gem.
    Delayed(f64),
    /// Not enqueued: the caller performs it (`Resque.inline`).
    Caller,
}

/// The job that performs a step.
#[derive(Debug, Clone)]
pub struct StepJob {
    pub step: u64,
    pub token: u64,
    pub destination: Destination,
    pub queue: String,
    pub route: Route,
    pub payload: Vec<u8>,
    /// How many running jobs the partition may have; 0: any number.
    pub cap: u64,
}

impl StepJob {
    /// Appends the ten words that `lua/includes/chain_steps.lua` reads. `prefix` is Resque's namespace with its colon.
    pub(crate) fn push_words(&self, words: &mut Words, queue: &QueueKeys, prefix: &str) {
        let (how, root) = match &self.destination {
            Destination::Queue => ("queue".to_owned(), queue.root()),
            Destination::List => ("list".to_owned(), queue.root()),
            Destination::Delayed(seconds) => (seconds.to_string(), prefix),
            Destination::Caller => ("none".to_owned(), ""),
        };
        push(
            words,
            &[
                self.step.to_string().as_str(),
                &self.token.to_string(),
                &how,
                &self.queue,
                root,
                &self.route.partition,
            ],
        );
        words.push(self.payload.clone());
        push(words, &[self.cap.to_string(), self.route.weight_argument()]);
        words.push(self.route.name_argument().to_vec());
    }
}

pub(crate) fn push<S: AsRef<[u8]>>(words: &mut Words, more: &[S]) {
    words.extend(more.iter().map(|word| word.as_ref().to_vec()));
}
