//! The scripts of a chain, each run by a real Redis.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use fair_share_core::chain::Restart;
use fair_share_core::error::Error;
use fair_share_core::step_job::Destination;
use support::chains::{definition, job, jobs, obstacle, Chains, Reply};

/// Asserts that `index` has the chain, and no other index has it.
fn assert_in(chains: &mut Chains, index: &str) {
    for word in ["running", "paused", "cancelled", "completed", "failed"] {
        let score: Option<f64> = chains.ask(&["ZSCORE", &format!("resque:job_chain:{word}"), "c"]);
        assert_eq!(score.is_some(), word == index, "{word}");
    }
    let expiring: Option<f64> = chains.ask(&["ZSCORE", "resque:job_chain:expiring", "c"]);
    let finished = !["running", "paused"].contains(&index);
    assert_eq!(expiring.is_some(), finished, "expiring");
    for word in ["state", "steps", "context"] {
        let left: i64 = chains.ask(&["PTTL", &format!("resque:job_chain:c:{word}")]);
        assert_eq!(left > 0, finished, "{word} lives for {left} ms");
    }
}

mod a_start {
    use super::*;

    #[test]
    fn writes_all_and_enqueues_the_first_step() {
        let mut chains = Chains::with(3, "");
        assert_eq!(chains.queued(), ["{0:1}"]);
        let known = chains.fields(&[
            "status",
            "current_step",
            "total_steps",
            "step_status:0",
            "run",
        ]);
        assert_eq!(known, ["running", "0", "3", "running", "run1"]);
        assert_in(&mut chains, "running");
        let steps: Vec<String> = chains.ask(&["LRANGE", "resque:job_chain:c:steps", "0", "-1"]);
        assert_eq!(steps, ["<0>", "<1>", "<2>"]);
    }

    #[test]
    fn of_a_group_enqueues_all_its_members_into_their_own_queues() {
        let mut chains = Chains::with(3, "0-1");
        assert_eq!(chains.queued(), ["{0:1}", "{1:1}"]);
        assert_eq!(chains.fields(&["left", "groups"]), ["2", "0-1"]);
    }

    #[test]
    fn answers_the_same_when_it_is_asked_again_and_another_one_is_told_that_it_exists() {
        let mut chains = Chains::with(1, "");
        chains.unchanged(|chains| {
            assert_eq!(chains.start("c", "run1", 1, "").unwrap().0, "started");
            assert_eq!(chains.start("c", "run2", 1, "").unwrap().0, "exists");
        });
    }

    #[test]
    fn that_is_vetoed_leaves_a_failed_chain_and_no_job() {
        let mut chains = Chains::new();
        let veto = obstacle(true, 0);
        let reply = chains.start_with("c", "run1", &definition(2, "", 1), Some(&veto), &[]);
        assert_eq!(reply.unwrap().0, "started");
        let known = chains.fields(&[
            "status",
            "step_status:0",
            "error_message",
            "error_class",
            "error_step",
        ]);
        assert_eq!(
            known,
            ["failed", "vetoed", "no such luck", "Misfortune", "0"]
        );
        assert!(chains.queued().is_empty());
        assert_in(&mut chains, "failed");
    }

    #[test]
    fn whose_queue_is_no_list_changes_nothing_but_the_names_of_queues() {
        let mut chains = Chains::new();
        chains.tell(&["SET", "resque:queue:plain", "x"]);
        assert!(matches!(
            chains.start("c", "run1", 2, ""),
            Err(Error::Command(_))
        ));
        let keys: Vec<String> = chains.everything().into_keys().collect();
        assert_eq!(keys, ["resque:queue:plain", "resque:queues"]);
    }

    #[test]
    fn is_refused_wholly_by_a_full_redis() {
        let mut chains = Chains::new();
        chains.fill();
        assert!(
            matches!(chains.start("c", "run1", 2, ""), Err(Error::Command(text)) if text.contains("OOM"))
        );
        assert!(chains.everything().is_empty());
    }

    #[test]
    fn after_the_keys_of_the_last_one_went_leaves_nothing_of_it() {
        let mut chains = Chains::with(1, "");
        chains.fail_now(0);
        for word in ["state", "steps"] {
            chains.tell(&["DEL", &format!("resque:job_chain:c:{word}")]);
        }
        assert_eq!(chains.start("c", "run2", 1, "").unwrap().0, "started");
        assert_in(&mut chains, "running");
        assert_eq!(chains.look(None)[2], "run2");
    }
}

