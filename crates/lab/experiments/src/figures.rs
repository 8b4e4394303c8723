//! The figures of findings as a file, so that pages can be written again, or only some claims
//! measured again, without playing everything. A claim's words and its verdict are not in the file:
//! they come from the claims.

use serde::{Deserialize, Serialize};

use crate::claims::all;
use crate::experiment::Finding;
use crate::lab::RunSize;
use crate::measurement::Measurements;
use crate::plan::DataSet;

/// The figures of one experiment.
#[derive(Serialize, Deserialize)]
struct Figures {
    name: String,
    measured: Measurements,
    how: Vec<DataSet>,
    effort: RunSize,
}

/// Writes the figures of findings as JSON, one line for each.
pub fn write_figures(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let Finding { name, measured, how, run_size, .. } = finding.clone();
        let figures = Figures { name: name.to_owned(), measured, how, effort: run_size };
        serde_json::to_string(&figures).expect("figures are JSON")
    };
    let lines: Vec<String> = findings.iter().map(line).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Reads the figures that [`write_figures`] wrote, and reaches the verdicts again. Figures of
/// claims that are no longer there are left out; the findings are in the order of the claims.
///
/// # Errors
/// If the text has another form.
pub fn read_figures(text: &str) -> Result<Vec<Finding>, serde_json::Error> {
    let mut read: Vec<Figures> = serde_json::from_str(text)?;
    let findings = all().filter_map(|experiment| {
        let at = read.iter().position(|figures| figures.name == experiment.name)?;
        let Figures { measured, how, effort, .. } = read.swap_remove(at);
        Some(Finding::new(experiment, measured, how, effort))
    });
    Ok(findings.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Estimate;
    use crate::measurement::ExpectedValue::Above;

    #[test]
    fn figures_read_back_as_they_were_written() {
        let finite = Estimate::mean([1.0, 2.0, 4.0]).as_percent();
        let measured = Measurements::new()
            .part("gain", finite, Above(0.0))
            .noticed_from(1.5)
            .with_figure("once", Estimate::mean([3.0]))
            .with_figure("never", Estimate::mean([]))
            .not_comparable("lost");
        let how = vec![DataSet { what: "counted".to_owned(), players: Vec::new() }];
        let experiment = all().next().unwrap();
        let finding = Finding::new(experiment, measured, how, RunSize::Full);
        let text = write_figures(std::slice::from_ref(&finding));
        let again = read_figures(&text).unwrap();
        assert_eq!(write_figures(&again), text);
        assert_eq!(again[0].verdict, finding.verdict);
        assert!(again[0].measured.parts[2].estimate.value.is_nan());
        assert_eq!(again[0].measured.parts[..2], finding.measured.parts[..2]);
    }
}
