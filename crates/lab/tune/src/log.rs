//! The log of a tuning, as a file: what is tuned, and what the candidates of each generation
//! gained. The state of the evolution is not stored: its draws come from seeds, so replaying the
//! gains rebuilds it exactly, and an interrupted tuning continues as if it had not been
//! interrupted.

use std::path::Path;

use quintain_core::{TextFileError, read_text};
use quintain_stats::simultaneous::sign_test;
use serde::{Deserialize, Serialize};

use crate::TuneError;
use crate::axis::Axis;
use crate::evaluator::GainMeasure;

/// The version of the file's format.
const FORMAT: u32 = 1;

/// How better values are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// By evolution, with the separable CMA-ES.
    #[default]
    CmaEs,
    /// By simultaneous perturbation, for many parameters and results that are mostly noise.
    Spsa,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::CmaEs => "CMA-ES",
            Method::Spsa => "SPSA",
        }
    }
}

/// One generation. By [`Method::Spsa`] it is a step, whose only gain is that of the player on the
/// positive side over the one on the negative side.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Generation {
    /// How much each candidate gained over the player before tuning, in the unit of the evaluator.
    pub gains: Vec<f64>,
    /// The number of boards that each candidate ran on.
    pub ran: Vec<usize>,
    /// The mean of the distribution afterwards, by axis, in the parameters' own units.
    pub middle: Vec<f64>,
    /// The step size of the evolution afterwards; 1 is the first.
    pub step: f64,
}

impl Generation {
    /// The gain of the best candidate.
    pub fn best(&self) -> f64 {
        self.gains.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The mean gain of the candidates that ran to the end.
    pub fn mean(&self) -> f64 {
        let most = self.ran.iter().copied().max().unwrap_or(0);
        let whole = self.gains.iter().zip(&self.ran).filter(|(_, ran)| **ran == most);
        let (sum, count) =
            whole.fold((0.0, 0.0), |(sum, count), (gain, _)| (sum + gain, count + 1.0));
        sum / f64::max(count, 1.0)
    }
}

/// What is tuned, and the generations so far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TuningLog {
    format: u32,
    /// Game, player, opponent, scenarios and budget, in one line.
    #[serde(rename = "ground")]
    pub evaluation: String,
    /// How better values are found.
    #[serde(default)]
    pub method: Method,
    /// The number of steps in all, on which the settings of [`Method::Spsa`] depend; otherwise 0.
    #[serde(default)]
    pub steps: usize,
    /// The parameters.
    pub axes: Vec<Axis>,
    /// Candidates per generation.
    pub population: usize,
    /// Seeds per generation.
    pub seeds: u64,
    /// The first training seed.
    pub first: u64,
    /// The seed of the evolution's own random draws.
    pub draws: u64,
    /// How gains are measured.
    #[serde(default, rename = "gain")]
    pub(crate) measure: Option<GainMeasure>,
    /// The number of held-out seeds, fixed before the first generation.
    #[serde(default)]
    pub(crate) held_out: Option<u64>,
    /// The generations so far.
    pub generations: Vec<Generation>,
    /// The measurements on held-out seeds so far, in order.
    #[serde(default)]
    pub looks: Vec<HeldOutLook>,
}

/// A measurement on seeds that were not used for training. Each look after the first makes it less
/// surprising that one of them shows a gain.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeldOutLook {
    /// The number of generations before it.
    pub generations: usize,
    /// The number of boards measured.
    pub boards: usize,
    /// The mean gain, in the unit of the log.
    pub gain: f64,
    /// Its 95 % interval; `None` for a single board, and where the gain is the same on all.
    pub interval: Option<(f64, f64)>,
}

impl HeldOutLook {
    /// Whether the gain or loss is certain, at 5 %. Where it is the same on all
    /// boards, its variance is unknown, and the sign test decides.
    pub fn is_certain(&self) -> bool {
        match self.interval {
            Some((low, high)) => low > 0.0 || high < 0.0,
            None => self.gain != 0.0 && sign_test(self.boards as u64, 0) <= 0.05,
        }
    }
}

