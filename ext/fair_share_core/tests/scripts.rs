//! Checks for all scripts: they compile, keep to the namespace, survive SCRIPT FLUSH and a full Redis, and do no more work on a
//! large queue than on a small one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::collections::BTreeMap;

use fair_share_core::connection::{Connection, Settings};
use fair_share_core::control::{Change, Index, Settings as PartitionSettings};
use fair_share_core::error::Error;
use fair_share_core::leases::Recovered;
use fair_share_core::queue::Queue;
use fair_share_core::route::Route;
use fair_share_core::scripts;
use fair_share_core::turns::{Asking, Reserved, Ticket};
use support::bed::{is_oom, limits, nothing, payload_of, Bed, OWNER, PID};
use support::cost::{cost, Cost};

#[test]
fn each_script_compiles_and_has_the_sha_that_redis_gives_it() {
    let mut bed = Bed::unchecked(0);
    for script in scripts::ALL {
        let sha: String = bed.ask(&["SCRIPT", "LOAD", script.body()]);
        assert_eq!(sha, script.sha(), "{}", script.name());
    }
}

#[test]
fn each_scripts_name_tells_how_many_keys_it_takes() {
    for script in scripts::ALL {
        let (verb, keys) = script.name().rsplit_once('-').unwrap();
        assert!(!verb.is_empty());
        let header = script.body().split("]]").next().unwrap();
        let (_, head) = header.split_once("\nKEYS").unwrap();
        let (head, _) = head.split_once("\nARGV").unwrap();
        let ten = if verb.starts_with("chain_") {
            "the ten of includes/chain_keys.lua"
        } else {
            "the ten of includes/keys.lua"
        };
        assert!(head.contains(ten), "{verb}");
        assert_eq!(head.contains("[11]"), keys.starts_with("11"), "{verb}");
        // `n` means: and more keys.
        assert_eq!(head.contains(", then"), keys.ends_with('n'), "{verb}");
        assert!(["10", "11", "10n", "11n"].contains(&keys), "{verb}");
    }
}

/// Runs every verb, through every branch that uses another key. Returns how many jobs it ended.
fn whole_life(bed: &mut Bed) -> usize {
    let long = "x".repeat(200);
    let main = bed.main();
    let mut ended = 0;
    for n in 0..3 {
        let payload = format!("{{{n}}}");
        bed.enqueue_to(&Route::to("acme", Some(2.0)), &payload);
        bed.enqueue(&long, &payload);
        bed.enqueue_to(&Route::lane(), &payload);
    }
    bed.set("acme", "|1|");
    bed.enqueue("mended", "{}");
    let mended = bed.queue.keys().sub("mended");
    bed.tell(&["DEL", &mended]);
    bed.tell(&["LPUSH", &main, "{foreign}"]);
    bed.tell(&["RPUSH", &main, "{foreign}"]);
    bed.let_reconcile_be_due();

    let mut taken = Vec::new();
    loop {
        match bed.reserve() {
            Reserved::Job { job, .. } => taken.push(job),
            Reserved::Adopt(elements) => {
                let routes: Vec<_> = elements
                    .into_iter()
                    .map(|element| {
                        let route = (element != b"null").then(|| Route::to(&long, Some(0.5)));
                        (element, route)
                    })
                    .collect();
                bed.try_adopt(&routes).unwrap();
            }
            Reserved::Nothing { .. } if taken.is_empty() => break,
            Reserved::Nothing { .. } => {
                for (n, job) in std::mem::take(&mut taken).iter().enumerate() {
                    bed.queue.give_back(1, job.lease_id.clone());
                    assert_eq!(bed.take().lease_id, job.lease_id);
                    match n % 3 {
                        0 if ended < 4 => drop(bed.recover(&job.lease_id)),
                        1 => {
                            bed.begin(&job.lease_id);
                            bed.recover(&job.lease_id);
                            ended += 1;
                        }
                        _ => {
                            bed.release(&job.lease_id);
                            ended += 1;
                        }
                    }
                }
                bed.tell(&["LPOP", &main]);
                bed.mend();
            }
            other => {
                assert_eq!(other, Reserved::Plain);
                break;
            }
        }
    }
    bed.queue.is_fair(&mut bed.redis).unwrap();
    bed.queue.leases(&mut bed.redis, 0).unwrap();
    ended
}

