//! Charts as SVG inside pages: intervals, distributions, pairs. Each says in words what
//! it shows; colours come from the style sheet.

use maud::{Markup, html};
use quintain_stats::quantile;

use super::figure;

/// A scale from values to places.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Takes the values' range to the places from `from` to `to`. A range of nothing is
    /// put into the middle.
    pub(super) fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (least, most) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        match least < most {
            true => Scale { least, most, from, to },
            false if least.is_finite() => {
                let half = least.abs().max(1.0) / 2.0;
                Scale { least: least - half, most: least + half, from, to }
            }
            false => Scale { least: 0.0, most: 1.0, from, to },
        }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value - self.least) / (self.most - self.least);
        ((self.from + share * (self.to - self.from)) * 10.0).round() / 10.0
    }
}

/// Width of an interval's picture.
pub(super) const WIDE: f64 = 180.0;

/// A value with its interval on a common scale; a line where the scale has its zero.
pub(super) fn interval(scale: &Scale, value: f64, bounds: Option<(f64, f64)>) -> Markup {
    let said = match bounds {
        Some((low, high)) => {
            format!("{}, 95 % interval {} to {}", figure(value), figure(low), figure(high))
        }
        None => figure(value),
    };
    html! {
        svg class="interval" viewBox="0 0 180 20" role="img" aria-label=(said) {
            title { (said) }
            @if scale.least <= 0.0 && scale.most >= 0.0 {
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

/// Bars of a histogram.
const BINS: usize = 24;
/// Width and height of a player's distribution.
const SPREAD: f64 = 420.0;
const TALL: f64 = 46.0;

/// How often each score came, as a histogram, and below it a box from the first to the
/// third quartile with the median; the whiskers go to the least and greatest.
pub(super) fn distribution(scale: &Scale, sorted: &[f64]) -> Markup {
    if sorted.is_empty() {
        return html! {};
    }
    let mut counts = [0usize; BINS];
    for value in sorted {
        let share = (value - scale.least) / (scale.most - scale.least);
        counts[((share * BINS as f64) as usize).min(BINS - 1)] += 1;
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
    let said = format!(
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
        svg class="spread" viewBox={ "0 0 " (SPREAD) " " (TALL) } role="img" aria-label=(said) {
            title { (said) }
            path class="bars" d=(bars) {}
            path class="whisker" d={ "M" (least) " 38H" (most) "M" (least) " 34v8M" (most) " 34v8" } {}
            rect class="box" x=(low) y="33" width=((high - low).max(1.0)) height="10" {}
            path class="median" d={ "M" (median) " 31v14" } {}
        }
    }
}

/// The scale of a scenario's distributions.
pub(super) fn spread_scale(values: impl Iterator<Item = f64>) -> Scale {
    Scale::new(values, 6.0, SPREAD - 6.0)
}

/// The least and greatest value of a scale, in words.
pub(super) fn ends(scale: &Scale) -> Markup {
    html! { div class="ends" { span { (figure(scale.least)) } span { (figure(scale.most)) } } }
}

/// Dots drawn at most.
const DOTS: usize = 2000;

/// Pairs of values as dots; on the diagonal both are equal.
pub(super) fn scatter(pairs: &[(f64, f64)], across: &str, up: &str) -> Markup {
    let values = || pairs.iter().flat_map(|(a, b)| [*a, *b]);
    let x = Scale::new(values(), 14.0, 346.0);
    let y = Scale::new(values(), 346.0, 14.0);
    let every = pairs.len().div_ceil(DOTS).max(1);
    let dots: String =
        pairs.iter().step_by(every).map(|(a, b)| format!("M{} {}h0", x.at(*a), y.at(*b))).collect();
    let said = format!("{} pairs of scores: {across} across, {up} upwards", pairs.len());
    html! {
        figure class="scatter" {
            svg viewBox="0 0 360 360" role="img" aria-label=(said) {
                title { (said) }
                path class="zero" d="M14 346L346 14" {}
                path class="frame" d="M14 14v332h332" {}
                path class="dots" d=(dots) {}
            }
            figcaption {
                "Across: " (across) ", upwards: " (up) ", both from " (figure(x.least)) " to "
                (figure(x.most)) ". Below the line the first has the higher score."
                @if every > 1 { " Every " (every) "th pair is drawn." }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_stand_in_the_middle_of_their_scale() {
        assert_eq!(Scale::new([5.0, 5.0].into_iter(), 0.0, 100.0).at(5.0), 50.0);
        assert_eq!(Scale::new([1.0, 3.0].into_iter(), 0.0, 100.0).at(1.5), 25.0);
        assert!(Scale::new(std::iter::empty(), 0.0, 1.0).at(0.5).is_finite());
    }

    #[test]
    fn a_histogram_has_a_bar_for_the_greatest_score_too() {
        let scale = spread_scale([0.0, 1.0].into_iter());
        let drawn = distribution(&scale, &[0.0, 1.0, 1.0]).into_string();
        assert!(drawn.contains("3 scores from 0 to 1"), "{drawn}");
        assert_eq!(drawn.matches("v-").count(), 2, "two bars: {drawn}");
    }
}
