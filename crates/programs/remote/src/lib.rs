//! Services as players of any game: `http:NAME` for an entry of `bots.toml` with a `url`, or the
//! address itself. The arena asks each question by one POST; `docs/services.md` explains the form
//! to authors of services.
//!
//! A service is a trusted player: it runs wherever its owner runs it, and its clock is the time
//! that passes here. What fails between here and there is nobody's fault: the match is void.

mod ask;
mod player;
mod service;
mod services;

pub use services::Services;
