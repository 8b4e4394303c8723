//! A contest from end to end, served by this process: programs are submitted, built, checked, and
//! play on a ladder and in a final; organisers run it; and hostile requests come to nothing. Tests
//! that kill a host or a worker start this executable again ([`processes`]). They are skipped with
//! a message where programs cannot be confined.
#![cfg(target_os = "linux")]

mod archives;
mod below_a_path;
mod builds;
mod class;
mod copies;
mod disk;
mod downloads;
mod exploits;
mod fairness;
mod finals;
mod hostile_requests;
mod invitations;
mod keeping;
mod kills;
mod ladder;
mod lessons;
#[cfg(feature = "wasm")]
mod modules;
#[cfg(feature = "fleet")]
#[allow(dead_code, reason = "tests of tournaments use the rest")]
#[path = "../../../../lab/fleet/tests/nats/mod.rs"]
mod nats;
mod organiser;
mod pages;
mod points;
mod processes;
mod races;
mod repository;
mod rogues;
mod seats;
mod secret_seeds;
mod server;
mod setup;
mod several_ladders;
mod similarity;
mod teams;
mod time_shares;
mod verifying;
mod watching;
#[allow(dead_code, reason = "other tests of pages use the rest")]
#[path = "../../../../lab/web/tests/webdriver/mod.rs"]
mod webdriver;
#[cfg(feature = "fleet")]
mod workers;
