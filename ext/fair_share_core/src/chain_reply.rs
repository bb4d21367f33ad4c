//! Checks that the reply of a chain's script has its shape, as the headers in `lua/` give it: a proxy's error page, or another
//! type, is an error here and not somewhere in Ruby.

use redis::Value;

use crate::error::Error;

/// `{ result, milliseconds, pending counts }`; the last may be missing.
pub(crate) fn transition(reply: Value) -> Result<Value, Error> {
    let fits = match items(&reply) {
        [result, duration] => is_text(result) && is_number(duration),
        [result, duration, pendings] => {
            is_text(result) && is_number(duration) && is_list_of(pendings, is_number)
        }
        _ => false,
    };
    checked(fits, reply)
}

/// The reply of `chain_look`.
pub(crate) fn look(reply: Value) -> Result<Value, Error> {
    let fits = match items(&reply) {
        [missing] => is(missing, "missing"),
        [old, started, context] => is(old, "old") && is_text(started) && is_text(context),
        [chain, known, context, rows, next_first, next_steps] => {
            is(chain, "chain")
                && [known, context, rows, next_steps]
                    .into_iter()
                    .all(|list| is_list_of(list, is_text))
                && items(known).len() == 7
                && items(rows).len() % 5 == 0
                && is_text(next_first)
        }
        _ => false,
    };
    checked(fits, reply)
}

/// The reply of `chain_update`.
pub(crate) fn update(reply: Value) -> Result<Value, Error> {
    let fits = match items(&reply) {
        [missing] => is(missing, "missing"),
        [old, started, context] if is(old, "old") => is_text(started) && is_text(context),
        [updated, revision, context] => {
            is(updated, "updated") && is_text(revision) && is_list_of(context, is_text)
        }
        _ => false,
    };
    checked(fits, reply)
}

/// `{ number of chains of 0.1.0, id, fields, id, fields, ... }`
pub(crate) fn list(reply: Value) -> Result<Value, Error> {
    let fits = match items(&reply) {
        [old, rows @ ..] => {
            is_number(old)
                && rows.chunks(2).all(|row| match row {
                    [id, fields] => is_text(id) && is_list_of(fields, is_text),
                    _ => false,
                })
        }
        _ => false,
    };
    checked(fits, reply)
}

/// A count for each of the five statuses.
pub(crate) fn counts(reply: Value) -> Result<Value, Error> {
    checked(
        items(&reply).len() == 5 && is_list_of(&reply, is_number),
        reply,
    )
}

/// 1 or 0.
pub(crate) fn flag(reply: Value) -> Result<Value, Error> {
    checked(is_number(&reply), reply)
}

fn checked(fits: bool, reply: Value) -> Result<Value, Error> {
    if fits {
        return Ok(reply);
    }
    let shown: String = format!("{reply:?}").chars().take(200).collect();
    Err(Error::Protocol(format!(
        "no script of a chain answers {shown}"
    )))
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        _ => &[],
    }
}

fn is_list_of(value: &Value, fits: fn(&Value) -> bool) -> bool {
    matches!(value, Value::Array(items) if items.iter().all(fits))
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_))
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::BulkString(_) | Value::SimpleString(_))
}

fn is(value: &Value, word: &str) -> bool {
    match value {
        Value::BulkString(bytes) => bytes == word.as_bytes(),
        Value::SimpleString(text) => text == word,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(word: &str) -> Value {
        Value::BulkString(word.as_bytes().to_vec())
    }

    fn array(items: &[Value]) -> Value {
        Value::Array(items.to_vec())
    }

    type Check = fn(Value) -> Result<Value, Error>;

    #[test]
    fn a_reply_of_another_shape_is_a_protocol_error() {
        let checks: [Check; 6] = [transition, look, update, list, counts, flag];
        let page = Value::SimpleString("HTTP/1.1 400 Bad Request".into());
        for check in checks {
            for reply in [
                page.clone(),
                Value::Nil,
                Value::Okay,
                array(&[Value::Nil]),
                array(std::slice::from_ref(&page)),
                array(&[text("chain"), text("x")]),
                array(&[text("advanced"), text("7")]),
                array(&[Value::Int(1), text("id")]),
            ] {
                assert!(
                    matches!(check(reply.clone()), Err(Error::Protocol(_))),
                    "{reply:?}"
                );
            }
        }
    }

    #[test]
    fn a_reply_of_the_right_shape_passes_as_it_is() {
        let (number, empty) = (Value::Int(-1), array(&[]));
        let known = array(&vec![text("x"); 7]);
        let rows = array(&vec![text("x"); 10]);
        let right: [(Check, Value); 9] = [
            (transition, array(&[text("stale"), number.clone()])),
            (
                transition,
                array(&[text("advanced"), number.clone(), array(&[Value::Int(3)])]),
            ),
            (look, array(&[text("missing")])),
            (look, array(&[text("old"), text(""), text("{}")])),
            (
                look,
                array(&[
                    text("chain"),
                    known,
                    empty.clone(),
                    rows,
                    text("1"),
                    empty.clone(),
                ]),
            ),
            (update, array(&[text("updated"), text("2"), empty.clone()])),
            (list, array(&[Value::Int(0), text("id"), empty])),
            (counts, array(&vec![Value::Int(0); 5])),
            (flag, Value::Int(0)),
        ];
        for (check, reply) in right {
            assert_eq!(check(reply.clone()), Ok(reply));
        }
    }
}
