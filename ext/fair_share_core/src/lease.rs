//! Leases: one for each running job. A lease says who runs the job and since when, and contains the job.

use percent_encoding::{percent_decode_str, utf8_percent_encode, AsciiSet, CONTROLS};

/// A lease as read from Redis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub id: String,
    /// Encoded partition id.
    pub partition: String,
    /// Server time of the reserve in milliseconds.
    pub started: u64,
    /// The owner, as `reserve` was told it.
    pub owner: String,
    /// The queued element: time of enqueueing and payload.
    pub element: Vec<u8>,
}

/// Spaces delimit the owner in the lease, so it must contain none.
const OWNER: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// The owner as a lease contains it.
pub fn encode_owner(owner: &str) -> String {
    utf8_percent_encode(owner, OWNER).to_string()
}

impl Lease {
    /// Reads "partition started charged tag owner element"; `None` if `value` is no lease.
    pub fn parse(id: String, value: &[u8]) -> Option<Self> {
        // A partition that 0.1.0 named may contain spaces: it ends before three numbers.
        let spaces = value.iter().enumerate().filter(|(_, byte)| **byte == b' ');
        spaces
            .map(|(at, _)| at)
            .find_map(|at| Self::parse_at(&id, value.get(..at)?, value.get(at + 1..)?))
    }

    fn parse_at(id: &str, partition: &[u8], rest: &[u8]) -> Option<Self> {
        let mut fields = rest.splitn(5, |byte| *byte == b' ');
        let started = text(fields.next()?)?.parse().ok()?;
        let _charged: f64 = text(fields.next()?)?.parse().ok()?;
        let _tag: f64 = text(fields.next()?)?.parse().ok()?;
        let owner = percent_decode_str(text(fields.next()?)?)
            .decode_utf8()
            .ok()?
            .into_owned();
        Some(Self {
            id: id.to_owned(),
            partition: text(partition)?.to_owned(),
            started,
            owner,
            element: fields.next()?.to_vec(),
        })
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_reserve_script_writes() {
        let value =
            b"a%20b 1780000000000 12.500 7.250 12@99@host:12:a%20b,c 0019e6d2c1e80{\"class\":\"A b\"}";
        let lease = Lease::parse("id".into(), value).unwrap();
        assert_eq!(lease.partition, "a%20b");
        assert_eq!(lease.started, 1_780_000_000_000);
        assert_eq!(lease.owner, "12@99@host:12:a b,c");
        assert_eq!(lease.element, b"0019e6d2c1e80{\"class\":\"A b\"}");
    }

    #[test]
    fn an_owner_with_spaces_and_percent_signs_comes_back() {
        let owner = "1@2@host:1:a b,50%,\n";
        let value = format!("p 1 0.000 0.000 {} {{}}", encode_owner(owner));
        assert_eq!(
            Lease::parse("id".into(), value.as_bytes()).unwrap().owner,
            owner
        );
    }

    #[test]
    fn a_partition_with_an_empty_id_is_read() {
        assert_eq!(
            Lease::parse("id".into(), b" 1 0.000 0.000 o {}")
                .unwrap()
                .partition,
            ""
        );
    }

    #[test]
    fn a_partition_that_holds_spaces_is_read() {
        let lease = Lease::parse("id".into(), b"Acme 7 Corp 12 1.000 2.000 o {\"a\": 1}").unwrap();
        assert_eq!(
            (lease.partition.as_str(), lease.started),
            ("Acme 7 Corp", 12)
        );
        assert_eq!(lease.element, b"{\"a\": 1}");
    }

    #[test]
    fn something_else_is_no_lease() {
        assert_eq!(Lease::parse("id".into(), b"not a lease"), None);
    }
}
