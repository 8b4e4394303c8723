//! The origin of seeds: a secret of the contest, so that nobody can know a seed before its match,
//! although every record contains its own. The seeds of the final come from a separate secret, and
//! so does each sequence of seeds that everybody plays alone. The digests of these secrets are
//! shown from the beginning, and the secrets themselves after the final and when a sequence is
//! retired: then everybody can see that the organiser did not choose the seeds.

/// Returns the seed that belongs to these numbers under a secret.
pub fn seed(secret: &str, purpose: &str, numbers: &[u64]) -> u64 {
    let mut hasher = blake3::Hasher::new_derive_key("quintain host: seeds of matches");
    for part in [secret, purpose] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    // Databases and JSON readers represent these integers exactly.
    u64::from_le_bytes(bytes) >> 11
}

/// Returns what is shown of the final's secret before it is revealed.
pub fn commitment(secret: &str) -> String {
    commit(&format!("quintain host: the final's seed is {secret}"))
}

/// Returns what is shown of the secret of a ladder's sequence of seeds before it is revealed.
pub fn sequence_commitment(secret: &str) -> String {
    commit(&format!("quintain host: the secret of the ladder's seeds is {secret}"))
}

fn commit(sentence: &str) -> String {
    blake3::hash(sentence.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_purpose_and_number_has_its_own_seed() {
        let seeds = [
            seed("a", "x", &[1, 2]),
            seed("b", "x", &[1, 2]),
            seed("a", "y", &[1, 2]),
            seed("a", "x", &[2, 1]),
            seed("ax", "", &[1, 2]),
        ];
        for (at, one) in seeds.iter().enumerate() {
            assert!(!seeds[at + 1..].contains(one));
            assert!(*one < 1 << 53);
        }
        assert_eq!(seeds[0], seed("a", "x", &[1, 2]));
        assert_ne!(commitment("a"), commitment("b"));
    }
}
