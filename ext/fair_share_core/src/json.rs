//! JSON as Ruby writes it, and reading parts of a JSON text without building a tree of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::Deserializer;

use crate::ruby_float::ruby_float;

/// How deep arrays and objects may nest in what [`encode`] writes: the default of Ruby's `JSON.generate`.
pub const MAX_NESTING: usize = 100;

/// A value to be encoded.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer of up to 64 bits.
    Int(i64),
    /// The decimal digits of an integer of any size; written as they are.
    BigInt(String),
    /// A float, written as Ruby prints it.
    Float(f64),
    /// A string.
    Str(String),
    /// An array.
    Array(Vec<Json>),
    /// An object; order and duplicate keys are kept.
    Object(Vec<(String, Json)>),
}

/// Encodes `value` to the bytes Ruby's `JSON.generate` gives.
///
/// # Errors
///
/// The message Ruby would raise with, when a float is not finite or the value nests deeper than [`MAX_NESTING`].
pub fn encode(value: &Json) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(128);
    write_value(&mut out, value, 0)?;
    Ok(out)
}

// Recursion is safe here: it ends at MAX_NESTING.
fn write_value(out: &mut Vec<u8>, value: &Json, depth: usize) -> Result<(), String> {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Int(int) => out.extend_from_slice(int.to_string().as_bytes()),
        Json::BigInt(digits) => out.extend_from_slice(digits.as_bytes()),
        Json::Float(float) => {
            let text = ruby_float(*float);
            if !float.is_finite() {
                return Err(format!("{text} not allowed in JSON"));
            }
            out.extend_from_slice(text.as_bytes());
        }
        Json::Str(text) => write_string(out, text),
        Json::Array(items) => {
            let depth = deeper(depth)?;
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_value(out, item, depth)?;
            }
            out.push(b']');
        }
        Json::Object(pairs) => {
            let depth = deeper(depth)?;
            out.push(b'{');
            for (index, (key, item)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(out, key);
                out.push(b':');
                write_value(out, item, depth)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn deeper(depth: usize) -> Result<usize, String> {
    let depth = depth + 1;
    if depth > MAX_NESTING {
        return Err(format!("nesting of {depth} is too deep"));
    }
    Ok(depth)
}

pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x00..=0x1f => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// The raw texts of the values of `names` in the JSON object `text`, the last one of a duplicate key as in Ruby;
/// `None` when `text` is not one well-formed JSON object. Values are skipped, never built, at any nesting.
pub(crate) fn fields<'a, const N: usize>(
    text: &'a str,
    names: [&str; N],
) -> Option<[Option<&'a str>; N]> {
    let mut deserializer = Deserializer::from_str(text);
    let found = deserializer.deserialize_map(Fields(names)).ok()?;
    deserializer.end().ok()?;
    Some(found)
}

/// The raw texts of the items of the JSON array `text`; `None` when it is not one well-formed JSON array.
pub(crate) fn items(text: &str) -> Option<Vec<&str>> {
    let mut deserializer = Deserializer::from_str(text);
    let items = deserializer.deserialize_seq(Items).ok()?;
    deserializer.end().ok()?;
    Some(items)
}

/// The first item of the JSON array `text`, as [`items`] would give it.
pub(crate) fn first_item(text: &str) -> Option<&str> {
    let mut first = None;
    // Reading ends inside the array, which serde reports as an error: the item was found all the same.
    let _ = Deserializer::from_str(text).deserialize_seq(FirstItem(&mut first));
    first
}

/// The characters of the JSON string `text`; `None` when it is none. A surrogate escape without its other half,
/// which no String can hold, becomes U+FFFD.
pub(crate) fn string(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let bytes = Deserializer::from_str(text)
        .deserialize_bytes(Unescaped)
        .ok()?;
    Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

struct Fields<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Fields<'_, N> {
    type Value = [Option<&'de str>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(index) = map.next_key_seed(Name(&self.0))? {
            match index.and_then(|index| found.get_mut(index)) {
                Some(slot) => *slot = Some(map.next_value::<&'de RawValue>()?.get()),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Which of the wanted names a key is. It compares bytes, since a key with a lone surrogate is no `str`.
struct Name<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_bytes<E: serde::de::Error>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == key))
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<&'de RawValue>()? {
            items.push(item.get());
        }
        Ok(items)
    }
}

struct FirstItem<'s, 'de>(&'s mut Option<&'de str>);

impl<'de> Visitor<'de> for FirstItem<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        *self.0 = seq.next_element::<&'de RawValue>()?.map(RawValue::get);
        Ok(())
    }
}

struct Unescaped;

impl Visitor<'_> for Unescaped {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(bytes.to_vec())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(value: Json) -> String {
        String::from_utf8(encode(&value).unwrap()).unwrap()
    }

    fn nested_arrays(depth: usize) -> Json {
        (1..depth).fold(Json::Array(vec![]), |inner, _| Json::Array(vec![inner]))
    }

    #[test]
    fn encodes_a_payload_without_spaces_and_in_order() {
        let payload = Json::Object(vec![
            ("class".into(), Json::Str("Report".into())),
            (
                "args".into(),
                Json::Array(vec![
                    Json::Int(-7),
                    Json::BigInt("1000000000000000000000000000000".into()),
                    Json::Float(1e-7),
                    Json::Null,
                    Json::Bool(true),
                    Json::Bool(false),
                    Json::Array(vec![]),
                    Json::Object(vec![]),
                ]),
            ),
        ]);
        assert_eq!(
            encoded(payload),
            r#"{"class":"Report","args":[-7,1000000000000000000000000000000,1.0e-07,null,true,false,[],{}]}"#
        );
    }

    #[test]
    fn escapes_only_what_ruby_escapes() {
        let text = "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}\u{2028}é💎";
        assert_eq!(
            encoded(Json::Str(text.into())),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}\u{2028}é💎\""
        );
    }

    #[test]
    fn refuses_floats_json_has_no_word_for() {
        assert_eq!(
            encode(&Json::Float(f64::NAN)).unwrap_err(),
            "NaN not allowed in JSON"
        );
        assert_eq!(
            encode(&Json::Float(f64::NEG_INFINITY)).unwrap_err(),
            "-Infinity not allowed in JSON"
        );
    }

    #[test]
    fn refuses_to_nest_deeper_than_ruby() {
        assert!(encode(&nested_arrays(100)).is_ok());
        assert_eq!(
            encode(&nested_arrays(101)).unwrap_err(),
            "nesting of 101 is too deep"
        );
    }

    #[test]
    fn a_string_with_a_lone_surrogate_is_read_with_a_replacement() {
        for text in [r#""a\ud800""#, r#""a\udc00""#, r#""a\ud800A""#] {
            assert!(string(text).unwrap().starts_with("a\u{fffd}"), "{text}");
        }
        assert_eq!(string(r#""\ud83d\udc8e""#).unwrap(), "💎");
    }

    proptest! {
        #[test]
        fn any_string_reads_back_as_it_was(text in any::<String>()) {
            let written = encoded(Json::Str(text.clone()));
            prop_assert_eq!(&serde_json::from_str::<String>(&written).unwrap(), &text);
            prop_assert_eq!(string(&written).unwrap(), text);
        }
    }
}
