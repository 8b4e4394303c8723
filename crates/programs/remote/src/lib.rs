//! Services and models as players of any game.
//!
//! A service is `http:NAME` for an entry of `bots.toml` with a `url`, or the address itself: the
//! arena asks each question by one POST. A model is `chat:NAME` for an entry with a `model`: it is
//! asked in words, at an endpoint for chats. `docs/services.md` and `docs/models.md` explain both.
//!
//! They are trusted players: they run wherever their owners run them, and their clock is the time
//! that passes here. What fails between here and there is nobody's fault: the match is void.

mod answer;
mod ask;
mod chat_player;
mod chats;
mod check;
mod completion;
mod foreign;
mod journal;
mod model;
mod player;
mod reply;
mod service;
mod services;
mod slips;
mod target;
mod template;
mod totals;

pub use chats::{Chats, Task, TaskAnswer};
pub use check::{RemoteCheck, RemoteFinding, ask_first};
pub use services::Services;
pub use totals::ChatTotals;
