//! The digest that identifies fixtures, files and programs.

/// The first 128 bits of the BLAKE3 hash, in 32 hexadecimal digits.
pub fn digest(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..32].to_owned()
}
