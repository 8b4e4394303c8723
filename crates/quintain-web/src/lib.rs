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
mod matches;
mod overview;
mod pages;
mod serve;

pub use film::Film;
pub use serve::{Options, ServeError, serve};
