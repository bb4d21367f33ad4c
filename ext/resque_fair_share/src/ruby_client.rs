//! Sends the commands over Resque's own client, for set-ups that the core does not support: Distributed, Cluster, a connection
//! pool, a custom connector, a fake. That client deals with Ruby's lock and with interrupts.

use fair_share_core::error::Error;
use magnus::{prelude::*, ExceptionClass, Float, Integer, RArray, RString, Ruby, Value};
use redis::{Arg, Cmd};

use crate::convert;
use crate::error::CallError;

pub(crate) fn call(
    ruby: &Ruby,
    connection: Value,
    command: &Cmd,
) -> Result<redis::Value, CallError> {
    let words = ruby.ary_new();
    for argument in command.args_iter() {
        if let Arg::Simple(bytes) = argument {
            words.push(convert::string(ruby, bytes))?;
        }
    }
    match connection.funcall::<_, _, Value>("call", (words,)) {
        Ok(reply) => value(reply),
        Err(error) => {
            let command_error: ExceptionClass = ruby
                .class_object()
                .funcall("const_get", ("Redis::CommandError",))?;
            if error.is_kind_of(command_error) {
                let text = error
                    .value()
                    .map(|value| value.funcall::<_, _, String>("message", ()));
                if let Some(Ok(text)) = text {
                    return Err(Error::Command(text).into());
                }
            }
            Err(error.into())
        }
    }
}

fn value(reply: Value) -> Result<redis::Value, CallError> {
    if reply.is_nil() {
        return Ok(redis::Value::Nil);
    }
    if let Some(integer) = Integer::from_value(reply) {
        return Ok(redis::Value::Int(integer.to_i64()?));
    }
    if let Some(float) = Float::from_value(reply) {
        return Ok(redis::Value::Double(float.to_f64()));
    }
    if let Some(string) = RString::from_value(reply) {
        return Ok(redis::Value::BulkString(string.to_bytes().to_vec()));
    }
    if let Some(array) = RArray::from_value(reply) {
        let items: Result<Vec<_>, _> = array.into_iter().map(value).collect();
        return Ok(redis::Value::Array(items?));
    }
    Err(Error::Protocol(format!("Resque's Redis client answered {reply:?}")).into())
}
