//! The tuned numbers of the champion beside its weights, read once from `tuned.toml`, which says
//! what each is for and how it was found.

use std::collections::BTreeMap;
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
    pub(super) choice: ChoiceNumbers,
    pub(super) rollouts: RolloutNumbers,
    pub(super) guess: GuessNumbers,
}

#[derive(Deserialize, Debug)]
pub(super) struct ChoiceNumbers {
    pub(super) sorted: usize,
    pub(super) more_moves: usize,
    pub(super) bad: i32,
    pub(super) wider: usize,
    pub(super) asked: usize,
}

#[derive(Deserialize, Debug)]
pub(super) struct RolloutNumbers {
    pub(super) candidates: usize,
    pub(super) longest: usize,
    pub(super) certain: f64,
    pub(super) worth_share: f32,
    pub(super) rejected: f32,
    pub(super) rounds: Vec<(usize, usize)>,
}

#[derive(Deserialize, Debug)]
pub(super) struct GuessNumbers {
    pub(super) length: usize,
    pub(super) anything: f64,
    pub(super) doubt: f64,
    pub(super) misfit: f64,
    pub(super) strangers: StrangerNumbers,
    pub(super) ahead: BTreeMap<String, f64>,
}

#[derive(Deserialize, Debug)]
pub(super) struct StrangerNumbers {
    pub(super) large: f64,
    pub(super) where_large: String,
    pub(super) medium: f64,
    pub(super) bars: f64,
    pub(super) where_medium: String,
    pub(super) elsewhere: String,
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
        let problem = toml::from_str::<Tuned>(&TEXT.replace("misfit = 0.15", "misfits = 0.15"));
        assert!(problem.unwrap_err().to_string().contains("missing field `misfit`"));
    }
}
