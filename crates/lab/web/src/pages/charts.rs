//! Charts as SVG inside pages: intervals, distributions, pairs, evidence. Each describes in words
//! what it shows; colours come from the style sheet.

use maud::{Markup, html};
use quintain_stats::quantile;

use super::frame::figure;

/// A scale that maps values to positions.
#[derive(Clone, Copy)]
pub struct Scale {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
    is_logarithmic: bool,
}

/// The ratio of the greatest to the least value from which the scale is logarithmic: on a linear
/// one, a single outlier would leave no room for the others.
const WIDE_RANGE: f64 = 100.0;

impl Scale {
    /// Maps the range of the values to positions from `from` to `to`, logarithmically if all are
    /// positive and far apart. An empty range is placed in the middle.
    pub(crate) fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (least, most) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let is_logarithmic = least > 0.0 && most / least >= WIDE_RANGE;
        let (least, most) = match least < most {
            true => (least, most),
            false if least.is_finite() => {
                let half = least.abs().max(1.0) / 2.0;
                (least - half, least + half)
            }
            false => (0.0, 1.0),
        };
        Scale { least, most, from, to, is_logarithmic }
    }

    /// Maps the range of the values to the width of the drawing of an interval.
    pub fn of_intervals(values: impl Iterator<Item = f64>) -> Scale {
        Scale::new(values, 4.0, WIDE - 4.0)
    }

    fn at(&self, value: f64) -> f64 {
        let place = self.from + self.share(value) * (self.to - self.from);
        (place * 10.0).round() / 10.0
    }

    /// Returns how far along the scale a value is: 0 for the least, 1 for the greatest.
    fn share(&self, value: f64) -> f64 {
        // An interval may extend beyond the ends.
        let value = value.clamp(self.least, self.most);
        if self.is_logarithmic {
            (value / self.least).ln() / (self.most / self.least).ln()
        } else {
            (value - self.least) / (self.most - self.least)
        }
    }

    /// Returns a few round values along the scale.
    fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let powers = self.least.log10().ceil() as i32..=self.most.log10().floor() as i32;
            return powers.map(|power| 10f64.powi(power)).collect();
        }
        let rough = (self.most - self.least) / 4.0;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|n| n * power);
        let along =
            |step: f64| (self.least / step).ceil() as i64..=(self.most / step).floor() as i64;
        let place = steps.iter().position(|step| *step >= rough).unwrap_or(steps.len() - 1);
        // Fewer than three could be a zero alone, which tells no size.
        let tells = |step: &&f64| along(**step).count() >= 3;
        let step = *steps[..=place].iter().rev().find(tells).unwrap_or(&steps[0]);
        along(step).map(|n| n as f64 * step).collect()
    }
}

/// Width of the drawing of an interval.
pub(super) const WIDE: f64 = 180.0;

/// Draws a value with its interval on a common scale; a line marks the zero of the scale.
pub fn interval(scale: &Scale, value: f64, bounds: Option<(f64, f64)>) -> Markup {
    let label = match bounds {
        Some((low, high)) => {
            format!("{}, 95 % interval {} to {}", figure(value), figure(low), figure(high))
        }
        None => figure(value),
    };
    html! {
        svg class="interval" viewBox="0 0 180 20" role="img" aria-label=(label) {
            title { (label) }
            @if !scale.is_logarithmic && scale.least <= 0.0 && scale.most >= 0.0 {
                line class="zero" x1=(scale.at(0.0)) x2=(scale.at(0.0)) y1="0" y2="20" {}
            }
            @if let Some((low, high)) = bounds {
                path class="bar" d={
                    "M" (scale.at(low)) " 10H" (scale.at(high))
                    "M" (scale.at(low)) " 5v10M" (scale.at(high)) " 5v10"
                } {}
            }
            circle class="point" cx=(scale.at(value)) cy="10" r="4" {}
        }
    }
}

/// Size of the drawing of a course, and the distance of the line from its edges.
const COURSE: (f64, f64) = (90.0, 20.0);
const EDGE: f64 = 3.0;

