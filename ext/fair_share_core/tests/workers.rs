//! Checks what is written when a worker starts and ends a job.

#![allow(clippy::unwrap_used)]

mod support;

use fair_share_core::workers::Workers;
use redis::Value;
use support::cost::ask;
use support::RedisServer;

#[test]
fn a_start_is_on_record_until_the_job_is_done_and_counted() {
    let server = RedisServer::start(&[]);
    let mut redis = server.connect();
    let workers = Workers::new("app:");

    workers.started(&mut redis, "h:1:q", b"{}").unwrap();
    let record: String = ask(&mut redis, &["GET", "app:worker:h:1:q"]);
    assert_eq!(record, "{}");

    let counters = [
        ("stat:processed".to_owned(), 1),
        ("stat:failed".to_owned(), 2),
    ];
    for _ in 0..2 {
        workers.done(&mut redis, "h:1:q", &counters).unwrap();
    }
    let left: Value = ask(&mut redis, &["GET", "app:worker:h:1:q"]);
    assert_eq!(left, Value::Nil);
    let counted: (u64, u64) = ask(
        &mut redis,
        &["MGET", "app:stat:processed", "app:stat:failed"],
    );
    assert_eq!(counted, (2, 4));
}

#[test]
fn what_can_not_be_counted_is_an_error() {
    let server = RedisServer::start(&[]);
    let mut redis = server.connect();
    let _: Value = ask(&mut redis, &["SET", "stat:processed", "many"]);
    let counters = [("stat:processed".to_owned(), 1)];
    let error = Workers::new("").done(&mut redis, "h:1:q", &counters);
    assert!(error.unwrap_err().to_string().contains("not an integer"));
}
