//! The verbs of a chain. Each transition is one script, which also enqueues the jobs of the steps that it starts: a crash never
//! leaves a chain without its job. The headers of the scripts in `lua/` document arguments and replies.

use redis::Value;

use crate::chain_reply;
use crate::keys::{ChainKeys, QueueKeys};
use crate::scripts::{self, Script};
use crate::step_job::{push, StepJob, Words};
use crate::transport::{Repeat, Transport};

/// Identifies the step and job that a transition reports for. The script refuses a report that is stale.
#[derive(Debug, Clone)]
pub struct Fence {
    pub run: String,
    /// How long the keys of a finished chain stay, in milliseconds.
    pub ttl: u64,
    /// Names this call: a repeat after a lost reply gets the result of the first try.
    pub request: String,
    pub step: u64,
    /// `None` if the job has lost its token: then the script goes by the step alone.
    pub token: Option<u64>,
}

/// The exception that ended a step.
#[derive(Debug, Clone, Default)]
pub struct Cause {
    pub message: String,
    pub class: String,
}

/// The reason why the jobs of a group could not be made.
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

/// A chain to start.
#[derive(Debug, Clone)]
pub struct Definition {
    pub strategy: String,
    /// Parallel groups by their steps: "first-last,first-last".
    pub groups: String,
    pub first_size: u64,
    /// Each field, with its value in JSON.
    pub context: Vec<(String, Vec<u8>)>,
    pub steps: Vec<Vec<u8>>,
}

/// The group that starts next: see `chain_advance`.
#[derive(Debug, Clone)]
pub struct Next {
    /// Revision of the chain from which the jobs were made.
    pub revision: String,
    pub first: u64,
    pub size: u64,
    pub obstacle: Option<Obstacle>,
    pub jobs: Vec<StepJob>,
}

/// The steps that start again: see `chain_restart`.
#[derive(Debug, Clone)]
pub struct Restart {
    /// The status that the chain must have.
    pub status: String,
    pub revision: String,
    /// Index of the first step, and size, of a group that starts with this.
    pub enters: Option<(u64, u64)>,
    pub obstacle: Option<Obstacle>,
    pub jobs: Vec<StepJob>,
}

/// One chain. Holds no connection: each verb is passed its transport.
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
        let reply = self.run(transport, &scripts::CHAIN_START, words, jobs)?;
        Ok(chain_reply::transition(reply)?)
    }

    /// Ends a step well: completed, or else skipped.
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
        let reply = self.run(transport, &scripts::CHAIN_ADVANCE, words, &next.jobs)?;
        Ok(chain_reply::transition(reply)?)
    }

    /// Starts the next attempt of a step that has failed.
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
        let reply = self.run(transport, &scripts::CHAIN_RETRY, words, jobs)?;
        Ok(chain_reply::transition(reply)?)
    }

    /// Fails a step for good. `vetoed`: because its next attempt was vetoed.
    pub fn fail<T: Transport>(
        &self,
        transport: &mut T,
        fence: &Fence,
        vetoed: bool,
        cause: &Cause,
    ) -> Result<Value, T::Error> {
        let mut words = self.fenced(fence);
        push(&mut words, &[ending(vetoed), &cause.message, &cause.class]);
        let reply = self.run(transport, &scripts::CHAIN_FAIL, words, &[])?;
        Ok(chain_reply::transition(reply)?)
    }

    /// Starts steps again: of a paused chain, of a failed one, or of a running one whose jobs are lost.
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
        let reply = self.run(transport, &scripts::CHAIN_RESTART, words, &restart.jobs)?;
        Ok(chain_reply::transition(reply)?)
    }

    /// Pauses or cancels the chain. `status` is the new status.
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
        let reply = self.run(transport, &scripts::CHAIN_HALT, words, &[])?;
        Ok(chain_reply::flag(reply)?)
    }

    pub fn delete<T: Transport>(&self, transport: &mut T) -> Result<Value, T::Error> {
        let reply = self.run(transport, &scripts::CHAIN_DELETE, self.head("", 0), &[])?;
        Ok(chain_reply::flag(reply)?)
    }

    /// Reads one step and the group after it; `None`: all steps of the current group.
    pub fn look<T: Transport>(
        &self,
        transport: &mut T,
        step: Option<u64>,
    ) -> Result<Value, T::Error> {
        let mut words = self.head("", 0);
        push(&mut words, &[optional(step)]);
        let reply = self.run(transport, &scripts::CHAIN_LOOK, words, &[])?;
        Ok(chain_reply::look(reply)?)
    }

    /// Converts a chain that resque-job-chain 0.1.0 wrote. `text` is its context as read, `started` is in milliseconds.
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
        let reply = self.run(transport, &scripts::CHAIN_ADOPT, words, &[])?;
        Ok(chain_reply::flag(reply)?)
    }

    /// Merges fields into the context.
    pub fn update<T: Transport>(
        &self,
        transport: &mut T,
        context: &[(String, Vec<u8>)],
    ) -> Result<Value, T::Error> {
        let mut words = self.head("", 0);
        push_fields(&mut words, context);
        let reply = self.run(transport, &scripts::CHAIN_UPDATE, words, &[])?;
        Ok(chain_reply::update(reply)?)
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

    /// Every call is safe to repeat: transitions are fenced, a start recognises its run, and the others have the same effect
    /// twice.
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