/// Draws the course of a value over time as a small line, with a dot at its end; nothing, if there
/// are fewer than two values. `label` says in words what it shows.
pub fn sparkline(values: &[f64], label: &str) -> Markup {
    let (wide, high) = COURSE;
    let up = Scale::new(values.iter().copied(), high - EDGE, EDGE);
    let step = (wide - 2.0 * EDGE) / (values.len().max(2) - 1) as f64;
    let point = |(at, value): (usize, &f64)| (EDGE + at as f64 * step, up.at(*value));
    let points: Vec<(f64, f64)> = values.iter().enumerate().map(point).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    html! {
        @if let [_, .., (x, y)] = points[..] {
            svg class="sparkline" viewBox=(format!("0 0 {wide} {high}")) role="img"
                aria-label=(label) {
                title { (label) }
                polyline points=(line.join(" ")) {}
                circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="2.5" {}
            }
        }
    }
}

/// Scores of which there are no more than this spread over nothing worth drawing: win, draw and
/// loss.
const FEW_SCORES: usize = 3;

/// Whether there are so many different scores that a drawing of them shows something.
pub(super) fn are_spread(scores: impl Iterator<Item = f64>) -> bool {
    let mut all: Vec<f64> = scores.collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    all.len() > FEW_SCORES
}

/// Number of bars in a histogram.
const BINS: usize = 24;
/// Width and height of the drawing of a player's distribution.
const SPREAD: f64 = 420.0;
const TALL: f64 = 46.0;

