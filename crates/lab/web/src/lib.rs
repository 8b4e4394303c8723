//! Quintain in the browser.
//!
//! | to | see |
//! |---|---|
//! | get a match as data for the viewer | [`Replay`] |
//! | draw it as a short loop | [`Film`] |
//! | write it as one self-contained page | [`standalone`] |
//! | answer the requests of a page on which a person plays | [`play`] |
//! | write games as one page on which they are played | [`play_page`] |
//! | write a page that verifies records by the rules inside it | [`check_page`] |
//! | answer a page from a module of WebAssembly | [`page_module`] |
//! | serve a store, and let people play | [`serve()`] |
//! | serve pages of one's own along with it | [`serve_with`], [`pages`] |

#![deny(missing_docs)]

mod assets;
#[cfg(feature = "serve")]
pub mod check_page;
mod film;
#[cfg(feature = "serve")]
mod fullest_scene;
pub mod headline;
#[cfg(feature = "serve")]
mod match_entry;
#[cfg(feature = "serve")]
mod matches;
#[cfg(feature = "serve")]
mod overview;
#[cfg(feature = "play")]
pub mod page_module;
#[cfg(feature = "serve")]
pub mod pages;
#[cfg(feature = "play")]
pub mod play;
#[cfg(feature = "serve")]
pub mod play_page;
#[cfg(feature = "serve")]
mod playable;
pub mod replay;
#[cfg(feature = "serve")]
mod score_rules;
#[cfg(feature = "serve")]
mod serve;
pub mod standalone;

pub use film::{Film, FilmError};
#[cfg(feature = "serve")]
pub use headline::MatchNumber;
pub use replay::Replay;
#[cfg(feature = "serve")]
pub use serve::problem::Problem;
#[cfg(feature = "serve")]
pub use serve::{
    Base, BaseError, FleetServer, HeadFor, MatchContext, MatchLimits, Options, Peer, ServeError,
    Site, check_origin, serve, serve_with,
};
