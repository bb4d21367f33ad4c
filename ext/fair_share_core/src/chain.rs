//! The verbs of a chain. Each transition is one script that also enqueues the jobs of the steps that start by it, so that a
//! crash never leaves a chain without its job. The scripts' headers in `lua/` tell arguments and replies.

use redis::Value;

use crate::keys::{ChainKeys, QueueKeys};
use crate::scripts::{self, Script};
use crate::step_job::{push, StepJob, Words};
use crate::transport::{Repeat, Transport};

/// What a transition is fenced by.
#[derive(Debug, Clone)]
pub struct Fence {
    pub run: String,
    /// How long a finished chain stays, in milliseconds.
    pub ttl: u64,
    /// Names this very call: asked again after a lost reply it answers what it did.
    pub request: String,
    pub step: u64,
    /// `None` for a job that lost it: it is judged by its step alone.
    pub token: Option<u64>,
}

/// The exception that ended a step.
#[derive(Debug, Clone, Default)]
pub struct Cause {
    pub message: String,
    pub class: String,
}

/// Why the jobs of a group could not be made.
#[derive(Debug, Clone)]
pub struct Obstacle {
    pub vetoed: bool,
    pub step: u64,
    pub cause: Cause,
}

impl Obstacle {
    fn words(obstacle: Option<&Self>) -> [String; 4] {
        let Some(it) = obstacle else {
            return Default::default();
        };
        let kind = ending(it.vetoed);
        [
            kind.into(),
            it.step.to_string(),
            it.cause.message.clone(),
            it.cause.class.clone(),
        ]
    }
}

fn ending(vetoed: bool) -> &'static str {
    if vetoed {
        "vetoed"
    } else {
        "failed"
    }
}

/// A chain as it is started.
#[derive(Debug, Clone)]
pub struct Definition {
    pub strategy: String,
    /// Parallel groups: "first-last,first-last".
    pub groups: String,
    pub first_size: u64,
    /// Field and JSON of its value.
    pub context: Vec<(String, Vec<u8>)>,
    pub steps: Vec<Vec<u8>>,
}

/// What follows a group: see `chain_advance`.
#[derive(Debug, Clone)]
pub struct Next {
    /// State from which the jobs were made.
    pub revision: String,
    pub first: u64,
    pub size: u64,
    pub obstacle: Option<Obstacle>,
    pub jobs: Vec<StepJob>,
}

/// What is started again: see `chain_restart`.
#[derive(Debug, Clone)]
pub struct Restart {
    /// The status that the chain must have.
    pub status: String,
    pub revision: String,
    /// Index and size of the group that is entered.
    pub enters: Option<(u64, u64)>,
    pub obstacle: Option<Obstacle>,
    pub jobs: Vec<StepJob>,
}

/// One chain. Holds no connection: each verb gets its transport.
#[derive(Debug)]
pub struct Chain {
    id: String,
    keys: ChainKeys,
}