mod the_end_of_a_step {
    use super::*;

    #[test]
    fn starts_the_next_and_the_last_completes_the_chain() {
        let mut chains = Chains::with(2, "");
        assert_eq!(chains.complete(0, 1, 1), "advanced");
        assert_eq!(chains.queued(), ["{0:1}", "{1:1}"]);
        assert_eq!(
            chains.fields(&["current_step", "step_status:0", "step_status:1"]),
            ["1", "completed", "running"]
        );
        assert_eq!(chains.complete(1, 2, 0), "completed");
        assert_eq!(
            chains.fields(&["status", "step_status:1"]),
            ["completed", "completed"]
        );
        assert_in(&mut chains, "completed");
    }

    #[test]
    fn is_stale_with_another_token_or_after_its_end_and_missing_in_another_run() {
        let mut chains = Chains::with(3, "");
        assert_eq!(chains.complete(0, 1, 1), "advanced");
        let next = chains.next(2, 1);
        for (step, token) in [
            (0, Some(1)),
            (0, None),
            (1, Some(2)),
            (1, Some(0)),
            (2, Some(1)),
            (9, None),
        ] {
            chains.unchanged(|chains| {
                let fence = chains.fence(step, token);
                assert_eq!(chains.advance(&fence, &next), "stale", "{step} {token:?}");
                assert_eq!(chains.fail(&fence), "stale", "{step} {token:?}");
                assert_eq!(chains.retry(&fence, 2), "stale", "{step} {token:?}");
            });
        }
        chains.unchanged(|chains| {
            let mut fence = chains.fence(1, Some(1));
            fence.run = "run0".into();
            assert_eq!(chains.advance(&fence, &next), "missing");
            assert_eq!(chains.fail(&fence), "missing");
            assert_eq!(chains.retry(&fence, 2), "missing");
        });
    }

    #[test]
    fn of_a_chain_that_is_gone_is_missing_and_writes_nothing() {
        let mut chains = Chains::new();
        let (fence, next) = (chains.fence(0, Some(1)), chains.next(1, 1));
        assert_eq!(chains.advance(&fence, &next), "missing");
        assert_eq!(chains.fail(&fence), "missing");
        assert_eq!(chains.retry(&fence, 2), "missing");
        assert!(chains.everything().is_empty());
    }

    #[test]
    fn without_a_token_counts_for_the_step_that_runs() {
        let mut chains = Chains::with(2, "");
        let (fence, next) = (chains.fence(0, None), chains.next(1, 1));
        assert_eq!(chains.advance(&fence, &next), "advanced");
    }

    #[test]
    fn that_is_computed_from_what_is_no_longer_so_has_to_be_computed_again() {
        let mut chains = Chains::with(2, "");
        let (fence, next) = (chains.fence(0, Some(1)), chains.next(1, 1));
        assert_eq!(chains.update("k", "1"), "updated");
        chains.unchanged(|chains| {
            assert_eq!(chains.advance(&fence, &next), "again");
            let reply = chains.try_retry(&fence, "0", &job(0, 2));
            assert_eq!(reply.unwrap().0, "again");
        });
        let next = chains.next(1, 1);
        assert_eq!(chains.advance(&fence, &next), "advanced");
    }

    #[test]
    fn that_starts_nothing_is_never_computed_again() {
        let mut chains = Chains::with(1, "");
        let (fence, next) = (chains.fence(0, Some(1)), chains.next(1, 0));
        chains.update("k", "1");
        assert_eq!(chains.advance(&fence, &next), "completed");
    }

    #[test]
    fn asked_again_after_a_lost_reply_answers_the_same_and_does_nothing_more() {
        let mut chains = Chains::with(2, "");
        let (fence, next) = (chains.fence(0, Some(1)), chains.next(1, 1));
        assert_eq!(chains.advance(&fence, &next), "advanced");
        chains.unchanged(|chains| assert_eq!(chains.advance(&fence, &next), "advanced"));

        let fence = chains.fence(1, Some(1));
        assert_eq!(chains.retry(&fence, 2), "retrying");
        chains.unchanged(|chains| assert_eq!(chains.retry(&fence, 2), "retrying"));

        let fence = chains.fence(1, Some(2));
        assert_eq!(chains.fail(&fence), "failed");
        chains.unchanged(|chains| assert_eq!(chains.fail(&fence), "failed"));
        assert_eq!(chains.queued(), ["{0:1}", "{1:1}", "{1:2}"]);
    }

