//! The players that the report compares, and how they are compared.

use crate::lab::{Lab, LabError};
use crate::matches::{PlayedMatches, score};
use crate::measurement::ExpectedValue::{Above, Below};
use crate::measurement::{ExpectedValue, Measurements};
use crate::plan::TournamentPlan;

/// The first player: row by row, one random walk for each pond. Like all of them it leaves out
/// places that are cut off, which section 3.2 states for every strategy.
pub(super) const NAIVE: &str = "naive";
/// The first player without its ponds.
pub(super) const DRY: &str = "dry";
/// The perimeter as the first key before row by row, with nothing else changed.
pub(super) const PERIMETER: &str = "report?placement=edges&ties=rows&roads=shortest&ponds=walks:1\
                         &straight=false&extension=0&prefer=any";
/// The points from which on we would notice a difference: the report's own means of 50 games
/// differ by up to 10 from trial to trial (2.3).
pub(super) const NOTICED: f64 = 10.0;
/// The submitted program, to which parts are added.
pub(super) const G1: &str = "report?ties=submitted&roads=min";
pub(super) const UTILITY: &str = "utility of water/park cells";

pub(super) fn g1(more: &str) -> String {
    format!("{G1}&{more}")
}

/// Some players on `random`.
pub(super) fn random(
    lab: &Lab<'_>,
    players: &[&str],
    quick: u64,
    full: u64,
) -> Result<PlayedMatches, LabError> {
    lab.play(&TournamentPlan::solo(
        "pentocity",
        ["random"],
        players.iter().copied(),
        lab.take(quick, full),
    ))
}

/// How much more a player scores than another.
pub(super) fn more(
    lab: &Lab<'_>,
    (a, b): (&str, &str),
    expected: ExpectedValue,
    quick: u64,
    full: u64,
) -> Result<Measurements, LabError> {
    let games = random(lab, &[a, b], quick, full)?;
    let points = games.difference(a, b, &score);
    // The source says on which side of zero a figure lies; how far from it, we set.
    let measured = match expected {
        Above(_) | Below(_) => Measurements::new().part("points more", points, expected),
        _ => Measurements::new().reading("points more", points, expected),
    };
    Ok(measured.noticed_from(NOTICED))
}
