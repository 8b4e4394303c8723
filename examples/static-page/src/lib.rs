//! Tron and connect four on a page of one file. Compiled to WebAssembly, this answers what the page
//! asks, as the server does elsewhere; compiled for this machine, it is tested, and `static-page`
//! writes the page. There is no clock in WebAssembly without WASI, so players' work is limited and
//! never their time.

mod rules;

pub use rules::Rules;

use quintain_core::Catalog;
use quintain_web::page_module::answer_questions;

answer_questions!(Rules, Rules::new(catalog()));

/// The games of the page, each with all its players.
pub fn catalog() -> Catalog {
    Catalog::new().with(quintain_tron::entry()).with(connect_four::entry())
}