    #[test]
    fn by_a_failure_that_is_tried_again_counts_it_and_gives_another_token() {
        let mut chains = Chains::with(1, "");
        let fence = chains.fence(0, Some(1));
        assert_eq!(chains.retry(&fence, 2), "retrying");
        assert_eq!(
            chains.fields(&["attempts:0", "token:0", "step_status:0"]),
            ["1", "2", "running"]
        );
        assert_eq!(chains.queued(), ["{0:1}", "{0:2}"]);
        assert_eq!(chains.complete(0, 1, 0), "stale");
    }

    #[test]
    fn by_a_failure_for_good_shows_its_error() {
        let mut chains = Chains::with(2, "");
        chains.fail_now(0);
        let known = chains.fields(&[
            "status",
            "step_status:0",
            "error_message",
            "error_class",
            "error_step",
            "attempts:0",
        ]);
        assert_eq!(
            known,
            ["failed", "failed", "no such luck", "Misfortune", "0", "1"]
        );
        assert_in(&mut chains, "failed");
    }

    #[test]
    fn whose_next_step_can_not_be_started_fails_the_chain_with_that_error() {
        for (vetoed, word) in [(true, "vetoed"), (false, "failed")] {
            let mut chains = Chains::with(2, "");
            let (fence, mut next) = (chains.fence(0, Some(1)), chains.next(1, 1));
            next.jobs.clear();
            next.obstacle = Some(obstacle(vetoed, 1));
            assert_eq!(chains.advance(&fence, &next), "broken");
            let known = chains.fields(&[
                "status",
                "step_status:0",
                "step_status:1",
                "current_step",
                "error_step",
            ]);
            assert_eq!(known, ["failed", "completed", word, "1", "1"]);
            chains.unchanged(|chains| assert_eq!(chains.advance(&fence, &next), "broken"));
        }
    }

    #[test]
    fn whose_next_queue_is_no_list_changes_nothing() {
        let mut chains = Chains::with(3, "");
        assert_eq!(chains.complete(0, 1, 1), "advanced");
        chains.tell(&["DEL", "resque:queue:plain"]);
        chains.tell(&["SET", "resque:queue:plain", "x"]);
        let (fence, next) = (chains.fence(1, Some(1)), chains.next(2, 1));
        chains.unchanged(|chains| assert!(chains.try_advance(&fence, true, &next).is_err()));
        chains.tell(&["DEL", "resque:queue:plain"]);
        assert_eq!(chains.advance(&fence, &next), "advanced");
    }

    #[test]
    fn is_taken_by_a_full_redis() {
        let mut chains = Chains::with(3, "");
        chains.fill();
        let fence = chains.fence(0, Some(1));
        assert_eq!(chains.retry(&fence, 2), "retrying");
        let (fence, next) = (chains.fence(0, Some(2)), chains.next(1, 1));
        assert_eq!(chains.advance(&fence, &next), "advanced");
        chains.fail_now(1);
    }

    #[test]
    fn can_wait_for_a_delayed_job() {
        let mut chains = Chains::with(1, "");
        let fence = chains.fence(0, Some(1));
        let mut delayed = job(0, 2);
        delayed.destination = Destination::Delayed(2.5);
        delayed.payload = b"{item}".to_vec();
        let (seconds, micros): (u64, u64) = chains.ask(&["TIME"]);
        assert_eq!(
            chains.try_retry(&fence, "0", &delayed).unwrap().0,
            "retrying"
        );

        let schedule: Vec<u64> =
            chains.ask(&["ZRANGE", "resque:delayed_queue_schedule", "0", "-1"]);
        let due = seconds + 3 + u64::from(micros > 500_000);
        assert!(
            schedule == [due] || schedule == [due + 1],
            "{schedule:?}, not {due}"
        );
        let at = format!("delayed:{}", schedule[0]);
        let items: Vec<String> = chains.ask(&["LRANGE", &format!("resque:{at}"), "0", "-1"]);
        assert_eq!(items, ["{item}"]);
        let timestamps: Vec<String> = chains.ask(&["SMEMBERS", "resque:timestamps:{item}"]);
        assert_eq!(timestamps, [at]);
        assert_eq!(chains.queued(), ["{0:1}"]);
    }
}

mod a_group {
    use super::*;

