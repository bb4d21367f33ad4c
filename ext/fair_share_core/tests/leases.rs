//! Leases, with a real server: they end when their job has ended, or when their owner is gone.
//! `Bed::check` follows each verb: the counters agree with the lists and the leases, and the main list has a ticket for each
//! waiting job.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use fair_share_core::leases::Recovered;
use fair_share_core::queue::{Charge, Limits};
use fair_share_core::route::Route;
use support::bed::{nothing, payload_of, tag_of, weighted, Bed};

mod release {
    use super::*;

    #[test]
    fn a_lease_ends_once() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let (one, two) = (bed.take(), bed.take());
        assert_eq!(bed.release(&one.lease_id), Some(("a".into(), 1)));
        assert_eq!(bed.release(&one.lease_id), None);
        assert_eq!(bed.held().in_flight["a"], 1);
        assert_eq!(bed.release(&two.lease_id), Some(("a".into(), 0)));
        assert_eq!(bed.release(&two.lease_id), None);
        assert_eq!(bed.release("never"), None);
    }

    #[test]
    fn a_release_never_makes_a_key_on_a_queue_without_state() {
        let mut bed = Bed::new(0);
        bed.release("never");
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), Vec::<String>::new());
    }

    #[test]
    fn a_partition_at_its_cap_may_run_again() {
        let mut bed = Bed::new(1);
        for n in 0..3 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        for n in 0..3 {
            let job = bed.take();
            assert_eq!(payload_of(&job), format!("{{{n}}}"));
            assert!(nothing(&bed.reserve()));
            bed.release(&job.lease_id);
        }
    }

    #[test]
    fn a_paused_partition_stays_parked() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let job = bed.take();
        bed.set("a", "||1");
        assert!(nothing(&bed.reserve()));
        bed.release(&job.lease_id);
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn the_charge_is_corrected_to_the_time_really_used() {
        // Before a job was measured, the expected job time is 1000 ms.
        for (charge, took, weight, tag) in [
            (Charge::Time, 5000, 1.0, 5000.0),
            (Charge::Time, 10, 1.0, 10.0),
            (Charge::Time, 5000, 4.0, 1250.0),
            (Charge::Jobs, 5000, 1.0, 1000.0),
            (Charge::Jobs, 10, 2.0, 500.0),
        ] {
            let mut bed = Bed::new(0);
            bed.limits = Limits { cap: 0, charge };
            for n in 0..3 {
                bed.enqueue_to(&weighted("a", weight), &format!("{{{n}}}"));
            }
            let start = tag_of(bed.score("partitions", "a").unwrap());
            let job = bed.take();
            let charged = tag_of(bed.score("partitions", "a").unwrap()) - start;
            assert!((charged - 1000.0 / weight).abs() < 1.0, "{charged}");
            bed.age(&job.lease_id, took);
            bed.release(&job.lease_id);
            let used = tag_of(bed.score("partitions", "a").unwrap()) - start;
            assert!(
                (used - tag).abs() < 100.0,
                "{charge:?} {took} {weight}: {used}"
            );
        }
    }

    #[test]
    fn the_charge_of_a_drained_partition_is_corrected_too() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("b", "{1}");
        bed.enqueue("b", "{2}");
        let (job, tags) = (bed.take(), bed.key("tags"));
        bed.age(&job.lease_id, 7000);
        bed.release(&job.lease_id);
        let tag: f64 = bed.ask(&["ZSCORE", &tags, "a"]);
        assert!((7000.0..7100.0).contains(&tag), "{tag}");
        // The partition returns with this tag.
        bed.enqueue("a", "{2}");
        assert_eq!(
            tag_of(bed.score("partitions", "a").unwrap()).round(),
            tag.round()
        );
    }

    #[test]
    fn the_expectation_follows_the_jobs() {
        let mut bed = Bed::new(0);
        for n in 0..60 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        let state = bed.key("state");
        for (took, jobs) in [(200, 1), (400, 50)] {
            for _ in 0..jobs {
                let job = bed.take();
                bed.age(&job.lease_id, took);
                bed.release(&job.lease_id);
            }
            let mean: f64 = bed.ask(&["HGET", &state, "mean"]);
            assert!((mean - took as f64).abs() < 30.0, "{mean}");
        }
    }

    #[test]
    fn the_clock_never_goes_back() {
        let mut bed = Bed::new(0);
        for n in 0..20 {
            bed.enqueue("a", &format!("{{{n}}}"));
            bed.enqueue("b", &format!("{{{n}}}"));
        }
        let mut clock = bed.clock();
        for n in 0..30 {
            let job = bed.take();
            bed.age(&job.lease_id, if n % 3 == 0 { 5000 } else { 1 });
            bed.release(&job.lease_id);
            assert!(bed.clock() >= clock);
            clock = bed.clock();
        }
        assert!(clock > 5000.0);
    }

    #[test]
    fn a_queue_that_has_drained_leaves_only_its_name() {
        let mut bed = Bed::new(1);
        let long = "x".repeat(200);
        for n in 0..3 {
            bed.enqueue_to(&weighted("a", 2.0), &format!("{{{n}}}"));
            bed.enqueue(&long, &format!("{{{n}}}"));
            bed.enqueue_to(&Route::lane(), &format!("{{{n}}}"));
        }
        assert_eq!(bed.drain().len(), 9);
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), ["resque:queues"]);
    }

    #[test]
    fn run_time_settings_outlive_the_jobs() {
        let mut bed = Bed::new(0);
        bed.set("a", "2|3|");
        bed.enqueue("a", "{1}");
        bed.drain();
        assert_eq!(bed.our_keys(), ["settings"]);
    }

    #[test]
    fn the_tag_of_a_drained_partition_is_kept_until_the_clock_has_passed_it() {
        let mut bed = Bed::new(0);
        bed.enqueue("drained", "{}");
        for n in 0..8 {
            bed.enqueue("stays", &format!("{{{n}}}"));
        }
        let job = bed.take();
        assert_eq!(job.partition, "drained");
        bed.age(&job.lease_id, 2500);
        bed.release(&job.lease_id);
        assert_eq!(bed.held().tags.len(), 1);
        let tag = bed.held().tags["drained"];
        while bed.clock() < tag + 1.0 {
            assert!(bed.held().tags.contains_key("drained"));
            let job = bed.take();
            bed.age(&job.lease_id, 1000);
            bed.release(&job.lease_id);
        }
        // The next partition that drains removes the passed tag.
        bed.enqueue("other", "{}");
        assert_eq!(bed.take().partition, "other");
        assert!(!bed.held().tags.contains_key("drained"));
    }

    #[test]
    fn the_tags_that_are_kept_are_bounded() {
        let mut bed = Bed::unchecked(0);
        let tags = bed.key("tags");
        bed.enqueue("stays", "{}");
        bed.tell(&[
            "EVAL",
            "for i = 1, 10000 do redis.call('ZADD', KEYS[1], 1e9 + i, i) end",
            "1",
            &tags,
        ]);
        for id in ["a", "b", "c"] {
            bed.enqueue(id, "{}");
        }
        for _ in 0..4 {
            let job = bed.take();
            bed.release(&job.lease_id);
            assert!(bed.ask::<u64>(&["ZCARD", &tags]) <= 10_000);
        }
    }
}

