//! What is registered with an encoding for crates above this one.

use std::any::Any;

/// What a crate above this one makes of an encoding whose type it knows. That crate recognises its
/// own hook by its type ([`Any`]).
pub trait EncodingHook: Any + Send + Sync {
    /// Checks that the encoding agrees with the rules on a scenario, for
    /// `quintain_testkit::check_game`. Returns what is wrong, one line each.
    fn check(&self, scenario: &str) -> Vec<String>;
}