    #[test]
    fn goes_on_once_when_all_have_ended_well_whatever_is_said_twice() {
        let mut chains = Chains::with(5, "1-3");
        assert_eq!(chains.complete(0, 1, 3), "advanced");
        assert_eq!(chains.field("left").unwrap(), "3");
        for step in [3, 1] {
            assert_eq!(chains.complete(step, 4, 1), "counted");
            assert_eq!(chains.complete(step, 4, 1), "stale");
        }
        let fence = chains.fence(2, Some(1));
        let next = chains.next(4, 1);
        assert_eq!(
            chains.try_advance(&fence, false, &next).unwrap().0,
            "advanced"
        );
        for step in 1..=3 {
            assert_eq!(chains.complete(step, 4, 1), "stale");
        }
        let started = chains.queued().into_iter().filter(|job| job == "{4:1}");
        assert_eq!(started.count(), 1);
        assert_eq!(
            chains.fields(&["step_status:2", "current_step", "left"]),
            ["skipped", "4", ""]
        );
    }

    #[test]
    fn whose_member_fails_lets_the_others_end_and_starts_nothing_more() {
        let mut chains = Chains::with(4, "0-2");
        chains.fail_now(1);
        assert_eq!(chains.complete(0, 3, 1), "counted");
        let fence = chains.fence(2, Some(1));
        // A retry of the step starts nothing, either.
        assert_eq!(chains.retry(&fence, 2), "counted");
        let known = chains.fields(&[
            "status",
            "step_status:0",
            "step_status:1",
            "step_status:2",
            "error_step",
        ]);
        assert_eq!(known, ["failed", "completed", "failed", "failed", "1"]);
        assert_eq!(chains.queued().len(), 3);
        assert_in(&mut chains, "failed");
    }

    #[test]
    fn whose_failed_members_ran_again_by_hand_goes_on_with_the_last_of_them() {
        let mut chains = Chains::with(3, "0-1");
        chains.fail_now(0);
        let fence = chains.fence(1, Some(1));
        assert_eq!(chains.fail(&fence), "counted");
        let next = chains.next(2, 1);
        let fence = chains.fence(0, None);
        assert_eq!(chains.advance(&fence, &next), "counted");
        let (fence, next) = (chains.fence(1, None), chains.next(2, 1));
        assert_eq!(chains.advance(&fence, &next), "resumed");
        assert_eq!(
            chains.fields(&["status", "current_step", "error_message"]),
            ["running", "2", ""]
        );
        assert_in(&mut chains, "running");
    }

    /// A retry that waits for the chain's resume has no job. If the chain ran, it would wait for that step for ever.
    #[test]
    fn with_a_member_that_waits_for_a_resume_does_not_go_on_by_hand() {
        let mut chains = Chains::with(3, "0-1");
        assert!(chains.halt("pause", "paused"));
        let fence = chains.fence(0, Some(1));
        assert_eq!(chains.retry(&fence, 2), "retrying");
        assert_eq!(chains.field("step_status:0").unwrap(), "due");
        chains.fail_now(1);
        let (fence, next) = (chains.fence(1, None), chains.next(2, 1));
        assert_eq!(chains.advance(&fence, &next), "counted");
        assert_in(&mut chains, "failed");
    }
}

mod an_operator {
    use super::*;

    #[test]
    fn pauses_what_runs_and_cancels_what_has_not_ended() {
        let mut chains = Chains::with(1, "");
        assert!(chains.halt("a", "paused"));
        chains.unchanged(|chains| assert!(chains.halt("a", "paused"))); // a repeat
        chains.unchanged(|chains| assert!(!chains.halt("b", "paused")));
        assert_in(&mut chains, "paused");
        assert!(chains.halt("c", "cancelled"));
        assert_in(&mut chains, "cancelled");
        chains.unchanged(|chains| {
            assert!(chains.halt("c", "cancelled"));
            assert!(!chains.halt("d", "cancelled"));
            assert_eq!(chains.complete(0, 1, 0), "stale");
        });
    }

    #[test]
    fn resumes_at_the_next_step_when_the_last_one_has_ended_meanwhile() {
        let mut chains = Chains::with(2, "");
        chains.halt("pause", "paused");
        assert_eq!(chains.complete(0, 1, 1), "counted");
        assert_eq!(chains.queued(), ["{0:1}"]);
        let mut restart = chains.restart_of("paused", jobs(1..2));
        restart.enters = Some((1, 1));
        assert_eq!(
            chains.restart("r", &restart),
            Reply("restarted".into(), -1, vec![1])
        );
        assert_eq!(chains.queued(), ["{0:1}", "{1:1}"]);
        assert_eq!(
            chains.fields(&["status", "current_step", "left"]),
            ["running", "1", ""]
        );
        assert_in(&mut chains, "running");
        chains.unchanged(|chains| assert_eq!(chains.restart("r", &restart).0, "restarted"));
    }

