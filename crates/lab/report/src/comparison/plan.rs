//! How many matches a comparison will take, from the first of its matches.

use quintain_arena::compare::{CandidateResult, Comparison, Effect};
use quintain_core::Scoring;
use quintain_stats::likelihood::EloScale;
use quintain_stats::plan::Plan;
use quintain_stats::{Measure, Pairs, elo, pairs};

use super::table::risks_of_one;
use crate::grid::{Column, for_terminal, wrap};
use crate::numbers::{count, count_of, format_fixed, significant};

/// The leads of a plan, in Elo points.
const LEADS: [f64; 6] = [5.0, 10.0, 20.0, 50.0, 100.0, 200.0];
/// The leads of a plan, as chances of a better score less those of a worse one.
const CHANCES: [f64; 5] = [0.02, 0.05, 0.1, 0.2, 0.4];

/// What the differences within rounds were like.
struct Noise {
    plan: Plan,
    /// The variance of a round's result.
    variance: f64,
    matches_of_a_round: f64,
    games_of_a_round: f64,
}

/// The matches that leads of several sizes take to show, `delta` among them, and the lead that
/// `matches` can tell, judged by the matches of `comparison`.
pub fn render_plan(
    comparison: &Comparison,
    (matches, delta): (u64, Option<f64>),
    width: Option<usize>,
) -> String {
    let wrapped = |line: String| width.map_or(format!("{line}\n"), |width| wrap(&line, width));
    let Some(compared) = comparison.candidates.first() else { return String::new() };
    if let Effect::Scores { measure, .. } = compared.effect
        && measure != Measure::Chance
    {
        return wrapped("Only --measure chance can be planned.".to_owned());
    }
    let Some(noise) = find_noise(comparison, compared) else {
        let why = "In the first matches nothing varied, so nothing can be planned: either the seed \
                   changes nothing here, or the players play alike.";
        return wrapped(why.to_owned());
    };
    let rivals = comparison.scoring == Scoring::Adversarial;
    let mut leads = if rivals { LEADS.to_vec() } else { CHANCES.to_vec() };
    leads.extend(delta.filter(|delta| !leads.contains(delta)));
    leads.sort_by(f64::total_cmp);
    let leads =
        leads.into_iter().filter_map(|lead| Some((lead, size_of(comparison, &noise, lead)?)));
    let rows: Vec<[String; 4]> = leads
        .map(|(lead, size)| {
            let pairs = noise.plan.pairs_to_tell(size, noise.variance);
            let cost = |pairs: u64| {
                let exact = pairs as f64 * noise.matches_of_a_round;
                count(round_up(exact))
            };
            let share = match rivals && comparison.scale == EloScale::Normalised {
                true => "–".to_owned(),
                false if rivals => format_fixed(100.0 * elo::expected_score(lead), 1),
                false => format_fixed(50.0 * (1.0 + lead), 1),
            };
            [significant(lead), share, cost(pairs.usual), cost(pairs.most)]
        })
        .collect();
    let heads = match (rivals, comparison.scale) {
        (true, EloScale::Logistic) => ["lead, Elo", "points %"],
        (true, EloScale::Normalised) => ["lead, nElo", "points %"],
        (false, _) => ["P(better) - P(worse)", "better on, % of seeds"],
    };
    let heads = heads.into_iter().chain(["matches usually", "nearly always"]);
    let columns = heads.enumerate().map(|(at, head)| Column {
        head: head.to_owned(),
        cells: rows.iter().map(|row| row[at].clone()).collect(),
        text: false,
        weight: None,
    });
    let mut text = wrapped(describe_lead(compared, &noise));
    text += &wrapped(describe_matches(comparison, &noise, matches));
    text += &wrapped(describe_draws(compared));
    let (table, _) = for_terminal(columns.collect(), width);
    text + &table
}

