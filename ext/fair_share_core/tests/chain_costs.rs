//! The costs of the scripts of chains. They must not depend on the number of chains, or on the length of a chain.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use fair_share_core::scripts;
use support::chains::{job, Chains};
use support::cost::{cost, Cost};

const ALL: [&str; 5] = ["running", "paused", "cancelled", "completed", "failed"];

/// Writes a thousand chains of all statuses, as the scripts leave them, started a millisecond apart.
const FILL: &str = r"
for n = ARGV[1] + 1, ARGV[1] + 1000 do
  local id, status = 'other' .. n, ({ 'running', 'paused', 'cancelled', 'completed', 'failed' })[n % 5 + 1]
  redis.call('HSET', 'resque:job_chain:' .. id .. ':state', 'status', status, 'current_step', 0, 'total_steps', 1,
    'run', 'r' .. n, 'started_at', 'then', 'updated_at', 'then', 'step_status:0', 'running')
  redis.call('RPUSH', 'resque:job_chain:' .. id .. ':steps', '<0>')
  redis.call('ZADD', 'resque:job_chain:' .. status, n, id)
  if n % 5 > 1 then redis.call('ZADD', 'resque:job_chain:expiring', 9000000000000 + n, id) end
end";

/// Makes `others` chains, and loads the scripts.
fn among(others: u32) -> Chains {
    let mut chains = Chains::new();
    for script in scripts::ALL {
        chains.tell(&["SCRIPT", "LOAD", script.body()]);
    }
    for thousand in 0..others / 1000 {
        let from = (thousand * 1000).to_string();
        chains.tell(&["EVAL", FILL, "0", &from]);
    }
    chains
}

/// The cost of each verb in its common cases, by name, on chains of `steps` steps.
fn costs(chains: &mut Chains, steps: usize) -> Vec<(&'static str, Cost)> {
    // Start other chains first, so that the queues have their state: the first job of a queue costs more.
    chains.tell(&["DEL", "resque:queue:plain"]);
    chains.start("before", "run1", 1, "").unwrap();
    let _ = chains.start("before2", "run1", 3, "0-1");
    let mut costs = Vec::new();
    let mut measure = |chains: &mut Chains, name, verb: &mut dyn FnMut(&mut Chains)| {
        costs.push((name, cost(chains, verb)));
    };
    measure(chains, "chain_start", &mut |chains| {
        chains.start("c", "run1", steps, "2-4").unwrap();
    });
    measure(chains, "chain_look", &mut |chains| {
        drop(chains.look(Some(0)))
    });
    measure(chains, "chain_update", &mut |chains| {
        drop(chains.update("k", "1"))
    });
    let (fence, revision) = (chains.fence(0, Some(1)), chains.field("revision").unwrap());
    measure(chains, "chain_retry", &mut |chains| {
        let reply = chains.try_retry(&fence, &revision, &job(0, 2));
        assert_eq!(reply.unwrap().0, "retrying");
    });
    let (fence, next) = (chains.fence(0, Some(2)), chains.next(1, 1));
    measure(
        chains,
        "chain_advance, the next step is fair-share",
        &mut |chains| {
            assert_eq!(chains.advance(&fence, &next), "advanced");
        },
    );
    measure(chains, "chain_advance, asked again", &mut |chains| {
        assert_eq!(chains.advance(&fence, &next), "advanced");
    });
    let stale = chains.fence(0, Some(2));
    measure(chains, "chain_advance, stale", &mut |chains| {
        assert_eq!(chains.advance(&stale, &next), "stale");
    });
    let (fence, next) = (chains.fence(1, Some(1)), chains.next(2, 3));
    measure(
        chains,
        "chain_advance, a group of three is next",
        &mut |chains| {
            assert_eq!(chains.advance(&fence, &next), "advanced");
        },
    );
    let (fence, next) = (chains.fence(2, Some(1)), chains.next(5, 1));
    measure(
        chains,
        "chain_advance, others of its group run",
        &mut |chains| {
            assert_eq!(chains.advance(&fence, &next), "counted");
        },
    );
    measure(chains, "chain_halt, paused", &mut |chains| {
        assert!(chains.halt("p", "paused"))
    });
    let restart = chains.restart_of("paused", Vec::new());
    measure(chains, "chain_restart, resumed", &mut |chains| {
        assert_eq!(chains.restart("r", &restart).0, "restarted");
    });
    let fence = chains.fence(3, Some(1));
    measure(chains, "chain_fail", &mut |chains| {
        assert_eq!(chains.fail(&fence), "failed")
    });
    let restart = chains.restart_of("failed", vec![job(3, 2)]);
    measure(chains, "chain_restart, retried", &mut |chains| {
        assert_eq!(chains.restart("s", &restart).0, "restarted");
    });
    chains.halt("t", "cancelled");
    measure(chains, "chain_delete", &mut |chains| {
        assert!(chains.delete())
    });

    chains.start("c", "run1", 1, "").unwrap();
    let (fence, next) = (chains.fence(0, Some(1)), chains.next(1, 0));
    measure(
        chains,
        "chain_advance, the chain completes",
        &mut |chains| {
            assert_eq!(chains.advance(&fence, &next), "completed");
        },
    );
    assert!(chains.delete());
    measure(chains, "chain_list, 20 of a status", &mut |chains| {
        assert_eq!(chains.list(&["completed"], 40, 20).len(), 20);
    });
    measure(chains, "chain_list, 20 of all", &mut |chains| {
        assert_eq!(chains.list(&ALL, 0, 20).len(), 20);
    });
    measure(chains, "chain_count", &mut |chains| {
        chains.count();
    });
    costs
}

