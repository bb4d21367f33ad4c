//! Encodes a partition's id for key names.

use std::fmt;

use percent_encoding::{percent_decode_str, percent_encode, AsciiSet, NON_ALPHANUMERIC};
use sha1_smol::Sha1;

/// The lane of a queue's jobs without a partition. No encoded id is a lone `%`.
pub const LANE: &str = "%";

/// The words of the key layout. An id that is one of them is encoded differently.
pub const FIXED_WORDS: [&str; 11] = [
    "sub",
    "partitions",
    "parked",
    "pending",
    "in_flight",
    "leases",
    "settings",
    "state",
    "tags",
    "weights",
    "names",
];

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-');
const LONGEST: usize = 128;
const KEPT_OF_LONG: usize = 64;

/// A partition id as used in key names and as a member of ZSETs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EncodedId {
    text: String,
    shortened: bool,
}

impl EncodedId {
    /// The encoded text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the id was too long: then the text cannot be decoded, and the full id has to be stored elsewhere.
    pub fn is_shortened(&self) -> bool {
        self.shortened
    }
}

impl AsRef<str> for EncodedId {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for EncodedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Encodes a partition id. Bytes outside `[A-Za-z0-9_.-]` become `%XX`, so that Resque's web page can print the key; so does
/// the first letter of a word of the layout. A text of more than 128 bytes is cut to 64 (fewer if that would cut a `%XX`), and
/// gets `~` and the SHA-1 of the id. No two ids have the same encoding.
pub fn encode_id(id: impl AsRef<[u8]>) -> EncodedId {
    let id = id.as_ref();
    let text = percent_encode(id, ENCODED).to_string();
    if let Some((first, rest)) = fixed_word(&text) {
        return EncodedId {
            text: format!("%{first:02X}{rest}"),
            shortened: false,
        };
    }
    if text.len() <= LONGEST {
        return EncodedId {
            text,
            shortened: false,
        };
    }
    let kept = whole_prefix(&text);
    let digest = Sha1::from(id).digest();
    EncodedId {
        text: format!("{kept}~{digest}"),
        shortened: true,
    }
}

/// Decodes an id; `None` for a shortened one, and for a text that [`encode_id`] never returns.
pub fn decode_id(encoded: &str) -> Option<String> {
    let id = percent_decode_str(encoded).decode_utf8().ok()?;
    (encode_id(id.as_bytes()).text == encoded).then(|| id.into_owned())
}

/// Whether an encoded id was shortened: it ends in `~` and a SHA-1.
pub fn is_shortened(encoded: &str) -> bool {
    let Some((_, digest)) = encoded.rsplit_once('~') else {
        return false;
    };
    digest.len() == 40 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn fixed_word(text: &str) -> Option<(u8, &str)> {
    if !FIXED_WORDS.contains(&text) {
        return None;
    }
    Some((*text.as_bytes().first()?, text.get(1..)?))
}

fn whole_prefix(text: &str) -> &str {
    let kept = text.get(..KEPT_OF_LONG).unwrap_or(text);
    match kept.rfind('%') {
        Some(at) if at + 3 > kept.len() => kept.get(..at).unwrap_or(kept),
        _ => kept,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(id: &str) -> String {
        encode_id(id).to_string()
    }

    #[test]
    fn an_id_of_plain_characters_is_its_own_encoding() {
        for id in ["acme", "42", "a_b-c.D", "", "Sub", "subs", "-0.0"] {
            assert_eq!(encoded(id), id);
        }
    }

    #[test]
    fn other_bytes_are_percent_encoded_in_upper_case() {
        assert_eq!(encoded("a:b/ü%~ "), "a%3Ab%2F%C3%BC%25%7E%20");
        assert_eq!(encode_id([0xff, b'a']).as_str(), "%FFa");
    }

    #[test]
    fn a_word_of_the_layout_has_its_first_letter_encoded() {
        assert_eq!(encoded("sub"), "%73ub");
        for word in FIXED_WORDS {
            assert!(!FIXED_WORDS.contains(&encoded(word).as_str()));
            assert_eq!(decode_id(&encoded(word)).as_deref(), Some(word));
            assert_ne!(encoded(word), encoded(&encoded(word)));
        }
    }

    #[test]
    fn a_long_id_is_shortened_with_its_hash() {
        let longest = "x".repeat(128);
        assert_eq!(encoded(&longest), longest);
        assert!(!encode_id(&longest).is_shortened());

        let long = encode_id("x".repeat(129));
        assert!(long.is_shortened());
        assert_eq!(
            long.as_str(),
            format!(
                "{}~2699b675922cc84a9b0dfd926eb7f8211c78693d",
                "x".repeat(64)
            )
        );
        assert_eq!(decode_id(long.as_str()), None);
        assert_ne!(long, encode_id("x".repeat(130)));
    }

    #[test]
    fn shortening_never_cuts_an_escape() {
        for (before, kept) in [(61, 64), (62, 62), (63, 63), (64, 64)] {
            let id = format!("{}{}", "x".repeat(before), ":".repeat(100));
            let text = encoded(&id);
            let (prefix, digest) = text.split_once('~').unwrap();
            assert_eq!((prefix.len(), digest.len()), (kept, 40));
        }
    }

    #[test]
    fn what_is_no_encoding_decodes_to_nothing() {
        for text in [LANE, "sub", "a:b", "%7", "%3a", "%61", "%FF", "a~b"] {
            assert_eq!(decode_id(text), None, "{text}");
        }
    }

    /// Names made of the parts that could cause a collision.
    fn name() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            prop::sample::select(FIXED_WORDS.to_vec()).prop_map(str::to_owned),
            prop::sample::select(vec!["", "a", "b", "%", "~", "%73ub", "fair_share", "queue"])
                .prop_map(str::to_owned),
            any::<String>(),
        ];
        prop::collection::vec(part, 0..4).prop_map(|parts| parts.join(":"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn an_encoding_decodes_to_its_id(id in name()) {
            let encoded = encode_id(&id);
            let decoded = decode_id(encoded.as_str());
            if encoded.is_shortened() {
                prop_assert_eq!(decoded, None);
            } else {
                prop_assert_eq!(decoded, Some(id));
            }
        }

        #[test]
        fn two_ids_never_share_an_encoding(a in any::<Vec<u8>>(), b in any::<Vec<u8>>()) {
            prop_assert_eq!(a == b, encode_id(&a) == encode_id(&b));
        }

        #[test]
        fn an_encoding_is_short_and_plain(id in any::<Vec<u8>>()) {
            let text = encode_id(&id).to_string();
            prop_assert!(text.len() <= LONGEST);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-%~".contains(&b)));
            prop_assert_ne!(text, LANE);
        }
    }
}
