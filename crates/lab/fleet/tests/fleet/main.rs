//! Coordinators and workers in one process, with a real NATS server between them. Whatever stops,
//! freezes, gets lost or lies, nothing is lost, nothing counts twice, and the store contains the
//! records of one honest machine. Skipped with a message where there is no `nats-server`.
#![cfg(target_os = "linux")]

mod access;
mod comparisons;
#[path = "../../../arena/tests/arena/count.rs"]
mod count;
mod crew;
mod cups;
mod meddler;
#[path = "../nats/mod.rs"]
mod nats;
mod outages;
mod play;
mod slow;
mod trust;