/// Runs the verbs of operators, and of the main list.
fn operators_life(bed: &mut Bed) {
    let (queue, redis, limits) = (&bed.queue, &mut bed.redis, bed.limits);
    let (long, acme) = ("x".repeat(200), Route::to("acme", Some(2.0)));
    let job = |id: &str| (b"{}".to_vec(), Route::to(id, None));
    let jobs = [job("acme"), job("acme"), job(&long), job("b"), job("c")];
    assert_eq!(
        queue.enqueue_all(redis, &jobs, limits.cap).unwrap().len(),
        5
    );
    let settings = PartitionSettings {
        weight: Change::To(3.0),
        cap: Change::To(1),
        paused: Change::To(true),
    };
    queue.set(redis, &acme, settings, limits.cap).unwrap();
    queue.stats(redis).unwrap();
    let encoded = Route::to(&long, None).partition;
    queue
        .describe(redis, &["acme".into(), encoded.clone()], limits.cap)
        .unwrap();
    let elements = queue.elements(redis, "b", 0, 10).unwrap();
    let removed = queue.remove(redis, "b", &elements).unwrap();
    assert_eq!((removed.removed, removed.pending), (1, 0));
    let cleared = queue.clear(redis, std::slice::from_ref(&encoded)).unwrap();
    assert_eq!((cleared.removed, cleared.partitions), (1, vec![encoded]));
    let mut rolled_back = queue.rollback(redis, 10).unwrap();
    rolled_back.pending.sort();
    assert_eq!(rolled_back.moved, 3);
    assert_eq!(rolled_back.pending, [("acme".into(), 0), ("c".into(), 0)]);
    queue.enqueue_plain(redis, b"{plain}", &acme).unwrap();
    queue.forget_settings(redis).unwrap();
    let asking = Asking {
        pid: PID,
        fresh_id: "scanned".into(),
        owner: OWNER,
    };
    let elements: Vec<_> = queue
        .main_elements(redis, 0, 10)
        .unwrap()
        .into_iter()
        .map(|element| (element, Some(acme.clone())))
        .collect();
    let scanned = queue.scan(redis, asking, &elements, limits).unwrap();
    assert!(matches!(scanned, Reserved::Job { .. }));
    queue.release(redis, "scanned", limits).unwrap();
}

/// A bed whose verbs run as a Redis user with all commands, but only on keys that match `pattern`.
fn confined(prefix: &str, pattern: &str) -> Bed {
    let mut bed = Bed::unchecked(0);
    let rule = format!("~{pattern}");
    bed.tell(&["ACL", "SETUSER", "app", "on", ">secret", "+@all", &rule]);
    let settings = Settings {
        username: Some("app".into()),
        password: Some("secret".into()),
        ..bed.server.settings()
    };
    bed.redis = Connection::open(&settings).unwrap();
    bed.queue = Queue::new(prefix, "fair");
    bed
}

#[test]
fn no_script_touches_a_key_outside_the_namespace() {
    for (prefix, pattern) in [
        ("resque:", "resque:*"),
        ("a:b:", "a:b:*"),
        ("{resque}:", "{resque}:*"),
    ] {
        let mut bed = confined(prefix, pattern);
        assert_eq!(whole_life(&mut bed), 11);
        operators_life(&mut bed);
        let mut everyone = bed.server.connect();
        let keys: Vec<String> =
            redis::from_owned_redis_value(everyone.call(redis::cmd("KEYS").arg("*")).unwrap())
                .unwrap();
        assert!(!keys.is_empty());
        for key in keys {
            assert!(key.starts_with(prefix), "{key}");
        }
    }
}

