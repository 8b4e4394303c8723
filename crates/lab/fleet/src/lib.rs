//! Tournaments on many machines. A coordinator publishes fixtures in batches to a stream of a NATS
//! server. Workers anywhere pull the batches, play them and publish records to another stream, and
//! the coordinator puts those records into its store.
//!
//! Nothing is lost, because a batch is acknowledged only after its records are stored at the
//! server, and the batches of a silent worker are given to another. Nothing counts twice, because a
//! record is identified by its fixture. No worker is trusted: the coordinator plays every record
//! through the rules, has a share of the matches played twice, and shuts out a worker whose record
//! turns out wrong. So messages may be delivered twice, out of order, late or not at all: the
//! coordinator publishes again whatever is missing when the streams have run dry.
//!
//! | to | see |
//! |---|---|
//! | name a server and the credentials for it | [`NatsServer`] |
//! | play a tournament there | [`Fleet`], an executor of the arena |
//! | hand out a contest's matches, round after round | [`Rounds`] |
//! | send workers programs that they do not have | [`Artefact`] |
//! | be a worker | [`work`] |
//! | list coordinators and workers | [`status`] |
//! | ask for tests in a queue at another machine | [`ask_queue`], [`answer_queue`] |
//!
//! The arena decides how matches are scheduled and stored; no game is named here.

mod artefacts;
mod attempts;
mod batch_sizer;
mod buckets;
mod coordinator;
mod error;
mod nats_client;
mod news;
mod pace;
mod packets;
mod queue;
mod resolved;
mod result_consumer;
mod room;
mod roster;
mod rounds;
mod second_looks;
mod server;
mod status;
mod time_losses;
mod wire;
mod worker;

pub use artefacts::{Artefact, MAX_ARTEFACT_BYTES, MakePlayer, artefact_digest};
pub use coordinator::{Fleet, FleetOptions};
pub use error::FleetError;
pub use news::RunNews;
pub use queue::{answer_queue, ask_queue};
pub use rounds::Rounds;
pub use server::NatsServer;
pub use status::{Contribution, Coordinator, Listening, Status, Worker, machine, status};
pub use time_losses::TimeLosses;
pub use worker::{WorkSummary, WorkerOptions, work};
