//! Finds the partition (tenant) of a job in the raw JSON of its arguments.

use thiserror::Error;

use crate::json;
use crate::ruby_float::ruby_float;

/// Where a job's arguments have the partition id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule<'a> {
    /// The value of `key` in the first Hash argument that has it, else the argument at `index`.
    Key {
        /// The key as in JSON (a Symbol's name).
        key: &'a str,
        /// The fallback position, from 0.
        index: Option<usize>,
    },
    /// The argument at this position, from 0.
    Index(usize),
}

/// Why a job's arguments name no partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Missing {
    /// No argument is a Hash, and the rule has no index.
    #[error("no argument is a Hash")]
    NoHash,
    /// No Hash argument has the key with a value other than nil, and the rule has no index.
    #[error("no Hash argument has the partition key")]
    NoKey,
    /// The argument at the rule's index is nil or does not exist (and no Hash has the key, if the rule has one).
    #[error("the argument at the partition index is nil or not there")]
    NoIndex,
    /// The arguments are not a JSON array.
    #[error("the arguments are not an array")]
    NotAnArray,
}

/// Finds the partition id in `args`, the raw JSON array of a job's arguments.
///
/// The id is the value's `to_s` in Ruby: `1` and `"1"` are one partition, `1.0` is another. `false`, `0` and `""` are values;
/// null is none. An integer keeps its digits whatever its size. The id of an Array or a Hash is its JSON text without white
/// space, because Ruby's `inspect` differs between versions and would split one partition in two.
///
/// # Errors
///
/// [`Missing`] says why no id was found.
pub fn extract(args: &str, rule: Rule<'_>) -> Result<String, Missing> {
    let items = json::items(args).ok_or(Missing::NotAnArray)?;
    let (key, index) = match rule {
        Rule::Key { key, index } => (Some(key), index),
        Rule::Index(index) => (None, Some(index)),
    };
    let mut missing = Missing::NoHash;
    if let Some(key) = key {
        for hash in items.iter().filter(|item| item.starts_with('{')) {
            missing = Missing::NoKey;
            let value = json::fields(hash, [key]).and_then(|[value]| value);
            if let Some(id) = value.and_then(id_of) {
                return Ok(id);
            }
        }
    }
    match index {
        Some(index) => items
            .get(index)
            .and_then(|item| id_of(item))
            .ok_or(Missing::NoIndex),
        None => Err(missing),
    }
}

/// The id of a raw JSON value, `None` for null.
fn id_of(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'n' => None,
        b'"' => json::string(raw).map(|text| text.into_owned()),
        b'{' | b'[' => Some(compact(raw)),
        b't' | b'f' => Some(raw.to_owned()),
        _ => Some(number(raw)),
    }
}

fn number(raw: &str) -> String {
    if raw == "-0" {
        return "0".to_owned();
    }
    if raw.contains(['.', 'e', 'E']) {
        return raw.parse().map_or_else(|_| raw.to_owned(), ruby_float);
    }
    raw.to_owned()
}