impl TuningLog {
    /// The unit of gains, as shown to people.
    pub fn unit(&self) -> &'static str {
        self.measure.unwrap_or(GainMeasure::Relative).unit()
    }

    /// The looks at held-out seeds before the last one.
    pub fn earlier_looks(&self) -> &[HeldOutLook] {
        self.looks.split_last().map_or(&[], |(_, earlier)| earlier)
    }

    pub(crate) fn new(
        evaluation: String,
        axes: Vec<Axis>,
        population: usize,
        (first, seeds): (u64, u64),
        draws: u64,
    ) -> TuningLog {
        TuningLog {
            format: FORMAT,
            evaluation,
            method: Method::CmaEs,
            steps: 0,
            axes,
            population,
            seeds,
            first,
            draws,
            measure: None,
            held_out: None,
            generations: Vec::new(),
            looks: Vec::new(),
        }
    }

    /// This log with the generations in a file; unchanged if there is no such file.
    ///
    /// # Errors
    /// [`TuneError::Usage`] if the file cannot be read or belongs to another tuning; the
    /// text says what differs.
    pub(crate) fn resume(
        mut self,
        path: &Path,
        is_adversarial: bool,
    ) -> Result<TuningLog, TuneError> {
        let shown = path.display();
        let text = match read_text(path) {
            Ok(text) => text,
            Err(TextFileError::Missing(_)) => return Ok(self),
            Err(error) => return Err(TuneError::Usage(format!("cannot read {error}"))),
        };
        let kept: TuningLog = serde_json::from_str(&text).map_err(|error| {
            TuneError::Usage(format!("{shown} is not the course of a tuning: {error}"))
        })?;
        let other = |what: &str, kept: &str, asked: &str| {
            TuneError::Usage(format!(
                "{shown} keeps another tuning: its {what} is {kept}, not {asked}; \
                 name another file or ask for the same"
            ))
        };
        let names = |axes: &[Axis]| {
            let axes: Vec<String> = axes
                .iter()
                .map(|axis| {
                    format!("{}={}..{} from {}", axis.name, axis.least, axis.most, axis.start)
                })
                .collect();
            axes.join(", ")
        };
        if kept.format != FORMAT {
            return Err(other("format", &kept.format.to_string(), &FORMAT.to_string()));
        }
        if kept.evaluation != self.evaluation {
            return Err(other("match", &kept.evaluation, &self.evaluation));
        }
        if kept.axes != self.axes {
            return Err(other("list of parameters", &names(&kept.axes), &names(&self.axes)));
        }
        if kept.method != self.method {
            return Err(other("method", kept.method.name(), self.method.name()));
        }
        for (what, kept, asked) in [
            ("number of steps", kept.steps as u64, self.steps as u64),
            ("population", kept.population as u64, self.population as u64),
            ("number of seeds", kept.seeds, self.seeds),
            ("first seed", kept.first, self.first),
            ("seed of the evolution", kept.draws, self.draws),
        ] {
            if kept != asked {
                return Err(other(what, &kept.to_string(), &asked.to_string()));
            }
        }
        // Files from before measures had names used these two.
        let usual = if is_adversarial { GainMeasure::Points } else { GainMeasure::Mean };
        let measure = kept.measure.unwrap_or(usual);
        if let Some(asked) = self.measure.filter(|asked| *asked != measure) {
            return Err(other("unit of gains", measure.unit(), asked.unit()));
        }
        self.measure = Some(measure);
        self.held_out = kept.held_out;
        self.generations = kept.generations;
        self.looks = kept.looks;
        Ok(self)
    }

    /// Writes the file. It is written under another name first and then renamed, so that
    /// an interruption leaves either the old file or the new one.
    pub(crate) fn save(&self, path: &Path) -> Result<(), TuneError> {
        let text = serde_json::to_string_pretty(self).expect("a log has a JSON form");
        let beside = path.with_extension("part");
        let written =
            std::fs::write(&beside, text + "\n").and_then(|()| std::fs::rename(&beside, path));
        written
            .map_err(|error| TuneError::Failed(format!("cannot write {}: {error}", path.display())))
    }

    /// The number of boards that were run, and the number that would have been run had no
    /// candidate been dropped.
    pub fn boards(&self) -> (usize, usize) {
        let ran = |generation: &Generation| generation.ran.iter().sum::<usize>();
        let all = |generation: &Generation| {
            generation.ran.len() * generation.ran.iter().copied().max().unwrap_or(0)
        };
        (self.generations.iter().map(ran).sum(), self.generations.iter().map(all).sum())
    }
}