/// How it stands after the first matches, and what it takes if it stays like this.
fn describe_lead(compared: &CandidateResult, noise: &Noise) -> String {
    let player = &compared.player;
    let (so_far, lead) = match &compared.effect {
        Effect::Rivals { games, .. } => {
            let share = games.share().unwrap_or(0.5);
            (format!("{} % of the points", format_fixed(100.0 * share, 1)), share - 0.5)
        }
        Effect::Scores { seeds, .. } => {
            let all = seeds.games().max(1) as f64;
            let better = format!("better on {} of {all} seeds", seeds.wins);
            let worse = if seeds.losses > 0 {
                format!(", worse on {}", seeds.losses)
            } else {
                String::new()
            };
            (better + &worse, (seeds.wins as f64 - seeds.losses as f64) / all)
        }
        Effect::Unknown => (String::new(), 0.0),
    };
    let takes = match lead.abs() < 1e-9 {
        true => "neither is ahead".to_owned(),
        false => {
            let pairs = noise.plan.pairs_to_tell(lead, noise.variance);
            let matches = |pairs: u64| count(round_up(pairs as f64 * noise.matches_of_a_round));
            format!(
                "if it stays like this, about {} matches make it sure, and {} nearly always do",
                matches(pairs.usual),
                matches(pairs.most)
            )
        }
    };
    format!("{player} so far: {so_far}; {takes}.")
}

/// What that many matches can tell.
fn describe_matches(comparison: &Comparison, noise: &Noise, matches: u64) -> String {
    let rounds = (matches as f64 / noise.matches_of_a_round).floor().max(1.0);
    let size = noise.plan.smallest_lead(rounds as u64, noise.variance);
    let lead = match (comparison.scoring, comparison.scale) {
        (Scoring::Adversarial, EloScale::Logistic) => {
            let lead = elo::difference_at_score((0.5 + size).min(1.0));
            format!("a lead of {} Elo", format_fixed(lead, 0))
        }
        (Scoring::Adversarial, EloScale::Normalised) => {
            let points = pairs::NORMALISED_POINTS / noise.games_of_a_round.sqrt();
            format!("a lead of {} nElo", format_fixed(size / noise.variance.sqrt() * points, 0))
        }
        (Scoring::Independent, _) => {
            format!("a lead of {} in P(better) - P(worse)", format_fixed(size, 2))
        }
    };
    format!("{} nearly always show {lead} (in 95 of 100 comparisons).", count_of(matches, "match"))
}

/// How large a lead is as the mean of a round; `None` if none is as large.
fn size_of(comparison: &Comparison, noise: &Noise, lead: f64) -> Option<f64> {
    match (comparison.scoring, comparison.scale) {
        (Scoring::Adversarial, EloScale::Logistic) => Some(elo::expected_score(lead) - 0.5),
        (Scoring::Adversarial, EloScale::Normalised) => {
            let effect = lead * noise.games_of_a_round.sqrt() / pairs::NORMALISED_POINTS;
            Some(effect * noise.variance.sqrt())
        }
        // Of seeds that mostly tie, no player can be better on many.
        (Scoring::Independent, _) => (lead < noise.variance).then_some(lead),
    }
}

fn find_noise(comparison: &Comparison, compared: &CandidateResult) -> Option<Noise> {
    let risks = risks_of_one(comparison);
    let matches_of_a_round = compared.matches as f64 / compared.rounds as f64;
    let (plan, variance, games) = match &compared.effect {
        Effect::Rivals { rounds, .. } => {
            let pairs = Pairs::from_counts(rounds.clone());
            let (_, variance) = pairs.mean_and_variance()?;
            (Plan::of_rivals(risks), variance, pairs.games_of_one() as f64)
        }
        Effect::Scores { measure: Measure::Chance, seeds, .. } => {
            let all = (seeds.wins + seeds.draws + seeds.losses) as f64;
            (Plan::of_scores(risks), (seeds.wins + seeds.losses) as f64 / all, 1.0)
        }
        Effect::Scores { .. } | Effect::Unknown => return None,
    };
    (variance > 0.0).then_some(Noise {
        plan,
        variance,
        matches_of_a_round,
        games_of_a_round: games,
    })
}

/// What the plan rests on.
fn describe_draws(compared: &CandidateResult) -> String {
    let (what, share) = match &compared.effect {
        Effect::Rivals { games, .. } => {
            ("the games were drawn", games.draws as f64 / games.games().max(1) as f64)
        }
        Effect::Scores { seeds, .. } => {
            ("the seeds were equal", seeds.draws as f64 / seeds.games().max(1) as f64)
        }
        Effect::Unknown => ("the games were drawn", 0.0),
    };
    format!(
        "Judged by {}, in which {} % of {what}:",
        count_of(compared.matches, "match"),
        format_fixed(100.0 * share, 0)
    )
}

/// Rounds up to two digits.
fn round_up(exact: f64) -> u64 {
    let unit = 10_f64.powf((exact.max(1.0).log10().floor() - 1.0).max(0.0));
    ((exact / unit).ceil() * unit) as u64
}
