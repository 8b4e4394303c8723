//! An experiment: a claim of a source, how it is measured, and the result. How figures become a
//! verdict is in [`crate::measurement`].

use std::time::Instant;

use serde::Serialize;

use crate::lab::{Lab, LabError, RunSize};
use crate::measurement::{ClaimVerdict, Measurements};
use crate::plan::DataSet;

/// A claim of a source, and how it is measured.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Experiment {
    /// The name, `SOURCE/NAME`, where a source is named like its game.
    pub name: &'static str,
    /// Where in the source the claim is made.
    pub place: &'static str,
    /// The claim, in our own words.
    pub claim: &'static str,
    /// The source's figure, as text; “–” where it gives none.
    pub figure: &'static str,
    /// The measurement.
    pub measure: fn(&Lab<'_>) -> Result<Measurements, LabError>,
}

/// The result of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The experiment's name.
    pub name: &'static str,
    /// Where in the source the claim is made.
    pub place: &'static str,
    /// The claim.
    pub claim: &'static str,
    /// The source's figure.
    pub figure: &'static str,
    /// Our figures.
    pub measured: Measurements,
    /// Whether the source is right.
    pub verdict: ClaimVerdict,
    /// What the figures were measured on: every tournament or calculation.
    pub how: Vec<DataSet>,
    /// The size of the run in which they were measured.
    #[serde(rename = "effort")]
    pub run_size: RunSize,
    /// The wall-clock time it took, in seconds.
    #[serde(skip)]
    pub seconds: f64,
}

/// Carries out these experiments one after the other and calls `found` with each finding at once.
///
/// # Errors
/// If the store fails or the run is stopped; what was played stays in the store. Missing data is
/// not an error: the finding then says that the claim cannot be decided.
pub fn reproduce(
    experiments: &[Experiment],
    lab: &Lab<'_>,
    found: &mut dyn FnMut(Finding),
) -> Result<(), LabError> {
    for experiment in experiments {
        let begun = Instant::now();
        let (measured, run_size) = match lab.measure(experiment.measure) {
            Ok(measured) => measured,
            Err(LabError::Missing(what)) => (Measurements::new().undecidable(what), lab.run_size()),
            Err(error) => return Err(error),
        };
        let finding = Finding::new(experiment, measured, lab.take_notes(), run_size);
        found(Finding { seconds: begun.elapsed().as_secs_f64(), ..finding });
    }
    Ok(())
}

impl Finding {
    /// The finding that these figures give.
    pub(crate) fn new(
        experiment: &Experiment,
        measured: Measurements,
        how: Vec<DataSet>,
        run_size: RunSize,
    ) -> Finding {
        let &Experiment { name, place, claim, figure, .. } = experiment;
        let (verdict, seconds) = (measured.verdict(), 0.0);
        Finding { name, place, claim, figure, measured, verdict, how, run_size, seconds }
    }
}
