//! The course of a tuning, drawn as a line of text for terminals.

use crate::log::TuningLog;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The most generations drawn side by side in a line of text.
const WIDEST: usize = 72;

/// The mean gain of each generation as a line of bars. The least and the greatest are printed on
/// either side; generations of long logs are drawn in groups.
pub fn render_text(log: &TuningLog) -> String {
    let means: Vec<f64> = log.generations.iter().map(|generation| generation.mean()).collect();
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
