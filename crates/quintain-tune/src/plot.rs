//! How a tuning went, drawn: a line of text for terminals, and an SVG.

use std::fmt::Write as _;

use crate::course::Course;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Generations side by side in a line of text, at most.
const WIDEST: usize = 72;

/// The mean gain of each generation as a line of bars between its least and its
/// greatest, which are named; long courses are drawn in groups of generations.
pub fn text(course: &Course) -> String {
    let means: Vec<f64> = course.generations.iter().map(|generation| generation.mean()).collect();
    let group = means.len().div_ceil(WIDEST).max(1);
    let grouped: Vec<f64> =
        means.chunks(group).map(|some| some.iter().sum::<f64>() / some.len() as f64).collect();
    let least = grouped.iter().copied().fold(f64::INFINITY, f64::min);
    let most = grouped.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |value: &f64| {
        let share = if most > least { (value - least) / (most - least) } else { 0.0 };
        BARS[((share * 7.0).round() as usize).min(7)]
    };
    let bars: String = grouped.iter().map(bar).collect();
    format!("{least:+.1} {bars} {most:+.1}")
}

/// The least, the mean and the greatest gain of each generation.
pub fn svg(course: &Course, unit: &str) -> String {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 280.0;
    const EDGE: f64 = 48.0;
    let bests: Vec<f64> = course.generations.iter().map(|generation| generation.best()).collect();
    let means: Vec<f64> = course.generations.iter().map(|generation| generation.mean()).collect();
    let all = || bests.iter().chain(&means).copied();
    // Nothing gained is always in sight.
    let (low, high) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
    let span = if high > low { high - low } else { 1.0 };
    let last = (means.len().max(2) - 1) as f64;
    let x = |number: usize| EDGE + (WIDTH - 2.0 * EDGE) * number as f64 / last;
    let y = |gain: f64| HEIGHT - EDGE - (HEIGHT - 2.0 * EDGE) * (gain - low) / span;
    let line = |gains: &[f64]| {
        let points: Vec<String> = gains
            .iter()
            .enumerate()
            .map(|(number, gain)| format!("{:.1},{:.1}", x(number), y(*gain)))
            .collect();
        points.join(" ")
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    let (left, right, zero) = (EDGE, WIDTH - EDGE, y(0.0));
    let _ = writeln!(svg, "<path d=\"M{left} {zero:.1}H{right}\" stroke=\"#999\"/>");
    for (gains, colour, dash) in [(&bests, "#0072b2", "4 3"), (&means, "#d55e00", "none")] {
        let points = line(gains);
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" \
             stroke-dasharray=\"{dash}\"/>"
        );
    }
    for gain in [low, 0.0, high] {
        let at = y(gain) + 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"end\">{gain:+.1}</text>",
            EDGE - 6.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{EDGE}\" y=\"20\">gain on the player before tuning, {unit}: the best \
         candidate (dashed), the mean</text>\n\
         <text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">generation {}</text>\n</svg>",
        HEIGHT - 16.0,
        means.len()
    );
    svg
}
