//! `Native::Chain`: the verbs of one chain. `connection` is always a `Resque::FairShare::Connection`. Replies are the scripts'
//! own (`lua/chain_*`): Arrays of Strings, Integers and Arrays.

use fair_share_core::chain::{
    self, Definition, Destination, Failure, Fence, Next, Obstacle, Restart, StepJob,
};
use magnus::{
    function, method, prelude::*, Error, Float, RArray, RModule, RString, Ruby, Symbol, TryConvert,
    Value,
};

use super::fair_queue::route;
use crate::convert;
use crate::error::CallError;
use crate::session::{over, Session};

#[magnus::wrap(class = "Resque::FairShare::Native::Chain", free_immediately)]
pub(crate) struct Chain(chain::Chain);

impl Chain {
    fn new(prefix: String, id: String) -> Self {
        Self(chain::Chain::new(&prefix, &id))
    }

    /// `definition` is `[strategy or nil, groups, size of the first group, context, steps]`.
    fn start(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        run: String,
        ttl: u64,
        definition: RArray,
        obstacle: Option<RArray>,
        jobs: RArray,
    ) -> Result<Value, Error> {
        let (strategy, groups, first_size, context, steps): (
            Option<String>,
            String,
            u64,
            RArray,
            RArray,
        ) = TryConvert::try_convert(definition.as_value())?;
        let definition = Definition {
            strategy: strategy.unwrap_or_default(),
            groups,
            first_size,
            context: fields(context)?,
            steps: texts(steps)?,
        };
        let (obstacle, jobs) = (obstacle_from(obstacle)?, jobs_from(jobs)?);
        told(ruby, connection, |session| {
            rb_self
                .0
                .start(session, &run, ttl, &definition, obstacle.as_ref(), &jobs)
        })
    }

    /// `fence` is `[run, ttl in ms, request, step, token or nil]`, `next` is `[revision, first, size, obstacle or nil, jobs]`.
    fn advance(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        fence: RArray,
        completed: bool,
        next: RArray,
    ) -> Result<Value, Error> {
        let fence = fence_from(fence)?;
        let (revision, first, size, obstacle, jobs): (String, u64, u64, Option<RArray>, RArray) =
            TryConvert::try_convert(next.as_value())?;
        let next = Next {
            revision,
            first,
            size,
            obstacle: obstacle_from(obstacle)?,
            jobs: jobs_from(jobs)?,
        };
        told(ruby, connection, |session| {
            rb_self.0.advance(session, &fence, completed, &next)
        })
    }

    fn retry(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        fence: RArray,
        revision: String,
        job: RArray,
    ) -> Result<Value, Error> {
        let (fence, job) = (fence_from(fence)?, job_from(job)?);
        told(ruby, connection, |session| {
            rb_self.0.retry(session, &fence, &revision, &job)
        })
    }

    fn fail(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        fence: RArray,
        vetoed: bool,
        message: String,
        class: String,
    ) -> Result<Value, Error> {
        let (fence, failure) = (fence_from(fence)?, Failure { message, class });
        told(ruby, connection, |session| {
            rb_self.0.fail(session, &fence, vetoed, &failure)
        })
    }

    /// `restart` is `[status, revision, [first, size] or nil, obstacle or nil, jobs]`.
    fn restart(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        run: String,
        ttl: u64,
        request: String,
        restart: RArray,
    ) -> Result<Value, Error> {
        let (status, revision, enters, obstacle, jobs): (
            String,
            String,
            Option<(u64, u64)>,
            Option<RArray>,
            RArray,
        ) = TryConvert::try_convert(restart.as_value())?;
        let restart = Restart {
            status,
            revision,
            enters,
            obstacle: obstacle_from(obstacle)?,
            jobs: jobs_from(jobs)?,
        };
        told(ruby, connection, |session| {
            rb_self.0.restart(session, &run, ttl, &request, &restart)
        })
    }

    fn halt(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        run: String,
        ttl: u64,
        request: String,
        status: String,
    ) -> Result<Value, Error> {
        told(ruby, connection, |session| {
            rb_self.0.halt(session, &run, ttl, &request, &status)
        })
    }

    fn delete(ruby: &Ruby, rb_self: &Self, connection: Value) -> Result<Value, Error> {
        told(ruby, connection, |session| rb_self.0.delete(session))
    }

    fn look(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        step: Option<u64>,
    ) -> Result<Value, Error> {
        told(ruby, connection, |session| rb_self.0.look(session, step))
    }

