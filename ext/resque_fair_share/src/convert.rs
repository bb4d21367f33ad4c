//! Converts Ruby values to the core's types and back. Copies everything, because another thread may change a String meanwhile.

use fair_share_core::partition_id::{decode_id, LANE};
use fair_share_core::queue::{Charge, Limits};
use fair_share_core::route::{Route, Routed};
use magnus::{
    value::ReprValue, Error, IntoValue, RArray, RString, Ruby, Symbol, TryConvert, Value,
};

use crate::error::CallError;

/// A String as Resque's client returns it: marked as UTF-8, valid or not.
pub(crate) fn string(ruby: &Ruby, bytes: &[u8]) -> RString {
    ruby.enc_str_new(bytes, ruby.utf8_encoding())
}

pub(crate) fn strings(ruby: &Ruby, list: &[Vec<u8>]) -> Result<RArray, Error> {
    let array = ruby.ary_new();
    for bytes in list {
        array.push(string(ruby, bytes))?;
    }
    Ok(array)
}

/// A reply of Redis as Resque's client returns it.
pub(crate) fn reply(ruby: &Ruby, value: &redis::Value) -> Result<Value, CallError> {
    Ok(match value {
        redis::Value::Nil => ruby.qnil().as_value(),
        redis::Value::Int(number) => ruby.integer_from_i64(*number).as_value(),
        redis::Value::BulkString(bytes) => string(ruby, bytes).as_value(),
        redis::Value::SimpleString(text) => string(ruby, text.as_bytes()).as_value(),
        redis::Value::Array(items) => {
            let array = ruby.ary_new_capa(items.len());
            for item in items {
                array.push(reply(ruby, item)?)?;
            }
            array.as_value()
        }
        other => {
            let text = format!("Redis answered {other:?}, which no script of this gem does");
            return Err(fair_share_core::error::Error::Protocol(text).into());
        }
    })
}

/// `:time` or `:jobs`.
pub(crate) struct ChargeName(Charge);

impl TryConvert for ChargeName {
    fn try_convert(value: Value) -> Result<Self, Error> {
        match Symbol::try_convert(value)?.name()?.as_ref() {
            "time" => Ok(Self(Charge::Time)),
            "jobs" => Ok(Self(Charge::Jobs)),
            other => Err(Error::new(
                Ruby::get_with(value).exception_arg_error(),
                format!("charge is :{other}; it must be :time or :jobs"),
            )),
        }
    }
}

pub(crate) fn limits(cap: u64, charge: ChargeName) -> Limits {
    Limits {
        cap,
        charge: charge.0,
    }
}

/// For each element of the main list: nil if it is a ticket, else `[partition id or nil, weight or nil]`.
pub(crate) struct Routes(Vec<Option<(Option<String>, Option<f64>)>>);

impl TryConvert for Routes {
    fn try_convert(value: Value) -> Result<Self, Error> {
        RArray::try_convert(value)?.to_vec().map(Self)
    }
}

impl Routes {
    /// Each element with its route.
    pub(crate) fn of(self, elements: RArray) -> Result<Vec<Routed>, Error> {
        let mut routed = Vec::with_capacity(self.0.len());
        for (element, to) in elements.into_iter().zip(self.0) {
            let element = RString::try_convert(element)?.to_bytes().to_vec();
            let route = to.map(|(partition, weight)| Route::of(partition.as_deref(), weight));
            routed.push((element, route));
        }
        Ok(routed)
    }
}

/// The id as it was given; `None` for the lane, which has none. A shortened id stays as it is.
pub(crate) fn id(encoded: &str) -> Option<String> {
    if encoded == LANE {
        return None;
    }
    Some(decode_id(encoded).unwrap_or_else(|| encoded.to_owned()))
}

/// Converts counts of partitions to `[id or nil, count]` of each.
pub(crate) fn counts(ruby: &Ruby, of: &[(String, u64)]) -> RArray {
    ruby.ary_from_iter(of.iter().map(|(partition, count)| (id(partition), *count)))
}

pub(crate) fn rows<T: IntoValue>(
    ruby: &Ruby,
    rows: impl ExactSizeIterator<Item = T>,
) -> Result<RArray, Error> {
    let array = ruby.ary_new_capa(rows.len());
    for row in rows {
        array.push(row)?;
    }
    Ok(array)
}

/// `[next cursor, rows]`
pub(crate) fn page<T: IntoValue>(
    ruby: &Ruby,
    next: u64,
    of: impl ExactSizeIterator<Item = T>,
) -> Result<RArray, CallError> {
    let rows = rows(ruby, of)?;
    Ok(ruby.ary_new_from_values(&[next.into_value_with(ruby), rows.as_value()]))
}
