//! Table 1 of the report, played again: its player's mean on every distribution.

use crate::estimate::Estimate;
use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::score;
use crate::measurement::ExpectedValue::Equal;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

use super::class::{GAMES, OWN, TABLE_1};

/// The submitted player on one distribution of Table 1, compared with the mean given there.
fn table_1(lab: &Lab<'_>, row: usize) -> Result<Measurements, LabError> {
    let (distribution, means, _) = TABLE_1[row];
    let theirs = means[OWN];
    let games =
        lab.play(&TournamentPlan::solo("pentocity", [distribution], ["g1"], lab.take(10, 20)))?;
    let ours = games.mean("g1", &score);
    // The mean of the table is of ten games, which vary as ours do.
    let n = ours.n as f64;
    let wider = (1.0 + n / GAMES as f64).sqrt();
    let reach = |end: f64| (end - ours.value) * wider;
    let difference = Estimate {
        value: ours.value - theirs,
        low: ours.value - theirs + reach(ours.low),
        high: ours.value - theirs + reach(ours.high),
        ..ours
    };
    Ok(Measurements::new()
        .part("ours − theirs, both uncertain", difference, Equal(0.0))
        .with_figure("our mean", ours))
}

macro_rules! table_1 {
    ($($row:literal $name:literal $figure:literal;)*) => {
        [$(Experiment {
            name: concat!("pentocity/table-1-", $name),
            place: "Table 1",
            claim: concat!("The submitted player's mean on the distribution ", $name, "."),
            figure: $figure,
            measure: |lab| table_1(lab, $row),
        },)*]
    };
}

/// Table 1, row by row.
pub(super) const EXPERIMENTS: &[Experiment] = &table_1! {
    0 "g1" "1853.6";
    1 "g2" "2140.2";
    2 "g3" "2109.2";
    3 "g4" "1944.3";
    4 "g5" "2025.6";
    5 "g6" "1817.6";
    6 "g8" "2104.5";
    7 "g9" "1983.6";
    8 "g10" "2046.9";
    9 "random" "2031.7";
    10 "tailheavy" "2078.5";
    11 "stars" "1699";
    12 "industrialization" "2064.4";
    13 "misfits" "1828.6";
};
