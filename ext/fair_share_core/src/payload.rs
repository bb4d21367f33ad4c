//! Reads a job's payload: the JSON text that Resque encoded. It is never encoded again, so all other bytes stay as they are.

use std::borrow::Cow;

use crate::json;

/// The key of the lease's id in the payload of a reserved job.
pub const LEASE_KEY: &str = "fair_share_lease";

/// The number of hex digits of milliseconds at the start of an element in a partition's list.
const TIME_DIGITS: usize = 11;

/// The parts of a payload that this gem needs. Everything else is skipped, at any nesting, and stays as it is.
#[derive(Debug, Clone)]
pub struct Payload<'a> {
    class: Option<Cow<'a, str>>,
    args: Option<&'a str>,
    wrapped: Option<Wrapped<'a>>,
}

/// The job inside ActiveJob's wrapper.
#[derive(Debug, Clone)]
struct Wrapped<'a> {
    class: Cow<'a, str>,
    args: &'a str,
}

impl<'a> Payload<'a> {
    /// Reads a payload; `None` if it is poison: not UTF-8, not JSON, or not an object.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let [class, args] = json::fields(text, ["class", "args"])?;
        let class = class.and_then(json::string);
        let wrapped = class
            .as_deref()
            .filter(|class| class.ends_with("::JobWrapper"))
            .and_then(|_| Wrapped::parse(args?));
        Some(Self {
            class,
            args,
            wrapped,
        })
    }

    /// The class that Resque performs.
    pub fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }

    /// The raw JSON of that class's arguments.
    pub fn args(&self) -> Option<&'a str> {
        self.args
    }

    /// The class of the job: ActiveJob's job class if Resque performs ActiveJob's wrapper, else [`Self::class`].
    pub fn job_class(&self) -> Option<&str> {
        match &self.wrapped {
            Some(wrapped) => Some(&wrapped.class),
            None => self.class(),
        }
    }

    /// The raw JSON of the arguments of [`Self::job_class`].
    pub fn job_args(&self) -> Option<&'a str> {
        match &self.wrapped {
            Some(wrapped) => Some(wrapped.args),
            None => self.args,
        }
    }
}

impl<'a> Wrapped<'a> {
    /// `None` if the first argument is not a job that ActiveJob serialized: then the wrapper is a job like any other.
    fn parse(args: &'a str) -> Option<Self> {
        let job = json::first_item(args)?;
        let [class, args] = json::fields(job, ["job_class", "arguments"])?;
        Some(Self {
            class: json::string(class?)?,
            args: args?,
        })
    }
}

/// Puts the id of a lease into a payload, and keeps all other bytes as they are. `None` for poison, as for [`Payload::parse`].
///
/// If the payload has an id already (a plugin pushed it again), it is replaced: Ruby's json warns of duplicate keys from 2.13
/// on, and is going to refuse them.
pub fn with_lease(payload: &[u8], lease_id: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(payload).ok()?;
    let [stale] = json::fields(text, [LEASE_KEY])?;
    let mut out = Vec::with_capacity(payload.len() + LEASE_KEY.len() + lease_id.len() + 6);
    if let Some(stale) = stale {
        // `stale` is a slice of `text`, so its address tells its position.
        let start = stale.as_ptr() as usize - text.as_ptr() as usize;
        out.extend_from_slice(payload.get(..start)?);
        json::write_string(&mut out, lease_id);
        out.extend_from_slice(payload.get(start + stale.len()..)?);
        return Some(out);
    }
    let (before, after) = text.split_at(text.rfind('}')?);
    out.extend_from_slice(before.as_bytes());
    // A brace directly before the closing one can only be the object's own opening brace: the object is empty.
    if !before.trim_end().ends_with('{') {
        out.push(b',');
    }
    json::write_string(&mut out, LEASE_KEY);
    out.push(b':');
    json::write_string(&mut out, lease_id);
    out.extend_from_slice(after.as_bytes());
    Some(out)
}

/// The id of the lease in a payload.
pub fn lease_of(payload: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(payload).ok()?;
    let [lease] = json::fields(text, [LEASE_KEY])?;
    json::string(lease?).map(Cow::into_owned)
}