/// Asserts that each verb makes as many calls on both, and that no call takes much longer on the big one. (The time is only a
/// guard against a single call that looks at everything.)
fn assert_equally_cheap(
    small: Vec<Vec<(&'static str, Cost)>>,
    big: Vec<Vec<(&'static str, Cost)>>,
) {
    for at in 0..small[0].len() {
        let best = |rounds: &[Vec<(&str, Cost)>]| {
            rounds
                .iter()
                .map(|round| round[at].1.micros)
                .fold(f64::INFINITY, f64::min)
        };
        for (few, many) in small.iter().zip(&big) {
            assert_eq!(few[at].1.calls, many[at].1.calls, "{}", few[at].0);
        }
        let (few, many) = (best(&small), best(&big));
        assert!(
            many < 5.0 * few + 100.0,
            "{}: {few} µs, {many} µs",
            small[0][at].0
        );
    }
}

fn rounds(chains: &mut Chains, steps: usize) -> Vec<Vec<(&'static str, Cost)>> {
    let rounds = (0..8).map(|_| costs(chains, steps)).skip(1);
    rounds.collect()
}

#[test]
fn a_verb_a_page_and_a_count_cost_the_same_among_1_000_and_among_50_000_chains() {
    let (mut few, mut many) = (among(1000), among(50_000));
    assert_equally_cheap(rounds(&mut few, 6), rounds(&mut many, 6));
    assert!(many.count().iter().sum::<u64>() > 50_000);
}

#[test]
fn a_verb_costs_the_same_in_a_chain_of_6_and_of_6_000_steps_but_for_its_start() {
    let short = rounds(&mut among(1000), 6);
    let long = rounds(&mut among(1000), 6000);
    let without_start = |rounds: Vec<Vec<(&'static str, Cost)>>| -> Vec<Vec<(&'static str, Cost)>> {
        rounds
            .into_iter()
            .map(|round| round.into_iter().skip(1).collect())
            .collect()
    };
    assert_equally_cheap(without_start(short), without_start(long));
}

#[test]
fn a_call_drops_a_thousand_expired_chains_at_the_most() {
    let mut chains = among(50_000);
    chains.tell(&["ZADD", "resque:job_chain:expiring", "1", "nobody"]);
    // Let the ended chains expire now.
    let (expiring, past) = ("resque:job_chain:expiring", "0.0000000001");
    chains.tell(&["ZUNIONSTORE", expiring, "1", expiring, "WEIGHTS", past]);
    let list = cost(&mut chains, &mut |chains| {
        drop(chains.list(&["running"], 0, 1))
    });
    assert!(list.total() < 5000, "{}", list.total());
    let start = cost(&mut chains, &mut |chains| {
        drop(chains.start("c", "run1", 1, ""))
    });
    assert!(start.total() < 40, "{}", start.total());
}

/// Prints the table of lua/README.md: `cargo test -p fair_share_core --test chain_costs -- --ignored --nocapture`
#[test]
#[ignore = "prints a table"]
fn what_each_verb_costs_at_1_000_chains() {
    let mut chains = among(1000);
    let all: Vec<_> = (0..20).map(|_| costs(&mut chains, 6)).collect();
    for (at, (verb, cost)) in all[0].iter().enumerate() {
        let micros = all.iter().map(|round| round[at].1.micros);
        let least = micros.fold(f64::INFINITY, f64::min);
        println!(
            "| {verb} | {} | {least:.0} | {:?}",
            cost.total(),
            cost.calls
        );
    }
}
