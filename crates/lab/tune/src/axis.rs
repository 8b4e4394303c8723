//! A parameter that is tuned: its start, its range, and how its values are formatted.

use quintain_core::parameters::Kind;
use quintain_core::{AnyEntry, ParameterInfo, Spec, SpecError, did_you_mean};
use serde::{Deserialize, Serialize};

use crate::TuneError;

/// A parameter that is tuned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its value before tuning.
    pub start: f64,
    /// The first step, in the parameter's own unit.
    pub scale: f64,
    /// The least value that is tried.
    pub least: f64,
    /// The greatest value that is tried.
    pub most: f64,
    /// Whether only whole numbers are tried.
    pub whole: bool,
}

/// Without a range, the first step is this share of the value.
const SHARE: f64 = 0.3;
/// With a range, the first step is this share of the range.
const OF_RANGE: f64 = 0.2;

impl Axis {
    /// The value that is `steps` first steps from the start, within the range.
    pub(crate) fn value(&self, steps: f64) -> f64 {
        (self.start + self.scale * steps).clamp(self.least, self.most)
    }

    /// How many first steps from the start a value is.
    pub(crate) fn steps(&self, value: f64) -> f64 {
        (value - self.start) / self.scale
    }

    /// The text of a value in a player's spec, rounded to its significant digits.
    pub fn format_value(&self, value: f64) -> String {
        if self.whole {
            return format!("{:.0}", value.round().clamp(self.least.ceil(), self.most.floor()));
        }
        // Four significant digits: finer ones are noise, and people read specs too.
        let places = match value.abs().log10() {
            digits if digits.is_finite() => (3.0 - digits.floor()).clamp(0.0, 9.0) as usize,
            _ => 0,
        };
        let text = format!("{value:.places$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    }
}

/// Parses the parameters to be tuned, each `NAME` or `NAME=LEAST..MOST`, of a player in
/// canonical text.
///
/// # Errors
/// [`TuneError::Usage`] if the player has no such parameter, the parameter is not numeric, or the
/// range is malformed or does not contain the player's own value.
pub fn parse_axes(
    entry: &dyn AnyEntry,
    player: &str,
    wanted: &[String],
) -> Result<Vec<Axis>, TuneError> {
    let spec: Spec = player.parse().map_err(SpecError::from)?;
    let name = spec.path.rsplit('/').next().unwrap_or_default();
    let Some(known) = entry.players().into_iter().find(|known| known.name() == name) else {
        return Err(TuneError::Usage(format!(
            "{player} has no parameters: only players of {game}'s own roster declare them \
             (quintain \
             players {game}); of a program, compare two versions (quintain compare)",
            game = entry.name()
        )));
    };
    let mut axes: Vec<Axis> = Vec::new();
    for text in wanted {
        let axis = parse_axis(&spec, &known.parameters, text)?;
        if axes.iter().any(|other| other.name == axis.name) {
            return Err(TuneError::Usage(format!("parameter {} is named twice", axis.name)));
        }
        axes.push(axis);
    }
    Ok(axes)
}

fn parse_axis(spec: &Spec, declared: &[ParameterInfo], text: &str) -> Result<Axis, TuneError> {
    let (name, range) = match text.split_once('=') {
        Some((name, range)) => (name, Some(range)),
        None => (text, None),
    };
    let numeric = || declared.iter().filter(|known| is_number(known));
    let Some(known) = declared.iter().find(|known| known.name == name) else {
        let names: Vec<&str> = numeric().map(|known| known.name).collect();
        return Err(TuneError::Usage(match names.is_empty() {
            true => format!("{} has no numeric parameters", spec.path),
            false => did_you_mean("numeric parameter", name, names),
        }));
    };
    if !is_number(known) {
        let names: Vec<&str> = numeric().map(|known| known.name).collect();
        return Err(TuneError::Usage(match names.is_empty() {
            true => format!(
                "parameter {name} is not numeric, and {} has no numeric parameters",
                spec.path
            ),
            false => format!(
                "parameter {name} is not numeric; those of {} that are: {}",
                spec.path,
                names.join(", ")
            ),
        }));
    }
    let given = spec.arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let start = given.unwrap_or(&known.default).parse().unwrap_or(0.0);
    let (mut least, mut most) = match &known.range {
        Some((least, most)) => (number(least), number(most)),
        None => (f64::MIN, f64::MAX),
    };
    let mut scale = SHARE * f64::abs(start).max(1.0);
    if let Some(range) = range {
        let bounds = range.split_once("..").and_then(|(low, high)| {
            Some((low.trim().parse::<f64>().ok()?, high.trim().parse::<f64>().ok()?))
        });
        let Some((low, high)) = bounds.filter(|(low, high)| low < high) else {
            return Err(TuneError::Usage(format!(
                "--param {text}: expected a range such as {name}=0..100"
            )));
        };
        if low < least || high > most {
            return Err(TuneError::Usage(format!(
                "--param {text}: {name} can be from {least} to {most}"
            )));
        }
        if !(low..=high).contains(&start) {
            return Err(TuneError::Usage(format!(
                "--param {text}: {name} begins at {start}, which is not in it"
            )));
        }
        (least, most, scale) = (low, high, OF_RANGE * (high - low));
    }
    let whole = known.kind == Kind::Integer;
    Ok(Axis { name: name.to_owned(), start, scale, least, most, whole })
}

fn is_number(known: &ParameterInfo) -> bool {
    matches!(known.kind, Kind::Integer | Kind::Real)
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn of(player: &str, wanted: &str) -> Result<Axis, String> {
        let entry = Arc::new(quintain_tron::entry());
        let axes = parse_axes(&entry, player, &[wanted.to_owned()]);
        axes.map(|mut axes| axes.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_axis_begins_at_the_players_value_and_keeps_to_its_range() {
        let axis = of("improved?wall_penalty=-500", "wall_penalty=-1000..0").unwrap();
        assert_eq!((axis.start, axis.scale, axis.whole), (-500.0, 200.0, true));
        assert_eq!((axis.value(10.0), axis.value(-10.0), axis.value(1.0)), (0.0, -1000.0, -300.0));
        assert_eq!(axis.steps(axis.value(1.0)), 1.0);
        let axis = of("improved", "steps").unwrap();
        assert_eq!((axis.start, axis.least, axis.most), (3.0, 1.0, 8.0));
    }

    #[test]
    fn whole_numbers_are_written_whole_and_others_with_four_digits() {
        let mut axis = of("improved", "steps").unwrap();
        assert_eq!(
            (axis.format_value(2.6), axis.format_value(8.0)),
            ("3".to_owned(), "8".to_owned())
        );
        axis.whole = false;
        assert_eq!(axis.format_value(2.34567), "2.346");
        assert_eq!(axis.format_value(-1234.56), "-1235");
        assert_eq!(axis.format_value(0.000_123_456), "0.0001235");
        assert_eq!(axis.format_value(0.0), "0");
        assert_eq!(axis.format_value(100.0), "100");
    }

    #[test]
    fn an_unknown_parameter_lists_what_can_be_tuned() {
        assert!(of("improved", "step").unwrap_err().contains("did you mean “steps”"));
        let said = of("improved", "order").unwrap_err();
        assert!(said.contains("is not numeric") && said.contains("steps"), "{said}");
        let said = of("space", "hug").unwrap_err();
        assert_eq!(said, "parameter hug is not numeric, and space has no numeric parameters");
        assert!(of("improved", "steps=5").unwrap_err().contains("expected a range"));
        assert!(of("improved", "steps=4..8").unwrap_err().contains("begins at 3"));
        assert!(of("improved", "steps=0..8").unwrap_err().contains("from 1 to 8"));
        assert!(of("random", "steps").unwrap_err().contains("no numeric parameters"));
    }
}
