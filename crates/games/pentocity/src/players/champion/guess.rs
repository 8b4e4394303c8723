//! Which profile fits the requests seen so far.

use crate::Form;

/// The number of the profile.
pub(super) fn profile(_seen: &[u16; Form::COUNT]) -> usize {
    0
}
