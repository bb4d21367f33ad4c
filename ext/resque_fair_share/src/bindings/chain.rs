//! `Native::Chain`: the verbs of one chain. Each returns the reply of its script (`lua/chain_*`): Arrays of Strings, Integers
//! and Arrays.

use fair_share_core::chain::{self, Cause, Definition, Fence, Next, Obstacle, Restart};
use magnus::{
    function, method, prelude::*, Error, RArray, RModule, RString, Ruby, TryConvert, Value,
};

use super::step_job::{job_from, jobs_from};
use crate::connection::Session;
use crate::convert;
use crate::error::CallError;

#[magnus::wrap(class = "Resque::FairShare::Native::Chain", free_immediately)]
struct Chain(chain::Chain);

impl Chain {
    fn new(prefix: String, id: String) -> Self {
        Self(chain::Chain::new(&prefix, &id))
    }

    /// Returns the names of the keys of the chain's state, steps and context.
    fn keys(&self) -> (String, String, String) {
        let keys = self.0.keys();
        (
            keys.state().to_owned(),
            keys.steps().to_owned(),
            keys.context().to_owned(),
        )
    }

    /// `definition` is `[strategy or nil, groups, size of the first group, context, steps]`.
    fn start(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        run: String,
        ttl: u64,
        definition: RArray,
        obstacle: Option<RArray>,
        jobs: RArray,
    ) -> Result<Value, CallError> {
        let definition = definition_from(definition)?;
        let (obstacle, jobs) = (obstacle_from(obstacle)?, jobs_from(jobs)?);
        let reply = rb_self.0.start(
            &mut session,
            &run,
            ttl,
            &definition,
            obstacle.as_ref(),
            &jobs,
        )?;
        convert::reply(ruby, &reply)
    }

    /// `fence` is `[run, ttl in ms, request, step, token or nil]`, `next` is `[revision, first, size, obstacle or nil, jobs]`.
    fn advance(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        fence: RArray,
        completed: bool,
        next: RArray,
    ) -> Result<Value, CallError> {
        let (fence, next) = (fence_from(fence)?, next_from(next)?);
        let reply = rb_self.0.advance(&mut session, &fence, completed, &next)?;
        convert::reply(ruby, &reply)
    }

    fn retry(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        fence: RArray,
        revision: String,
        job: RArray,
    ) -> Result<Value, CallError> {
        let (fence, job) = (fence_from(fence)?, job_from(job)?);
        let reply = rb_self.0.retry(&mut session, &fence, &revision, &job)?;
        convert::reply(ruby, &reply)
    }

    fn fail(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        fence: RArray,
        vetoed: bool,
        message: String,
        class: String,
    ) -> Result<Value, CallError> {
        let (fence, cause) = (fence_from(fence)?, Cause { message, class });
        let reply = rb_self.0.fail(&mut session, &fence, vetoed, &cause)?;
        convert::reply(ruby, &reply)
    }

    /// `restart` is `[status, revision, [first, size] or nil, obstacle or nil, jobs]`.
    fn restart(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        run: String,
        ttl: u64,
        request: String,
        restart: RArray,
    ) -> Result<Value, CallError> {
        let restart = restart_from(restart)?;
        let reply = rb_self
            .0
            .restart(&mut session, &run, ttl, &request, &restart)?;
        convert::reply(ruby, &reply)
    }

    fn halt(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        run: String,
        ttl: u64,
        request: String,
        status: String,
    ) -> Result<Value, CallError> {
        let reply = rb_self.0.halt(&mut session, &run, ttl, &request, &status)?;
        convert::reply(ruby, &reply)
    }

    fn delete(ruby: &Ruby, rb_self: &Self, mut session: Session) -> Result<Value, CallError> {
        let reply = rb_self.0.delete(&mut session)?;
        convert::reply(ruby, &reply)
    }

    fn look(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        step: Option<u64>,
    ) -> Result<Value, CallError> {
        let reply = rb_self.0.look(&mut session, step)?;
        convert::reply(ruby, &reply)
    }

    fn adopt(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        run: String,
        ttl: u64,
        text: RString,
        started: u64,
        context: RArray,
    ) -> Result<Value, CallError> {
        let (text, context) = (text.to_bytes(), fields(context)?);
        let reply = rb_self
            .0
            .adopt(&mut session, &run, ttl, &text, started, &context)?;
        convert::reply(ruby, &reply)
    }

    fn update(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        context: RArray,
    ) -> Result<Value, CallError> {
        let reply = rb_self.0.update(&mut session, &fields(context)?)?;
        convert::reply(ruby, &reply)
    }
}

fn definition_from(definition: RArray) -> Result<Definition, Error> {
    let (strategy, groups, first_size, context, steps): (
        Option<String>,
        String,
        u64,
        RArray,
        RArray,
    ) = TryConvert::try_convert(definition.as_value())?;
    Ok(Definition {
        strategy: strategy.unwrap_or_default(),
        groups,
        first_size,
        context: fields(context)?,
        steps: texts(steps)?,
    })
}

fn next_from(next: RArray) -> Result<Next, Error> {
    let (revision, first, size, obstacle, jobs): (String, u64, u64, Option<RArray>, RArray) =
        TryConvert::try_convert(next.as_value())?;
    Ok(Next {
        revision,
        first,
        size,
        obstacle: obstacle_from(obstacle)?,
        jobs: jobs_from(jobs)?,
    })
}

fn restart_from(restart: RArray) -> Result<Restart, Error> {
    let (status, revision, enters, obstacle, jobs): (
        String,
        String,
        Option<(u64, u64)>,
        Option<RArray>,
        RArray,
    ) = TryConvert::try_convert(restart.as_value())?;
    Ok(Restart {
        status,
        revision,
        enters,
        obstacle: obstacle_from(obstacle)?,
        jobs: jobs_from(jobs)?,
    })
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
        cause: Cause { message, class },
    }))
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

pub(super) fn init(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let class = native.define_class("Chain", ruby.class_object())?;
    class.define_singleton_method("new", function!(Chain::new, 2))?;
    class.define_method("keys", method!(Chain::keys, 0))?;
    class.define_method("start", method!(Chain::start, 6))?;
    class.define_method("advance", method!(Chain::advance, 4))?;
    class.define_method("retry", method!(Chain::retry, 4))?;
    class.define_method("fail", method!(Chain::fail, 5))?;
    class.define_method("restart", method!(Chain::restart, 5))?;
    class.define_method("halt", method!(Chain::halt, 5))?;
    class.define_method("delete", method!(Chain::delete, 1))?;
    class.define_method("look", method!(Chain::look, 2))?;
    class.define_method("adopt", method!(Chain::adopt, 6))?;
    class.define_method("update", method!(Chain::update, 2))
}
