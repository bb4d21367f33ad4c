//! Checks how fairly worker time is shared, in virtual time: to make a job take some time, its lease's start is moved back.
//! Jain's index (Jain, Chiu, Hawe 1984) of worker time / weight is 1 if all tenants have the same, and 1/n if one has it all.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fair_share_core::route::Route;
use fair_share_core::turns::{Reserved, Ticket};
use support::bed::Bed;

struct Tenant {
    weight: f64,
    /// How long each of its jobs takes, in milliseconds.
    takes: u64,
}

/// Worker time / weight of each tenant after `until` milliseconds. All tenants have jobs to the end.
fn simulate(bed: &mut Bed, tenants: &[Tenant], workers: usize, until: u64) -> Vec<f64> {
    let total: f64 = tenants.iter().map(|tenant| tenant.weight).sum();
    let mut jobs = Vec::new();
    for (number, tenant) in tenants.iter().enumerate() {
        let share = (workers as u64 * until) as f64 * tenant.weight / total;
        let weight = (tenant.weight != 1.0).then_some(tenant.weight);
        // Twice as many jobs as in a fair share, and some for the first turns.
        for _ in 0..(2.0 * share / tenant.takes as f64) as u64 + 5 {
            jobs.push((b"{}".to_vec(), Route::to(&number.to_string(), weight)));
        }
    }
    for thousand in jobs.chunks(1000) {
        bed.queue.enqueue_all(&mut bed.redis, thousand, 0).unwrap();
    }

    let mut used = vec![0; tenants.len()];
    let mut running = BinaryHeap::new();
    let mut now = 0;
    while now < until {
        while running.len() < workers {
            let job = match bed.try_reserve(Ticket::Take).unwrap() {
                Reserved::Job { job, .. } => job,
                other => panic!("{other:?}"),
            };
            let number: usize = job.partition.parse().unwrap();
            running.push(Reverse((now + tenants[number].takes, number, job.lease_id)));
        }
        let Reverse((ends, number, lease)) = running.pop().unwrap();
        now = ends;
        used[number] += tenants[number].takes;
        bed.age(&lease, tenants[number].takes);
        bed.release(&lease);
    }
    for Reverse((ends, number, _)) in running {
        used[number] += tenants[number].takes - (ends - now).min(tenants[number].takes);
    }
    used.iter()
        .zip(tenants)
        .map(|(used, tenant)| *used as f64 / tenant.weight)
        .collect()
}

fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    sum * sum / (shares.len() as f64 * squares)
}

fn assert_fair(tenants: impl IntoIterator<Item = Tenant>, until: u64) {
    let tenants: Vec<Tenant> = tenants.into_iter().collect();
    let index = jain(&simulate(&mut Bed::unchecked(0), &tenants, 50, until));
    assert!(index >= 0.97, "Jain's index is {index:.3}");
}

#[test]
fn a_thousand_tenants_share_fifty_workers() {
    let tenant = |_| Tenant {
        weight: 1.0,
        takes: 100,
    };
    assert_fair((0..1000).map(tenant), 8_000);
}

#[test]
fn tenants_whose_jobs_take_ten_times_longer_get_no_more() {
    let tenant = |n| Tenant {
        weight: 1.0,
        takes: if n < 10 { 1000 } else { 100 },
    };
    assert_fair((0..100).map(tenant), 12_000);
}

#[test]
fn tenants_of_weight_three_get_three_times_as_much() {
    let tenant = |n| Tenant {
        weight: if n % 2 == 0 { 3.0 } else { 1.0 },
        takes: 100,
    };
    assert_fair((0..100).map(tenant), 8_000);
}

#[test]
fn weights_hold_for_long_jobs_too() {
    let tenant = |n| Tenant {
        weight: if n % 2 == 0 { 3.0 } else { 1.0 },
        takes: if n < 10 { 1000 } else { 100 },
    };
    assert_fair((0..100).map(tenant), 12_000);
}

#[test]
fn the_index_tells_fair_from_unfair() {
    assert_eq!(jain(&[5.0; 4]), 1.0);
    assert_eq!(jain(&[5.0, 0.0, 0.0, 0.0]), 0.25);
}
