//! Quintain in the browser.
//!
//! | to | see |
//! |---|---|
//! | have a match as data for the viewer | [`Film`] |
//! | write it as one page that needs nothing else | [`alone`] |
//! | serve a store, and let people play | [`serve()`] |

#![deny(missing_docs)]

pub mod alone;
mod assets;
pub mod film;
#[cfg(feature = "serve")]
mod matches;
#[cfg(feature = "serve")]
mod overview;
#[cfg(feature = "serve")]
mod pages;
#[cfg(feature = "serve")]
mod serve;

pub use film::Film;
#[cfg(feature = "serve")]
pub use serve::{Options, ServeError, serve};