/// Splits an element of a partition's list into the server's time of enqueueing, in milliseconds since the epoch, and the
/// payload. An element that does not start with eleven lower-case hex digits has no time: version 0.1.0 wrote it.
pub fn split_element(element: &[u8]) -> (Option<u64>, &[u8]) {
    element
        .split_at_checked(TIME_DIGITS)
        .and_then(|(digits, payload)| Some((Some(milliseconds(digits)?), payload)))
        .unwrap_or((None, element))
}

/// Joins an element of a partition's list: the opposite of [`split_element`].
pub fn element(time: Option<u64>, payload: &[u8]) -> Vec<u8> {
    let digits = time.map(|time| format!("{time:0TIME_DIGITS$x}"));
    [digits.unwrap_or_default().as_bytes(), payload].concat()
}

fn milliseconds(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |sum, &digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(sum << 4 | u64::from(value))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WRAPPER: &str = "ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper";

    fn parse(text: &str) -> Payload<'_> {
        Payload::parse(text.as_bytes()).unwrap()
    }

    fn leased(text: &str, id: &str) -> String {
        String::from_utf8(with_lease(text.as_bytes(), id).unwrap()).unwrap()
    }

    #[test]
    fn reads_class_and_raw_arguments() {
        let payload = parse(r#"{"queue":"q","class":"Report","args":[ {"a": 1.0}, [] ],"x":{}}"#);
        assert_eq!(payload.class(), Some("Report"));
        assert_eq!(payload.args(), Some(r#"[ {"a": 1.0}, [] ]"#));
        assert_eq!(payload.job_class(), Some("Report"));
        assert_eq!(payload.job_args(), payload.args());
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_none() {
        let payload = parse(r#"{"class":null}"#);
        assert_eq!((payload.class(), payload.args()), (None, None));
        assert_eq!(parse(r#"{"class":7}"#).job_class(), None);
    }

    #[test]
    fn the_last_of_a_duplicate_key_wins_as_in_ruby() {
        let payload = parse(r#"{"class":"A","args":[1],"cl\u0061ss":"B","args":[2]}"#);
        assert_eq!((payload.class(), payload.args()), (Some("B"), Some("[2]")));
    }

    #[test]
    fn poison_is_none() {
        for bytes in [
            &b""[..],
            b"null",
            b"[]",
            b"7",
            b"{",
            b"{}}",
            b"{\"class\":\"A\",}",
            b"{\"class\":\"\xff\"}",
            b"\x04\x08{\x00",
        ] {
            assert!(Payload::parse(bytes).is_none(), "{bytes:?}");
        }
    }

    #[test]
    fn nesting_is_no_limit() {
        for depth in [200, 5000] {
            let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let text = format!(r#"{{"x":{deep},"class":"A","args":[{deep}]}}"#);
            let payload = parse(&text);
            assert_eq!(payload.class(), Some("A"));
            assert_eq!(payload.args(), Some(format!("[{deep}]").as_str()));
            assert_eq!(
                lease_of(&with_lease(text.as_bytes(), "L").unwrap()),
                Some("L".into())
            );
        }
    }

    #[test]
    fn looks_into_the_wrapper_of_active_job() {
        let text = format!(
            r#"{{"class":"{WRAPPER}","args":[{{"job_class":"Invoice","queue_name":"q","arguments":[{{"tenant":"a"}}]}}]}}"#
        );
        let payload = parse(&text);
        assert_eq!(payload.class(), Some(WRAPPER));
        assert_eq!(payload.job_class(), Some("Invoice"));
        assert_eq!(payload.job_args(), Some(r#"[{"tenant":"a"}]"#));
    }

    #[test]
    fn a_wrapper_that_wraps_nothing_is_a_job_like_any_other() {
        for args in [
            "[]",
            "[1]",
            "{}",
            r#"[{"job_class":"Invoice"}]"#,
            r#"[{"arguments":[]}]"#,
            r#"[{"job_class":null,"arguments":[]}]"#,
        ] {
            let text = format!(r#"{{"class":"{WRAPPER}","args":{args}}}"#);
            let payload = parse(&text);
            assert_eq!(payload.job_class(), Some(WRAPPER));
            assert_eq!(payload.job_args(), Some(args));
        }
        let text = r#"{"class":"Invoice","args":[{"job_class":"X","arguments":[]}]}"#;
        assert_eq!(parse(text).job_class(), Some("Invoice"));
    }

    #[test]
    fn a_lease_goes_in_before_the_last_brace() {
        assert_eq!(
            leased(r#"{"class":"A","args":[{}]}"#, "7:x"),
            r#"{"class":"A","args":[{}],"fair_share_lease":"7:x"}"#
        );
        assert_eq!(leased("{}", "a\"b"), r#"{"fair_share_lease":"a\"b"}"#);
        assert_eq!(
            leased("{ \"a\" : 1e2 }\n", "L"),
            "{ \"a\" : 1e2 ,\"fair_share_lease\":\"L\"}\n"
        );
        assert_eq!(leased("{ }", "L"), r#"{ "fair_share_lease":"L"}"#);
    }

    #[test]
    fn a_stale_lease_is_replaced() {
        assert_eq!(
            leased(
                r#"{"fair_share_lease":"old","args":["fair_share_lease"]}"#,
                "new"
            ),
            r#"{"fair_share_lease":"new","args":["fair_share_lease"]}"#
        );
        let twice = r#"{"fair_share_lease":"a","fair_share_lease":null}"#;
        assert_eq!(
            lease_of(&with_lease(twice.as_bytes(), "new").unwrap()),
            Some("new".into())
        );
    }

    #[test]
    fn poison_takes_no_lease() {
        for bytes in [&b""[..], b"null", b"[]", b"{", b"x}", b"\xff}"] {
            assert_eq!(with_lease(bytes, "L"), None);
            assert_eq!(lease_of(bytes), None);
        }
    }

    #[test]
    fn a_payload_without_a_lease_has_none() {
        assert_eq!(lease_of(br#"{"class":"A"}"#), None);
        assert_eq!(lease_of(br#"{"fair_share_lease":7}"#), None);
        assert_eq!(
            lease_of(br#"{"args":[{"fair_share_lease":"inner"}]}"#),
            None
        );
    }

    #[test]
    fn an_element_carries_its_time_of_enqueueing() {
        assert_eq!(
            split_element(b"0199f3a2b4c{\"class\":\"A\"}"),
            (Some(0x0019_9f3a_2b4c), &b"{\"class\":\"A\"}"[..])
        );
        assert_eq!(split_element(b"00000000000"), (Some(0), &b""[..]));
    }

    #[test]
    fn an_element_put_together_again_is_the_same() {
        for bytes in [
            &b"0199f3a2b4c{\"class\":\"A\"}"[..],
            b"00000000000{}",
            b"{}",
            b"",
        ] {
            let (time, payload) = split_element(bytes);
            assert_eq!(element(time, payload), bytes);
        }
    }

    #[test]
    fn an_element_of_version_0_1_0_has_no_time() {
        for element in [
            &b"{\"class\":\"A\",\"args\":[]}"[..],
            b"",
            b"{}",
            b"0199F3A2B4C{}",
            b"0199f3a2b4{}",
            b" 0199f3a2b4c{}",
        ] {
            assert_eq!(split_element(element), (None, element));
        }
    }

    proptest! {
        #[test]
        fn a_lease_is_read_back_and_nothing_else_changes(
            class in any::<String>(),
            lease in any::<String>(),
            next in any::<String>(),
        ) {
            let text = serde_json::json!({"class": class, "args": [lease]}).to_string();
            let first = with_lease(text.as_bytes(), &lease).unwrap();
            let unchanged = &text.as_bytes()[..text.len() - 1];
            prop_assert!(first.starts_with(unchanged));
            prop_assert_eq!(lease_of(&first), Some(lease.clone()));
            let second = with_lease(&first, &next).unwrap();
            prop_assert_eq!(&second, &with_lease(text.as_bytes(), &next).unwrap());
            let payload = Payload::parse(&second).unwrap();
            prop_assert_eq!(payload.class(), Some(class.as_str()));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>(), json in "[\\[\\]{}\",:0-9a\\\\u. -]{0,40}") {
            for bytes in [bytes.as_slice(), json.as_bytes()] {
                let leased = with_lease(bytes, "L");
                prop_assert_eq!(leased.is_some(), Payload::parse(bytes).is_some());
                let _ = lease_of(bytes);
                let _ = split_element(bytes);
            }
        }
    }
}
