//! Upkeep, with a real server: corrects a queue's state by its lists and leases.
//! `Bed::check` follows each verb: the counters agree with the lists and the leases, and the main list has a ticket for each
//! waiting job.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use fair_share_core::partition_id::encode_id;
use fair_share_core::payload::split_element;
use fair_share_core::queue::Queue;
use fair_share_core::route::Route;
use support::bed::{adopt, foreign, limits, nothing, weighted, Bed};

mod adopt {
    use super::*;

    fn fair_bed(foreign: &[&str]) -> Bed {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.take();
        let main = bed.main();
        for payload in foreign {
            bed.tell(&["RPUSH", &main, payload]);
        }
        bed
    }

    #[test]
    fn several_at_once_keep_their_order_and_become_tickets() {
        let mut bed = fair_bed(&["{2}", "{3}", "null", "{4}"]);
        bed.checking = false;
        let adopted = bed.adopt(&[
            ("{2}", Some(Route::to("a", None))),
            ("{3}", Some(Route::lane())),
            ("null", None),
            ("{4}", Some(Route::to("a", None))),
        ]);
        assert_eq!(adopted, 3);
        let held = bed.held();
        held.assert_consistent();
        assert_eq!(held.main, ["null"; 4]);
        assert_eq!(held.payloads("a"), ["{2}", "{4}"]);
        assert_eq!(held.payloads("%"), ["{3}"]);
        let (time, _) = split_element(held.lists["a"][0].as_bytes());
        assert!(bed.now() - time.unwrap() < 5000);
    }

    #[test]
    fn there_is_a_ticket_for_each_waiting_job() {
        let mut bed = fair_bed(&["{2}", "{3}"]);
        bed.enqueue("b", "{b}");
        adopt(&mut bed, &[foreign("{2}", "a"), foreign("{3}", "c")]);
        let held = bed.check();
        assert_eq!(held.main, ["null"; 3]);
    }

    #[test]
    fn weight_and_full_id_are_kept() {
        let mut bed = fair_bed(&["{2}"]);
        let id = "x".repeat(200);
        bed.adopt(&[("{2}", Some(weighted(&id, 1.5)))]);
        let held = bed.check();
        let encoded = encode_id(&id).to_string();
        assert_eq!(held.weights[&encoded], "1.5");
        assert_eq!(held.names[&encoded], id);
    }

    #[test]
    fn it_stops_where_another_was_faster() {
        let mut bed = fair_bed(&["{2}", "{3}", "{4}"]);
        let all = [
            foreign("{2}", "a"),
            foreign("{3}", "a"),
            foreign("{4}", "a"),
        ];
        assert_eq!(adopt(&mut bed, &all[..2]), 2);
        assert_eq!(adopt(&mut bed, &all), 0);
        assert_eq!(adopt(&mut bed, &[]), 0);
        let held = bed.check();
        assert_eq!(held.payloads("a"), ["{2}", "{3}"]);
        assert_eq!(held.main, ["null", "null", "{4}"]);
    }

    #[test]
    fn a_list_that_is_shorter_meanwhile_is_no_error() {
        let mut bed = fair_bed(&["{2}"]);
        let adopted = adopt(&mut bed, &[foreign("{2}", "a"), foreign("{3}", "a")]);
        assert_eq!(adopted, 1);
        let main = bed.main();
        bed.tell(&["DEL", &main]);
        bed.checking = false;
        assert_eq!(adopt(&mut bed, &[foreign("{2}", "a")]), 0);
    }

    #[test]
    fn equal_payloads_are_two_jobs() {
        let mut bed = fair_bed(&["{2}", "{2}"]);
        adopt(&mut bed, &[foreign("{2}", "a"), foreign("{2}", "a")]);
        assert_eq!(bed.check().payloads("a"), ["{2}", "{2}"]);
    }

    #[test]
    fn a_partition_with_an_empty_id_is_one() {
        let mut bed = fair_bed(&["{2}", "{3}"]);
        let adopted = adopt(&mut bed, &[foreign("{2}", ""), foreign("{3}", "a")]);
        assert_eq!(adopted, 2);
        assert_eq!(bed.check().payloads(""), ["{2}"]);
    }

    #[test]
    fn a_queue_without_state_becomes_fair() {
        let mut bed = Bed::new(0);
        let main = bed.main();
        bed.tell(&["RPUSH", &main, "{1}", "{2}"]);
        adopt(&mut bed, &[foreign("{1}", "a"), foreign("{2}", "b")]);
        assert_eq!(bed.take_payloads(2), ["{1}", "{2}"]);
    }

    #[test]
    fn the_cap_holds_for_what_was_adopted() {
        let mut bed = Bed::new(1);
        bed.enqueue("a", "{1}");
        bed.take();
        let main = bed.main();
        bed.tell(&["RPUSH", &main, "{2}"]);
        adopt(&mut bed, &[foreign("{2}", "a")]);
        assert!(nothing(&bed.reserve()));
    }
}

mod mend {
    use super::*;

    #[test]
    fn tickets_that_a_stock_worker_popped_are_put_back() {
        let mut bed = Bed::unchecked(0);
        for n in 0..5 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        let main = bed.main();
        bed.tell(&["LPOP", &main, "3"]);
        assert_eq!(bed.mend(), 3);
        bed.check();
        assert_eq!(bed.mend(), 0);
        bed.tell(&["DEL", &main]);
        assert_eq!(bed.mend(), 5);
        bed.check();
    }

