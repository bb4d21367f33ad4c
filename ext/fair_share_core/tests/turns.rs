//! Turns, with a real server: jobs enter their partitions, and leave them in fair turns.
//! `Bed::check` follows each verb: the counters agree with the lists and the leases, and the main list has a ticket for each
//! waiting job.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::collections::BTreeMap;

use fair_share_core::connection::Connection;
use fair_share_core::error::Error;
use fair_share_core::partition_id::encode_id;
use fair_share_core::payload::split_element;
use fair_share_core::queue::Queue;
use fair_share_core::route::Route;
use fair_share_core::transport::{Repeat, Transport};
use fair_share_core::turns::{Enqueued, Reserved, Ticket};
use redis::{Cmd, Value};
use support::bed::{
    limits, nothing, payload_in, payload_of, reserve_by, tag_of, told_to_adopt, weighted, Bed,
    FOREIGN, OWNER, PID, PREFIX,
};

mod enqueue {
    use super::*;

    #[test]
    fn a_job_goes_to_its_partition_and_a_ticket_into_the_main_list() {
        let mut bed = Bed::new(0);
        let before = bed.now();
        assert_eq!(bed.enqueue("acme", r#"{"class":"A","args":[]}"#), 1);
        let after = bed.now();

        let held = bed.check();
        assert_eq!(held.main, ["null"]);
        assert_eq!(held.pending, BTreeMap::from([("acme".to_owned(), 1)]));
        assert!(held.partitions.contains_key("acme"));
        let element = held.lists["acme"][0].as_bytes();
        assert!(element[..11]
            .iter()
            .all(|byte| b"0123456789abcdef".contains(byte)));
        let (time, payload) = split_element(element);
        assert!((before..=after).contains(&time.unwrap()));
        assert_eq!(payload, br#"{"class":"A","args":[]}"#);
        let queues: Vec<String> = bed.ask(&["SMEMBERS", "resque:queues"]);
        assert_eq!(queues, ["fair"]);
    }

    #[test]
    fn jobs_wait_in_the_order_in_which_they_came() {
        let mut bed = Bed::new(0);
        assert_eq!(bed.enqueue("acme", "{1}"), 1);
        assert_eq!(bed.enqueue("acme", "{2}"), 2);
        assert_eq!(bed.enqueue("other", "{3}"), 1);
        assert_eq!(bed.check().payloads("acme"), ["{1}", "{2}"]);
        assert_eq!(bed.take_payloads(3), ["{1}", "{3}", "{2}"]);
    }

    #[test]
    fn payloads_come_back_byte_for_byte() {
        let mut bed = Bed::unchecked(0);
        let large = vec![b' '; 1 << 20];
        for payload in [
            b"{\0\n\r\xff\xfe 'x' [] {}".as_slice(),
            b"",
            b"null",
            &large,
        ] {
            bed.try_enqueue(&Route::to("acme", None), payload).unwrap();
            assert_eq!(split_element(&bed.take().element).1, payload);
        }
    }

    #[test]
    fn any_id_has_a_partition_of_its_own() {
        let mut bed = Bed::new(0);
        let ids = [
            "", "%", "null", "sub", "pending", "a b", "a|b", "ü😀", "a:b", "-", "==",
        ];
        for id in ids {
            assert_eq!(bed.enqueue(id, id), 1);
        }
        let jobs: Vec<_> = ids.iter().map(|_| bed.take()).collect();
        for (id, job) in ids.iter().zip(&jobs) {
            assert_eq!(payload_of(job), *id);
            assert_eq!(job.partition, encode_id(id).as_str());
        }
        for job in &jobs {
            assert_eq!(bed.release(&job.lease_id), Some((job.partition.clone(), 0)));
        }
    }

    #[test]
    fn a_job_without_partition_is_left_to_stock_where_the_queue_has_no_fair_share_state() {
        let mut bed = Bed::new(0);
        assert_eq!(bed.enqueue_to(&Route::lane(), FOREIGN), Enqueued::Plain);
        assert_eq!(bed.held().main, [FOREIGN]);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
        assert_eq!(
            bed.ask::<Vec<String>>(&["SMEMBERS", "resque:queues"]),
            ["fair"]
        );
    }

    #[test]
    fn a_job_without_partition_takes_turns_in_the_lane_of_a_fair_queue() {
        let mut bed = Bed::new(1);
        bed.enqueue("acme", "{1}");
        bed.enqueue("acme", "{2}");
        for (payload, pending) in [("{a}", 1), ("{b}", 2), ("{c}", 3)] {
            let enqueued = bed.enqueue_to(&Route::lane(), payload);
            assert_eq!(enqueued, Enqueued::Queued { pending });
        }
        assert_eq!(bed.check().payloads("%"), ["{a}", "{b}", "{c}"]);
        assert_eq!(bed.take_payloads(2), ["{1}", "{a}"]);
        // The lane has no cap.
        assert_eq!(bed.take_payloads(2), ["{b}", "{c}"]);
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn the_lane_ends_with_the_fair_share_state() {
        let mut bed = Bed::new(0);
        bed.enqueue("acme", "{1}");
        bed.drain();
        assert_eq!(bed.enqueue_to(&Route::lane(), FOREIGN), Enqueued::Plain);
    }

    #[test]
    fn a_weight_is_kept_while_the_partition_has_jobs() {
        let mut bed = Bed::new(0);
        bed.enqueue_to(&weighted("big", 2.5), "{1}");
        bed.enqueue("small", "{2}");
        let weights = bed.check().weights;
        assert_eq!(
            weights,
            BTreeMap::from([("big".to_owned(), "2.5".to_owned())])
        );
        let jobs = [bed.take(), bed.take()];
        assert_eq!(bed.held().weights, weights);
        jobs.iter().for_each(|job| {
            bed.release(&job.lease_id);
        });
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn a_new_weight_holds_at_once() {
        let mut bed = Bed::new(0);
        for n in 0..6 {
            bed.enqueue_to(&weighted("acme", 1.0), &format!("{{{n}}}"));
        }
        bed.take_payloads(4);
        assert_eq!(bed.score("partitions", "acme").unwrap().floor(), 4.0);
        bed.enqueue_to(&weighted("acme", 2.0), "{6}");
        assert_eq!(bed.score("partitions", "acme").unwrap().floor(), 2.0);
        bed.enqueue_to(&weighted("acme", 0.5), "{7}");
        assert_eq!(bed.score("partitions", "acme").unwrap().floor(), 8.0);
    }

    #[test]
    fn a_new_weight_holds_for_a_parked_partition() {
        let mut bed = Bed::new(2);
        for n in 0..5 {
            bed.enqueue_to(&weighted("acme", 1.0), &format!("{{{n}}}"));
        }
        let jobs = [bed.take(), bed.take()];
        assert!(bed.score("parked", "acme").is_some());
        bed.enqueue_to(&weighted("acme", 2.0), "{5}");
        bed.release(&jobs[0].lease_id);
        assert_eq!(bed.score("partitions", "acme").unwrap().floor(), 0.0);
    }

    #[test]
    fn a_shortened_id_is_kept_in_full_while_the_partition_has_jobs() {
        let mut bed = Bed::new(0);
        let id = "ü".repeat(100);
        let encoded = encode_id(&id);
        bed.enqueue(&id, "{1}");
        let names = BTreeMap::from([(encoded.to_string(), id.clone())]);
        assert_eq!(bed.check().names, names);
        let job = bed.take();
        assert_eq!(job.partition, encoded.as_str());
        assert_eq!(bed.held().names, names);
        bed.release(&job.lease_id);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn a_paused_partition_is_parked_from_the_start() {
        let mut bed = Bed::new(0);
        bed.set("acme", "||1");
        bed.enqueue("acme", "{1}");
        assert!(bed.score("parked", "acme").is_some());
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn a_list_that_was_deleted_counts_no_more() {
        let mut bed = Bed::unchecked(0);
        for n in 0..3 {
            bed.enqueue("acme", &format!("{{{n}}}"));
        }
        let sub = bed.queue.keys().sub("acme");
        bed.tell(&["DEL", &sub]);
        assert_eq!(bed.enqueue("acme", "{3}"), 1);
        bed.held().assert_consistent();
        let job = bed.take();
        assert_eq!(payload_of(&job), "{3}");
        assert!(nothing(&bed.reserve()));
        bed.release(&job.lease_id);
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), ["resque:queues"]);
    }

    #[test]
    fn the_index_is_no_listpack_even_when_it_is_small() {
        let mut bed = Bed::new(1);
        let key = bed.key("partitions");
        for _ in 0..2 {
            bed.enqueue("acme", "{1}");
            assert_eq!(bed.ask::<String>(&["OBJECT", "ENCODING", &key]), "skiplist");
            assert_eq!(
                bed.ask::<Vec<String>>(&["ZRANGE", &key, "0", "-1"]),
                ["acme"]
            );
            bed.enqueue("acme", "{2}");
            let job = bed.take();
            // Unparking creates the index again, and has to make it a skiplist as well.
            bed.release(&job.lease_id);
            assert_eq!(bed.ask::<String>(&["OBJECT", "ENCODING", &key]), "skiplist");
            bed.drain();
        }
    }
}

mod reserve {
    use super::*;

    #[test]
    fn a_job_is_popped_counted_and_leased_in_one_go() {
        let mut bed = Bed::new(0);
        bed.enqueue("acme", "{1}");
        bed.enqueue("acme", "{2}");
        let before = bed.now();
        let job = bed.take();
        assert_eq!(job.partition, "acme");
        assert_eq!(payload_of(&job), "{1}");
        assert_eq!((job.pending, job.in_flight), (1, 1));

        let held = bed.check();
        let lease = &held.leases[&job.lease_id];
        assert_eq!(
            (lease.partition.as_str(), lease.owner.as_str()),
            ("acme", OWNER)
        );
        assert_eq!(lease.element, job.element);
        assert!((before..=bed.now()).contains(&lease.started));
        assert_eq!(held.in_flight["acme"], 1);
        assert_eq!(held.pending["acme"], 1);
        assert_eq!(held.main, ["null"]);
    }

    #[test]
    fn an_owner_is_read_back_as_it_was_given() {
        let mut bed = Bed::new(0);
        bed.enqueue("acme", "{a b}");
        let owner = "host with space:1:a b,50%\n😀";
        let (queue, redis) = (&bed.queue, &mut bed.redis);
        reserve_by(queue, redis, "id", owner, Ticket::Take, limits(0)).unwrap();
        let (cursor, leases) = bed.queue.leases(&mut bed.redis, 0).unwrap();
        assert_eq!((cursor, leases.len()), (0, 1));
        assert_eq!(leases[0].owner, owner);
        assert_eq!(payload_in(&leases[0].element), "{a b}");
        bed.release("id").unwrap();
    }

    #[test]
    fn a_queue_without_state_is_left_to_stock() {
        let mut bed = Bed::new(0);
        assert_eq!(bed.reserve(), Reserved::Plain);
        assert!(!bed.queue.is_fair(&mut bed.redis).unwrap());
        let main = bed.main();
        bed.tell(&["RPUSH", &main, FOREIGN]);
        assert_eq!(bed.reserve(), Reserved::Plain);
        assert_eq!(bed.held().main, [FOREIGN]);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn a_queue_is_fair_as_long_as_a_job_waits_or_runs() {
        let mut bed = Bed::new(0);
        bed.enqueue("acme", "{1}");
        assert!(bed.queue.is_fair(&mut bed.redis).unwrap());
        let job = bed.take();
        assert!(bed.queue.is_fair(&mut bed.redis).unwrap());
        assert!(nothing(&bed.reserve()));
        bed.release(&job.lease_id);
        assert!(!bed.queue.is_fair(&mut bed.redis).unwrap());
        assert_eq!(bed.reserve(), Reserved::Plain);
    }

    #[test]
    fn partitions_take_turns_whatever_their_backlogs() {
        let mut bed = Bed::new(0);
        for n in 0..6 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        bed.enqueue("z", "{z}");
        bed.enqueue("b", "{b}");
        assert_eq!(bed.take_partitions(5), ["a", "z", "b", "a", "a"]);
    }

    #[test]
    fn who_runs_least_by_its_weight_is_next() {
        let mut bed = Bed::new(0);
        for n in 0..12 {
            bed.enqueue_to(&weighted("big", 3.0), &format!("{{{n}}}"));
            bed.enqueue("small", &format!("{{{n}}}"));
        }
        let turns = bed.take_partitions(12);
        assert_eq!(turns.iter().filter(|id| *id == "big").count(), 9);
    }

    #[test]
    fn a_partition_is_parked_at_its_cap() {
        let mut bed = Bed::new(2);
        for n in 0..4 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        bed.enqueue("b", "{b}");
        assert_eq!(bed.take_partitions(3), ["a", "b", "a"]);
        assert!(bed.score("parked", "a").is_some());
        assert!(nothing(&bed.reserve()));
        assert_eq!(bed.held().in_flight["a"], 2);
    }

    #[test]
    fn a_cap_holds_for_a_partition_that_drained_meanwhile() {
        let mut bed = Bed::new(1);
        bed.enqueue("a", "{1}");
        let job = bed.take();
        bed.enqueue("a", "{2}");
        assert!(nothing(&bed.reserve()));
        bed.release(&job.lease_id);
        assert_eq!(bed.take_payloads(1), ["{2}"]);
    }

    #[test]
    fn a_lower_cap_holds_at_once_and_a_higher_one_when_a_job_has_ended() {
        let mut bed = Bed::new(0);
        for n in 0..9 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        let jobs = [bed.take(), bed.take(), bed.take()];
        bed.limits = limits(3);
        assert!(nothing(&bed.reserve()));
        bed.limits = limits(2);
        assert!(nothing(&bed.reserve()));
        bed.checking = false;
        bed.limits = limits(5);
        bed.release(&jobs[0].lease_id);
        bed.checking = true;
        assert_eq!(bed.take_payloads(3), ["{3}", "{4}", "{5}"]);
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn run_time_settings_beat_the_configuration() {
        let mut bed = Bed::unchecked(3);
        for id in ["a", "b", "c"] {
            for n in 0..5 {
                bed.enqueue_to(&weighted(id, 2.0), &format!("{{{n}}}"));
            }
        }
        bed.set("a", "|1|");
        bed.set("b", "||1");
        bed.set("c", "4||");
        let turns = bed.take_partitions(4);
        assert_eq!(turns.iter().filter(|id| *id == "a").count(), 1);
        assert_eq!(turns.iter().filter(|id| *id == "c").count(), 3);
        assert!(nothing(&bed.reserve()));
        let held = bed.held();
        held.assert_parked_by(3);
        assert_eq!(held.parked["c"].floor(), 0.0);
    }

    #[test]
    fn no_cap_set_at_run_time_beats_the_configured_one() {
        let mut bed = Bed::new(1);
        bed.set("a", "|0|");
        for n in 0..3 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        assert_eq!(bed.take_payloads(3), ["{0}", "{1}", "{2}"]);
    }

    #[test]
    fn many_partitions_that_may_not_run_are_parked_in_several_calls() {
        let mut bed = Bed::unchecked(0);
        for n in 0..150 {
            bed.enqueue(&n.to_string(), "{}");
            bed.set(&n.to_string(), "||1");
        }
        bed.enqueue("last", "{last}");
        let mut calls = 1;
        while bed.reserve() == Reserved::Again {
            calls += 1;
        }
        assert_eq!(calls, 3);
        let held = bed.check();
        assert_eq!(held.parked.len(), 150);
        assert_eq!(held.leases.len(), 1);
    }

    #[test]
    fn a_ticket_that_the_caller_popped_goes_back_where_it_has_to_call_again() {
        let mut bed = Bed::unchecked(0);
        for n in 0..70 {
            bed.enqueue(&n.to_string(), "{}");
            bed.set(&n.to_string(), "||1");
        }
        let main = bed.main();
        assert_eq!(bed.ask::<String>(&["LPOP", &main]), "null");
        let again = Reserved::Again;
        assert_eq!(bed.reserve_with(Ticket::Given), again);
        assert_eq!(bed.held().main.len(), 70);
        assert!(nothing(&bed.reserve()));
        bed.check();
    }

    #[test]
    fn a_ticket_that_the_caller_popped_is_not_popped_again() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let main = bed.main();
        assert_eq!(bed.ask::<String>(&["LPOP", &main]), "null");
        assert!(matches!(
            bed.reserve_with(Ticket::Given),
            Reserved::Job { .. }
        ));
        assert_eq!(bed.held().main, ["null"]);
    }

    #[test]
    fn a_ticket_that_the_caller_popped_goes_back_where_nothing_may_run() {
        let mut bed = Bed::new(1);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        bed.take();
        let main = bed.main();
        assert_eq!(bed.ask::<String>(&["LPOP", &main]), "null");
        assert!(nothing(&bed.reserve_with(Ticket::Given)));
        assert_eq!(bed.held().main, ["null"]);
    }

    #[test]
    fn a_popped_ticket_that_was_mended_meanwhile_leaves_no_surplus() {
        let mut bed = Bed::unchecked(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let main = bed.main();
        assert_eq!(bed.ask::<String>(&["LPOP", &main]), "null");
        bed.mend();
        bed.checking = true;
        assert!(matches!(
            bed.reserve_with(Ticket::Given),
            Reserved::Job { .. }
        ));
    }

    #[test]
    fn a_job_is_found_though_all_tickets_are_gone() {
        let mut bed = Bed::unchecked(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let main = bed.main();
        bed.tell(&["DEL", &main]);
        assert_eq!(bed.take_payloads(2), ["{1}", "{2}"]);
    }

    #[test]
    fn the_same_lease_id_gets_the_same_job_again() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let job = bed.take();
        bed.queue.give_back(PID, job.lease_id.clone());
        assert_eq!(bed.take(), job);
        assert_eq!(bed.held().leases.len(), 1);
        assert_eq!(payload_of(&bed.take()), "{2}");
    }

    #[test]
    fn a_ticket_that_the_caller_popped_goes_back_where_it_gets_the_same_job_again() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let job = bed.take();
        let main = bed.main();
        bed.queue.give_back(PID, job.lease_id);
        assert_eq!(bed.ask::<String>(&["LPOP", &main]), "null");
        bed.reserve_with(Ticket::Given);
        assert_eq!(bed.check().main, ["null"]);
    }

    #[test]
    fn a_lease_that_was_recovered_meanwhile_is_taken_anew() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        let job = bed.take();
        bed.queue.give_back(PID, job.lease_id.clone());
        bed.recover(&job.lease_id);
        let again = bed.take();
        assert_eq!(again.lease_id, job.lease_id);
        assert_eq!(payload_of(&again), "{1}");
    }

    /// A transport that loses the first replies.
    struct Lossy<'a> {
        connection: &'a mut Connection,
        losses: u32,
        sent: Vec<Repeat>,
    }

    impl Transport for Lossy<'_> {
        type Error = Error;

        fn call_all(&mut self, commands: &[Cmd], repeat: Repeat) -> Result<Vec<Value>, Error> {
            self.sent.push(repeat);
            let replies = self.connection.call_all(commands);
            if self.losses == 0 {
                return replies;
            }
            self.losses -= 1;
            replies.and(Err(Error::ConnectionLost {
                address: "here".into(),
                reason: "the test".into(),
            }))
        }
    }

    fn lossy_reserve(
        bed: &mut Bed,
        losses: u32,
        id: &str,
    ) -> (Result<Reserved, Error>, Vec<Repeat>) {
        let mut transport = Lossy {
            connection: &mut bed.redis,
            losses,
            sent: Vec::new(),
        };
        let (queue, limits) = (&bed.queue, bed.limits);
        let reserved = reserve_by(queue, &mut transport, id, OWNER, Ticket::Take, limits);
        (reserved, transport.sent)
    }

    #[test]
    fn a_lost_reply_loses_no_job_and_takes_no_second_one() {
        let mut bed = Bed::new(0);
        for payload in ["{1}", "{2}", "{3}"] {
            bed.enqueue("a", payload);
        }
        // The first reserve loads the script.
        bed.take();
        let (reserved, sent) = lossy_reserve(&mut bed, 1, "lost");
        assert_eq!(sent, [Repeat::ByCaller, Repeat::Safe]);
        match reserved {
            Ok(Reserved::Job { job, .. }) => {
                assert_eq!(job.lease_id, "lost");
                assert_eq!(payload_of(&job), "{2}");
                assert_eq!((job.pending, job.in_flight), (1, 2));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(bed.check().leases.len(), 2);
    }

    #[test]
    fn a_reserve_that_failed_twice_is_made_up_for_by_the_next() {
        let mut bed = Bed::new(0);
        for payload in ["{1}", "{2}", "{3}"] {
            bed.enqueue("a", payload);
        }
        bed.take();
        let (reserved, _) = lossy_reserve(&mut bed, 2, "lost");
        assert!(matches!(reserved, Err(Error::ConnectionLost { .. })));
        let job = bed.take();
        assert_eq!(job.lease_id, "lost");
        assert_eq!(payload_of(&job), "{2}");
        assert_eq!(payload_of(&bed.take()), "{3}");
    }

    #[test]
    fn what_a_parent_left_unanswered_is_not_its_childs() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.enqueue("a", "{2}");
        let job = bed.take();
        bed.queue.give_back(PID + 1, job.lease_id);
        assert_eq!(payload_of(&bed.take()), "{2}");
    }

    #[test]
    fn foreign_payloads_are_told_when_they_reach_the_head() {
        let mut bed = Bed::new(0);
        let main = bed.main();
        bed.enqueue("a", "{1}");
        bed.tell(&["RPUSH", &main, FOREIGN]);
        assert_eq!(payload_of(&bed.take()), "{1}");
        bed.enqueue("a", "{2}");
        assert_eq!(told_to_adopt(bed.reserve()), [FOREIGN, "null"]);
        // Nothing was taken. Each reserve reports the payload again while it is at the head.
        assert_eq!(told_to_adopt(bed.reserve()), [FOREIGN, "null"]);
        assert_eq!(bed.held().main, [FOREIGN, "null"]);
        bed.tell(&["LPUSH", &main, "{urgent}"]);
        assert_eq!(told_to_adopt(bed.reserve()), ["{urgent}", FOREIGN, "null"]);
    }

    #[test]
    fn a_foreign_payload_does_not_wait_for_a_partition_to_wait() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.take();
        let main = bed.main();
        bed.tell(&["RPUSH", &main, FOREIGN]);
        assert_eq!(told_to_adopt(bed.reserve()), [FOREIGN]);
    }

    #[test]
    fn at_most_64_elements_are_told_at_once() {
        let mut bed = Bed::new(0);
        bed.enqueue("a", "{1}");
        bed.take();
        let main = bed.main();
        for _ in 0..100 {
            bed.tell(&["RPUSH", &main, FOREIGN]);
        }
        assert_eq!(told_to_adopt(bed.reserve()).len(), 64);
    }

    #[test]
    fn a_foreign_payload_behind_the_tickets_of_parked_partitions_is_reached() {
        let mut bed = Bed::new(1);
        for n in 0..200 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        bed.take();
        let main = bed.main();
        bed.tell(&["RPUSH", &main, FOREIGN]);
        let mut calls = 1;
        let elements = loop {
            match bed.reserve() {
                Reserved::Adopt(elements) => break elements,
                other => assert!(nothing(&other)),
            }
            calls += 1;
        };
        assert_eq!(elements[0], FOREIGN.as_bytes());
        assert!(calls <= 199_u32.div_ceil(64), "{calls}");
        // The main list still has all tickets.
        assert_eq!(bed.check().main.len(), 200);
    }

    #[test]
    fn stale_tickets_of_an_empty_queue_are_dropped() {
        let mut bed = Bed::unchecked(0);
        let main = bed.main();
        for _ in 0..150 {
            bed.tell(&["RPUSH", &main, "null"]);
        }
        bed.tell(&["RPUSH", &main, FOREIGN]);
        let mut calls = 1;
        while bed.reserve() == Reserved::Again {
            calls += 1;
        }
        assert_eq!(calls, 3);
        assert_eq!(bed.held().main, [FOREIGN]);
        assert_eq!(bed.reserve(), Reserved::Plain);
        bed.tell(&["DEL", &main]);
        bed.tell(&["RPUSH", &main, "null"]);
        assert_eq!(bed.reserve(), Reserved::Plain);
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), Vec::<String>::new());
    }

    #[test]
    fn an_index_whose_list_is_gone_is_mended() {
        let mut bed = Bed::unchecked(0);
        bed.enqueue("gone", "{1}");
        bed.enqueue("gone", "{2}");
        bed.enqueue("a", "{3}");
        let sub = bed.queue.keys().sub("gone");
        bed.tell(&["DEL", &sub]);
        let job = bed.take();
        assert_eq!(payload_of(&job), "{3}");
        bed.held().assert_consistent();
        bed.release(&job.lease_id);
        assert!(nothing(&bed.reserve()) || bed.reserve() == Reserved::Plain);
        assert_eq!(bed.reserve(), Reserved::Plain);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
        assert_eq!(bed.held().main, Vec::<String>::new());
    }

    #[test]
    fn an_index_of_which_every_list_is_gone_leaves_nothing() {
        let mut bed = Bed::unchecked(0);
        for id in ["a", "b", "c"] {
            bed.enqueue(id, "{}");
            let sub = bed.queue.keys().sub(id);
            bed.tell(&["DEL", &sub]);
        }
        bed.let_reconcile_be_due();
        bed.reserve();
        assert_eq!(bed.reserve(), Reserved::Plain);
        assert_eq!(bed.ask::<Vec<String>>(&["KEYS", "*"]), ["resque:queues"]);
    }

    #[test]
    fn one_reserve_an_interval_is_told_to_look_for_dead_owners() {
        let mut bed = Bed::new(1);
        for n in 0..4 {
            bed.enqueue("a", &format!("{{{n}}}"));
            bed.enqueue("b", &format!("{{{n}}}"));
        }
        // The queue is new: no look for dead owners is due.
        assert!(matches!(
            bed.reserve(),
            Reserved::Job {
                reconcile: false,
                ..
            }
        ));
        bed.let_reconcile_be_due();
        assert!(matches!(
            bed.reserve(),
            Reserved::Job {
                reconcile: true,
                ..
            }
        ));
        assert_eq!(bed.reserve(), Reserved::Nothing { reconcile: false });
        bed.let_reconcile_be_due();
        assert_eq!(bed.reserve(), Reserved::Nothing { reconcile: true });
        assert_eq!(bed.reserve(), Reserved::Nothing { reconcile: false });

        // A look is due seldom while jobs may run, and often while none may.
        let (state, reconciled) = (bed.key("state"), (bed.now() - 6000).to_string());
        bed.tell(&["HSET", &state, "reconciled", &reconciled]);
        bed.enqueue("c", "{}");
        assert!(matches!(
            bed.reserve(),
            Reserved::Job {
                reconcile: false,
                ..
            }
        ));
        assert_eq!(bed.reserve(), Reserved::Nothing { reconcile: true });
    }

    #[test]
    fn newcomers_are_served_at_once_and_in_the_order_in_which_they_came() {
        let mut bed = Bed::new(0);
        for n in 0..30 {
            bed.enqueue("busy", &format!("{{{n}}}"));
        }
        for _ in 0..10 {
            let job = bed.take();
            bed.age(&job.lease_id, 500);
            bed.release(&job.lease_id);
        }
        for id in ["z", "m", "a"] {
            bed.enqueue(id, "{}");
        }
        assert_eq!(bed.take_partitions(3), ["z", "m", "a"]);
    }

    #[test]
    fn draining_and_returning_buys_no_turns() {
        let mut bed = Bed::new(0);
        for n in 0..60 {
            bed.enqueue("stays", &format!("{{{n}}}"));
        }
        let mut turns = BTreeMap::<String, u32>::new();
        for _ in 0..60 {
            if bed.held().payloads("returns").is_empty() {
                bed.enqueue("returns", "{}");
            }
            let job = bed.take();
            bed.age(&job.lease_id, 100);
            bed.release(&job.lease_id);
            *turns.entry(job.partition).or_default() += 1;
        }
        assert!((28..=32).contains(&turns["returns"]), "{turns:?}");
    }

    #[test]
    fn tickets_for_which_no_job_waits_go_while_others_run() {
        let mut bed = Bed::unchecked(0);
        bed.enqueue("a", "{1}");
        let job = bed.take();
        let main = bed.main();
        for _ in 0..100 {
            bed.tell(&["RPUSH", &main, "null"]);
        }
        for _ in 0..2 {
            assert!(nothing(&bed.reserve()));
        }
        assert_eq!(bed.check().main, Vec::<String>::new());
        bed.release(&job.lease_id);
        assert_eq!(bed.our_keys(), Vec::<String>::new());
    }

    #[test]
    fn surplus_tickets_are_not_turned_round_for_ever() {
        let mut bed = Bed::unchecked(1);
        for n in 0..200 {
            bed.enqueue("a", &format!("{{{n}}}"));
        }
        bed.take();
        let main = bed.main();
        for _ in 0..300 {
            bed.tell(&["RPUSH", &main, "null"]);
        }
        for _ in 0..20 {
            assert!(nothing(&bed.reserve()));
        }
        assert_eq!(bed.check().main.len(), 199);
    }

    #[test]
    fn jobs_that_0_1_0_wrote_are_handed_out_once() {
        let mut bed = Bed::unchecked(0);
        let (main, sub) = (bed.main(), bed.queue.keys().sub("a"));
        let (pending, index) = (bed.queue.keys().pending("a"), bed.key("partitions"));
        bed.enqueue("a", "{1}");
        for payload in ["{2}", "{3}"] {
            bed.tell(&["RPUSH", &main, payload]);
            bed.tell(&["RPUSH", &sub, payload]);
            bed.tell(&["INCR", &pending]);
            bed.tell(&["ZADD", &index, "NX", "0", "a"]);
        }
        bed.enqueue("a", "{4}");
        let mut payloads = Vec::new();
        while payloads.len() < 4 {
            match bed.reserve() {
                Reserved::Job { job, .. } => payloads.push(payload_of(&job)),
                Reserved::Adopt(elements) => {
                    let route =
                        |element: &Vec<u8>| (element != b"null").then(|| Route::to("a", None));
                    let routed: Vec<_> = elements
                        .iter()
                        .map(|element| (element.clone(), route(element)))
                        .collect();
                    bed.try_adopt(&routed).unwrap();
                }
                other => panic!("{other:?} after {payloads:?}"),
            }
        }
        payloads.sort();
        assert_eq!(payloads, ["{1}", "{2}", "{3}", "{4}"]);
        bed.check();
        assert!(nothing(&bed.reserve()));
    }

    #[test]
    fn a_reserve_that_arrives_after_its_repetition_takes_no_second_job() {
        for ticket in [Ticket::Take, Ticket::Given] {
            let mut bed = Bed::new(0);
            for payload in ["{1}", "{2}", "{3}"] {
                bed.enqueue("a", payload);
            }
            let job = bed.take();
            let main = bed.main();
            if ticket == Ticket::Given {
                assert_eq!(bed.ask::<String>(&["LPOP", &main]), "null");
            }
            let (queue, redis) = (&bed.queue, &mut bed.redis);
            let late = reserve_by(queue, redis, &job.lease_id, OWNER, ticket, limits(0));
            assert_eq!(
                late.unwrap(),
                Reserved::Job {
                    job,
                    reconcile: false
                }
            );
            let held = bed.check();
            assert_eq!(held.leases.len(), 1);
            assert_eq!(held.main, ["null", "null"]);
            assert_eq!(payload_of(&bed.take()), "{2}");
        }
    }

    #[test]
    fn a_partition_that_may_run_goes_on_where_its_tag_was_after_the_tags_were_moved_down() {
        let mut bed = Bed::unchecked(0);
        for id in ["a", "b", "c"] {
            bed.enqueue(id, "{1}");
            bed.enqueue(id, "{2}");
        }
        bed.enqueue("drained", "{}");
        let jobs: Vec<_> = (0..4).map(|_| bed.take()).collect();
        // Put the clock and all tags far up, as after decades of worker time.
        let far = 2_f64.powi(41) + 5.0;
        let held = bed.held();
        let (index, tags, state, leases) = (
            bed.key("partitions"),
            bed.key("tags"),
            bed.key("state"),
            bed.key("leases"),
        );
        let units = 2_f64.powi(42);
        for (member, score) in &held.partitions {
            bed.tell(&["ZADD", &index, &format!("{}", score + far / units), member]);
        }
        for (member, tag) in &held.tags {
            bed.tell(&["ZADD", &tags, &format!("{}", tag + far), member]);
        }
        for id in held.leases.keys() {
            let lease: String = bed.ask(&["HGET", &leases, id]);
            let mut fields: Vec<String> = lease.splitn(5, ' ').map(str::to_owned).collect();
            fields[3] = format!("{:.3}", fields[3].parse::<f64>().unwrap() + far);
            bed.tell(&["HSET", &leases, id, &fields.join(" ")]);
        }
        let clock = bed.clock() + far;
        bed.tell(&["HSET", &state, "clock", &clock.to_string()]);

        let next = bed.take();
        assert_eq!(next.partition, "a");
        assert!(bed.clock() < 10_000.0);
        for job in &jobs {
            bed.release(&job.lease_id);
        }
        bed.release(&next.lease_id);
        bed.checking = true;
        let held = bed.check();
        for score in held.partitions.values() {
            assert!(tag_of(*score) < 10_000.0, "{held:#?}");
        }
        // Nor does a partition get a far too high tag if it drained before the clock was moved down, and its last job ended
        // after that.
        assert!(held.tags.values().all(|tag| *tag < 10_000.0), "{held:#?}");
    }
}

#[test]
fn two_queues_and_two_namespaces_have_nothing_in_common() {
    let mut bed = Bed::unchecked(0);
    bed.enqueue("a", "{1}");
    let mut redis = bed.server.connect();
    for (prefix, queue) in [
        ("", "fair"),
        ("a:b:", "fair"),
        (PREFIX, "other"),
        (PREFIX, "fair:x"),
    ] {
        let other = Queue::new(prefix, queue);
        let before = bed.everything();
        other
            .enqueue(&mut redis, b"{2}", &Route::to("a", None), 0)
            .unwrap();
        let new: Vec<String> = bed
            .everything()
            .into_iter()
            .filter(|(key, held)| before.get(key) != Some(held))
            .map(|(key, _)| key)
            .collect();
        assert_eq!(new.len(), 6, "{new:?}");
        assert!(new.iter().all(|key| key.starts_with(prefix)), "{new:?}");
    }
    assert_eq!(bed.drain().len(), 1);
}
