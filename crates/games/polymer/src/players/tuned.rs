//! The tuned numbers of the players that lay whole walks, read once from `tuned.toml`, which says
//! what each is for and how it was found.

use std::sync::LazyLock;

use serde::Deserialize;

/// The tuned numbers. They are read when they are first needed.
pub(super) fn tuned() -> &'static Tuned {
    static TUNED: LazyLock<Tuned> = LazyLock::new(|| {
        toml::from_str(TEXT).unwrap_or_else(|problem| panic!("tuned.toml: {problem}"))
    });
    &TUNED
}

const TEXT: &str = include_str!("tuned.toml");

/// Everything in the file.
#[derive(Deserialize, Debug)]
pub(super) struct Tuned {
    pub(super) champion: Methods,
    pub(super) annealing: AnnealingNumbers,
    pub(super) replicas: ReplicaNumbers,
    pub(super) beam: BeamNumbers,
    pub(super) agreement: Agreement,
    pub(super) stretches: StretchPresets,
    pub(super) population: PopulationNumbers,
}

/// The weights by which walks of equal length are compared.
#[derive(Clone, Copy, PartialEq, Deserialize, Debug)]
pub struct GrowthWeights {
    /// The weight p: against free cells beside monomers.
    pub compact: f64,
    /// The weight g: for agreement around free cells.
    pub attraction: f64,
}

/// The settings of [`regrow_stretches`](crate::regrow_stretches).
#[derive(Clone, Copy, PartialEq, Deserialize, Debug)]
pub struct StretchOptions {
    /// The weights by which a beam compares walks.
    pub weights: GrowthWeights,
    /// The walks that a beam keeps of every length.
    pub width: usize,
    /// The fewest and the most monomers of a stretch.
    pub lengths: [usize; 2],
    /// How many walks change side by side.
    pub replicas: usize,
    /// The temperature of the coldest of them and of the hottest.
    pub temperatures: [f64; 2],
}

#[derive(Deserialize, Debug)]
pub(super) struct Methods {
    pub(super) short: usize,
    pub(super) bred: usize,
    pub(super) medium: usize,
    pub(super) long_hp: usize,
    pub(super) beams_of_medium: f64,
    pub(super) beams_of_long: f64,
}

#[derive(Deserialize, Debug)]
pub(super) struct AnnealingNumbers {
    pub(super) dense: f64,
    pub(super) hot: f64,
    pub(super) hot_where_dense: f64,
    pub(super) cold: f64,
    pub(super) many: usize,
    pub(super) longest_of_many: usize,
    pub(super) runs: Vec<u32>,
    pub(super) moves: MoveNumbers,
}

#[derive(Clone, Copy, Deserialize, Debug)]
pub(super) struct MoveNumbers {
    pub(super) backbite: u32,
    pub(super) rebridge: u32,
    pub(super) slide: u32,
    pub(super) regrow: u32,
    pub(super) segment: usize,
}

#[derive(Deserialize, Debug)]
pub(super) struct ReplicaNumbers {
    pub(super) count: usize,
    pub(super) cold: f64,
    pub(super) hot: f64,
}

#[derive(Deserialize, Debug)]
pub(super) struct BeamNumbers {
    pub(super) weights: GrowthWeights,
    pub(super) narrow: usize,
    pub(super) window: usize,
    pub(super) enough: usize,
    pub(super) enough_where_dense: usize,
    pub(super) unsure_share: f64,
    pub(super) enough_factor: usize,
    pub(super) compact_step: f64,
    pub(super) compact_max: f64,
    pub(super) narrow_compact: Vec<f64>,
}

#[derive(Deserialize, Debug)]
pub(super) struct Agreement {
    /// By the number of cells taken and the absolute sum of charges around a free cell.
    pub(super) squares: [[f64; 5]; 5],
}

#[derive(Deserialize, Debug)]
pub(super) struct StretchPresets {
    pub(super) block: usize,
    pub(super) cold: StretchOptions,
    pub(super) hot: StretchOptions,
}

#[derive(Deserialize, Debug)]
pub(super) struct PopulationNumbers {
    pub(super) size: usize,
    pub(super) stretches: [usize; 2],
    pub(super) weights: GrowthWeights,
    pub(super) width: usize,
    pub(super) narrow: usize,
    pub(super) lengths: [usize; 2],
    pub(super) hot_founder: f64,
    pub(super) hot_child: f64,
    pub(super) cold: f64,
    pub(super) blocks: usize,
    pub(super) temperatures_of_moves: [f64; 2],
    pub(super) alike: f64,
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
    fn a_number_that_is_missing_is_named() {
        let problem = toml::from_str::<Tuned>(&TEXT.replace("window = 20", "windows = 20"));
        assert!(problem.unwrap_err().to_string().contains("missing field `window`"));
    }
}