    #[test]
    fn a_count_of_jobs_that_are_gone_is_set_right() {
        let mut bed = Bed::unchecked(1);
        for n in 0..3 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        let job = bed.take();
        for name in ["sub:a", "a:pending", "parked"] {
            let key = bed.key(name);
            bed.tell(&["DEL", &key]);
        }
        assert_eq!(bed.mend(), 0);
        bed.held().assert_consistent();
        assert!(nothing(&bed.reserve()));
        bed.release(&job.lease_id);
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), ["resque:queues"]);
    }

    #[test]
    fn a_partition_that_was_parked_under_a_lower_cap_may_run_again() {
        let mut bed = Bed::unchecked(1);
        for n in 0..4 {
            bed.enqueue("a", &format!("{{{n}}}"));
            bed.enqueue("paused", &format!("{{{n}}}"));
        }
        bed.set("paused", "||1");
        bed.take();
        assert!(nothing(&bed.reserve()));
        bed.limits = limits(3);
        assert!(nothing(&bed.reserve()));
        bed.mend();
        bed.check();
        assert_eq!(bed.take_payloads(2), ["{1}", "{2}"]);
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn running_jobs_that_no_lease_backs_count_no_more() {
        let mut bed = Bed::unchecked(3);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        bed.enqueue("a", "{3}");
        bed.take();
        let in_flight = bed.queue.keys().in_flight("a");
        for count in ["0", "2", "7"] {
            bed.tell(&["SET", &in_flight, count]);
            bed.mend();
            bed.check();
        }
        bed.take_payloads(2);
    }

    #[test]
    fn at_most_a_thousand_a_call() {
        let mut bed = Bed::unchecked(0);
        for _ in 0..1500 {
            bed.enqueue("a", "{}");
        }
        let main = bed.main();
        bed.tell(&["DEL", &main]);
        let tickets = [(); 3].map(|()| bed.mend_page().tickets);
        assert_eq!(tickets, [1000, 500, 0]);
        bed.check();
    }

    #[test]
    fn every_page_of_both_indexes_is_looked_at() {
        let mut bed = Bed::unchecked(1);
        for n in 0..2500 {
            bed.enqueue(&format!("parked{n}"), "{}");
            bed.take();
            bed.enqueue(&format!("parked{n}"), "{}");
        }
        for n in 0..2500 {
            bed.enqueue(&format!("runs{n}"), "{}");
            let in_flight = bed.queue.keys().in_flight(&format!("runs{n}"));
            bed.tell(&["SET", &in_flight, "1"]); // A worker of 0.1.0 was killed.
        }
        bed.limits = limits(2);
        bed.mend();
        bed.check();
        let parked = bed.key("parked");
        assert_eq!(bed.ask::<u64>(&["ZCARD", &parked]), 0);
    }

    /// Partitions with three jobs each. One has a running job and is at its cap.
    fn with_one_parked() -> Bed {
        let mut bed = Bed::unchecked(1);
        for id in ["a", "b", "c*[d]", "e"] {
            for n in 0..3 {
                bed.enqueue(id, &format!("{{{n}}}"));
            }
        }
        assert_eq!(bed.take().partition, "a");
        bed
    }

    #[test]
    fn an_index_that_is_lost_is_built_anew_from_the_lists() {
        for lost in [&["partitions"][..], &["parked"], &["partitions", "parked"]] {
            let mut bed = with_one_parked();
            for name in lost {
                let key = bed.key(name);
                bed.tell(&["DEL", &key]);
            }
            bed.mend();
            bed.check();
            assert_eq!(
                bed.take_partitions(3),
                ["b", "c%2A%5Bd%5D", "e"],
                "{lost:?}"
            );
        }
    }

    #[test]
    fn also_when_another_partition_has_come_into_it_since() {
        let mut bed = with_one_parked();
        let key = bed.key("partitions");
        bed.tell(&["DEL", &key]);
        bed.enqueue("new", "{}");
        bed.mend();
        bed.check();
        bed.mend();
        assert_eq!(bed.reindex(), 0);
        assert_eq!(bed.take_partitions(4).len(), 4);
    }

    #[test]
    fn lists_of_other_queues_and_namespaces_are_left_alone() {
        let mut bed = Bed::unchecked(0);
        for (prefix, queue) in [
            ("resque:", "fair*"),
            ("resque:", "fairer"),
            ("resq?e:", "fair"),
        ] {
            let other = Queue::new(prefix, queue);
            let (route, limits) = (Route::to("theirs", None), bed.limits);
            other
                .enqueue(&mut bed.redis, b"{}", &route, limits.cap)
                .unwrap();
        }
        for (prefix, queue) in [("resque:", "fair*"), ("resq?e:", "fair")] {
            bed.queue = Queue::new(prefix, queue);
            let (cursor, lists) = bed.queue.lists(&mut bed.redis, 0).unwrap();
            assert_eq!((cursor, lists), (0, vec!["theirs".to_owned()]));
        }
        bed.queue = Queue::new("resque:", "fair");
        assert_eq!(bed.queue.lists(&mut bed.redis, 0).unwrap(), (0, vec![]));
    }

    #[test]
    fn nothing_is_written_to_a_queue_without_state() {
        let mut bed = Bed::new(0);
        assert_eq!(bed.mend(), 0);
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), Vec::<String>::new());
    }

    #[test]
    fn the_state_of_a_queue_without_jobs_is_swept() {
        let mut bed = Bed::unchecked(0);
        bed.enqueue_to(&weighted("a", 2.0), "{1}");
        for name in ["partitions", "sub:a", "a:pending"] {
            let key = bed.key(name);
            bed.tell(&["DEL", &key]);
        }
        let main = bed.main();
        bed.tell(&["DEL", &main]);
        assert_eq!(bed.mend(), 0);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }
}
