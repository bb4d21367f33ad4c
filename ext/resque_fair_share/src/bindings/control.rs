//! `Native::Queue`, control: the state of a queue, for an operator to read or change.

use fair_share_core::control::{Change, Index, Partition, Settings};
use fair_share_core::route::Route;
use magnus::{method, prelude::*, Error, RArray, RClass, RHash, Ruby, Symbol, TryConvert, Value};

use super::queue::Queue;
use crate::connection::Session;
use crate::convert::{self, id, page};
use crate::error::CallError;

impl Queue {
    /// Whether the queue has fair-share state now.
    fn is_fair(&self, mut session: Session) -> Result<bool, CallError> {
        self.0.is_fair(&mut session)
    }

    /// Returns a Hash of counts; `mean_job_time` is in milliseconds, or nil.
    fn stats(ruby: &Ruby, rb_self: &Self, mut session: Session) -> Result<RHash, CallError> {
        let stats = rb_self.0.stats(&mut session)?;
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

    /// `partitions`: encoded ids. Returns for each `[encoded id, id or nil, pending, in_flight, weight, cap, paused, oldest
    /// age]`; the age is in milliseconds, or nil.
    fn describe(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        partitions: RArray,
        cap: u64,
    ) -> Result<RArray, CallError> {
        let partitions: Vec<String> = partitions.to_vec()?;
        let described = rb_self.0.describe(&mut session, &partitions, cap)?;
        Ok(convert::rows(ruby, described.into_iter().map(row))?)
    }

    /// `of`: :runnable or :parked. Returns encoded ids in the order of their turns.
    fn partitions_by_turn(
        &self,
        mut session: Session,
        of: IndexName,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<String>, CallError> {
        self.0.partitions_by_turn(&mut session, of.0, offset, limit)
    }

    /// Returns `[next cursor, encoded ids]`, in no order.
    fn partitions_page(
        &self,
        mut session: Session,
        of: IndexName,
        cursor: u64,
    ) -> Result<(u64, Vec<String>), CallError> {
        self.0.partitions_page(&mut session, of.0, cursor)
    }

    /// Returns `[next cursor, [[time, encoded id], ...]]`, in no order. `bound` and the times are in milliseconds.
    fn oldest(
        ruby: &Ruby,
        rb_self: &Self,
        mut session: Session,
        of: IndexName,
        cursor: u64,
        bound: Option<u64>,
    ) -> Result<RArray, CallError> {
        let (next, heads) = rb_self.0.oldest(&mut session, of.0, cursor, bound)?;
        page(ruby, next, heads.into_iter())
    }

    /// `partition`: encoded. Returns the weight that the configuration gave it, or nil.
    fn configured_weight(
        &self,
        mut session: Session,
        partition: String,
    ) -> Result<Option<f64>, CallError> {
        self.0.configured_weight(&mut session, &partition)
    }

    /// `weight`, `limit`: a number, nil to take it back, or :keep. `paused`: true, false or :keep. Returns `[weight, cap,
    /// paused]` as they are in force now.
    fn set(
        &self,
        mut session: Session,
        partition: Option<String>,
        weight: Value,
        limit: Value,
        paused: Value,
        cap: u64,
    ) -> Result<(f64, u64, bool), CallError> {
        let settings = Settings {
            weight: change(weight)?,
            cap: change(limit)?,
            paused: change(paused)?,
        };
        let route = Route::of(partition.as_deref(), None);
        self.0.set(&mut session, &route, settings, cap)
    }

    fn forget_settings(&self, mut session: Session) -> Result<(), CallError> {
        self.0.forget_settings(&mut session)
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

fn row(of: Partition) -> Row {
    let id = of.name.or_else(|| id(&of.partition));
    (
        of.partition,
        id,
        of.pending,
        of.in_flight,
        of.weight,
        of.cap,
        of.paused,
        of.oldest_age,
    )
}

/// An index, by its Symbol: :runnable or :parked.
struct IndexName(Index);

impl TryConvert for IndexName {
    fn try_convert(value: Value) -> Result<Self, Error> {
        let name = Symbol::try_convert(value)?.name()?;
        Ok(Self(if name == "parked" {
            Index::Parked
        } else {
            Index::Runnable
        }))
    }
}

fn change<T: TryConvert>(value: Value) -> Result<Change<T>, Error> {
    if value.is_nil() {
        return Ok(Change::TakeBack);
    }
    // :keep is the only Symbol that Ruby passes.
    if Symbol::from_value(value).is_some() {
        return Ok(Change::Keep);
    }
    T::try_convert(value).map(Change::To)
}

pub(super) fn init(class: RClass) -> Result<(), Error> {
    class.define_method("fair?", method!(Queue::is_fair, 1))?;
    class.define_method("stats", method!(Queue::stats, 1))?;
    class.define_method("describe", method!(Queue::describe, 3))?;
    class.define_method("partitions_by_turn", method!(Queue::partitions_by_turn, 4))?;
    class.define_method("partitions_page", method!(Queue::partitions_page, 3))?;
    class.define_method("oldest", method!(Queue::oldest, 4))?;
    class.define_method("configured_weight", method!(Queue::configured_weight, 2))?;
    class.define_method("set", method!(Queue::set, 6))?;
    class.define_method("forget_settings", method!(Queue::forget_settings, 1))
}
