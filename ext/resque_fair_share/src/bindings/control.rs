//! `Native::FairQueue`: looking at a queue and changing how it runs.

use fair_share_core::control::{Change, Index, Partition, Settings, Stats};
use fair_share_core::keys::encode_id;
use magnus::{
    method, prelude::*, Error, RArray, RClass, RHash, RString, Ruby, Symbol, TryConvert, Value,
};

use super::fair_queue::{id, route, FairQueue};
use crate::convert;
use crate::session::over;

impl FairQueue {
    /// => a Hash of counts; `mean_job_time` in milliseconds or nil.
    fn stats(ruby: &Ruby, rb_self: &Self, connection: Value) -> Result<RHash, Error> {
        let stats: Stats = over(ruby, connection, |session| rb_self.0.stats(session))?;
        let hash = ruby.hash_new();
        hash.aset(ruby.to_symbol("pending"), stats.pending)?;
        hash.aset(ruby.to_symbol("runnable"), stats.runnable)?;
        hash.aset(ruby.to_symbol("in_flight"), stats.in_flight)?;
        hash.aset(ruby.to_symbol("partitions"), stats.partitions)?;
        hash.aset(ruby.to_symbol("parked"), stats.parked)?;
        hash.aset(ruby.to_symbol("paused"), stats.paused)?;
        hash.aset(ruby.to_symbol("mean_job_time"), stats.mean_job_time)?;
        Ok(hash)
    }

    /// `partitions`: encoded ids. => for each `[encoded id, id or nil, pending, in_flight, weight, cap, paused, oldest
    /// age]`, the last in milliseconds or nil.
    fn describe(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        partitions: RArray,
        cap: u64,
    ) -> Result<RArray, Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let partitions: Vec<String> = partitions.to_vec()?;
        let described = over(ruby, connection, |session| {
            rb_self.0.describe(session, &partitions, limits)
        })?;
        let rows = ruby.ary_new();
        for row in described {
            rows.push(partition_row(row))?;
        }
        Ok(rows)
    }

    /// `index`: :runnable or :parked. => encoded ids in the order of their turns.
    fn partitions_by_turn(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        of: Symbol,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<String>, Error> {
        over(ruby, connection, |session| {
            rb_self
                .0
                .partitions_by_turn(session, index(&of)?, offset, limit)
        })
    }

    /// => `[next cursor, encoded ids]`, in no order.
    fn partitions_page(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        of: Symbol,
        cursor: u64,
    ) -> Result<(u64, Vec<String>), Error> {
        over(ruby, connection, |session| {
            rb_self.0.partitions_page(session, index(&of)?, cursor)
        })
    }

    /// => `[next cursor, [[time, encoded id], ...]]`, in no order; `bound` and the times in milliseconds.
    fn oldest(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        of: Symbol,
        cursor: u64,
        bound: Option<u64>,
    ) -> Result<RArray, Error> {
        let (next, heads) = over(ruby, connection, |session| {
            rb_self.0.oldest(session, index(&of)?, cursor, bound)
        })?;
        let rows = ruby.ary_new_capa(heads.len());
        for head in heads {
            rows.push(head)?;
        }
        let reply = ruby.ary_new();
        reply.push(next)?;
        reply.push(rows)?;
        Ok(reply)
    }

    /// `weight`, `limit`: a number, nil to take it back or :keep; `paused`: true, false or :keep.
    fn set(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        partition: Option<String>,
        weight: Value,
        limit: Value,
        paused: Value,
        cap: u64,
    ) -> Result<(f64, u64, bool), Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let settings = Settings {
            weight: change(weight)?,
            cap: change(limit)?,
            paused: change(paused)?,
        };
        over(ruby, connection, |session| {
            rb_self.0.set(
                session,
                &route(partition.as_deref(), None),
                settings,
                limits,
            )
        })
    }

    /// `jobs`: `[[payload, partition id or nil, weight or nil], ...]`. => pending of its partition after each.
    fn enqueue_all(
        ruby: &Ruby,
        rb_self: &Self,
        connection: Value,
        jobs: RArray,
        cap: u64,
    ) -> Result<Vec<u64>, Error> {
        let limits = convert::limits(ruby, cap, ruby.to_symbol("time"))?;
        let mut routed = Vec::with_capacity(jobs.len());
        for job in jobs.into_iter() {
            let (payload, partition, weight): (RString, Option<String>, Option<f64>) =
                TryConvert::try_convert(job)?;
            routed.push((
                payload.to_bytes().to_vec(),
                route(partition.as_deref(), weight),
            ));
        }
        over(ruby, connection, |session| {
            rb_self.0.enqueue_all(session, &routed, limits)
        })
    }

    /// => the id as it stands in key names; nil is the lane of jobs without partition.
    fn encoded(partition: Option<String>) -> String {
        match partition {
            Some(id) => encode_id(id).to_string(),
            None => fair_share_core::keys::LANE.to_owned(),
        }
    }
}

type Row = (
    String,
    Option<String>,
    u64,
    u64,
    f64,
    u64,
    bool,
    Option<u64>,
);

fn partition_row(row: Partition) -> Row {
    let id = row.name.or_else(|| id(&row.partition));
    (
        row.partition,
        id,
        row.pending,
        row.in_flight,
        row.weight,
        row.cap,
        row.paused,
        row.oldest_age,
    )
}

fn index(of: &Symbol) -> Result<Index, Error> {
    Ok(if of.name()? == "parked" {
        Index::Parked
    } else {
        Index::Runnable
    })
}

fn change<T: TryConvert>(value: Value) -> Result<Change<T>, Error> {
    if value.is_nil() {
        return Ok(Change::TakeBack);
    }
    // The only Symbol that is given is :keep.
    if Symbol::from_value(value).is_some() {
        return Ok(Change::Keep);
    }
    T::try_convert(value).map(Change::To)
}

pub(crate) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("stats", method!(FairQueue::stats, 1))?;
    class.define_method("describe", method!(FairQueue::describe, 3))?;
    class.define_method(
        "partitions_by_turn",
        method!(FairQueue::partitions_by_turn, 4),
    )?;
    class.define_method("partitions_page", method!(FairQueue::partitions_page, 3))?;
    class.define_method("oldest", method!(FairQueue::oldest, 4))?;
    class.define_method("set", method!(FairQueue::set, 6))?;
    class.define_method("enqueue_all", method!(FairQueue::enqueue_all, 3))?;
    class.define_singleton_method("encoded", magnus::function!(FairQueue::encoded, 1))
}
