//! The tuned numbers of the champion, read once from `tuned.toml`, which says what each is for
//! and how it was found.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The number of features of a board.
pub const FEATURES: usize = 13;

/// The names of the features in `tuned.toml`, in order; `count_features` in `evaluation.rs` says
/// what they count.
const FEATURE_NAMES: [&str; FEATURES] = [
    "row-fill",
    "nearly-full-rows",
    "height",
    "unreachable",
    "under-two",
    "under-one",
    "sides",
    "holes-below",
    "rows-unreachable",
    "peak",
    "near-the-top",
    "pits",
    "land",
];

/// A weight for each feature.
type WeightSet = [f32; FEATURES];

/// How many sets of weights are tried before any others.
pub(super) const FIRST_TRIED: usize = 12;

/// The tuned numbers. They are read when they are first needed.
pub(super) fn tuned() -> &'static Tuned {
    static TUNED: LazyLock<Tuned> = LazyLock::new(|| {
        Tuned::read(TEXT).unwrap_or_else(|problem| panic!("tuned.toml: {problem}"))
    });
    &TUNED
}

const TEXT: &str = include_str!("tuned.toml");

/// Everything in the file.
#[derive(Deserialize, Debug)]
#[serde(try_from = "Sections")]
pub(super) struct Tuned {
    /// Of these sets of weights, [`FIRST_TRIED`] for each kind of game.
    pub(super) first_tried: FirstTried<WeightSet>,
    /// The set that was chosen by hand.
    pub(super) by_hand: WeightSet,
    pub(super) beam: BeamNumbers,
    pub(super) limits: Limits,
    pub(super) lists: Lists,
    pub(super) trials: TrialWidths,
    pub(super) shares: Shares,
    pub(super) silent: SilentShares,
}

impl Tuned {
    fn read(text: &str) -> Result<Tuned, toml::de::Error> {
        toml::from_str(text)
    }
}

/// What is tried first, by kind of game.
#[derive(Deserialize, Debug)]
pub(super) struct FirstTried<T> {
    pub(super) with_phrases: [T; FIRST_TRIED],
    pub(super) on_many_cells: [T; FIRST_TRIED],
    pub(super) without_phrases: [T; FIRST_TRIED],
}

#[derive(Deserialize, Debug)]
pub(super) struct BeamNumbers {
    pub(super) carried: usize,
    pub(super) listed: usize,
    pub(super) margin: i32,
    pub(super) close: f32,
    pub(super) deferred: f32,
    pub(super) expected: f32,
    pub(super) fading: f32,
    pub(super) unit_lost: f32,
}

#[derive(Deserialize, Debug)]
pub(super) struct Limits {
    pub(super) many_cells: usize,
    pub(super) large: f64,
    pub(super) huge: f64,
    pub(super) lost: f64,
    pub(super) survives: f64,
    pub(super) wide: f64,
}

#[derive(Deserialize, Debug)]
pub(super) struct Lists {
    pub(super) short: usize,
    pub(super) usual: usize,
    pub(super) usual_cost: f64,
    pub(super) long_cost: f64,
    pub(super) longest_cost: f64,
}

#[derive(Deserialize, Debug)]
pub(super) struct TrialWidths {
    pub(super) width: usize,
    pub(super) again: Vec<usize>,
    pub(super) again_where_lost: Vec<usize>,
    pub(super) again_where_led_on: Vec<usize>,
}

#[derive(Deserialize, Debug)]
pub(super) struct Shares {
    pub(super) quick_placements: f64,
    pub(super) first_on_huge: f64,
    pub(super) first_on_many_large: f64,
    pub(super) first_on_many: f64,
    pub(super) first_on_large: f64,
    pub(super) first: f64,
    pub(super) again_on_many: f64,
    pub(super) again_where_lost: f64,
    pub(super) least_for_trials: f64,
    pub(super) spoken_on_large: f64,
    pub(super) spoken: f64,
    pub(super) again_where_led_on: f64,
    pub(super) reserve: f64,
    pub(super) polishing: f64,
    pub(super) polishing_of_leaders: f64,
    pub(super) end: f64,
}

#[derive(Deserialize, Debug)]
pub(super) struct SilentShares {
    pub(super) first: f64,
    pub(super) widely: f64,
    pub(super) again: f64,
    pub(super) boards_a_node: u64,
}

/// The file as it is written: sets of weights have names.
#[derive(Deserialize)]
struct Sections {
    weights: WeightColumns,
    first_tried: FirstTried<(String, f32)>,
    beam: BeamNumbers,
    limits: Limits,
    lists: Lists,
    trials: TrialWidths,
    shares: Shares,
    silent: SilentShares,
}

/// A column for each set of weights.
#[derive(Deserialize)]
struct WeightColumns {
    sets: Vec<String>,
    features: BTreeMap<String, Vec<f32>>,
}

impl WeightColumns {
    /// The set of this name with all weights times `factor`.
    fn scaled(&self, name: &str, factor: f32) -> Result<WeightSet, String> {
        let column = self.sets.iter().position(|set| set == name);
        let column = column.ok_or_else(|| format!("no set of weights is named “{name}”"))?;
        let mut weights = [0.0; FEATURES];
        for (feature, weight) in FEATURE_NAMES.iter().zip(&mut weights) {
            let of_set = self.features.get(*feature).and_then(|row| row.get(column));
            *weight = factor * of_set.ok_or_else(|| format!("“{name}” has no “{feature}”"))?;
        }
        Ok(weights)
    }

    fn scaled_all<const N: usize>(
        &self,
        sets: &[(String, f32); N],
    ) -> Result<[WeightSet; N], String> {
        let mut all = [[0.0; FEATURES]; N];
        for ((name, factor), weights) in sets.iter().zip(&mut all) {
            *weights = self.scaled(name, *factor)?;
        }
        Ok(all)
    }
}

impl TryFrom<Sections> for Tuned {
    type Error = String;

    fn try_from(sections: Sections) -> Result<Tuned, String> {
        let Sections { weights, first_tried, beam, limits, lists, trials, shares, silent } =
            sections;
        if weights.features.len() != FEATURES {
            return Err(format!("expected weights of {}", FEATURE_NAMES.join(", ")));
        }
        let first_tried = FirstTried {
            with_phrases: weights.scaled_all(&first_tried.with_phrases)?,
            on_many_cells: weights.scaled_all(&first_tried.on_many_cells)?,
            without_phrases: weights.scaled_all(&first_tried.without_phrases)?,
        };
        let by_hand = weights.scaled("by-hand", 1.0)?;
        Ok(Tuned { first_tried, by_hand, beam, limits, lists, trials, shares, silent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_complete_and_says_where_its_numbers_are_from() {
        tuned();
        let file: toml::Table = toml::from_str(TEXT).unwrap();
        assert!(["command", "seeds"].iter().all(|key| file["origin"][key].is_str()));
    }

    #[test]
    fn mistakes_in_the_file_are_named() {
        let problem = |from: &str, to: &str| {
            assert!(TEXT.contains(from), "{from}");
            Tuned::read(&TEXT.replace(from, to)).unwrap_err().to_string()
        };
        assert!(problem("\npeak ", "\npeaks ").contains("has no “peak”"));
        let unknown = problem("[\"land-5\", 1.0]", "[\"land-6\", 1.0]");
        assert!(unknown.contains("no set of weights is named “land-6”"), "{unknown}");
        assert!(problem("margin = 10", "margins = 10").contains("missing field `margin`"));
    }
}