    #[test]
    fn retries_a_failed_chain_whose_attempts_then_count_anew() {
        let mut chains = Chains::with(2, "");
        chains.fail_now(0);
        let restart = chains.restart_of("failed", vec![job(0, 2)]);
        assert_eq!(chains.restart("r", &restart).0, "restarted");
        let known = chains.fields(&[
            "status",
            "attempts:0",
            "token:0",
            "error_message",
            "error_class",
            "error_step",
        ]);
        assert_eq!(known, ["running", "", "2", "", "", ""]);
        assert_in(&mut chains, "running");
    }

    #[test]
    fn recovers_a_running_chain_and_that_counts_as_an_attempt() {
        let mut chains = Chains::with(2, "");
        let restart = chains.restart_of("running", vec![job(0, 2)]);
        assert_eq!(chains.restart("r", &restart).0, "restarted");
        assert_eq!(
            chains.fields(&["status", "attempts:0", "token:0"]),
            ["running", "1", "2"]
        );
    }

    #[test]
    fn is_refused_in_another_status_and_told_when_the_chain_has_changed() {
        let mut chains = Chains::with(2, "");
        for status in ["paused", "failed"] {
            let restart = chains.restart_of(status, vec![job(0, 2)]);
            chains.unchanged(|chains| assert_eq!(chains.restart("r", &restart).0, "refused"));
        }
        let restart = Restart {
            revision: "7".into(),
            ..chains.restart_of("running", vec![job(0, 2)])
        };
        chains.unchanged(|chains| assert_eq!(chains.restart("r", &restart).0, "again"));
    }

    #[test]
    fn whose_restart_is_vetoed_sees_it() {
        let mut chains = Chains::with(2, "");
        chains.fail_now(0);
        let mut restart = chains.restart_of("failed", Vec::new());
        restart.obstacle = Some(obstacle(true, 0));
        assert_eq!(chains.restart("r", &restart).0, "broken");
        assert_eq!(
            chains.fields(&["status", "step_status:0"]),
            ["failed", "vetoed"]
        );
        assert_in(&mut chains, "failed");
    }

    #[test]
    fn deletes_what_has_ended_and_only_that() {
        let mut chains = Chains::with(1, "");
        chains.unchanged(|chains| assert!(!chains.delete()));
        chains.halt("a", "paused");
        chains.unchanged(|chains| assert!(!chains.delete()));
        chains.halt("b", "cancelled");
        assert!(chains.delete());
        assert!(!chains.delete());
        let keys: Vec<String> = chains.everything().into_keys().collect();
        assert_eq!(keys, ["resque:queue:plain", "resque:queues"]);
    }
}

mod readers {
    use super::*;

    /// Makes chains with these statuses, which started in this order, a millisecond apart.
    fn several(statuses: &[&str]) -> Chains {
        let mut chains = Chains::new();
        for (n, status) in statuses.iter().enumerate() {
            let id = format!("c{n}");
            chains.start(&id, "run1", 1, "").unwrap();
            let (from, to) = (
                "resque:job_chain:running",
                format!("resque:job_chain:{status}"),
            );
            chains.tell(&["ZREM", from, &id]);
            chains.tell(&["ZADD", &to, &n.to_string(), &id]);
        }
        chains
    }

    #[test]
    fn list_the_last_started_first_by_page_and_status() {
        let mut chains = several(&[
            "running", "failed", "running", "paused", "running", "failed",
        ]);
        assert_eq!(chains.list(&["running"], 0, 10), ["c4", "c2", "c0"]);
        assert_eq!(chains.list(&["running"], 1, 1), ["c2"]);
        assert_eq!(chains.list(&["failed"], 0, 1), ["c5"]);
        assert_eq!(chains.list(&["completed"], 0, 10), Vec::<String>::new());
        let all = ["running", "paused", "cancelled", "completed", "failed"];
        assert_eq!(chains.list(&all, 0, 4), ["c5", "c4", "c3", "c2"]);
        assert_eq!(chains.list(&all, 4, 4), ["c1", "c0"]);
        assert_eq!(chains.count(), [3, 1, 0, 0, 2]);
    }

