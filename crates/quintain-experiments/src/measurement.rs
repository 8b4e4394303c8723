//! How a verdict is reached: each part of a claim is an estimate with an interval, and the
//! value that it should have if the source is right.

use serde::Serialize;

use crate::estimate::Estimate;

/// The value that a figure should have if the source is right.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// A value greater than this.
    Above(f64),
    /// A value less than this.
    Below(f64),
    /// A value from the first to the second.
    Between(f64, f64),
    /// This value, as far as the interval can tell.
    Equal(f64),
    /// This value without exception, whatever the interval.
    Always(f64),
    /// Any value: the figure is reported but decides nothing.
    Anything,
}

/// A measured figure and the value that it should have.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measurement {
    /// What is measured, in a few words.
    pub what: String,
    /// The measured value, with its interval.
    pub estimate: Estimate,
    /// The value that it should have.
    pub expected: Expected,
}

/// The figures of one experiment.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Measurements {
    /// The figures.
    pub parts: Vec<Measurement>,
    /// The reason why the claim cannot be decided whatever the figures are, if there is one.
    pub undecidable: Option<String>,
}

impl Measurements {
    /// No figures yet.
    pub fn new() -> Measurements {
        Measurements::default()
    }

    /// The same with one more figure.
    pub fn part(mut self, what: impl Into<String>, estimate: Estimate, expected: Expected) -> Self {
        self.parts.push(Measurement { what: what.into(), estimate, expected });
        self
    }

    /// The same with one more figure, which decides nothing.
    pub fn beside(self, what: impl Into<String>, estimate: Estimate) -> Self {
        self.part(what, estimate, Expected::Anything)
    }

    /// The same with a reason why the claim cannot be decided.
    pub fn undecidable(mut self, why: impl Into<String>) -> Self {
        self.undecidable = Some(why.into());
        self
    }
}

/// Whether the source is right.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// As the source says.
    Agrees,
    /// Not as the source says.
    Differs,
    /// It cannot be decided, for this reason.
    Undecided(String),
}

impl std::fmt::Display for ClaimVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClaimVerdict::Agrees => f.write_str("agrees"),
            ClaimVerdict::Differs => f.write_str("differs"),
            ClaimVerdict::Undecided(why) => write!(f, "cannot be decided: {why}"),
        }
    }
}

impl Measurement {
    /// Whether the figure is as expected; none if its interval reaches over the edge.
    pub fn holds(&self) -> Option<bool> {
        let Estimate { value, low, high, .. } = self.estimate;
        let sure = |inside: bool, outside: bool| match (inside, outside) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        match self.expected {
            Expected::Above(least) => sure(low > least, high <= least),
            Expected::Below(most) => sure(high < most, low >= most),
            Expected::Between(least, most) => {
                sure(least <= low && high <= most, high < least || most < low)
            }
            Expected::Equal(figure) => Some(low <= figure && figure <= high),
            Expected::Always(figure) => Some(value == figure),
            Expected::Anything => Some(true),
        }
    }
}

impl Measurements {
    /// The verdict: the claim agrees if all figures are as expected, and differs if one certainly is
    /// not.
    pub fn verdict(&self) -> ClaimVerdict {
        if let Some(why) = &self.undecidable {
            return ClaimVerdict::Undecided(why.clone());
        }
        let decides = |part: &&Measurement| part.expected != Expected::Anything;
        let mut open = Vec::new();
        for part in self.parts.iter().filter(decides) {
            match part.holds() {
                Some(true) => {}
                Some(false) => return ClaimVerdict::Differs,
                None => open.push(part.what.as_str()),
            }
        }
        if !self.parts.iter().any(|part| decides(&part)) {
            return ClaimVerdict::Undecided("nothing was measured that could decide it".to_owned());
        }
        match open.as_slice() {
            [] => ClaimVerdict::Agrees,
            [_] if self.parts.iter().filter(decides).count() == 1 => {
                ClaimVerdict::Undecided("the interval reaches over what the source says".to_owned())
            }
            open => {
                let which = open.join("”, “");
                ClaimVerdict::Undecided(format!("the interval of “{which}” reaches over the claim"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(low: f64, high: f64, expected: Expected) -> ClaimVerdict {
        let estimate = Estimate::new((low + high) / 2.0, low, high, 10);
        Measurements::new().part("a figure", estimate, expected).verdict()
    }

    fn is_open(verdict: &ClaimVerdict) -> bool {
        matches!(verdict, ClaimVerdict::Undecided(_))
    }

    #[test]
    fn a_claim_of_more_agrees_only_when_the_whole_interval_is_above() {
        assert_eq!(verdict(1.0, 3.0, Expected::Above(0.0)), ClaimVerdict::Agrees);
        assert_eq!(verdict(-3.0, -1.0, Expected::Above(0.0)), ClaimVerdict::Differs);
        assert!(is_open(&verdict(-1.0, 3.0, Expected::Above(0.0))));
        assert_eq!(verdict(1.0, 3.0, Expected::Below(4.0)), ClaimVerdict::Agrees);
        assert!(is_open(&verdict(1.0, 5.0, Expected::Below(4.0))));
    }

    #[test]
    fn a_range_differs_only_when_the_interval_lies_outside() {
        assert_eq!(verdict(1.0, 3.0, Expected::Between(0.0, 4.0)), ClaimVerdict::Agrees);
        assert_eq!(verdict(5.0, 6.0, Expected::Between(0.0, 4.0)), ClaimVerdict::Differs);
        assert!(is_open(&verdict(3.0, 6.0, Expected::Between(0.0, 4.0))));
    }

    #[test]
    fn a_figure_agrees_while_the_interval_holds_it() {
        assert_eq!(verdict(1.0, 3.0, Expected::Equal(2.9)), ClaimVerdict::Agrees);
        assert_eq!(verdict(1.0, 3.0, Expected::Equal(3.1)), ClaimVerdict::Differs);
    }

    #[test]
    fn what_holds_always_admits_no_exception() {
        let share = |of| Measurements::new().part("held", of, Expected::Always(100.0)).verdict();
        assert_eq!(share(Estimate::share(500, 500)), ClaimVerdict::Agrees);
        assert_eq!(share(Estimate::share(499, 500)), ClaimVerdict::Differs);
    }

    #[test]
    fn one_part_that_certainly_fails_decides_and_an_open_one_leaves_open() {
        let near = Estimate::new(1.0, 0.5, 1.5, 9);
        let open = Estimate::new(1.0, -0.5, 2.5, 9);
        let both = |a: Estimate, b: Estimate| {
            let above = Expected::Above(0.0);
            Measurements::new().part("a", a, above).part("b", b, above).verdict()
        };
        assert_eq!(both(near, near), ClaimVerdict::Agrees);
        assert_eq!(both(open, Estimate::new(-1.0, -2.0, -0.5, 9)), ClaimVerdict::Differs);
        let ClaimVerdict::Undecided(why) = both(near, open) else { panic!("it is open") };
        assert!(why.contains("“b”"), "{why}");
    }

    #[test]
    fn a_reason_against_deciding_comes_before_all_figures() {
        let near = Estimate::new(1.0, 0.5, 1.5, 9);
        let measured =
            Measurements::new().part("a", near, Expected::Above(0.0)).undecidable("lost");
        assert_eq!(measured.verdict(), ClaimVerdict::Undecided("lost".to_owned()));
        assert!(is_open(&Measurements::new().beside("a", near).verdict()));
    }
}