    fn adopt(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        run: String,
        ttl: u64,
        text: RString,
        started: u64,
        context: RArray,
    ) -> Result<Value, Error> {
        let (text, context) = (text.to_bytes(), fields(context)?);
        told(ruby, connection, |session| {
            rb_self
                .0
                .adopt(session, &run, ttl, &text, started, &context)
        })
    }

    fn update(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        context: RArray,
    ) -> Result<Value, Error> {
        let context = fields(context)?;
        told(ruby, connection, |session| {
            rb_self.0.update(session, &context)
        })
    }

    fn list(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        statuses: Vec<String>,
        offset: u64,
        limit: u64,
    ) -> Result<Value, Error> {
        told(ruby, connection, |session| {
            rb_self.0.list(session, &statuses, offset, limit)
        })
    }

    fn count(ruby: &Ruby, rb_self: &Self, connection: Value) -> Result<Value, Error> {
        told(ruby, connection, |session| rb_self.0.count(session))
    }
}

/// Runs a verb. => the script's reply
fn told(
    ruby: &Ruby,
    connection: Value,
    verb: impl FnOnce(&mut Session<'_>) -> Result<redis::Value, CallError>,
) -> Result<Value, Error> {
    convert::reply(ruby, &over(ruby, connection, verb)?)
}

fn fence_from(fence: RArray) -> Result<Fence, Error> {
    let (run, ttl, request, step, token): (String, u64, String, u64, Option<u64>) =
        TryConvert::try_convert(fence.as_value())?;
    Ok(Fence {
        run,
        ttl,
        request,
        step,
        token,
    })
}

/// `[vetoed, step, message, class]`.
fn obstacle_from(obstacle: Option<RArray>) -> Result<Option<Obstacle>, Error> {
    let Some(obstacle) = obstacle else {
        return Ok(None);
    };
    let (vetoed, step, message, class): (bool, u64, String, String) =
        TryConvert::try_convert(obstacle.as_value())?;
    Ok(Some(Obstacle {
        vetoed,
        step,
        failure: Failure { message, class },
    }))
}

fn jobs_from(jobs: RArray) -> Result<Vec<StepJob>, Error> {
    jobs.into_iter()
        .map(|job| job_from(TryConvert::try_convert(job)?))
        .collect()
}

/// `[step, token, destination, queue, partition id or nil, payload, cap, weight or nil]`; the destination is :queue, :list,
/// :caller, or seconds of delay.
fn job_from(job: RArray) -> Result<StepJob, Error> {
    let (step, token, destination, queue, partition, payload, cap, weight): (
        u64,
        u64,
        Value,
        String,
        Option<String>,
        RString,
        u64,
        Option<f64>,
    ) = TryConvert::try_convert(job.as_value())?;
    Ok(StepJob {
        step,
        token,
        destination: destination_from(destination)?,
        queue,
        route: route(partition.as_deref(), weight),
        payload: payload.to_bytes().to_vec(),
        cap,
    })
}

fn destination_from(destination: Value) -> Result<Destination, Error> {
    let Some(symbol) = Symbol::from_value(destination) else {
        return Ok(Destination::Delayed(
            Float::try_convert(destination)?.to_f64(),
        ));
    };
    Ok(match symbol.name()?.as_ref() {
        "list" => Destination::List,
        "caller" => Destination::Caller,
        _ => Destination::Queue,
    })
}

fn fields(pairs: RArray) -> Result<Vec<(String, Vec<u8>)>, Error> {
    pairs
        .into_iter()
        .map(|pair| {
            let (field, value): (String, RString) = TryConvert::try_convert(pair)?;
            Ok((field, value.to_bytes().to_vec()))
        })
        .collect()
}

fn texts(list: RArray) -> Result<Vec<Vec<u8>>, Error> {
    list.into_iter()
        .map(|text| Ok(RString::try_convert(text)?.to_bytes().to_vec()))
        .collect()
}

pub(crate) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Chain", ruby.class_object())?;
    class.define_singleton_method("new", function!(Chain::new, 2))?;
    class.define_method("start", method!(Chain::start, 6))?;
    class.define_method("advance", method!(Chain::advance, 4))?;
    class.define_method("retry", method!(Chain::retry, 4))?;
    class.define_method("fail", method!(Chain::fail, 5))?;
    class.define_method("restart", method!(Chain::restart, 5))?;
    class.define_method("halt", method!(Chain::halt, 5))?;
    class.define_method("delete", method!(Chain::delete, 1))?;
    class.define_method("look", method!(Chain::look, 2))?;
    class.define_method("adopt", method!(Chain::adopt, 6))?;
    class.define_method("update", method!(Chain::update, 2))?;
    class.define_method("list", method!(Chain::list, 4))?;
    class.define_method("count", method!(Chain::count, 1))
}