    #[test]
    fn leave_out_what_has_gone() {
        let mut chains = several(&["running", "running"]);
        chains.tell(&["DEL", "resque:job_chain:c1:state"]);
        assert_eq!(chains.list(&["running"], 0, 10), ["c0"]);
        assert_eq!(chains.count(), [1, 0, 0, 0, 0]);
    }

    #[test]
    fn count_no_chain_that_has_expired() {
        let mut chains = Chains::with(1, "");
        chains.fail_now(0);
        assert_eq!(chains.count(), [0, 0, 0, 0, 1]);
        chains.tell(&["ZADD", "resque:job_chain:expiring", "1", "c"]);
        assert_eq!(chains.count(), [0; 5]);
        assert_eq!(chains.list(&["failed"], 0, 10), Vec::<String>::new());
    }

    #[test]
    fn look_at_a_step_with_what_may_follow_it_and_at_a_group() {
        let mut chains = Chains::with(4, "1-2");
        let look = chains.look(Some(0));
        assert_eq!(
            look,
            [
                "chain", "running", "run1", "0", "4", "1", "0", "", "k", "[]", "0", "running", "1",
                "0", "<0>", "1", "<1>", "<2>"
            ]
        );
        chains.complete(0, 1, 2);
        // Two steps are left, so the next group may not start yet.
        let look = chains.look(Some(1));
        assert_eq!(look[10..], ["1", "running", "1", "0", "<1>", "3"]);
        let look = chains.look(None);
        assert_eq!(
            look[10..],
            ["1", "running", "1", "0", "<1>", "2", "running", "1", "0", "<2>", "3"]
        );
        chains.complete(2, 3, 1);
        assert_eq!(chains.look(Some(1)).last().unwrap(), "<3>");
        assert_eq!(Chains::new().look(None), ["missing"]);
    }
}

mod a_chain_of_0_1_0 {
    use super::*;

    /// A chain as the start script of resque-job-chain 0.1.0 wrote it.
    fn old(context: &str) -> Chains {
        let mut chains = Chains::new();
        let key = "resque:job_chain:c:state";
        chains.tell(&[
            "HSET",
            key,
            "status",
            "running",
            "current_step",
            "0",
            "total_steps",
            "2",
            "started_at",
            "then",
            "updated_at",
            "then",
            "step_status:0",
            "running",
            "step_started_at:0",
            "then",
        ]);
        chains.tell(&["RPUSH", "resque:job_chain:c:steps", "<0>", "<1>"]);
        chains.tell(&["SET", "resque:job_chain:c:context", context]);
        chains.tell(&["SADD", "resque:job_chain:active", "c"]);
        chains
    }

    #[test]
    fn is_seen_as_such_and_becomes_ours() {
        let mut chains = old("{\"k\":[]}");
        assert_eq!(chains.look(None), ["old", "then", "{\"k\":[]}"]);
        assert_eq!(chains.update("k", "1"), "old");
        assert_eq!(chains.count(), [1, 0, 0, 0, 0]);
        assert!(chains.adopt("{\"k\":[]}", &[("k", "[]")]));
        assert_eq!(chains.count(), [1, 0, 0, 0, 0]);
        assert_in(&mut chains, "running");
        let (fence, next) = (chains.fence(0, None), chains.next(1, 1));
        assert_eq!(chains.advance(&fence, &next), "advanced");
        assert_eq!(chains.queued(), ["{1:1}"]);
    }

    #[test]
    fn is_adopted_once_and_only_as_it_was_read() {
        let mut chains = old("{\"k\":1}");
        chains.unchanged(|chains| assert!(!chains.adopt("{}", &[])));
        assert!(chains.adopt("{\"k\":1}", &[("k", "1")]));
        chains.unchanged(|chains| assert!(!chains.adopt("{\"k\":1}", &[("k", "1")])));
    }

    #[test]
    fn that_has_ended_gets_its_time_to_live() {
        let mut chains = old("{}");
        chains.tell(&["HSET", "resque:job_chain:c:state", "status", "failed"]);
        assert!(chains.adopt("{}", &[]));
        let left: i64 = chains.ask(&["PTTL", "resque:job_chain:c:steps"]);
        assert!(left > 0);
        assert_eq!(chains.count(), [0, 0, 0, 0, 1]);
    }
}
