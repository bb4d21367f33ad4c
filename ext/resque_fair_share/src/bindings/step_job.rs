//! Converts the job of a step from Ruby.

use fair_share_core::route::Route;
use fair_share_core::step_job::{Destination, StepJob};
use magnus::{prelude::*, Error, Float, RArray, RString, Symbol, TryConvert, Value};

pub(super) fn jobs_from(jobs: RArray) -> Result<Vec<StepJob>, Error> {
    jobs.into_iter()
        .map(|job| job_from(TryConvert::try_convert(job)?))
        .collect()
}

/// `job` is `[step, token, destination, queue, partition id or nil, payload, cap, weight or nil]`. The destination is :queue,
/// :list, :caller, or seconds of delay.
pub(super) fn job_from(job: RArray) -> Result<StepJob, Error> {
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
        route: Route::of(partition.as_deref(), weight),
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
