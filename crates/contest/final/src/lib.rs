//! The final of a contest as pure functions: which matches there are ([`schedule`]), on which seeds
//! ([`seeds`]), and which ranks they give ([`standings`]). A [`FinalDocument`] and the records of
//! the matches are all that anybody needs to [verify](Verification) it, also in a browser.

#![deny(missing_docs)]

mod document;
pub mod schedule;
pub mod seeds;
pub mod standings;
mod verification;

pub use document::{
    DOCUMENT_FORMAT, FinalDocument, FinalPlayer, FinalRank, FinalScenario, ShownFinal,
    VERIFIER_MARK,
};
pub use verification::{Refusal, Verdict, Verification};
