//! Numbers for people: as many digits as the interval supports, the same for a whole column.
//! Programs read CSV or JSON, which round nothing.

use quintain_stats::Interval;

/// Shown where there is no number.
pub(crate) const NOTHING: &str = "–";

/// From this size on, digits before the point are no longer readable.
const SCIENTIFIC_FROM: f64 = 1e12;

/// The most digits after the point of a score.
pub(crate) const SCORE_DECIMALS: usize = 6;

/// `value` with `decimals` digits after the point, and no minus sign before zero.
pub(crate) fn format_fixed(value: f64, decimals: usize) -> String {
    if value.abs() >= SCIENTIFIC_FROM {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

/// `value` with as many decimals as it needs, at most three.
pub(crate) fn significant(value: f64) -> String {
    format_fixed(value, decimals_needed(std::iter::once(value)))
}

/// `value` with about three digits, as many as a sentence needs.
pub(crate) fn rough(value: f64) -> String {
    let most = match value.abs() {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format_fixed(value, decimals_needed(std::iter::once(value)).min(most))
}

/// A column of means, each with half of its interval: `12.3 ± 0.4`. The narrowest interval of the
/// column gets two digits, but none beyond `most_decimals`; `signed` puts a plus before values
/// above zero. Where there is no interval in the whole column, there are only values.
pub(crate) fn with_intervals(
    values: &[Option<(f64, Option<Interval>)>],
    most_decimals: usize,
    signed: bool,
) -> Vec<String> {
    let half_width = |interval: Interval| (interval.high - interval.low) / 2.0;
    let has_intervals = values.iter().flatten().any(|(_, interval)| interval.is_some());
    let half_widths = values.iter().flatten().filter_map(|value| value.1).map(half_width);
    let narrowest = half_widths.filter(|&half| half > 0.0).fold(f64::INFINITY, f64::min);
    let decimals = if narrowest.is_finite() {
        (1.0 - narrowest.log10().floor()).clamp(0.0, most_decimals as f64) as usize
    } else {
        decimals_needed(values.iter().flatten().map(|value| value.0)).min(most_decimals)
    };
    let halves: Vec<String> = values
        .iter()
        .map(|value| match value.and_then(|(_, interval)| interval) {
            Some(interval) => format_fixed(half_width(interval), decimals),
            None => NOTHING.to_owned(),
        })
        .collect();
    let widest = halves.iter().map(|half| half.chars().count()).max().unwrap_or(0);
    values
        .iter()
        .zip(halves)
        .map(|(value, half)| match value {
            Some((value, _)) => {
                let text = format_fixed(*value, decimals);
                let positive = text.chars().any(|digit| matches!(digit, '1'..='9'));
                let plus = if signed && positive && *value > 0.0 { "+" } else { "" };
                match has_intervals {
                    true => format!("{plus}{text} ± {half:>widest$}"),
                    false => plus.to_owned() + &text,
                }
            }
            None => NOTHING.to_owned(),
        })
        .collect()
}

/// A column of numbers with as many decimals as they need, at most three.
pub(crate) fn plain(values: &[f64]) -> Vec<String> {
    let decimals = decimals_needed(values.iter().copied());
    values.iter().map(|&value| format_fixed(value, decimals)).collect()
}

fn decimals_needed(values: impl Iterator<Item = f64> + Clone) -> usize {
    let exact_with = |decimals: usize| {
        let scale = 10_f64.powi(decimals as i32);
        values.clone().all(|value| {
            let scaled = value * scale;
            (scaled - scaled.round()).abs() <= 1e-9 * scaled.abs().max(1.0)
        })
    };
    (0..3).find(|&decimals| exact_with(decimals)).unwrap_or(3)
}

/// A count with its thousands separated: `1 234 567`.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things: `1 match`, `1 200 matches`.
pub fn count_of(things: u64, name: &str) -> String {
    let plural = match (things, name.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {name}{plural}", count(things))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_interval_of_a_column_has_two_digits() {
        let interval = |low, high| Some(Interval { low, high });
        let column = [
            Some((12.3456, interval(12.0, 12.6912))),
            Some((-3.0, interval(-15.5, 9.5))),
            Some((7.0, None)),
            None,
        ];
        assert_eq!(
            with_intervals(&column, SCORE_DECIMALS, false),
            ["12.35 ±  0.35", "-3.00 ± 12.50", "7.00 ±     –", "–"]
        );
    }

    #[test]
    fn a_sentence_has_about_three_digits() {
        let values = [12058.0, 4409.333, -17.25, 0.0625, 3.0];
        assert_eq!(values.map(rough), ["12058", "4409", "-17.2", "0.06", "3"]);
    }

    #[test]
    fn gains_have_a_plus_and_zero_has_no_sign() {
        let column = [Some((0.004, None)), Some((-0.0, None)), Some((2.0, None))];
        assert_eq!(with_intervals(&column, SCORE_DECIMALS, true), ["+0.004", "0.000", "+2.000"]);
        assert_eq!(format_fixed(-0.001, 2), "0.00");
    }

    #[test]
    fn whole_numbers_have_no_decimals_and_halves_have_one() {
        assert_eq!(plain(&[1.0, 20.0, -3.0]), ["1", "20", "-3"]);
        assert_eq!(plain(&[1.0, 2.5]), ["1.0", "2.5"]);
        assert_eq!(plain(&[1.0 / 3.0]), ["0.333"]);
    }

    #[test]
    fn immense_scores_stay_short() {
        assert_eq!(plain(&[1e300, 5.0]), ["1.000e300", "5"]);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(count),
            ["0", "999", "1 000", "1 234 567"].map(str::to_owned)
        );
        assert_eq!(
            [count_of(1, "match"), count_of(2, "match"), count_of(2, "player")],
            ["1 match", "2 matches", "2 players"]
        );
    }
}
