//! Parses replies (RESP2) as they arrive. Keeps an incomplete reply, so that reading can stop at any byte and go on later.

use redis::Value;

/// Redis writes no longer line: a server that sends one is no Redis.
const LONGEST_LINE: usize = 64 * 1024;
/// Enough for most replies. Not more, since after a fork each page that is written to gets copied.
const CHUNK: usize = 2048;
/// If a large command or reply has made a buffer larger than this, the next one starts with a smaller buffer.
pub(super) const KEPT: usize = 64 * 1024;

/// Reads one reply after the other.
#[derive(Default)]
pub(super) struct Reader {
    buffer: Vec<u8>,
    /// The bytes before this position have been parsed.
    at: usize,
    /// The stack of arrays that are not complete, the outermost first.
    open: Vec<Open>,
}

struct Open {
    missing: usize,
    items: Vec<Value>,
}

impl Reader {
    /// Lets `read` fill free room in the buffer. `read` returns how many bytes it has read.
    pub(super) fn fill<E>(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let used = self.buffer.len();
        self.buffer.resize(used + used.clamp(CHUNK, KEPT), 0);
        let outcome = read(self.buffer.get_mut(used..).unwrap_or_default());
        self.buffer
            .truncate(used + outcome.as_ref().map_or(0, |count| *count));
        outcome
    }

    /// The next reply, if it is complete.
    pub(super) fn reply(&mut self) -> Result<Option<Value>, String> {
        while let Some(item) = self.item()? {
            if let Some(reply) = self.placed(item) {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    /// Whether there are bytes after the replies that were read: nobody has asked for them.
    pub(super) fn is_ahead(&self) -> bool {
        self.at < self.buffer.len()
    }

    /// Forgets all bytes and incomplete arrays.
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        self.buffer.shrink_to(KEPT);
        self.at = 0;
        self.open.clear();
    }

    /// Parses the next item; a non-empty array header is pushed on the stack instead of returned.
    fn item(&mut self) -> Result<Option<Value>, String> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let Some((line, behind)) = line_of(rest)? else {
                return Ok(None);
            };
            let (kind, text) = line.split_at_checked(1).unwrap_or_default();
            let mut read = rest.len() - behind.len();
            let item = match kind {
                b"+" if text == b"OK" => Value::Okay,
                b"+" => Value::SimpleString(lossy(text)),
                b"-" => error_of(text)?,
                b":" => Value::Int(number(text)?),
                b"$" => match usize::try_from(number(text)?) {
                    Err(_) => Value::Nil,
                    Ok(length) => {
                        let Some((bytes, end)) = behind
                            .get(..length.saturating_add(2))
                            .and_then(|whole| whole.split_at_checked(length))
                        else {
                            return Ok(None);
                        };
                        if end != b"\r\n" {
                            return Err(format!("a string of {length} bytes does not end there"));
                        }
                        read += length + 2;
                        Value::BulkString(bytes.to_vec())
                    }
                },
                b"*" => match usize::try_from(number(text)?) {
                    Err(_) => Value::Nil,
                    Ok(0) => Value::Array(Vec::new()),
                    Ok(missing) => {
                        let items = Vec::with_capacity(missing.min(CHUNK));
                        self.open.push(Open { missing, items });
                        self.at += read;
                        continue;
                    }
                },
                _ => return Err(format!("no reply begins like {:?}", lossy(line))),
            };
            self.at += read;
            return Ok(Some(item));
        }
    }

    /// Adds an item to the innermost open array. If that completes the array, adds the array to the one around it, and so on.
    /// Returns the outermost item when it is complete.
    fn placed(&mut self, mut item: Value) -> Option<Value> {
        while let Some(mut array) = self.open.pop() {
            array.items.push(item);
            array.missing -= 1;
            if array.missing > 0 {
                self.open.push(array);
                return None;
            }
            item = Value::Array(array.items);
        }
        Some(item)
    }
}

/// A line without its end, and the bytes after it.
type Line<'a> = (&'a [u8], &'a [u8]);

/// The first line, if it is complete.
fn line_of(bytes: &[u8]) -> Result<Option<Line<'_>>, String> {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        if bytes.len() > LONGEST_LINE {
            return Err(format!("a line of more than {LONGEST_LINE} bytes"));
        }
        return Ok(None);
    };
    let (line, behind) = bytes.split_at_checked(end + 1).unwrap_or_default();
    let line = line
        .strip_suffix(b"\r\n")
        .ok_or_else(|| format!("a line without a carriage return: {:?}", lossy(line)))?;
    Ok(Some((line, behind)))
}