impl Chain {
    /// `prefix` is Resque's namespace with its colon.
    pub fn new(prefix: &str, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            keys: ChainKeys::new(prefix, id),
        }
    }

    pub fn start<T: Transport>(
        &self,
        transport: &mut T,
        run: &str,
        ttl: u64,
        definition: &Definition,
        obstacle: Option<&Obstacle>,
        jobs: &[StepJob],
    ) -> Result<Value, T::Error> {
        let mut words = self.head(run, ttl);
        push(
            &mut words,
            &[
                &definition.steps.len().to_string(),
                &definition.strategy,
                &definition.groups,
                &definition.first_size.to_string(),
            ],
        );
        push(&mut words, &Obstacle::words(obstacle));
        push(&mut words, &[(definition.context.len() * 2).to_string()]);
        push_fields(&mut words, &definition.context);
        words.extend(definition.steps.iter().cloned());
        self.run(transport, &scripts::CHAIN_START, words, jobs)
    }

    /// A step has ended well: completed, or else skipped.
    pub fn advance<T: Transport>(
        &self,
        transport: &mut T,
        fence: &Fence,
        completed: bool,
        next: &Next,
    ) -> Result<Value, T::Error> {
        let mut words = self.fenced(fence);
        push(
            &mut words,
            &[
                if completed { "completed" } else { "skipped" },
                &next.revision,
                &next.first.to_string(),
                &next.size.to_string(),
            ],
        );
        push(&mut words, &Obstacle::words(next.obstacle.as_ref()));
        self.run(transport, &scripts::CHAIN_ADVANCE, words, &next.jobs)
    }

    /// A step has failed and is tried again.
    pub fn retry<T: Transport>(
        &self,
        transport: &mut T,
        fence: &Fence,
        revision: &str,
        job: &StepJob,
    ) -> Result<Value, T::Error> {
        let mut words = self.fenced(fence);
        push(&mut words, &[revision]);
        let jobs = std::slice::from_ref(job);
        self.run(transport, &scripts::CHAIN_RETRY, words, jobs)
    }

    /// A step has failed for good; `vetoed` where its next attempt was.
    pub fn fail<T: Transport>(
        &self,
        transport: &mut T,
        fence: &Fence,
        vetoed: bool,
        cause: &Cause,
    ) -> Result<Value, T::Error> {
        let mut words = self.fenced(fence);
        push(&mut words, &[ending(vetoed), &cause.message, &cause.class]);
        self.run(transport, &scripts::CHAIN_FAIL, words, &[])
    }

    /// Steps start again: of a paused chain, of a failed one, or of a running one whose jobs are nowhere.
    pub fn restart<T: Transport>(
        &self,
        transport: &mut T,
        run: &str,
        ttl: u64,
        request: &str,
        restart: &Restart,
    ) -> Result<Value, T::Error> {
        let mut words = self.head(run, ttl);
        let (first, size) = restart
            .enters
            .map(|(first, size)| (first.to_string(), size.to_string()))
            .unwrap_or_default();
        push(
            &mut words,
            &[
                request,
                &restart.status,
                &restart.revision,
                first.as_str(),
                size.as_str(),
            ],
        );
        push(&mut words, &Obstacle::words(restart.obstacle.as_ref()));
        self.run(transport, &scripts::CHAIN_RESTART, words, &restart.jobs)
    }

    /// Pauses or cancels; `status` is the one that it gets.
    pub fn halt<T: Transport>(
        &self,
        transport: &mut T,
        run: &str,
        ttl: u64,
        request: &str,
        status: &str,
    ) -> Result<Value, T::Error> {
        let mut words = self.head(run, ttl);
        push(&mut words, &[request, status]);
        self.run(transport, &scripts::CHAIN_HALT, words, &[])
    }

    pub fn delete<T: Transport>(&self, transport: &mut T) -> Result<Value, T::Error> {
        self.run(transport, &scripts::CHAIN_DELETE, self.head("", 0), &[])
    }

    /// What there is to know of one step, or of the group that runs.
    pub fn look<T: Transport>(
        &self,
        transport: &mut T,
        step: Option<u64>,
    ) -> Result<Value, T::Error> {
        let mut words = self.head("", 0);
        push(&mut words, &[optional(step)]);
        self.run(transport, &scripts::CHAIN_LOOK, words, &[])
    }

    /// Makes a chain of resque-job-chain 0.1.0 one of ours. `text` is its context as it was read, `started` in milliseconds.
    pub fn adopt<T: Transport>(
        &self,
        transport: &mut T,
        run: &str,
        ttl: u64,
        text: &[u8],
        started: u64,
        context: &[(String, Vec<u8>)],
    ) -> Result<Value, T::Error> {
        let mut words = self.head(run, ttl);
        words.push(text.to_vec());
        push(&mut words, &[started.to_string()]);
        push_fields(&mut words, context);
        self.run(transport, &scripts::CHAIN_ADOPT, words, &[])
    }

    /// Merges fields into the context.
    pub fn update<T: Transport>(
        &self,
        transport: &mut T,
        context: &[(String, Vec<u8>)],
    ) -> Result<Value, T::Error> {
        let mut words = self.head("", 0);
        push_fields(&mut words, context);
        self.run(transport, &scripts::CHAIN_UPDATE, words, &[])
    }

    pub fn keys(&self) -> &ChainKeys {
        &self.keys
    }

    fn head(&self, run: &str, ttl: u64) -> Words {
        let mut words = Words::new();
        push(&mut words, &[self.id.as_str(), run, &ttl.to_string()]);
        words
    }

    fn fenced(&self, fence: &Fence) -> Words {
        let mut words = self.head(&fence.run, fence.ttl);
        push(
            &mut words,
            &[
                fence.request.as_str(),
                &fence.step.to_string(),
                &optional(fence.token),
            ],
        );
        words
    }

    /// Each call may be sent again: transitions are fenced, a start knows its run, the rest says the same twice.
    fn run<T: Transport>(
        &self,
        transport: &mut T,
        script: &Script,
        mut words: Words,
        jobs: &[StepJob],
    ) -> Result<Value, T::Error> {
        let queues: Vec<QueueKeys> = jobs
            .iter()
            .map(|job| QueueKeys::new(self.keys.prefix(), &job.queue))
            .collect();
        let mut keys = self.keys.all().to_vec();
        for (job, queue) in jobs.iter().zip(&queues) {
            keys.extend(queue.all());
            job.push_words(&mut words, queue, self.keys.prefix());
        }
        let arguments: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        transport.run(script, &keys, &arguments, Repeat::Safe)
    }
}

fn push_fields(words: &mut Words, fields: &[(String, Vec<u8>)]) {
    for (field, value) in fields {
        push(words, &[field.as_bytes(), value]);
    }
}

fn optional(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}
