//! A contest from end to end: created, served, programs handed in by command and by page, built, on a
//! ladder that survives kills, and in a final; and hostile requests. Skipped with a message where
//! programs cannot be confined. The long simulation of a class is ignored; `just class` runs it.
#![cfg(target_os = "linux")]

mod builds;
mod class;
mod contest;
mod downloads;
mod finals;
mod harm;
mod kept;
mod ladder;
#[cfg(feature = "fleet")]
#[allow(dead_code, reason = "tests of tournaments use the rest")]
#[path = "../../../../lab/fleet/tests/nats/mod.rs"]
mod nats;
mod pages;
mod races;
mod repository;
mod seats;
#[allow(dead_code, reason = "other tests of pages use the rest")]
#[path = "../../../../lab/web/tests/webdriver/mod.rs"]
mod webdriver;
#[cfg(feature = "fleet")]
mod workers;
