//! Why an external player is not available.

use crate::text_error::from_text;

/// Why an external player is not available: what is wrong, and what was expected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExternalError(String);

from_text!(ExternalError);
