//! What a module may use, as stated in a player's text: `wasm:FILE?fuel=50M&memory=64MB`.

use std::fmt::Write;

use quintain_core::{Spec, did_you_mean};

/// Units of fuel that count as a nanosecond for a module: on a usual processor a search takes three
/// to twelve.
pub(crate) const FUEL_PER_NANOSECOND: u64 = 5;
/// Units of fuel for a decision where neither the player's text nor the match sets a limit.
pub(crate) const DEFAULT_FUEL: u64 = 5_000_000_000;
/// Units of fuel until the first question: for the module's own start and the match's.
pub(crate) const START_FUEL: u64 = 2_000_000_000;
/// Bytes of linear memory if the player's text does not say, and the most that it can ask for.
const DEFAULT_MEMORY: u64 = 256 << 20;
pub(crate) const MAX_MEMORY: u64 = 2 << 30;
/// Bytes that a module may write to standard output in one match, and the same again to standard
/// error.
pub(crate) const MAX_OUTPUT: u64 = 16 << 20;
/// The most bytes of one line that it may write.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// The limits of one player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Units of fuel for a decision.
    pub fuel: Option<u64>,
    /// Units of fuel for all decisions of a match.
    pub match_fuel: Option<u64>,
    /// The most bytes of linear memory.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { fuel: None, match_fuel: None, memory: DEFAULT_MEMORY }
    }
}

/// A limit that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct FuelError(String);

impl Limits {
    /// Reads the limits from a player's text.
    ///
    /// # Errors
    /// [`FuelError`] if there is no such limit, or its value is not a number.
    pub fn from_spec(spec: &Spec) -> Result<Limits, FuelError> {
        let mut limits = Limits::default();
        for (name, value) in &spec.arguments {
            let fuel = || read_fuel(value).ok_or_else(|| wrong(name, value, "50M, 2G or 800_000"));
            match name.as_str() {
                "fuel" => limits.fuel = Some(fuel()?),
                "match-fuel" => limits.match_fuel = Some(fuel()?),
                "memory" => {
                    let memory = read_memory(value).filter(|memory| *memory <= MAX_MEMORY);
                    limits.memory =
                        memory.ok_or_else(|| wrong(name, value, "64MB, at most 2GB"))?;
                }
                other => {
                    let known = ["fuel", "match-fuel", "memory"];
                    return Err(FuelError(did_you_mean("limit of a wasm player", other, known)));
                }
            }
        }
        Ok(limits)
    }

    /// The player's text in canonical form, for this file under these limits.
    pub fn spec(&self, file: &str) -> String {
        let fuel = [("fuel", self.fuel), ("match-fuel", self.match_fuel)];
        let mut parts: Vec<String> = fuel
            .into_iter()
            .filter_map(|(name, fuel)| Some(format!("{name}={}", write_fuel(fuel?))))
            .collect();
        if self.memory != DEFAULT_MEMORY {
            parts.push(format!("memory={}", write_memory(self.memory)));
        }
        let mut text = format!("wasm:{file}");
        for (index, part) in parts.iter().enumerate() {
            let sign = if index == 0 { '?' } else { '&' };
            write!(text, "{sign}{part}").expect("texts can be written to");
        }
        text
    }

    /// The fuel of a decision for which the match gives this many nanoseconds, in a match that has
    /// burnt `burnt` so far.
    pub(crate) fn fuel_for(&self, nanoseconds: Option<u64>, burnt: u64) -> u64 {
        let left = self.match_fuel.map(|all| all.saturating_sub(burnt));
        let time = nanoseconds.map(|time| time.saturating_mul(FUEL_PER_NANOSECOND));
        [self.fuel, time, left].into_iter().flatten().min().unwrap_or(DEFAULT_FUEL)
    }
}

fn wrong(name: &str, value: &str, expected: &str) -> FuelError {
    FuelError(format!("{name}={value}: expected a number such as {expected}"))
}