fn compact(raw: &str) -> String {
    let mut in_string = false;
    let mut escaped = false;
    raw.chars()
        .filter(|&c| {
            if in_string {
                in_string = escaped || c != '"';
                escaped = c == '\\' && !escaped;
                return true;
            }
            in_string = c == '"';
            !c.is_ascii_whitespace()
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: Rule<'_> = Rule::Key {
        key: "tenant",
        index: None,
    };

    fn key_or(index: usize) -> Rule<'static> {
        Rule::Key {
            key: "tenant",
            index: Some(index),
        }
    }

    fn id(value: &str) -> Result<String, Missing> {
        extract(&format!("[{value}]"), Rule::Index(0))
    }

    #[test]
    fn takes_the_key_from_a_hash_argument_wherever_it_stands() {
        for args in [
            r#"[{"tenant":"acme"}]"#,
            r#"[1,"x",{"tenant":"acme"}]"#,
            r#"[{"other":1},{"tenant":"acme"}]"#,
            r#"[{"tenant":null},{"tenant":"acme"},{"tenant":"late"}]"#,
            " [ { \"tenant\" : \"acme\" } ] ",
            r#"[{"t\u0065nant":"acme"}]"#,
            r#"[{"\ud800":1,"tenant":"acme"}]"#,
        ] {
            assert_eq!(extract(args, KEY).as_deref(), Ok("acme"), "{args}");
        }
    }

    #[test]
    fn the_last_of_a_duplicate_key_wins_as_in_ruby() {
        assert_eq!(
            extract(r#"[{"tenant":"a","tenant":"b"}]"#, KEY).as_deref(),
            Ok("b")
        );
        assert_eq!(
            extract(r#"[{"tenant":"a","tenant":null}]"#, KEY),
            Err(Missing::NoKey)
        );
    }

    #[test]
    fn a_key_deeper_down_is_not_the_partition_key() {
        assert_eq!(
            extract(r#"[{"nested":{"tenant":"a"}}]"#, KEY),
            Err(Missing::NoKey)
        );
        assert_eq!(extract(r#"[[{"tenant":"a"}]]"#, KEY), Err(Missing::NoHash));
    }

    #[test]
    fn falls_back_to_the_index_only_when_no_hash_has_the_key() {
        assert_eq!(
            extract(r#"["x",{"tenant":"a"}]"#, key_or(0)).as_deref(),
            Ok("a")
        );
        assert_eq!(
            extract(r#"["x",{"other":"a"}]"#, key_or(0)).as_deref(),
            Ok("x")
        );
        assert_eq!(extract(r#"["x"]"#, key_or(0)).as_deref(), Ok("x"));
    }

    #[test]
    fn says_what_was_missing() {
        assert_eq!(extract("[]", KEY), Err(Missing::NoHash));
        assert_eq!(extract("[1,[2]]", KEY), Err(Missing::NoHash));
        assert_eq!(extract("[{}]", KEY), Err(Missing::NoKey));
        assert_eq!(extract(r#"[{"tenant":null}]"#, KEY), Err(Missing::NoKey));
        assert_eq!(extract("[1]", Rule::Index(1)), Err(Missing::NoIndex));
        assert_eq!(extract("[null]", Rule::Index(0)), Err(Missing::NoIndex));
        assert_eq!(extract("[{}]", key_or(1)), Err(Missing::NoIndex));
        for args in ["null", "{}", "", "[", "[1,]", "[1] 2", "\"x\""] {
            assert_eq!(extract(args, KEY), Err(Missing::NotAnArray), "{args}");
        }
    }

    #[test]
    fn the_id_is_the_value_as_ruby_prints_it() {
        for (value, printed) in [
            (r#""acme""#, "acme"),
            (r#""a\"\u00e9\n""#, "a\"é\n"),
            (r#""a\ud83d\ude00""#, "a😀"),
            ("1", "1"),
            ("-12", "-12"),
            ("-0", "0"),
            ("9007199254740993", "9007199254740993"),
            ("130775545883395173", "130775545883395173"),
            (
                "1000000000000000000000000000000",
                "1000000000000000000000000000000",
            ),
            ("1.0", "1.0"),
            ("1.50", "1.5"),
            ("-0.0", "-0.0"),
            ("1e-7", "1.0e-07"),
            ("1E3", "1000.0"),
            ("1e999", "Infinity"),
            ("true", "true"),
            (
                r#"[1, "a b\" c", {"d": null}]"#,
                r#"[1,"a b\" c",{"d":null}]"#,
            ),
            (r#"{"a\\": "x y"}"#, r#"{"a\\":"x y"}"#),
        ] {
            assert_eq!(id(value).as_deref(), Ok(printed), "{value}");
        }
    }

    #[test]
    fn false_zero_and_the_empty_string_are_partitions() {
        assert_eq!(id("false").as_deref(), Ok("false"));
        assert_eq!(id("0").as_deref(), Ok("0"));
        assert_eq!(id(r#""""#).as_deref(), Ok(""));
        assert_eq!(
            extract(r#"[{"tenant":false}]"#, KEY).as_deref(),
            Ok("false")
        );
    }

    #[test]
    fn an_integer_and_its_string_are_one_partition_and_the_float_is_another() {
        assert_eq!(id("1"), id(r#""1""#));
        assert_ne!(id("1"), id("1.0"));
    }

    #[test]
    fn a_lone_surrogate_gives_an_id_rather_than_a_panic() {
        assert!(id(r#""a\ud800b""#).unwrap().starts_with('a'));
    }

    #[test]
    fn arguments_nested_thousands_deep_do_not_hide_the_key() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let args = format!(r#"[{deep},{{"deep":{deep},"tenant":"acme"}}]"#);
        assert_eq!(extract(&args, KEY).as_deref(), Ok("acme"));
    }

    proptest! {
        #[test]
        fn any_string_is_its_own_id(text in any::<String>()) {
            let value = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(id(&value), Ok(text));
        }

        #[test]
        fn any_integer_keeps_its_digits(digits in "-?[1-9][0-9]{0,60}") {
            prop_assert_eq!(id(&digits), Ok(digits));
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), json in "[\\[\\]{}\",:0-9a\\\\u. -]{0,40}") {
            let _ = extract(&text, KEY);
            let _ = extract(&json, key_or(0));
            let _ = id(&json);
        }
    }
}
