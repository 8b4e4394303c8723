//! Signatures: a checksum of what a player decides on a fixed set of positions. In golden files,
//! they make a change of behaviour a decision, never an accident.

use std::fmt::Write as _;

use quintain_core::{Budget, Decision, Description, Entry, Match, Rng, Rules, SpecError};

use crate::playthrough::rollout_joint;

/// The number of games from which positions are taken.
const GAMES: u64 = 6;
/// The number of positions taken from each game, at turns 0, 3, 6, …
const POSITIONS: usize = 4;

/// The signature of one player on one scenario: 16 hexadecimal digits.
///
/// # Example
/// ```
/// use quintain_core::{Budget, Entry, Rules};
/// use quintain_testkit::signature;
///
/// /// That a player still decides what it decided when this was written.
/// fn assert_unchanged<R: Rules>(entry: &Entry<R>, player: &str, expected: &str) {
///     let budget = Budget { nodes: Some(300), ..Budget::default() };
///     assert_eq!(signature(entry, "standard", player, budget).unwrap(), expected);
/// }
/// ```
///
/// # Errors
/// If the scenario or player is unknown, or the player refuses the scenario or faults.
pub fn signature<R: Rules>(
    entry: &Entry<R>,
    scenario: &str,
    player: &str,
    budget: Budget,
) -> Result<String, SpecError> {
    let (built, _) = entry.build(scenario)?;
    let rules = built.rules().clone();
    let mut hasher = blake3::Hasher::new();
    for seed in 0..GAMES {
        let mut current = Match::new(built.clone(), seed);
        let mut rng = Rng::from_seed(seed);
        for position in 0..POSITIONS * 3 {
            if current.is_over() {
                break;
            }
            if position % 3 == 0 {
                for &seat in current.acting() {
                    let mut own = Rng::from_seed(seed);
                    let mut decision = Decision::new(&rules, current.state(), seat, &mut own)
                        .with_limits(current.turn(), budget, None);
                    let action = entry
                        .build_player(player, &rules)?
                        .decide(&mut decision)
                        .map_err(|fault| SpecError::Mismatch(format!("{player}: {fault}")))?;
                    hasher.update(action.to_string().as_bytes());
                    hasher.update(b" ");
                }
            }
            let joint = rollout_joint(&current, &mut rng);
            current
                .play(&joint)
                .map_err(|(_, illegal)| SpecError::Mismatch(illegal.to_string()))?;
        }
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

/// The signatures of the whole roster on some scenarios, one line each.
///
/// # Errors
/// As [`signature`], but if a player refuses a scenario, its line says so.
pub fn signatures<R: Rules>(
    entry: &Entry<R>,
    scenarios: &[&str],
    budget: Budget,
) -> Result<String, SpecError> {
    let mut lines = String::new();
    for player in entry.player_entries() {
        let Description { name, version, .. } = player.listed.description;
        for scenario in scenarios {
            let (built, canonical) = entry.build(scenario)?;
            let rules = built.rules().clone();
            let mark = match entry.build_player(name, &rules) {
                Ok(_) => signature(entry, scenario, name, budget)?,
                Err(_) => "refuses".to_owned(),
            };
            let _ = writeln!(lines, "{mark}  {name} v{version}  {canonical}");
        }
    }
    Ok(lines)
}
