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

    /// The house players for whose defeat there are points.
    pub(crate) fn rewarded(&self) -> impl Iterator<Item = &String> {
        self.beats.iter().filter(|(_, points)| **points > 0.0).map(|(player, _)| player)
    }

    /// Says in words what points are for, one line for each.
    pub(crate) fn describe(&self) -> Vec<String> {
        let points = |points: f64| {
            let number = format_points(points);
            if points == 1.0 { "1 point".to_owned() } else { format!("{number} points") }
        };
        let mut ranks: Vec<(u64, f64)> =
            self.ranks.iter().filter_map(|(rank, of)| Some((rank.parse().ok()?, *of))).collect();
        ranks.sort_unstable_by_key(|(rank, _)| *rank);
        let mut lines = Vec::new();
        for (rank, of) in ranks {
            let or_better = if rank == 1 { "" } else { " or better" };
            lines.push(format!("{} for being certainly number {rank}{or_better}", points(of)));
        }
        for (player, of) in &self.beats {
            lines.push(format!("{} for beating {player} with 95 % certainty", points(*of)));
        }
        let Milestones { passed, ladder, faultless } = self.milestones;
        let milestones = [
            (passed, "a version that has passed the check"),
            (ladder, "a program on the ladder or in the final"),
            (faultless, "no match ended by a fault of it"),
        ];
        let earned = milestones.into_iter().filter(|(of, _)| *of > 0.0);
        lines.extend(earned.map(|(of, what)| format!("{} for {what}", points(of))));
        lines
    }

    /// Returns the most points that a participant can have.
    pub(crate) fn max(&self) -> f64 {
        self.max.unwrap_or_else(|| self.earnable())
    }

    /// Returns the points of somebody who earns all that there are.
    fn earnable(&self) -> f64 {
        let Milestones { passed, ladder, faultless } = self.milestones;
        let best = self.ranks.values().copied().fold(0.0, f64::max);
        best + self.beats.values().sum::<f64>() + passed + ladder + faultless
    }

    /// Says what is hardly meant: a worse rank that has more points than a better one, and a most
    /// that nobody reaches or that cuts something off.
    pub(crate) fn list_doubts(&self) -> Vec<String> {
        let mut ranks: Vec<(u64, f64)> =
            self.ranks.iter().filter_map(|(rank, of)| Some((rank.parse().ok()?, *of))).collect();
        ranks.sort_unstable_by_key(|(rank, _)| *rank);
        let mut doubts = Vec::new();
        if let Some([(better, few), (worse, many)]) =
            ranks.windows(2).find(|pair| pair[1].1 > pair[0].1)
        {
            let (few, many) = (format_points(*few), format_points(*many));
            doubts.push(format!(
                "[grades] ranks gives {many} points for rank {worse} and only {few} for rank \
                 {better}: everybody of rank {worse} or better has {many}; is it the other way \
                 round?"
            ));
        }
        let all = self.earnable();
        let (max, sum) = (format_points(self.max()), format_points(all));
        match self.max {
            Some(most) if most > all => doubts.push(format!(
                "[grades] max is {max}, but no more than {sum} points can be earned"
            )),
            Some(most) if most < all => doubts.push(format!(
                "[grades] max is {max}, but {sum} points can be earned: what is above {max} counts \
                 for nothing"
            )),
            _ => {}
        }
        doubts
    }

    /// Returns the points for a rank that is certain at least.
    pub(crate) fn of_rank(&self, certain: u64) -> f64 {
        let ranks =
            self.ranks.iter().filter_map(|(rank, points)| Some((rank.parse().ok()?, *points)));
        let reached = ranks.filter(|(rank, _): &(u64, f64)| certain <= *rank);
        reached.map(|(_, points)| points).fold(0.0, f64::max)
    }
}

/// Returns a number of points without needless digits.
pub(crate) fn format_points(points: f64) -> String {
    // A sum of nothing is -0.
    let text = format!("{:.2}", points + 0.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hardly_meant_is_told() {
        let doubts = |text: &str| toml::from_str::<Formula>(text).unwrap().list_doubts();
        let turned = "ranks = { 1 = 10, 5 = 20 }";
        let [told] = &doubts(turned)[..] else { panic!("one doubt: {:?}", doubts(turned)) };
        assert!(
            told.starts_with("[grades] ranks gives 20 points for rank 5 and only 10 for rank 1")
        );
        let beats = "ranks = { 1 = 40, 10 = 20 }\nbeats = { random = 10 }\n";
        let high = doubts(&format!("max = 60\n{beats}"));
        assert_eq!(high, ["[grades] max is 60, but no more than 50 points can be earned"]);
        let low = doubts(&format!("max = 45\n{beats}"));
        assert!(
            low.len() == 1 && low[0].contains("what is above 45 counts for nothing"),
            "{low:?}"
        );
        for fine in [beats, &format!("max = 50\n{beats}"), "ranks = { 1 = 5, 2 = 5 }"] {
            assert_eq!(doubts(fine), [""; 0]);
        }
    }

    #[test]
    fn a_formula_is_said_in_words() {
        let text = "ranks = { 10 = 20, 1 = 40.5 }\nbeats = { random = 1 }\n\
                    milestones = { passed = 5 }";
        let formula: Formula = toml::from_str(text).unwrap();
        assert_eq!(
            formula.describe(),
            [
                "40.5 points for being certainly number 1",
                "20 points for being certainly number 10 or better",
                "1 point for beating random with 95 % certainty",
                "5 points for a version that has passed the check",
            ]
        );
    }
}
