//! The commands `tournament --on`, `worker`, `workers`, `fleet` and `serve --on`, with a real NATS
//! server. What coordinators and workers do is tested in `quintain-fleet`; what kills and freezes
//! processes runs nightly.
#![cfg(target_os = "linux")]

mod chaos;
mod commands;
mod init;
#[cfg(feature = "wasm")]
mod modules;
#[path = "../../../../lab/fleet/tests/nats/mod.rs"]
#[allow(dead_code, reason = "the tests of quintain-fleet use the rest")]
mod nats;
mod place;
#[cfg(feature = "host")]
mod programs;
#[cfg(feature = "host")]
mod queue;
