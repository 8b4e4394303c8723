//! Which of two candidates does better against the same references, in two sentences.

use quintain_arena::compare::{BetweenCandidates, CandidateResult, Comparison};
use quintain_core::Scoring;
use quintain_stats::{Interval, Measure, Verdict};

use super::answer::Medium;
use super::table::format_signed;
use crate::numbers::{count_of, format_fixed, significant};

/// How many times as many matches are proposed where it is not known yet.
const FURTHER: u64 = 4;

/// The answer where there are two candidates; nothing otherwise.
pub(super) fn sentences(comparison: &Comparison, medium: Medium) -> Vec<String> {
    let (Some(between), [one, other]) = (&comparison.between, comparison.candidates.as_slice())
    else {
        return Vec::new();
    };
    if between.rounds == 0 {
        return Vec::new();
    }
    let against = match comparison.references.as_slice() {
        [one] => one.clone(),
        several => format!("the {} references", several.len()),
    };
    let (first, second) = (&one.player, &other.player);
    let known_exactly = one.repeats_one_round() && other.repeats_one_round();
    let better = match between.verdict {
        Some(Verdict::Better) => Some((first, second)),
        Some(Verdict::Worse) => Some((second, first)),
        None if known_exactly && between.estimate.is_some_and(|lead| lead > 0.0) => {
            Some((first, second))
        }
        None if known_exactly && between.estimate.is_some_and(|lead| lead < 0.0) => {
            Some((second, first))
        }
        _ => None,
    };
    let answer = match (better, between.verdict) {
        (Some((better, worse)), _) => {
            format!("{better} does better against {against} than {worse} does.")
        }
        (None, Some(_)) => format!(
            "{first} and {second} do equally well against {against}: no difference as large as {}.",
            describe_delta(comparison, between)
        ),
        (None, None) if known_exactly => {
            format!("{first} and {second} do equally well against {against}.")
        }
        (None, None) => {
            format!("Cannot tell yet which does better against {against}, {first} or {second}.")
        }
    };
    let mut figures = describe_figures(comparison, between, [one, other], known_exactly);
    if better.is_none() && between.verdict.is_none() && !known_exactly && medium == Medium::Terminal
    {
        let more = FURTHER * comparison.matches.max(1);
        figures += &format!(" --matches {more} looks longer.");
    }
    vec![answer, figures]
}

/// The smallest difference looked for.
fn describe_delta(comparison: &Comparison, between: &BetweenCandidates) -> String {
    let delta = between.delta.unwrap_or_default();
    match (comparison.scoring, between.measure) {
        (Scoring::Adversarial, _) => format!("{} % of the points", significant(100.0 * delta)),
        (_, Measure::Chance) => format!("{} in P(better) - P(worse)", significant(delta)),
        _ => format!("{} points", significant(delta)),
    }
}

/// What both did on the same seeds, and how sure the difference is.
fn describe_figures(
    comparison: &Comparison,
    between: &BetweenCandidates,
    [one, other]: [&CandidateResult; 2],
    known_exactly: bool,
) -> String {
    let is_rivalry = comparison.scoring == Scoring::Adversarial;
    let rounds = count_of(between.rounds, "common round");
    let (first, second) = (&one.player, &other.player);
    let number = |value: f64| format_fixed(value, 1);
    let [mine, theirs] = between.means;
    let seen = match is_rivalry {
        true => format!(
            "In {rounds}, {first} took {} % of the points and {second} {} %",
            number(100.0 * mine),
            number(100.0 * theirs)
        ),
        false => format!(
            "In {rounds}, {first} scored {} on average and {second} {}",
            number(mine),
            number(theirs)
        ),
    };
    if known_exactly {
        return format!("{seen}; the seed changes nothing, so that is all there is to see.");
    }
    let Some(Interval { low, high }) = between.interval else { return seen + "." };
    let sure = format_fixed(100.0 * (1.0 - comparison.risks.alpha), 0);
    let (factor, decimals, what) = match (is_rivalry, between.measure) {
        (true, _) => (100.0, 1, "points in a hundred"),
        (_, Measure::Chance) => (1.0, 2, "P(better) - P(worse)"),
        (_, Measure::Median) => (1.0, 1, "median difference"),
        (_, Measure::Clipped) => (1.0, 1, "mean of the clipped differences"),
        (_, Measure::Mean { .. }) => (1.0, 1, "mean difference"),
    };
    let [low, high] = [low, high].map(|end| format_signed(factor * end, decimals));
    format!("{seen}: {first}'s lead is {low} to {high} ({what}, {sure} % sure).")
}
