//! Reads the replies of scripts, field by field.

use redis::{FromRedisValue, Value};

use crate::error::Error;

/// A script's reply. Each call reads the next field.
pub(crate) struct Reply(std::vec::IntoIter<Value>);

impl Reply {
    pub(crate) fn new(value: Value) -> Result<Self, Error> {
        match value {
            Value::Array(values) => Ok(Self(values.into_iter())),
            other => Err(Error::Protocol(format!("expected an array, got {other:?}"))),
        }
    }

    pub(crate) fn single(value: Value) -> Self {
        Self(vec![value].into_iter())
    }

    pub(crate) fn next(&mut self) -> Result<Value, Error> {
        self.0
            .next()
            .ok_or_else(|| Error::Protocol("a reply was too short".into()))
    }

    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        match self.next()? {
            Value::BulkString(bytes) => Ok(bytes),
            Value::SimpleString(text) => Ok(text.into_bytes()),
            other => Err(Error::Protocol(format!("expected a string, got {other:?}"))),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String, Error> {
        String::from_utf8(self.bytes()?).map_err(|error| Error::Protocol(error.to_string()))
    }

    pub(crate) fn number(&mut self) -> Result<u64, Error> {
        match self.next()? {
            Value::Int(number) => Ok(number.try_into().unwrap_or(0)),
            other => Err(Error::Protocol(format!("expected a number, got {other:?}"))),
        }
    }

    /// An array of texts, each followed by a number.
    pub(crate) fn counts(&mut self) -> Result<Vec<(String, u64)>, Error> {
        let mut reply = Self::new(self.next()?)?;
        let mut counts = Vec::with_capacity(reply.0.len() / 2);
        while reply.0.len() > 0 {
            counts.push((reply.text()?, reply.number()?));
        }
        Ok(counts)
    }

    pub(crate) fn texts(&mut self) -> Result<Vec<String>, Error> {
        let mut reply = Self::new(self.next()?)?;
        let mut texts = Vec::with_capacity(reply.0.len());
        while reply.0.len() > 0 {
            texts.push(reply.text()?);
        }
        Ok(texts)
    }

    pub(crate) fn list(&mut self) -> Result<Vec<Vec<u8>>, Error> {
        match self.next()? {
            Value::Array(values) => {
                let mut reply = Self(values.into_iter());
                let mut list = Vec::with_capacity(reply.0.len());
                for _ in 0..reply.0.len() {
                    list.push(reply.bytes()?);
                }
                Ok(list)
            }
            other => Err(Error::Protocol(format!("expected a list, got {other:?}"))),
        }
    }
}

/// Converts a reply with redis-rs.
pub(crate) fn parse<T: FromRedisValue>(reply: &Value) -> Result<T, Error> {
    redis::from_redis_value(reply).map_err(|error| Error::Protocol(error.to_string()))
}

/// The error for a status that the script never answers.
pub(crate) fn unknown<E: From<Error>>(verb: &str, status: &str) -> E {
    Error::Protocol(format!("the {verb} script answered {status:?}")).into()
}
