//! Tournaments on many machines. A coordinator publishes fixtures in batches to a stream
//! of a NATS server, workers anywhere pull them, play them and publish records to another
//! stream, and the coordinator puts those into its store.
//!
//! Nothing is lost, since a batch is acknowledged only after its records are, and whoever
//! falls silent has its batches given to another; nothing counts twice, since a record is
//! known by its fixture; nobody is believed, since the coordinator checks that a record is
//! whole and belongs to a fixture of its tournament. Messages may therefore be delivered
//! twice, out of order, late or not at all: the coordinator publishes anew whatever is
//! missing when the streams have run dry.
//!
//! | to | see |
//! |---|---|
//! | name a server and how to prove who we are | [`Server`] |
//! | play a tournament there | [`Fleet`], an executor of the arena |
//! | be a worker | [`work`] |
//! | see who works on what | [`status`] |
//!
//! How batches are played and stored is the arena's; no game is named here.

mod cast;
mod coordinator;
mod error;
mod intake;
mod link;
mod pace;
mod server;
mod status;
mod wire;
mod worker;

pub use coordinator::{Fleet, Terms};
pub use error::FleetError;
pub use server::Server;
pub use status::{Coordinator, Status, Worker, status};
pub use worker::{Crew, Tally, work};
