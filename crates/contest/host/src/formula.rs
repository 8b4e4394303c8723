//! The formula for points in host.toml (`[grades]`).

use std::collections::BTreeMap;

use quintain_core::did_you_mean;
use serde::Deserialize;

/// The formula.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Formula {
    /// The most points; by default, the sum of all that can be earned.
    pub(crate) max: Option<f64>,
    /// Points for a rank that is certain at least, by the rank.
    #[serde(default)]
    pub(crate) ranks: BTreeMap<String, f64>,
    /// Points for beating house players, by their names.
    #[serde(default)]
    pub(crate) beats: BTreeMap<String, f64>,
    #[serde(default)]
    pub(crate) milestones: Milestones,
}

/// Points for what depends on nobody else.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Milestones {
    /// A version has passed the check.
    pub(crate) passed: f64,
    /// A version is on the ladder, or in the final.
    pub(crate) ladder: f64,
    /// None of its matches ended by its fault.
    pub(crate) faultless: f64,
}

impl Formula {
    /// Checks the formula against the contest's house.
    pub(crate) fn check(&self, house: &[String]) -> Result<(), String> {
        for rank in self.ranks.keys() {
            if rank.parse::<u64>().is_ok_and(|rank| rank > 0) {
                continue;
            }
            return Err(format!("grades: ranks.{rank}: a rank is a whole number from 1 on"));
        }
        if let Some(player) = self.beats.keys().find(|player| !house.contains(player)) {
            let known = house.iter().map(String::as_str);
            return Err(format!("grades: beats: {}", did_you_mean("house player", player, known)));
        }
        let Milestones { passed, ladder, faultless } = self.milestones;
        let all = self.ranks.values().chain(self.beats.values()).chain(&self.max);
        match all.chain(&[passed, ladder, faultless]).all(|points| *points >= 0.0) {
            true => Ok(()),
            false => Err("grades: points are numbers from 0 on".to_owned()),
        }
    }

    /// Returns the most points that a participant can have.
    pub(crate) fn max(&self) -> f64 {
        let Milestones { passed, ladder, faultless } = self.milestones;
        let best = self.ranks.values().copied().fold(0.0, f64::max);
        let all = best + self.beats.values().sum::<f64>() + passed + ladder + faultless;
        self.max.unwrap_or(all)
    }

    /// Returns the points for a rank that is certain at least.
    pub(crate) fn of_rank(&self, certain: u64) -> f64 {
        let ranks =
            self.ranks.iter().filter_map(|(rank, points)| Some((rank.parse().ok()?, *points)));
        let reached = ranks.filter(|(rank, _): &(u64, f64)| certain <= *rank);
        reached.map(|(_, points)| points).fold(0.0, f64::max)
    }
}
