//! How a verdict is reached. Each part of a claim is an estimate with an interval, and the value
//! that it should have if the source is right. The p-values of a claim's parts are corrected for
//! their number (Holm 1979), so that a verdict is wrong in at most one of twenty runs, however many
//! parts it depends on.

use quintain_stats::simultaneous::holm;
use serde::{Deserialize, Serialize};

use crate::estimate::{Estimate, Method};

/// The accepted probability of a wrong verdict.
const RISK: f64 = 0.05;

/// The value that a figure should have if the source is right.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ExpectedValue {
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
    /// At most this value without exception, whatever the interval.
    AtMost(f64),
    /// Any value: the figure is reported but decides nothing.
    Anything,
}

/// Who set the boundary that a figure is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Threshold {
    /// The source: a figure it gives, or the side on which it says something lies.
    Source,
    /// We did: how much we take its words (“slightly”, “much”, “most”) or the scatter about its
    /// figure to allow.
    Ours,
}

/// A measured figure and the value that it should have.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measurement {
    /// What is measured, in a few words.
    pub what: String,
    /// The measured value, with its interval.
    pub estimate: Estimate,
    /// The value that it should have.
    pub expected: ExpectedValue,
    /// Who set the boundary.
    pub threshold: Threshold,
    /// The smallest effect that we would call noticeable, where the figure is an effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noticeable: Option<f64>,
}

/// The figures of one experiment.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measurements {
    /// The figures.
    pub parts: Vec<Measurement>,
    /// Whether the source states a bound, which can hold without being reached.
    pub is_bound: bool,
    /// The reason why the claim cannot be decided whatever the figures are, if there is one.
    pub undecidable: Option<String>,
    /// The reason why the source's figures cannot be compared with ours, if there is one.
    pub incomparable: Option<String>,
}

impl Measurements {
    /// Makes an empty set of figures.
    pub fn new() -> Measurements {
        Measurements::default()
    }

    /// Adds a figure, which is compared with what the source says.
    pub fn part(
        self,
        what: impl Into<String>,
        estimate: Estimate,
        expected: ExpectedValue,
    ) -> Self {
        self.with(what, estimate, expected, Threshold::Source)
    }

    /// Adds a figure, which is compared with our reading of what the source says.
    pub fn reading(
        self,
        what: impl Into<String>,
        estimate: Estimate,
        expected: ExpectedValue,
    ) -> Self {
        self.with(what, estimate, expected, Threshold::Ours)
    }

    /// Adds a figure that decides nothing.
    pub fn with_figure(self, what: impl Into<String>, estimate: Estimate) -> Self {
        self.part(what, estimate, ExpectedValue::Anything)
    }

    fn with(
        mut self,
        what: impl Into<String>,
        estimate: Estimate,
        expected: ExpectedValue,
        threshold: Threshold,
    ) -> Self {
        let (what, noticeable) = (what.into(), None);
        self.parts.push(Measurement { what, estimate, expected, threshold, noticeable });
        self
    }

    /// Says that the deciding figures so far are effects, and how large an effect has to be to be
    /// noticed.
    pub fn noticed_from(mut self, least: f64) -> Self {
        for part in self.parts.iter_mut().filter(|part| part.decides()) {
            part.noticeable = Some(least);
        }
        self
    }

    /// Says that the claim is that something never exceeds a bound.
    pub fn of_a_bound(self) -> Self {
        Measurements { is_bound: true, ..self }
    }

    /// Adds the reason why the claim cannot be decided.
    pub fn undecidable(mut self, why: impl Into<String>) -> Self {
        self.undecidable = Some(why.into());
        self
    }

    /// Adds the reason why the source's figures and ours cannot be compared: another
    /// machine, lost sequences, lost opponents. How a player does beside others is a claim about
    /// these others too.
    pub fn not_comparable(mut self, why: impl Into<String>) -> Self {
        self.incomparable = Some(why.into());
        self
    }
}

/// Whether the source is right.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClaimVerdict {
    /// The figures are certainly as the source says.
    Agrees,
    /// The source gives a figure, or says that something always or never happens, and what was
    /// measured is what one would see if it is right.
    NotContradicted,
    /// The source states a bound, and nothing exceeded it.
    BoundHolds,
    /// The source states an effect, and it is certainly too small to be noticed.
    NoNoticeableEffect,
    /// The figures are certainly not as the source says.
    Differs,
    /// The figures are not about the same thing, for this reason.
    NotComparable(String),
    /// The claim cannot be decided, for this reason.
    Undecided(String),
}