fn number(text: &[u8]) -> Result<i64, String> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("{:?} is no number", lossy(text)))
}

/// Parsed by redis-rs: only it can make a value of its error type.
fn error_of(text: &[u8]) -> Result<Value, String> {
    let line = [b"-", text, b"\r\n"].concat();
    redis::parse_redis_value(&line).map_err(|error| error.to_string())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn feed(reader: &mut Reader, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = reader
                .fill(|room| {
                    let count = rest.len().min(room.len());
                    room.get_mut(..count)
                        .unwrap()
                        .copy_from_slice(rest.get(..count).unwrap());
                    Ok::<_, Infallible>(count)
                })
                .unwrap();
            rest = rest.get(count..).unwrap();
        }
    }

    fn read(bytes: &[u8]) -> Result<Option<Value>, String> {
        let mut reader = Reader::default();
        feed(&mut reader, bytes);
        reader.reply()
    }

    fn written(value: &Value) -> Vec<u8> {
        match value {
            Value::Nil => b"$-1\r\n".to_vec(),
            Value::Okay => b"+OK\r\n".to_vec(),
            Value::Int(number) => format!(":{number}\r\n").into_bytes(),
            Value::SimpleString(text) => format!("+{text}\r\n").into_bytes(),
            Value::BulkString(bytes) => {
                let mut all = format!("${}\r\n", bytes.len()).into_bytes();
                all.extend_from_slice(bytes);
                all.extend_from_slice(b"\r\n");
                all
            }
            Value::Array(items) => {
                let mut all = format!("*{}\r\n", items.len()).into_bytes();
                all.extend(items.iter().flat_map(written));
                all
            }
            other => panic!("{other:?}"),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            Just(Value::Okay),
            any::<i64>().prop_map(Value::Int),
            "[a-z ]{0,12}".prop_map(Value::SimpleString),
            proptest::collection::vec(any::<u8>(), 0..40).prop_map(Value::BulkString),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            proptest::collection::vec(inner, 0..6).prop_map(Value::Array)
        })
    }

    proptest! {
        #[test]
        fn reads_what_was_written_cut_anywhere(value in values(), cuts in proptest::collection::vec(1..50usize, 0..20)) {
            let bytes = written(&value);
            let mut reader = Reader::default();
            let mut rest = bytes.as_slice();
            for cut in cuts {
                if cut >= rest.len() {
                    break;
                }
                let (now, later) = rest.split_at(cut);
                feed(&mut reader, now);
                prop_assert_eq!(reader.reply(), Ok(None));
                rest = later;
            }
            feed(&mut reader, rest);
            prop_assert_eq!(reader.reply(), Ok(Some(value.clone())));
            prop_assert!(!reader.is_ahead());
            prop_assert_eq!(redis::parse_redis_value(&bytes).unwrap(), value);
        }

        #[test]
        fn never_panics_over_what_is_no_reply(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn an_error_has_its_code_and_its_text() {
        let Ok(Some(Value::ServerError(error))) = read(b"-NOSCRIPT No matching script.\r\n") else {
            panic!()
        };
        assert_eq!(
            (error.code(), error.details()),
            ("NOSCRIPT", Some("No matching script."))
        );
        let Ok(Some(Value::ServerError(error))) = read(b"-LOADING\r\n") else {
            panic!()
        };
        assert_eq!((error.code(), error.details()), ("LOADING", None));
    }

    #[test]
    fn a_nil_array_is_nil() {
        assert_eq!(read(b"*-1\r\n"), Ok(Some(Value::Nil)));
    }

    #[test]
    fn says_what_it_does_not_understand() {
        let too_long = vec![b'+'; LONGEST_LINE + 1];
        for (bytes, reason) in [
            (&b"HTTP/1.1 400 Bad Request\r\n"[..], "HTTP/1.1 400"),
            (b":1x\r\n", "\"1x\" is no number"),
            (b"$3\r\nabcd\r\n", "3 bytes does not end"),
            (b"+OK\n", "carriage return"),
            (b"\r\n", "begins like \"\""),
            (&too_long, "more than 65536 bytes"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn what_comes_behind_a_reply_is_seen() {
        let mut reader = Reader::default();
        feed(&mut reader, b":1\r\n:2\r\n");
        assert_eq!(reader.reply(), Ok(Some(Value::Int(1))));
        assert!(reader.is_ahead());
        reader.clear();
        assert!(!reader.is_ahead());
    }
}
