//! Which matches are repeats: the same match as the one on the first seed of their line-up. For
//! callers that read more of the matches than standings do.

use std::collections::HashMap;

use crate::counts::ResultCounts;

/// The line-ups that played the same match on every seed of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeats {
    /// The first seed, by scenario and the players in seat order.
    first_seeds: HashMap<String, HashMap<Vec<String>, u64>>,
}

impl Repeats {
    pub(crate) fn of(counts: &ResultCounts) -> Repeats {
        let scenarios: HashMap<usize, &str> =
            counts.scenarios.sorted().into_iter().map(|(name, number)| (number, name)).collect();
        let players: HashMap<usize, &str> =
            counts.players.sorted().into_iter().map(|(name, number)| (number, name)).collect();
        let mut repeats = Repeats::default();
        for (lineup, number) in counts.lineups() {
            let known = &counts.repetitions[number as usize];
            if known.is_unvarying() {
                let [scenario, seats @ ..] = lineup else { continue };
                let seats = seats.iter().map(|player| players[player].to_owned()).collect();
                let here = repeats.first_seeds.entry(scenarios[scenario].to_owned()).or_default();
                here.insert(seats, known.first_seed);
            }
        }
        repeats
    }

    /// Whether no line-up played the same match on every seed.
    pub fn is_empty(&self) -> bool {
        self.first_seeds.is_empty()
    }

    /// Whether the match of these players, in seat order, repeats their match on another, earlier
    /// seed.
    pub fn contains(&self, scenario: &str, players: &[String], seed: u64) -> bool {
        let first = self.first_seeds.get(scenario).and_then(|here| here.get(players));
        first.is_some_and(|first| *first != seed)
    }
}