impl std::fmt::Display for ClaimVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClaimVerdict::Agrees => f.write_str("agrees"),
            ClaimVerdict::NotContradicted => f.write_str("not contradicted"),
            ClaimVerdict::NoNoticeableEffect => f.write_str("no noticeable effect"),
            ClaimVerdict::BoundHolds => f.write_str("bound holds"),
            ClaimVerdict::Differs => f.write_str("differs"),
            ClaimVerdict::NotComparable(why) => write!(f, "not comparable: {why}"),
            ClaimVerdict::Undecided(why) => write!(f, "cannot be decided: {why}"),
        }
    }
}

impl Measurement {
    /// Whether the figure decides anything.
    pub fn decides(&self) -> bool {
        self.expected != ExpectedValue::Anything
    }

    /// What a figure without exception says: a sample without one is no proof that there are none.
    fn without_exception(&self, holds: bool) -> (Says, f64) {
        match holds {
            false => (Says::Fails, 0.0),
            true if self.estimate.method == Method::Counted => (Says::Holds, 0.0),
            true => (Says::Unbroken, 0.0),
        }
    }

    /// Whether the figure is an effect that is certainly too small to be noticed. Both one-sided
    /// tests against the smallest noticeable effect reject (Schuirmann 1987).
    fn is_negligible(&self) -> bool {
        let Estimate { low, high, .. } = self.estimate;
        self.noticeable.is_some_and(|least| -least < low && high < least)
    }

    /// What the figure says by itself, and how probable a figure at least as far off is if the
    /// opposite is true.
    fn says(&self) -> (Says, f64) {
        let estimate = &self.estimate;
        let value = estimate.value;
        if value.is_nan() {
            return (Says::Nothing, 1.0);
        }
        let side = |holds: bool| if holds { Says::Holds } else { Says::Fails };
        match self.expected {
            ExpectedValue::Above(least) => (side(value > least), estimate.p_value(least)),
            ExpectedValue::Below(most) => (side(value < most), estimate.p_value(most)),
            ExpectedValue::Between(least, most) => {
                let (to_least, to_most) = (estimate.p_value(least), estimate.p_value(most));
                if value < least {
                    (Says::Fails, to_least)
                } else if value > most {
                    (Says::Fails, to_most)
                } else {
                    (Says::Holds, to_least.max(to_most))
                }
            }
            // A figure cannot be shown to be right, only to be wrong.
            ExpectedValue::Equal(figure) => (Says::Fits, estimate.p_value(figure)),
            ExpectedValue::Always(figure) => self.without_exception(value == figure),
            ExpectedValue::AtMost(most) => self.without_exception(value <= most),
            ExpectedValue::Anything => (Says::Nothing, 1.0),
        }
    }
}

/// What a figure says of its part of the claim.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Says {
    /// It holds, as the source says.
    Holds,
    /// It does not hold.
    Fails,
    /// It holds, unless the figure is improbably far off.
    Fits,
    /// It held without exception in what was sampled.
    Unbroken,
    /// Nothing was measured.
    Nothing,
}

impl Measurements {
    /// The parts that decide.
    pub(crate) fn deciding(&self) -> impl Iterator<Item = &Measurement> {
        self.parts.iter().filter(|part| part.decides())
    }

    /// How the claim was tested, in words, and for how many parts the p-values are adjusted.
    pub fn describe_test(&self) -> String {
        let uncertain = |part: &&Measurement| {
            part.estimate.method != Method::Counted
                && !matches!(part.expected, ExpectedValue::Always(_) | ExpectedValue::AtMost(_))
        };
        let mut text = self.describe_methods();
        match self.deciding().filter(uncertain).count() {
            0 | 1 => {}
            parts => text += &format!("; Holm over {parts} parts"),
        }
        text
    }

