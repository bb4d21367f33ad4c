//! Parts of a JSON text, read without building a tree or written as Ruby writes them. Payloads are never encoded here:
//! versions of the json gem write floats differently, so Resque has to encode them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::Deserializer;

/// Writes `text` as Ruby's `JSON.generate` does.
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

/// The raw texts of the values of `names` in the JSON object `text`; of a duplicate key the last one, as in Ruby. `None` if
/// `text` is not one well-formed JSON object. Values are skipped, not built, so any nesting is fine.
pub(crate) fn fields<'a, const N: usize>(
    text: &'a str,
    names: [&str; N],
) -> Option<[Option<&'a str>; N]> {
    let mut deserializer = Deserializer::from_str(text);
    let found = deserializer.deserialize_map(Fields(names)).ok()?;
    deserializer.end().ok()?;
    Some(found)
}

/// The raw texts of the items of the JSON array `text`; `None` if it is not one well-formed JSON array.
pub(crate) fn items(text: &str) -> Option<Vec<&str>> {
    let mut deserializer = Deserializer::from_str(text);
    let items = deserializer.deserialize_seq(Items).ok()?;
    deserializer.end().ok()?;
    Some(items)
}

/// The raw text of the first item of the JSON array `text`.
pub(crate) fn first_item(text: &str) -> Option<&str> {
    let mut first = None;
    // serde reports an error because reading ends inside the array. The item is found nevertheless.
    let _ = Deserializer::from_str(text).deserialize_seq(FirstItem(&mut first));
    first
}

/// The characters of the JSON string `text`; `None` if it is not a string. A surrogate escape without its other half, which no
/// Rust String can contain, becomes U+FFFD.
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

/// Finds the index of a key among the wanted names. Compares bytes, since a key with a lone surrogate is no `str`.
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

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_string(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_only_what_ruby_escapes() {
        let text = "\"\\/\u{8}\u{c}\n\r\t\0\u{1f}\u{7f}\u{2028}é💎";
        assert_eq!(
            written(text),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}\u{2028}é💎\""
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
            let written = written(&text);
            prop_assert_eq!(&serde_json::from_str::<String>(&written).unwrap(), &text);
            prop_assert_eq!(string(&written).unwrap(), text);
        }
    }
}