#[test]
fn the_confinement_of_that_test_is_one() {
    let mut bed = confined("resque:", "elsewhere:*");
    match bed.try_enqueue(&Route::to("acme", None), b"{}") {
        Err(Error::Command(text)) => {
            assert!(text.contains("NOPERM") || text.contains("ACL"), "{text}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_forgot_the_scripts_gets_them_again() {
    let mut bed = Bed::new(0);
    for n in 0..2 {
        bed.tell(&["SCRIPT", "FLUSH"]);
        assert_eq!(bed.enqueue("a", &format!("{{{n}}}")), n + 1);
    }
    for n in 0..2 {
        bed.tell(&["SCRIPT", "FLUSH"]);
        let job = bed.take();
        assert_eq!(payload_of(&job), format!("{{{n}}}"));
        bed.tell(&["SCRIPT", "FLUSH"]);
        bed.recover(&job.lease_id);
        let job = bed.take();
        bed.tell(&["SCRIPT", "FLUSH"]);
        bed.release(&job.lease_id);
    }
    bed.tell(&["SCRIPT", "FLUSH"]);
    assert_eq!(bed.mend(), 0);
    assert_eq!(bed.our_keys(), Vec::<String>::new());
}

mod a_full_redis {
    use super::*;

    fn fill(bed: &mut Bed) {
        bed.tell(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
        bed.tell(&["CONFIG", "SET", "maxmemory", "1"]);
    }

    #[test]
    fn refuses_a_job_wholly() {
        let mut bed = Bed::new(1);
        bed.enqueue_to(&Route::to("acme", Some(2.0)), "{1}");
        bed.enqueue("parked", "{1}");
        bed.take_partitions(2);
        bed.enqueue("parked", "{2}");
        fill(&mut bed);
        let before = bed.everything();
        let long = "x".repeat(200);
        for route in [
            Route::to("acme", Some(2.0)),
            Route::to("acme", Some(3.0)),
            Route::to("parked", None),
            Route::to("new", None),
            Route::to(&long, Some(2.0)),
            Route::lane(),
        ] {
            assert!(is_oom(&bed.try_enqueue(&route, b"{}")), "{route:?}");
            assert_eq!(bed.everything(), before, "{route:?}");
            let jobs = vec![(b"{}".to_vec(), route); 3];
            let (queue, limits) = (&bed.queue, bed.limits);
            assert!(is_oom(&queue.enqueue_all(
                &mut bed.redis,
                &jobs,
                limits.cap
            )));
            assert_eq!(bed.everything(), before);
        }
    }

    #[test]
    fn refuses_the_first_job_of_a_queue_wholly() {
        let mut bed = Bed::new(0);
        fill(&mut bed);
        for route in [Route::to("acme", Some(2.0)), Route::lane()] {
            assert!(is_oom(&bed.try_enqueue(&route, b"{}")), "{route:?}");
            assert!(bed.everything().is_empty());
        }
    }

    #[test]
    fn drains() {
        let mut bed = Bed::new(1);
        for n in 0..20 {
            let payload = format!("{{{n}}}");
            bed.enqueue_to(&Route::to("a", Some(2.0)), &payload);
            bed.enqueue("b", &payload);
            bed.enqueue_to(&Route::lane(), &payload);
        }
        fill(&mut bed);
        assert_eq!(bed.drain().len(), 60);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn drains_through_parked_partitions_and_reconciliation() {
        let mut bed = Bed::new(1);
        for n in 0..3 {
            bed.enqueue("a", &format!("{{{n}}}"));
            bed.enqueue("b", &format!("{{{n}}}"));
        }
        fill_and_let_due(&mut bed);
        let (one, two) = (bed.take(), bed.take());
        // Nothing may run, and a look for dead owners is due: the reserve notes that, and the write must not fail.
        bed.tell(&["CONFIG", "SET", "maxmemory", "0"]);
        fill_and_let_due(&mut bed);
        assert_eq!(bed.reserve(), Reserved::Nothing { reconcile: true });
        assert_eq!(bed.reserve(), Reserved::Nothing { reconcile: false });
        assert!(matches!(
            bed.recover(&one.lease_id),
            Recovered::Requeued { .. }
        ));
        bed.begin_under_oom(&two.lease_id);
        assert!(matches!(
            bed.recover(&two.lease_id),
            Recovered::Freed { .. }
        ));
        assert_eq!(bed.drain().len(), 5);
    }

    fn fill_and_let_due(bed: &mut Bed) {
        bed.let_reconcile_be_due();
        fill(bed);
    }

    #[test]
    fn drains_past_paused_partitions() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("b", "{2}");
        bed.checking = false;
        bed.set("a", "||1");
        fill(&mut bed);
        assert_eq!(bed.take_payloads(1), ["{2}"]);
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn drains_past_what_others_pushed() {
        let mut bed = Bed::new(1);
        bed.enqueue("a", "{1}");
        let main = bed.main();
        bed.tell(&["LPUSH", &main, "{foreign}"]);
        fill(&mut bed);
        match bed.reserve() {
            Reserved::Adopt(elements) => {
                assert_eq!(elements, [b"{foreign}".to_vec(), b"null".to_vec()])
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(
            bed.adopt(&[("{foreign}", Some(Route::to("b", Some(2.0))))]),
            1
        );
        assert_eq!(bed.drain().len(), 2);
    }

    #[test]
    fn drains_the_plain_list_of_legacy_scan() {
        let mut bed = Bed::new(1);
        bed.checking = false;
        let routes =
            [("a", None), ("b", Some(2.0)), ("c", None)].map(|(id, weight)| Route::to(id, weight));
        for route in &routes {
            let payload = format!("{{{}}}", route.partition);
            bed.queue
                .enqueue_plain(&mut bed.redis, payload.as_bytes(), route)
                .unwrap();
        }
        fill(&mut bed);
        for n in 0..3 {
            let elements = bed.queue.main_elements(&mut bed.redis, 0, 10).unwrap();
            let elements: Vec<_> = elements
                .into_iter()
                .map(|element| {
                    let route = routes
                        .iter()
                        .find(|route| element == format!("{{{}}}", route.partition).as_bytes());
                    (element, route.cloned())
                })
                .collect();
            let asking = Asking {
                pid: PID,
                fresh_id: format!("scanned{n}"),
                owner: OWNER,
            };
            let reserved = bed
                .queue
                .scan(&mut bed.redis, asking, &elements, bed.limits)
                .unwrap();
            assert!(matches!(reserved, Reserved::Job { .. }), "{reserved:?}");
        }
        let main = bed.main();
        assert_eq!(bed.ask::<u64>(&["LLEN", &main]), 0);
    }

    #[test]
    fn takes_back_a_ticket() {
        let mut bed = Bed::new(1);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        bed.take();
        let main = bed.main();
        bed.tell(&["LPOP", &main]);
        fill(&mut bed);
        assert!(nothing(&bed.reserve_with(Ticket::Given)));
    }
}

/// A queue of `partitions` partitions with three jobs each. The scripts are loaded.
fn large(partitions: usize, cap: u64) -> Bed {
    let mut bed = Bed::unchecked(cap);
    for script in scripts::ALL {
        bed.tell(&["SCRIPT", "LOAD", script.body()]);
    }
    let ids = (0..3).flat_map(|_| 0..partitions);
    enqueue_all(&mut bed, ids.map(|partition| format!("p{partition}")));
    let job = bed.take();
    bed.release(&job.lease_id);
    // No look for dead owners is due, and the mean job time is fixed: neither may influence what is measured.
    let (state, later) = (bed.key("state"), "9000000000000");
    bed.tell(&["HSET", &state, "reconciled", later, "mean", "1000"]);
    bed
}

fn enqueue_all(bed: &mut Bed, ids: impl Iterator<Item = String>) {
    let jobs: Vec<_> = ids
        .map(|id| (b"{}".to_vec(), Route::to(&id, None)))
        .collect();
    for thousand in jobs.chunks(1000) {
        let (queue, limits) = (&bed.queue, bed.limits);
        queue
            .enqueue_all(&mut bed.redis, thousand, limits.cap)
            .unwrap();
    }
}

/// Reserves the next job, which has to be this partition's. Returns the lease id.
fn take_from(bed: &mut Bed, partition: &str) -> String {
    let job = bed.take();
    assert_eq!(job.partition, partition);
    job.lease_id
}

/// Makes this partition the next to be served.
fn favour(bed: &mut Bed, partition: &str) {
    let index = bed.key("partitions");
    bed.tell(&["ZADD", &index, "XX", "0", partition]);
}

/// The cost of each verb in its common cases, by name.
fn costs(bed: &mut Bed, round: u32) -> Vec<(&'static str, Cost)> {
    let (main, new, single) = (bed.main(), format!("new{round}"), format!("single{round}"));
    for partition in ["p8", "p9"] {
        (0..3).for_each(|_| drop(bed.try_enqueue(&Route::to(partition, None), b"{}")));
    }
    let mut costs = Vec::new();
    let mut measure = |bed: &mut Bed, name, verb: &mut dyn FnMut(&mut Bed)| {
        costs.push((name, cost(bed, verb)));
    };
    let mut lease = String::new();
    measure(
        bed,
        "enqueue, the partition has others waiting",
        &mut |bed| {
            bed.enqueue("p9", "{}");
        },
    );
    measure(bed, "enqueue, the first of its partition", &mut |bed| {
        bed.enqueue(&new, "{}");
    });
    measure(bed, "enqueue, with a weight", &mut |bed| {
        bed.enqueue_to(&Route::to(&new, Some(2.0)), "{}");
    });
    measure(bed, "enqueue, with the same weight", &mut |bed| {
        bed.enqueue_to(&Route::to(&new, Some(2.0)), "{}");
    });
    favour(bed, "p8");
    measure(bed, "reserve, with weights", &mut |bed| {
        lease = take_from(bed, "p8");
    });
    bed.age(&lease, 5000);
    measure(bed, "release, with weights", &mut |bed| {
        bed.release(&lease);
    });
    let state = bed.key("state");
    bed.tell(&["HDEL", &state, "weighted"]);
    favour(bed, "p8");
    measure(bed, "reserve", &mut |bed| {
        lease = take_from(bed, "p8");
    });
    bed.queue.give_back(1, lease.clone());
    measure(bed, "reserve, asked again", &mut |bed| {
        take_from(bed, "p8");
    });
    bed.age(&lease, 5000);
    measure(bed, "release", &mut |bed| {
        bed.release(&lease);
    });
    measure(bed, "release, asked again", &mut |bed| {
        bed.release(&lease);
    });
    bed.enqueue(&single, "{}");
    favour(bed, &single);
    measure(bed, "reserve, the last of its partition", &mut |bed| {
        lease = take_from(bed, &single);
    });
    bed.age(&lease, 5000);
    measure(bed, "release, the partition has drained", &mut |bed| {
        bed.release(&lease);
    });
    bed.limits = limits(1);
    favour(bed, "p9");
    measure(bed, "reserve, the partition is full then", &mut |bed| {
        lease = take_from(bed, "p9");
    });
    measure(bed, "release, the partition was full", &mut |bed| {
        bed.release(&lease);
    });
    bed.limits = limits(0);
    favour(bed, "p9");
    lease = take_from(bed, "p9");
    measure(bed, "recover, the job never started", &mut |bed| {
        bed.recover(&lease);
    });
    favour(bed, "p9");
    lease = take_from(bed, "p9");
    bed.begin(&lease);
    measure(bed, "recover, the job is left to Resque", &mut |bed| {
        bed.recover(&lease);
    });
    bed.tell(&["LPUSH", &main, "{foreign}"]);
    measure(bed, "reserve, a foreign payload at the head", &mut |bed| {
        assert!(matches!(bed.reserve(), Reserved::Adopt(_)));
    });
    // Use a small partition, because adopt searches its jobs for a copy that 0.1.0 may have written.
    measure(bed, "adopt, one payload", &mut |bed| {
        bed.adopt(&[("{foreign}", Some(Route::to("p7", None)))]);
    });
    costs
}

/// A queue in which every partition has one running job, and so is at its cap.
fn all_parked(partitions: usize) -> Bed {
    let mut bed = large(partitions, 1);
    while !nothing(&bed.reserve()) {}
    bed
}

/// Asserts that each verb makes as many calls on both, and that no call takes much longer on the big one. (The time is only a
/// guard against a single call that looks at everything.)
fn assert_equally_cheap(
    small: &mut Bed,
    big: &mut Bed,
    costs: fn(&mut Bed, u32) -> Vec<(&'static str, Cost)>,
) {
    let mut least: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for round in 0..5 {
        for ((verb, few), (_, many)) in costs(small, round).into_iter().zip(costs(big, round)) {
            assert_eq!(few.calls, many.calls, "{verb}");
            let (small, big) = least.entry(verb).or_insert((few.micros, many.micros));
            (*small, *big) = (small.min(few.micros), big.min(many.micros));
        }
    }
    for (verb, (small, big)) in least {
        assert!(big < 5.0 * small + 100.0, "{verb}: {small} µs, {big} µs");
    }
}

#[test]
fn a_verb_costs_the_same_with_100_and_with_20_000_partitions() {
    assert_equally_cheap(&mut large(100, 0), &mut large(20_000, 0), costs);
}

#[test]
fn a_verb_costs_the_same_with_20_000_jobs_in_one_partition() {
    let mut big = large(100, 0);
    enqueue_all(&mut big, (0..20_000).map(|_| "p9".to_owned()));
    assert_equally_cheap(&mut large(100, 0), &mut big, costs);
    let main = big.main();
    big.tell(&["DEL", &main]);
    assert_eq!(big.mend_page().tickets, 1000);
}

#[test]
fn a_mend_looks_at_about_a_thousand_partitions() {
    let mut mend = |bed: &mut Bed| assert_eq!(bed.mend_page().tickets, 0);
    for mut bed in [large(20_000, 0), all_parked(20_000)] {
        for _ in 0..3 {
            assert!(cost(&mut bed, &mut mend).total() < 4000);
        }
    }
}

fn poll(bed: &mut Bed) {
    assert!(nothing(&bed.reserve()));
}

#[test]
fn a_poll_that_finds_nothing_costs_the_same_with_100_and_with_20_000_parked_partitions() {
    fn costs(bed: &mut Bed, _: u32) -> Vec<(&'static str, Cost)> {
        vec![("reserve", cost(bed, &mut poll))]
    }
    let (mut small, mut big) = (all_parked(100), all_parked(20_000));
    assert_equally_cheap(&mut small, &mut big, costs);
    assert!(cost(&mut big, &mut poll).total() < 10);
}

#[test]
fn surplus_tickets_of_a_large_backlog_are_not_turned_round_for_ever() {
    let mut bed = Bed::unchecked(1);
    enqueue_all(&mut bed, (0..30_000).map(|_| "a".to_owned()));
    bed.take();
    let main = bed.main();
    bed.tell(&["RPUSH", &main, "null", "null"]);
    let mut polls = 0;
    while cost(&mut bed, &mut poll).total() > 10 {
        polls += 1;
        assert!(polls < 600);
    }
    assert_eq!(bed.ask::<u64>(&["LLEN", &main]), 29_999);
}

/// Prints the table of lua/README.md: `cargo test -p fair_share_core --test scripts -- --ignored --nocapture`
#[test]
#[ignore = "prints a table"]
fn what_each_verb_costs_at_1_000_partitions() {
    let mut bed = large(1000, 0);
    let mut parked = all_parked(1000);
    let mut all = costs(&mut bed, 0);
    all.push((
        "reserve, everything is parked",
        cost(&mut parked, &mut poll),
    ));
    for (verb, cost) in all {
        println!("| {verb} | {} | {:?}", cost.total(), cost.calls);
    }

    println!("\n| script | `redis.call`s | µs |");
    for (verb, times, cost) in mean_costs() {
        let mean = |total: f64| total / f64::from(times);
        println!(
            "| {verb} | {:.0} | {:.1} |",
            mean(cost.total() as f64),
            mean(cost.micros)
        );
    }
}

/// The mean cost of each script in its common case, over many runs.
fn mean_costs() -> Vec<(&'static str, u32, Cost)> {
    const MANY: u32 = 1000;
    const FEW: u32 = 20;
    let mut bed = large(1000, 0);
    let mut parked = all_parked(1000);
    let (main, index) = (bed.main(), bed.key("partitions"));
    let mut costs = Vec::new();
    // The counts leave out `LPOP` of a ticket and `ZREMRANGEBYRANK`, which the test itself runs to prepare a verb.
    let mut measure =
        |name: &'static str, bed: &mut Bed, times, verb: &mut dyn FnMut(&mut Bed, u32)| {
            let mut cost = cost(bed, &mut |bed| (0..times).for_each(|n| verb(bed, n)));
            if name.starts_with("`adopt") {
                cost.calls.remove("lpop");
            }
            cost.calls.remove("zremrangebyrank");
            costs.push((name, times, cost));
        };
    let thousand: Vec<_> = (0..1000)
        .map(|n| (b"{}".to_vec(), Route::to(&format!("p{n}"), None)))
        .collect();
    let mut leases = Vec::new();

    measure(
        "`enqueue`, others of its partition wait",
        &mut bed,
        MANY,
        &mut |bed, n| {
            bed.enqueue(&format!("p{n}"), "{}");
        },
    );
    measure(
        "`enqueue`, the first of its partition",
        &mut bed,
        MANY,
        &mut |bed, n| {
            bed.enqueue(&format!("new{n}"), "{}");
        },
    );
    measure("`enqueue_all`, 1,000 jobs", &mut bed, FEW, &mut |bed, _| {
        let (queue, limits) = (&bed.queue, bed.limits);
        queue
            .enqueue_all(&mut bed.redis, &thousand, limits.cap)
            .unwrap();
    });
    measure("`reserve`", &mut bed, MANY, &mut |bed, _| {
        leases.push(bed.take().lease_id)
    });
    measure("`release`", &mut bed, MANY, &mut |bed, n| {
        bed.release(&leases[n as usize]);
    });
    measure(
        "`reserve`, everything is parked",
        &mut parked,
        MANY,
        &mut |bed, _| poll(bed),
    );
    leases = (0..MANY).map(|_| bed.take().lease_id).collect();
    measure(
        "`recover`, the job never started",
        &mut bed,
        MANY,
        &mut |bed, n| {
            bed.recover(&leases[n as usize]);
        },
    );
    for _ in 0..MANY {
        bed.tell(&["LPUSH", &main, "{foreign}"]);
    }
    measure("`adopt`, one payload", &mut bed, MANY, &mut |bed, _| {
        bed.adopt(&[("{foreign}", Some(Route::to("p7", None)))]);
        bed.tell(&["LPOP", &main]);
    });
    measure(
        "`mend`, 2,000 partitions in three calls",
        &mut bed,
        FEW,
        &mut |bed, _| {
            while bed.mend_page().ended {} // The other index is empty.
        },
    );
    let partitions: Vec<_> = thousand
        .iter()
        .map(|(_, route)| route.partition.clone())
        .collect();
    measure(
        "`reindex`, 1,000 partitions",
        &mut bed,
        FEW,
        &mut |bed, _| {
            bed.tell(&["ZREMRANGEBYRANK", &index, "0", "-1"]);
            let (queue, limits) = (&bed.queue, bed.limits);
            queue
                .reindex(&mut bed.redis, &partitions, false, limits.cap)
                .unwrap();
        },
    );
    let settings = PartitionSettings {
        weight: Change::To(3.0),
        cap: Change::Keep,
        paused: Change::Keep,
    };
    measure("`set`", &mut bed, MANY, &mut |bed, n| {
        let (queue, limits, route) = (&bed.queue, bed.limits, Route::to(&format!("p{n}"), None));
        queue
            .set(&mut bed.redis, &route, settings, limits.cap)
            .unwrap();
    });
    measure("`stats`", &mut bed, MANY, &mut |bed, _| {
        bed.queue.stats(&mut bed.redis).unwrap();
    });
    measure(
        "`describe`, 50 partitions",
        &mut bed,
        MANY,
        &mut |bed, _| {
            let (queue, limits) = (&bed.queue, bed.limits);
            queue
                .describe(&mut bed.redis, &partitions[..50], limits.cap)
                .unwrap();
        },
    );
    measure(
        "`oldest`, a page of 1,000 partitions",
        &mut bed,
        FEW,
        &mut |bed, _| {
            bed.queue
                .oldest(&mut bed.redis, Index::Runnable, 0, None)
                .unwrap();
        },
    );
    measure(
        "`clear`, one partition of 1 job",
        &mut bed,
        MANY,
        &mut |bed, n| {
            bed.queue
                .clear(&mut bed.redis, &[format!("new{n}")])
                .unwrap();
        },
    );
    let firsts: Vec<_> = (0..1000)
        .map(|n| {
            bed.queue
                .elements(&mut bed.redis, &format!("p{n}"), 0, 1)
                .unwrap()
        })
        .collect();
    measure("`remove`, one job", &mut bed, MANY, &mut |bed, n| {
        let (queue, partition) = (&bed.queue, format!("p{n}"));
        queue
            .remove(&mut bed.redis, &partition, &firsts[n as usize])
            .unwrap();
    });
    measure("`rollback`, 500 jobs", &mut bed, FEW, &mut |bed, _| {
        bed.queue.rollback(&mut bed.redis, 500).unwrap();
    });

    let mut plain = Bed::unchecked(0);
    let hundred: Vec<_> = (0..100)
        .map(|n| {
            (
                format!("{{{n}}}").into_bytes(),
                Route::to(&format!("p{n}"), None),
            )
        })
        .collect();
    measure("`enqueue_plain`", &mut plain, 100, &mut |bed, n| {
        let (payload, route) = &hundred[n as usize];
        bed.queue
            .enqueue_plain(&mut bed.redis, payload, route)
            .unwrap();
    });
    let routed: Vec<_> = hundred
        .iter()
        .cloned()
        .map(|(payload, route)| (payload, Some(route)))
        .collect();
    measure(
        "`scan`, 50 jobs of as many partitions",
        &mut plain,
        100,
        &mut |bed, n| {
            let asking = Asking {
                pid: PID,
                fresh_id: format!("scanned{n}"),
                owner: OWNER,
            };
            // Each run takes the first job that is left.
            let left = &routed[n as usize..];
            let scanned = bed
                .queue
                .scan(&mut bed.redis, asking, left, bed.limits)
                .unwrap();
            assert!(matches!(scanned, Reserved::Job { .. }));
        },
    );
    costs
}