/// Draws how often each score occurred as a histogram, and below it a box from the first to the
/// third quartile with the median; the whiskers reach to the least and greatest.
pub(super) fn distribution(scale: &Scale, sorted: &[f64]) -> Markup {
    if sorted.is_empty() {
        return html! {};
    }
    let mut counts = [0usize; BINS];
    for value in sorted {
        counts[((scale.share(*value) * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let highest = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let width = (scale.to - scale.from) / BINS as f64;
    let bars: String = (0..)
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(bin, count): (u32, usize)| {
            let height = (count as f64 / highest * 28.0 * 10.0).round() / 10.0;
            let x = ((scale.from + f64::from(bin) * width) * 10.0).round() / 10.0;
            format!("M{x} 30v-{height}h{:.1}v{height}z", width - 1.0)
        })
        .collect();
    let [low, median, high] = [0.25, 0.5, 0.75].map(|share| quantile(sorted, share));
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let label = format!(
        "{} scores from {} to {}, quartiles {}, {} and {}",
        sorted.len(),
        figure(least),
        figure(most),
        figure(low),
        figure(median),
        figure(high)
    );
    let [least, low, median, high, most] = [least, low, median, high, most].map(|v| scale.at(v));
    html! {
        svg class="spread" viewBox={ "0 0 " (SPREAD) " " (TALL) } role="img" aria-label=(label) {
            title { (label) }
            path class="bars" d=(bars) {}
            path class="whisker"
                d={ "M" (least) " 38H" (most) "M" (least) " 34v8M" (most) " 34v8" } {}
            rect class="box" x=(low) y="33" width=((high - low).max(1.0)) height="10" {}
            path class="median" d={ "M" (median) " 31v14" } {}
        }
    }
}

/// Returns the scale for a scenario's distributions.
pub(super) fn spread_scale(values: impl Iterator<Item = f64>) -> Scale {
    Scale::new(values, 6.0, SPREAD - 6.0)
}

/// Draws the axis of a scale, with the least and greatest score.
pub(super) fn ends(scale: &Scale) -> Markup {
    html! {
        div class="ends" {
            span { (figure(scale.least)) }
            span class="unit" { "score" @if scale.is_logarithmic { ", logarithmic" } }
            span { (figure(scale.most)) }
        }
    }
}

/// Maximum number of dots drawn.
const DOTS: usize = 2000;

/// Maximum number of letters of a player's name on an axis.
const NAMED: usize = 40;

/// Draws pairs of scores as dots; on the diagonal both are equal.
pub(super) fn scatter(pairs: &[(f64, f64)], across: &str, up: &str) -> Markup {
    let values = || pairs.iter().flat_map(|(a, b)| [*a, *b]);
    let x = Scale::new(values(), 54.0, 386.0);
    let y = Scale::new(values(), 346.0, 14.0);
    let every = pairs.len().div_ceil(DOTS).max(1);
    let dots: String =
        pairs.iter().step_by(every).map(|(a, b)| format!("M{} {}h0", x.at(*a), y.at(*b))).collect();
    let label = format!("{} pairs of scores: {across} across, {up} upwards", pairs.len());
    let axis =
        |player: &str| format!("score of {}", player.chars().take(NAMED).collect::<String>());
    html! {
        figure class="scatter" {
            svg viewBox="-16 0 430 396" role="img" aria-label=(label) {
                title { (label) }
                path class="zero" d="M54 346L386 14" {}
                path class="frame" d="M54 14v332h332" {}
                @for tick in x.ticks() {
                    path class="frame" d={ "M" (x.at(tick)) " 346v5M54 " (y.at(tick)) "h-5" } {}
                    text x=(x.at(tick)) y="366" text-anchor="middle" { (figure(tick)) }
                    text x="46" y=(y.at(tick) + 4.0) text-anchor="end" { (figure(tick)) }
                }
                text x="220" y="388" text-anchor="middle" { (axis(across)) }
                text x="-4" y="180" text-anchor="middle" transform="rotate(-90 -4 180)" {
                    (axis(up))
                }
                path class="dots" d=(dots) {}
            }
            figcaption {
                "Across: " (across) ", upwards: " (up)
                ". Below the line the first has the higher score."
                @if x.is_logarithmic { " Both are logarithmic." }
                @if every > 1 { " Every " (every) "th pair is drawn." }
            }
        }
    }
}

/// The evidence after some matches, as natural logarithms.
#[derive(Clone, Copy)]
pub(super) struct Evidence {
    pub(super) matches: u64,
    /// That the first player is better.
    pub(super) better: f64,
    /// That it is worse.
    pub(super) worse: f64,
}

impl Evidence {
    /// Returns the larger evidence of the two, positive for the first player; the other is then
    /// close to nothing.
    fn signed(self) -> f64 {
        if self.better >= self.worse { self.better.max(0.0) } else { -self.worse.max(0.0) }
    }
}

/// Maximum number of points of a curve.
const POINTS: usize = 600;

/// Draws how evidence grew with matches: upwards for the first player, downwards for the second.
/// The lines at `decisive`, of the same unit, are those at which there is a verdict.
pub(super) fn evidence(course: &[Evidence], decisive: f64, [first, second]: [&str; 2]) -> Markup {
    let Some(last) = course.last() else { return html! {} };
    let every = course.len().div_ceil(POINTS);
    let mut curve: Vec<Evidence> = course.iter().skip(every - 1).step_by(every).copied().collect();
    if curve.last().is_none_or(|point| point.matches < last.matches) {
        curve.push(*last);
    }
    // Evidence that goes far beyond the verdict would leave no room for how it came to it.
    let largest = course.iter().map(|point| point.signed().abs()).fold(0.0, f64::max);
    let most = (1.1 * largest).clamp(1.5 * decisive, 4.0 * decisive);
    let x = Scale::new([0.0, last.matches as f64].into_iter(), 62.0, 632.0);
    let y = Scale::new([-most, most].into_iter(), 226.0, 14.0);
    let points: String = curve
        .iter()
        .map(|point| format!("L{} {}", x.at(point.matches as f64), y.at(point.signed())))
        .collect();
    let times = |size: f64| figure(size.exp().round());
    let label = format!(
        "Evidence over {} matches: at the end {} times as likely if {} is better; {} times decide",
        last.matches,
        figure(last.signed().abs().exp()),
        if last.signed() >= 0.0 { first } else { second },
        times(decisive)
    );
    let short = |player: &str| player.chars().take(NAMED).collect::<String>();
    html! {
        figure class="evidence" {
            svg viewBox="0 0 640 272" role="img" aria-label=(label) {
                title { (label) }
                path class="frame" d="M62 14v212h570" {}
                path class="even" d={ "M62 " (y.at(0.0)) "H632" } {}
                path class="decisive"
                    d={ "M62 " (y.at(decisive)) "H632M62 " (y.at(-decisive)) "H632" } {}
                @for place in [decisive, 0.0, -decisive] {
                    text x="54" y=(y.at(place) + 4.0) text-anchor="end" {
                        "×" (times(place.abs()))
                    }
                }
                @for tick in x.ticks() {
                    path class="frame" d={ "M" (x.at(tick)) " 226v5" } {}
                    // Beyond the edge nothing is drawn.
                    @let anchor = if x.at(tick) > 600.0 { "end" } else { "middle" };
                    @let at = if x.at(tick) > 600.0 { 638.0 } else { x.at(tick) };
                    text x=(at) y="244" text-anchor=(anchor) { (figure(tick)) }
                }
                text x="347" y="266" text-anchor="middle" { "matches" }
                text class="side" x="70" y="30" { (short(first)) " is better ↑" }
                text class="side" x="70" y="218" { (short(second)) " is better ↓" }
                path class="curve" d={ "M" (x.at(0.0)) " " (y.at(0.0)) (points) } {}
            }
        }
    }
}

/// A version on the course of a program.
pub(super) struct Milestone<'a> {
    /// Its commit.
    pub(super) name: &'a str,
    pub(super) value: f64,
    /// The ends of its interval, as far as it has any.
    pub(super) ends: [Option<f64>; 2],
    /// Whether it is worse than the version before it.
    pub(super) fell: bool,
}

/// The most names of versions along the axis.
const NAMED_VERSIONS: usize = 9;

/// Draws how a value changed from version to version, each with its interval. `label` says in words
/// what it shows.
pub(super) fn course(milestones: &[Milestone<'_>], label: &str) -> Markup {
    let ends = |one: &Milestone<'_>| one.ends.map(|end| end.unwrap_or(one.value));
    let values = milestones.iter().flat_map(ends).chain([0.0]);
    let up = Scale::new(values, 212.0, 20.0);
    let step = 520.0 / (milestones.len().max(2) - 1) as f64;
    let across = |at: usize| ((86.0 + at as f64 * step) * 10.0).round() / 10.0;
    let all = || milestones.iter().enumerate();
    let line = all().map(|(at, one)| format!("{} {}", across(at), up.at(one.value)));
    let line = line.collect::<Vec<_>>().join("L");
    let every = milestones.len().div_ceil(NAMED_VERSIONS).max(1);
    html! {
        figure class="evidence course" {
            svg viewBox="0 0 640 272" role="img" aria-label=(label) {
                title { (label) }
                path class="frame" d="M62 14v212h570" {}
                path class="even" d={ "M62 " (up.at(0.0)) "H632" } {}
                @for tick in up.ticks() {
                    path class="frame" d={ "M62 " (up.at(tick)) "h-5" } {}
                    text x="54" y=(up.at(tick) + 4.0) text-anchor="end" { (figure(tick)) }
                }
                path class="curve" d={ "M" (line) } {}
                @for (at, one) in all() {
                    @let (x, [low, high]) = (across(at), ends(one));
                    path class="bar" d={ "M" (x) " " (up.at(low)) "V" (up.at(high)) } {}
                    circle class=(if one.fell { "point fell" } else { "point" })
                        cx=(x) cy=(up.at(one.value)) r=(if one.fell { 6 } else { 4 }) {}
                    @if at % every == 0 || one.fell {
                        // A narrow screen has room for every other name.
                        @let is_spare = !one.fell && at % (2 * every) != 0;
                        text class=[is_spare.then_some("spare")] x=(x)
                            y=(if one.fell { 266 } else { 244 }) text-anchor="middle" {
                            (one.name)
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_shows_every_version_and_marks_where_it_fell() {
        let milestone = |name, value: f64, fell| {
            let ends = [Some(value - 5.0), Some(value + 5.0)];
            Milestone { name, value, ends, fell }
        };
        let all = [milestone("a1", 0.0, false), milestone("b2", 20.0, false)];
        let drawn = course(&all, "two versions").into_string();
        assert_eq!(drawn.matches("class=\"point\"").count(), 2, "{drawn}");
        let fell = [all[1].value, -30.0];
        let all = [milestone("b2", fell[0], false), milestone("c3", fell[1], true)];
        let drawn = course(&all, "a fall").into_string();
        let heights = drawn.split(" cy=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let heights: Vec<f64> = heights.map(|height| height.parse().unwrap()).collect();
        assert!(heights[0] < heights[1], "{heights:?}");
        assert!(drawn.contains("class=\"point fell\"") && drawn.contains(">c3<"), "{drawn}");
    }

    #[test]
    fn equal_values_are_in_the_middle_of_their_scale() {
        assert_eq!(Scale::new([5.0, 5.0].into_iter(), 0.0, 100.0).at(5.0), 50.0);
        assert_eq!(Scale::new([1.0, 3.0].into_iter(), 0.0, 100.0).at(1.5), 25.0);
        assert!(Scale::new(std::iter::empty(), 0.0, 1.0).at(0.5).is_finite());
    }

    #[test]
    fn an_outlier_leaves_room_to_the_others() {
        let scale = Scale::new([20.0, 40.0, 20_000.0].into_iter(), 0.0, 300.0);
        assert_eq!([20.0, 200.0, 20_000.0].map(|value| scale.at(value)), [0.0, 100.0, 300.0]);
        assert_eq!(scale.at(-5.0), 0.0, "the end of an interval below the least value");
        assert_eq!(scale.ticks(), [100.0, 1000.0, 10_000.0]);
        assert_eq!(Scale::new([0.0, 1.0].into_iter(), 0.0, 1.0).ticks(), [0.0, 0.5, 1.0]);
        let around_zero = Scale::new([-480.0, 480.0].into_iter(), 0.0, 1.0).ticks();
        assert_eq!(around_zero, [-400.0, -200.0, 0.0, 200.0, 400.0]);
    }

    #[test]
    fn axes_name_their_unit() {
        let drawn = scatter(&[(1.0, 2.0), (30.0, 4.0)], "one", &"x".repeat(60)).into_string();
        assert!(drawn.contains(">score of one<"), "{drawn}");
        assert!(drawn.contains(&format!(">score of {}<", "x".repeat(NAMED))), "{drawn}");
        for tick in [10, 20, 30] {
            assert_eq!(drawn.matches(&format!(">{tick}<")).count(), 2, "{tick}: {drawn}");
        }
        let axis = ends(&spread_scale([1.0, 5.0].into_iter())).into_string();
        assert!(axis.contains(">1<") && axis.contains(">score<") && axis.contains(">5<"), "{axis}");
    }

    #[test]
    fn the_evidence_is_drawn_for_whoever_it_speaks_for_and_stays_within_its_frame() {
        let point = |matches, better, worse| Evidence { matches, better, worse };
        let course = [point(2, 0.5, -0.7), point(4, -2.0, 1.5), point(6, 90.0, -90.0)];
        let drawn = evidence(&course, 3.7, ["one", "two"]).into_string();
        assert!(drawn.contains("Evidence over 6 matches"), "{drawn}");
        assert!(drawn.contains("if one is better; 40 times decide"), "{drawn}");
        let curve = drawn.split("class=\"curve\" d=\"M").nth(1).unwrap().split('"').next().unwrap();
        let heights = curve.split('L').map(|at| at.split(' ').nth(1).unwrap().parse().unwrap());
        let heights: Vec<f64> = heights.collect();
        let [start, up, down, top] = heights[..] else { panic!("{heights:?}") };
        assert!(start == 120.0 && up < start && down > start && top == 14.0, "{heights:?}");
    }

    #[test]
    fn a_histogram_has_a_bar_for_the_greatest_score_too() {
        let scale = spread_scale([0.0, 1.0].into_iter());
        let drawn = distribution(&scale, &[0.0, 1.0, 1.0]).into_string();
        assert!(drawn.contains("3 scores from 0 to 1"), "{drawn}");
        assert_eq!(drawn.matches("v-").count(), 2, "two bars: {drawn}");
    }
}
