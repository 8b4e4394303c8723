//! Quintain in the browser.
//!
//! | to | see |
//! |---|---|
//! | have a match as data for the viewer | [`Replay`] |
//! | write it as one page that needs nothing else | [`standalone`] |
//! | serve a store, and let people play | [`serve()`] |

#![deny(missing_docs)]

mod assets;
pub mod headline;
#[cfg(feature = "serve")]
mod matches;
#[cfg(feature = "serve")]
mod overview;
#[cfg(feature = "serve")]
mod pages;
#[cfg(feature = "serve")]
mod playable;
pub mod replay;
#[cfg(feature = "serve")]
mod serve;
pub mod standalone;

pub use replay::Replay;
#[cfg(feature = "serve")]
pub use serve::{FleetServer, MatchLimits, Options, ServeError, serve};
