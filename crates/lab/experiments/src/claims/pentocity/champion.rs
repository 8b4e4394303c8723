//! What our own champion should reach on each of the class's distributions, and whether it does:
//! its mean at default settings over seeds that were used to choose nothing of it, as in
//! `docs/pentocity.md`.

use crate::experiment::Experiment;
use crate::lab::{Lab, LabError};
use crate::matches::{metric, score};
use crate::measurement::ExpectedValue::Above;
use crate::measurement::Measurements;
use crate::plan::TournamentPlan;

/// The first seed: the champion's weights and settings were chosen on others.
const FRESH: u64 = 1_000_000;
/// The points by which a mean may fall short of version 6's without counting as lower: chance alone
/// moves it by ten.
const CHANCE: f64 = 15.0;

/// The requirement for a mean.
enum Aim {
    /// It is at least this.
    Target(f64),
    /// It is not lower than version 6's, which was this.
    Kept(f64),
}

fn champion(lab: &Lab<'_>, distribution: &str, aim: &Aim) -> Result<Measurements, LabError> {
    let plan = TournamentPlan::solo("pentocity", [distribution], ["champion"], lab.take(5, 40));
    let games = lab.play(&plan.from_seed(FRESH))?;
    let mean = games.mean("champion", &score);
    let measured = Measurements::new();
    let measured = match aim {
        Aim::Target(target) => measured.part("mean", mean, Above(*target)),
        Aim::Kept(before) => measured.reading("mean", mean, Above(before - CHANCE)),
    };
    Ok(measured.with_figure("empty cells", games.mean("champion", &metric("empty cells"))))
}

macro_rules! targets {
    ($($name:literal $aim:ident $points:literal;)*) => {
        &[$(Experiment {
            name: concat!("pentocity/champion-", $name),
            place: "our page on the champion",
            claim: targets!(@claim $aim $name),
            figure: stringify!($points),
            measure: |lab| champion(lab, $name, &Aim::$aim($points as f64)),
        },)*]
    };
    (@claim Target $name:literal) => {
        concat!("The champion's mean on ", $name, ", on fresh seeds, is at least the target.")
    };
    (@claim Kept $name:literal) => {
        concat!("The champion's mean on ", $name, ", on fresh seeds, is not lower than version \
                                                   6's.")
    };
}

/// The distributions with a separate target, then those on which nothing may be lost.
pub(super) const EXPERIMENTS: &[Experiment] = targets! {
    "random" Target 2480;
    "industrialization" Target 2420;
    "misfits" Target 2360;
    "stars" Target 2180;
    "tanks" Target 2400;
    "g1" Target 2230;
    "g3" Target 2420;
    "g4" Target 2300;
    "g5" Target 2420;
    "g6" Target 3100;
    "tailheavy" Kept 2463;
    "g2" Kept 2728;
    "g8" Kept 2447;
    "g9" Kept 3065;
    "g10" Kept 2328;
};
