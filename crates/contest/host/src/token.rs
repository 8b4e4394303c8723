//! Secrets that identify a person: 128 random bits as text. Only their digest is stored, so the
//! database alone lets nobody sign in. A slow hash would add nothing, because the secret cannot be
//! guessed.

use crate::class_list::CourseEntry;
use crate::error::HostError;

/// Random bytes of a secret.
const BYTES: usize = 16;

/// A participant with a new token.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewToken {
    /// The plain name in records: letters, digits, `-` and `_`.
    pub name: String,
    /// The display name.
    pub display_name: String,
    /// Their token.
    pub token: String,
    /// Whether they had a token before, which is no longer valid.
    pub is_renewed: bool,
    /// What the course knows of them.
    pub course: CourseEntry,
}

/// Makes a new secret.
pub(crate) fn new_token() -> Result<String, HostError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the digest that is stored for a secret.
pub(crate) fn digest_of(token: &str) -> String {
    blake3::hash(token.trim().as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_stored_as_digests() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert_eq!(one.len(), 2 * BYTES);
        assert_ne!(one, other);
        assert_eq!(digest_of(&one), digest_of(&format!(" {one}\n")));
        assert!(!digest_of(&one).contains(&one));
    }
}
