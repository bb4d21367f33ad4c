//! The job by which a step starts, as a chain's scripts take it.

use crate::keys::QueueKeys;
use crate::route::Route;

/// The words of a script's arguments.
pub(crate) type Words = Vec<Vec<u8>>;

/// Where the job of a step goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Destination {
    /// Its partition, or the queue's lane, or the plain list of a queue without fair-share state.
    Queue,
    /// The plain list, as `dequeue_strategy = :legacy_scan` has it.
    List,
    /// resque-scheduler's delayed jobs; seconds from now, and the payload is that gem's item.
    Delayed(f64),
    /// Nowhere: the caller performs it (`Resque.inline`).
    Caller,
}

/// The job by which a step starts.
#[derive(Debug, Clone)]
pub struct StepJob {
    pub step: u64,
    pub token: u64,
    pub destination: Destination,
    pub queue: String,
    pub route: Route,
    pub payload: Vec<u8>,
    /// Running jobs the partition may have; 0: any number.
    pub cap: u64,
}

impl StepJob {
    /// Appends the ten words of `lua/includes/chain_steps.lua`. `prefix` is Resque's namespace with its colon.
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
