//! Compares the time as scripts write it with a calendar that counts days one by one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod support;

use fair_share_core::connection::Connection;
use support::cost::ask;
use support::RedisServer;

const FRAGMENT: &str = include_str!("../../../lua/includes/iso8601.lua");
const DAY: u64 = 86_400;

/// The texts that the fragment writes for these seconds since 1970, plus milliseconds that it has to leave out.
fn written(redis: &mut Connection, seconds: &[u64]) -> Vec<String> {
    let body = format!(
        "local now = 0\n{FRAGMENT}\nlocal texts = {{}}\n\
         for i, milliseconds in ipairs(ARGV) do texts[i] = iso8601(tonumber(milliseconds)) end\nreturn texts"
    );
    seconds
        .chunks(1000)
        .flat_map(|some| {
            let words: Vec<String> = some
                .iter()
                .map(|second| format!("{second}{:03}", second % 1000))
                .collect();
            let mut all = vec!["EVAL", &body, "0"];
            all.extend(words.iter().map(String::as_str));
            ask::<Vec<String>>(redis, &all)
        })
        .collect()
}

fn is_leap(year: u32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[test]
fn known_moments_are_written_as_everybody_writes_them() {
    let server = RedisServer::start(&[]);
    let known = [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_230_767_999, "2008-12-31T23:59:59Z"),
        (1_230_768_000, "2009-01-01T00:00:00Z"),
        (1_234_567_890, "2009-02-13T23:31:30Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"),
        (1_735_689_599, "2024-12-31T23:59:59Z"),
        (1_735_689_600, "2025-01-01T00:00:00Z"),
        (2_147_483_648, "2038-01-19T03:14:08Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ];
    let seconds: Vec<u64> = known.iter().map(|(seconds, _)| *seconds).collect();
    let texts: Vec<&str> = known.iter().map(|(_, text)| *text).collect();
    assert_eq!(written(&mut server.connect(), &seconds), texts);
}

#[test]
fn every_day_from_1970_to_2401_has_its_date() {
    let server = RedisServer::start(&[]);
    let (mut seconds, mut texts) = (Vec::new(), Vec::new());
    for year in 1970..=2401 {
        for month in 1..=12 {
            for day in 1..=days_of(year, month) {
                let count = seconds.len() as u64;
                // Take a different time on each day.
                let rest = count * 7919 % DAY;
                seconds.push(count * DAY + rest);
                let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
                texts.push(format!(
                    "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
                ));
            }
        }
    }
    assert_eq!(seconds.len(), 157_785);
    assert!(written(&mut server.connect(), &seconds) == texts);
}