mod recover {
    use super::*;

    #[test]
    fn a_lease_that_has_ended_is_gone() {
        let mut bed = Bed::new(0);
        assert_eq!(bed.recover("never"), Recovered::Gone);
        bed.enqueue("a", "{1}");
        let job = bed.take();
        bed.release(&job.lease_id);
        assert_eq!(bed.recover(&job.lease_id), Recovered::Gone);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn a_job_that_never_started_goes_back_to_the_head() {
        let mut bed = Bed::new(0);
        for payload in ["{1}", "{2}", "{3}"] {
            bed.enqueue("a", payload);
        }
        let job = bed.take();
        assert_eq!(
            bed.recover(&job.lease_id),
            Recovered::Requeued {
                partition: "a".into(),
                pending: 3,
                in_flight: 0
            }
        );
        let held = bed.check();
        assert_eq!(held.payloads("a"), ["{1}", "{2}", "{3}"]);
        // The job keeps its time of enqueueing, because it still waits.
        assert_eq!(held.lists["a"][0].as_bytes(), job.element);
        assert_eq!(bed.recover(&job.lease_id), Recovered::Gone);
        assert_eq!(bed.release(&job.lease_id), None);
        assert_eq!(bed.take_payloads(3), ["{1}", "{2}", "{3}"]);
    }

    #[test]
    fn a_job_that_is_in_the_workers_record_is_left_to_resque() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let job = bed.take();
        bed.begin(&job.lease_id);
        assert_eq!(
            bed.recover(&job.lease_id),
            Recovered::Freed {
                partition: "a".into(),
                in_flight: 0
            }
        );
        assert_eq!(bed.check().payloads("a"), ["{2}"]);
    }

    #[test]
    fn a_record_of_another_job_does_not_count() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        let job = bed.take();
        bed.begin(&format!("{}0", job.lease_id));
        assert!(matches!(
            bed.recover(&job.lease_id),
            Recovered::Requeued { .. }
        ));
    }

    #[test]
    fn the_last_job_of_a_partition_comes_back_with_its_weight_and_name() {
        let mut bed = Bed::new(0);
        let id = "x".repeat(200);
        bed.enqueue_to(&weighted(&id, 2.0), "{1}");
        let before = bed.check();
        let job = bed.take();
        bed.recover(&job.lease_id);
        let held = bed.check();
        assert_eq!(
            (&held.weights, &held.names),
            (&before.weights, &before.names)
        );
        assert_eq!(held.lists, before.lists);
    }

    #[test]
    fn the_last_job_of_a_queue_that_is_left_to_resque_leaves_nothing() {
        let mut bed = Bed::new(0);
        let id = "x".repeat(200);
        bed.enqueue_to(&weighted(&id, 2.0), "{1}");
        let job = bed.take();
        bed.begin(&job.lease_id);
        bed.recover(&job.lease_id);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn a_partition_at_its_cap_may_run_again() {
        let mut bed = Bed::new(1);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let job = bed.take();
        assert!(nothing(&bed.reserve()));
        bed.recover(&job.lease_id);
        let job = bed.take();
        assert_eq!(payload_of(&job), "{1}");
        bed.begin(&job.lease_id);
        assert!(nothing(&bed.reserve()));
        bed.recover(&job.lease_id);
        assert_eq!(bed.take_payloads(1), ["{2}"]);
    }

    #[test]
    fn a_job_that_never_started_costs_its_partition_nothing() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        bed.enqueue("b", "{1}");
        let before = tag_of(bed.score("partitions", "a").unwrap());
        let job = bed.take();
        bed.age(&job.lease_id, 600_000);
        bed.recover(&job.lease_id);
        let after = tag_of(bed.score("partitions", "a").unwrap());
        assert!((after - before).abs() < 1.1, "{before} {after}");
        assert!(!bed.held().state.contains_key("mean"));
    }

    #[test]
    fn the_next_one_after_a_job_of_the_lane() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue_to(&Route::lane(), "{lane}");
        bed.take();
        let job = bed.take();
        assert_eq!(job.partition, "%");
        bed.recover(&job.lease_id);
        assert_eq!(bed.take_payloads(1), ["{lane}"]);
    }
}