/// Reads an amount of fuel, such as `50M`, `2G`, `800_000`.
fn read_fuel(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['k', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    let count: u64 = digits.replace('_', "").parse().ok()?;
    count.checked_mul(unit).filter(|fuel| (1..=i64::MAX as u64).contains(fuel))
}

/// Writes an amount of fuel in the shortest form that can be read back.
pub(crate) fn write_fuel(fuel: u64) -> String {
    let units = [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)];
    match units.iter().find(|(_, unit)| fuel > 0 && fuel.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", fuel / unit),
        None => fuel.to_string(),
    }
}

/// Reads an amount of memory, such as `64MB`, `2GB`: powers of 1024, whole pages.
fn read_memory(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let bits = match &text[digits..] {
        "kB" | "KB" => 10,
        "MB" => 20,
        "GB" => 30,
        _ => return None,
    };
    let bytes = text[..digits].parse::<u64>().ok()?.checked_mul(1 << bits)?;
    (bytes > 0 && bytes.is_multiple_of(64 << 10)).then_some(bytes)
}

pub(crate) fn write_memory(bytes: u64) -> String {
    let units = [("GB", 30), ("MB", 20), ("kB", 10)];
    let unit = units.iter().find(|(_, bits)| bytes.is_multiple_of(1 << bits));
    unit.map_or_else(|| format!("{bytes}B"), |(name, bits)| format!("{}{name}", bytes >> bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Result<String, String> {
        let spec: Spec = text.parse().unwrap();
        let limits = Limits::from_spec(&spec).map_err(|error| error.to_string())?;
        Ok(limits.spec(spec.path.strip_prefix("wasm:").unwrap()))
    }

    #[test]
    fn limits_have_one_canonical_form_that_can_be_read_back() {
        for (text, expected) in [
            ("wasm:a.wasm", "wasm:a.wasm"),
            ("wasm:a.wasm?fuel=50_000k", "wasm:a.wasm?fuel=50M"),
            ("wasm:a.wasm?fuel=1500k", "wasm:a.wasm?fuel=1500k"),
            ("wasm:b/a.wasm?memory=1024kB&match-fuel=2G", "wasm:b/a.wasm?match-fuel=2G&memory=1MB"),
            ("wasm:a.wasm?memory=256MB&fuel=7", "wasm:a.wasm?fuel=7"),
        ] {
            assert_eq!(canonical(text).as_deref(), Ok(expected));
            assert_eq!(canonical(expected).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn invalid_limits_are_explained() {
        let error_of = |limit: &str| canonical(&format!("wasm:a.wasm?{limit}")).unwrap_err();
        for limit in ["fuel=0", "fuel=many", "fuel=-1", "fuel=9G9", "fuel=99999999999G"] {
            assert!(
                error_of(limit).contains("expected a number such as 50M"),
                "{}",
                error_of(limit)
            );
        }
        for limit in ["memory=1B", "memory=5GB", "memory=100kB", "memory=0MB", "memory=64"] {
            assert!(error_of(limit).contains("64MB, at most 2GB"), "{}", error_of(limit));
        }
        assert!(error_of("fule=3").contains("did you mean “fuel”"), "{}", error_of("fule=3"));
    }

    #[test]
    fn the_smallest_limit_of_a_decision_applies() {
        let limits = Limits { fuel: Some(50), match_fuel: Some(80), ..Limits::default() };
        assert_eq!(limits.fuel_for(None, 0), 50);
        assert_eq!(limits.fuel_for(None, 50), 30);
        assert_eq!(limits.fuel_for(Some(4), 50), 20);
        assert_eq!(limits.fuel_for(None, 100), 0);
        assert_eq!(Limits::default().fuel_for(None, 100), DEFAULT_FUEL);
        assert_eq!(Limits::default().fuel_for(Some(7), 100), 35);
    }
}