    /// By which methods the parts that decide were tested, each once.
    pub(crate) fn describe_methods(&self) -> String {
        let mut methods: Vec<String> = Vec::new();
        for part in self.deciding() {
            let method = match part.expected {
                ExpectedValue::Always(_) | ExpectedValue::AtMost(_)
                    if part.estimate.method != Method::Counted =>
                {
                    "every match counted".to_owned()
                }
                _ => part.estimate.method.to_string(),
            };
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        methods.join(", ")
    }

    /// The verdict: the claim agrees if all figures are as expected, and differs if one certainly
    /// is not. “Certainly” is judged by p-values that hold for all parts at once.
    pub fn verdict(&self) -> ClaimVerdict {
        if let Some(why) = &self.incomparable {
            return ClaimVerdict::NotComparable(why.clone());
        }
        if let Some(why) = &self.undecidable {
            return ClaimVerdict::Undecided(why.clone());
        }
        let said: Vec<(&str, (Says, f64))> =
            self.deciding().map(|part| (part.what.as_str(), part.says())).collect();
        if said.is_empty() {
            return ClaimVerdict::Undecided("nothing was measured that could decide it".to_owned());
        }
        let adjusted = holm(&said.iter().map(|(_, (_, p))| *p).collect::<Vec<f64>>());
        let (mut open, mut is_shown) = (Vec::new(), true);
        for ((what, (says, _)), p) in said.iter().zip(adjusted) {
            match (says, p < RISK) {
                (Says::Fails | Says::Fits, true) => return ClaimVerdict::Differs,
                (Says::Fits, false) | (Says::Unbroken, _) => is_shown = false,
                (Says::Holds, true) => {}
                (Says::Holds | Says::Fails, false) | (Says::Nothing, _) => open.push(*what),
            }
        }
        match open.as_slice() {
            [] if self.is_bound => ClaimVerdict::BoundHolds,
            [] if is_shown => ClaimVerdict::Agrees,
            [] => ClaimVerdict::NotContradicted,
            // Where a part certainly holds there is an effect, however small.
            open if open.len() == said.len() && self.deciding().all(Measurement::is_negligible) => {
                ClaimVerdict::NoNoticeableEffect
            }
            [_] if said.len() == 1 => {
                ClaimVerdict::Undecided("the interval includes the boundary".to_owned())
            }
            open => {
                let which = open.join("”, “");
                ClaimVerdict::Undecided(format!("“{which}” may be on either side of the boundary"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(low: f64, high: f64, expected: ExpectedValue) -> ClaimVerdict {
        let estimate = Estimate::new(f64::midpoint(low, high), low, high, 10);
        Measurements::new().part("a figure", estimate, expected).verdict()
    }

    fn is_open(verdict: &ClaimVerdict) -> bool {
        matches!(verdict, ClaimVerdict::Undecided(_))
    }

    #[test]
    fn a_claim_of_more_agrees_only_when_the_whole_interval_is_above() {
        assert_eq!(verdict(1.0, 3.0, ExpectedValue::Above(0.0)), ClaimVerdict::Agrees);
        assert_eq!(verdict(-3.0, -1.0, ExpectedValue::Above(0.0)), ClaimVerdict::Differs);
        assert!(is_open(&verdict(-1.0, 3.0, ExpectedValue::Above(0.0))));
        assert_eq!(verdict(1.0, 3.0, ExpectedValue::Below(4.0)), ClaimVerdict::Agrees);
        assert!(is_open(&verdict(1.0, 5.0, ExpectedValue::Below(4.0))));
    }

    #[test]
    fn a_range_differs_only_when_the_interval_lies_outside() {
        assert_eq!(verdict(1.0, 3.0, ExpectedValue::Between(0.0, 4.0)), ClaimVerdict::Agrees);
        assert_eq!(verdict(5.0, 6.0, ExpectedValue::Between(0.0, 4.0)), ClaimVerdict::Differs);
        assert!(is_open(&verdict(3.0, 6.0, ExpectedValue::Between(0.0, 4.0))));
        assert!(is_open(&verdict(1.0, 6.0, ExpectedValue::Between(0.0, 4.0))));
    }

    #[test]
    fn a_figure_is_not_contradicted_while_the_interval_holds_it() {
        // Not being able to tell a figure from the source's is no proof that it is the source's.
        assert_eq!(verdict(1.0, 3.0, ExpectedValue::Equal(2.9)), ClaimVerdict::NotContradicted);
        assert_eq!(verdict(1.0, 3.0, ExpectedValue::Equal(3.1)), ClaimVerdict::Differs);
    }

    #[test]
    fn what_holds_always_admits_no_exception() {
        let share =
            |of| Measurements::new().part("held", of, ExpectedValue::Always(100.0)).verdict();
        assert_eq!(share(Estimate::share(500, 500)), ClaimVerdict::NotContradicted);
        assert_eq!(share(Estimate::share(499, 500)), ClaimVerdict::Differs);
        assert_eq!(share(Estimate::exact(100.0)), ClaimVerdict::Agrees);
    }

    #[test]
    fn an_effect_too_small_to_be_noticed_is_told_from_one_that_few_matches_leave_open() {
        let of = |low: f64, high: f64| {
            let effect = Estimate::new(f64::midpoint(low, high), low, high, 400);
            let measured = Measurements::new().part("gain", effect, ExpectedValue::Above(0.0));
            measured.noticed_from(10.0).with_figure("mean", Estimate::exact(2000.0)).verdict()
        };
        assert_eq!(of(-2.0, 6.0), ClaimVerdict::NoNoticeableEffect);
        assert!(is_open(&of(-5.0, 11.0)));
        // The source is right about the side, however small the effect is.
        assert_eq!(of(1.0, 6.0), ClaimVerdict::Agrees);
        assert_eq!(of(-6.0, -1.0), ClaimVerdict::Differs);
        let small = |low: f64, high: f64| Estimate::new(f64::midpoint(low, high), low, high, 400);
        let above = ExpectedValue::Above(0.0);
        let one = Measurements::new().part("a", small(1.0, 3.0), above);
        assert!(is_open(&one.part("b", small(-2.0, 6.0), above).noticed_from(10.0).verdict()));
    }

    #[test]
    fn bounds_are_reported_as_kept_or_broken() {
        let of = |value: f64| {
            let most = ExpectedValue::AtMost(840.0);
            Measurements::new().part("ways", Estimate::exact(value), most).of_a_bound().verdict()
        };
        assert_eq!(of(316.0), ClaimVerdict::BoundHolds);
        assert_eq!(of(840.0), ClaimVerdict::BoundHolds);
        assert_eq!(of(841.0), ClaimVerdict::Differs);
    }

    #[test]
    fn one_part_that_certainly_fails_decides_and_an_open_one_leaves_open() {
        let near = Estimate::new(1.0, 0.8, 1.2, 9);
        let open = Estimate::new(1.0, -0.5, 2.5, 9);
        let both = |a: Estimate, b: Estimate| {
            let above = ExpectedValue::Above(0.0);
            Measurements::new().part("a", a, above).part("b", b, above).verdict()
        };
        assert_eq!(both(near, near), ClaimVerdict::Agrees);
        assert_eq!(both(open, Estimate::new(-1.0, -1.5, -0.5, 9)), ClaimVerdict::Differs);
        let ClaimVerdict::Undecided(why) = both(near, open) else { panic!("it is open") };
        assert!(why.contains("“b”"), "{why}");
    }

    #[test]
    fn a_true_claim_of_many_parts_is_seldom_called_wrong() {
        // Ten figures that are as the source has them: without correction, in two of five runs at
        // least one would have an interval that misses it.
        let mut rng = quintain_core::Rng::from_seed(1);
        let mut wrong = 0;
        for _ in 0..400 {
            let mut measured = Measurements::new();
            for part in 0..10 {
                // The sum of twelve uniforms minus six is normal enough.
                let mut draw = || (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
                let figure = Estimate::mean((0..20).map(|_| draw()));
                measured = measured.part(format!("{part}"), figure, ExpectedValue::Equal(0.0));
            }
            wrong += u32::from(measured.verdict() == ClaimVerdict::Differs);
        }
        // 5 % of 400, and three standard deviations.
        assert!(wrong <= 33, "{wrong} of 400");
    }

    #[test]
    fn a_reason_against_deciding_comes_before_all_figures() {
        let near = Estimate::new(1.0, 0.5, 1.5, 9);
        let above = || Measurements::new().part("a", near, ExpectedValue::Above(0.0));
        assert_eq!(above().undecidable("late").verdict(), ClaimVerdict::Undecided("late".into()));
        assert_eq!(
            above().not_comparable("lost").verdict(),
            ClaimVerdict::NotComparable("lost".into())
        );
        assert!(is_open(&Measurements::new().with_figure("a", near).verdict()));
        assert!(is_open(
            &Measurements::new().part("a", Estimate::mean([]), ExpectedValue::Above(0.0)).verdict()
        ));
    }

    #[test]
    fn the_test_is_named_with_its_correction() {
        let mean = Estimate::new(1.0, 0.5, 1.5, 9);
        let measured = Measurements::new()
            .part("a", mean, ExpectedValue::Above(0.0))
            .reading("b", mean, ExpectedValue::Below(3.0))
            .part("c", Estimate::exact(1.0), ExpectedValue::Always(1.0))
            .with_figure("d", Estimate::share(1, 2));
        assert_eq!(measured.describe_test(), "Student's t, counted; Holm over 2 parts");
    }
}
