//! Tournaments over several processes, with a real NATS server: whatever dies, freezes or falls silent,
//! nothing is lost, nothing counts twice, and records and standings equal those of a single machine. The
//! long versions are ignored; `just chaos` runs them.
#![cfg(target_os = "linux")]

mod chaos;
#[cfg(feature = "wasm")]
mod modules;
#[path = "../../../../lab/fleet/tests/nats/mod.rs"]
mod nats;
mod place;
mod usual;
