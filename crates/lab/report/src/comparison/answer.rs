//! The answer of a comparison in words: who is better and by how much, a sentence each.

use std::collections::BTreeMap;

use quintain_arena::compare::{CandidateResult, Comparison, Effect};
use quintain_core::{Objective, Scoring};
use quintain_standings::describe_faults;
use quintain_stats::likelihood::EloScale;
use quintain_stats::plan::Plan;
use quintain_stats::{Interval, Measure, Pairs, Verdict, WinDrawLoss, elo, pairs};

use super::table::{format_signed, points, risks_of_one};
use crate::numbers::{count, count_of, format_fixed, significant};

/// Where an answer stands, which decides whether it names options of the command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Medium {
    /// Below the command that asked.
    Terminal,
    /// On a page about matches that were played for another reason.
    Page,
}

/// The answer for one candidate, in two sentences.
pub(super) fn sentences(
    comparison: &Comparison,
    compared: &CandidateResult,
    medium: Medium,
) -> Vec<String> {
    let names = Names::of(comparison, compared);
    let Names { player, references, who } = &names;
    let what = describe_result(comparison, compared);
    let delta = comparison.delta.map(|delta| describe_delta(comparison, compared, delta));
    if let Some(lines) = describe_forfeits(compared, &names, &what) {
        return lines;
    }
    match compared.verdict {
        _ if compared.rounds == 0 => {
            vec![format!("{player} and {references}: nothing was played.")]
        }
        Some(verdict @ (Verdict::Better | Verdict::Worse)) => {
            let word = if verdict == Verdict::Better { "better" } else { "worse" };
            if let Some(lines) = describe_disagreement(comparison, compared, &names, medium) {
                return lines;
            }
            let mut lines = vec![format!("{player} is {word} than {references}: {who} {what}.")];
            lines.extend(describe_long_run(comparison, compared, &names));
            lines
        }
        Some(Verdict::NoDifference) => {
            let delta = delta.unwrap_or_default();
            let missed = significant(100.0 * comparison.risks.beta);
            let what = match compared.alike {
                true => format!("made the same moves in all {}", describe_matches(compared)),
                false => what,
            };
            vec![
                format!("{player} and {references}: no difference as large as {delta}."),
                format!(
                    "{who} {what}; if they differed by as much, at most {missed} % of comparisons \
                     would end like this."
                ),
            ]
        }
        None if compared.unvarying => describe_repeats(compared, &names, &what),
        None if compared.alike && *player == *references => vec![format!(
            "It is one player, with the same moves in all {}.",
            describe_matches(compared)
        )],
        None if compared.alike => vec![
            format!(
                "{player} and {references} made the same moves in all {}.",
                describe_matches(compared)
            ),
            format!(
                "A difference on fewer than {} % of the seeds may still be missed.",
                significant(100.0 * seldom(compared.rounds))
            ),
        ],
        None => {
            let why = if comparison.stopped { "Stopped: cannot" } else { "Cannot" };
            let first = format!(
                "{why} tell yet whether {player} is better than {references}: {who} {what}."
            );
            vec![first, describe_what_would_tell(comparison, compared, medium)]
        }
    }
}

fn describe_matches(compared: &CandidateResult) -> String {
    count_of(compared.matches, "match")
}

/// The share of rounds in which two players may differ although so many rounds were the same in
/// all, at most once in twenty times.
fn seldom(rounds: u64) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / rounds as f64)
}

/// The names in sentences.
struct Names {
    player: String,
    references: String,
    /// The candidate, where it is named again. Where a player is compared with itself, its name
    /// would not say which of the two.
    who: String,
}

impl Names {
    fn of(comparison: &Comparison, compared: &CandidateResult) -> Names {
        let player = compared.player.clone();
        let (references, who) = match comparison.references.as_slice() {
            [one] if *one == player => (one.clone(), "the first".to_owned()),
            [one] => (one.clone(), player.clone()),
            several => (format!("the {} references", several.len()), player.clone()),
        };
        Names { player, references, who }
    }
}

/// What a candidate did, after its name.
fn describe_result(comparison: &Comparison, compared: &CandidateResult) -> String {
    let repeats = match compared.different < compared.matches {
        true => format!(", {} of them different", count(compared.different)),
        false => String::new(),
    };
    let matches = count_of(compared.matches, "match") + &repeats;
    match &compared.effect {
        Effect::Rivals { games, places, .. } if !places.is_empty() => {
            let all = games.wins + games.draws + games.losses;
            let drew = match games.draws {
                0 => String::new(),
                draws => format!(" and drew with {}", count(draws)),
            };
            let beat = format!("beat {}{drew} of {} opponents", count(games.wins), count(all));
            let places: Vec<String> = places.iter().map(|place| count(*place)).collect();
            let last = format_place(places.len());
            format!("{beat} in {matches}, and came 1st to {last} {} times", places.join("-"))
        }
        Effect::Rivals { games, .. } => {
            let WinDrawLoss { wins, draws, losses, .. } = *games;
            format!(
                "took {} % of the points in {matches} ({} won, {} drawn, {} lost)",
                points(compared),
                count(wins),
                count(draws),
                count(losses)
            )
        }
        Effect::Scores { seeds, .. } => {
            let all = count_of(seeds.wins + seeds.draws + seeds.losses, seed_word(comparison));
            let worse = match (seeds.losses, seeds.draws) {
                (0, 0) => String::new(),
                (losses, _) => format!(" and worse on {}", count(losses)),
            };
            format!("did better on {} of {all}{worse}", count(seeds.wins))
        }
        Effect::Unknown => String::new(),
    }
}

/// A seed is counted once for each scenario and reference.
fn seed_word(comparison: &Comparison) -> &'static str {
    if comparison.scenarios.len() * comparison.references.len() > 1 { "round" } else { "seed" }
}

fn format_place(place: usize) -> String {
    let ending = match place {
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

/// How large a difference is, with its unit.
fn describe_delta(comparison: &Comparison, compared: &CandidateResult, delta: f64) -> String {
    let share = |share: f64| format_fixed(100.0 * share, 1);
    match (comparison.scoring, &compared.effect) {
        (Scoring::Adversarial, _) => match comparison.scale {
            EloScale::Logistic => format!(
                "{} Elo, which is {} % of the points",
                significant(delta),
                share(elo::expected_score(delta))
            ),
            EloScale::Normalised => format!("{} nElo", significant(delta)),
        },
        (_, Effect::Scores { measure: Measure::Chance, .. }) => format!(
            "{} in P(better) - P(worse), such as better on {} % of seeds and worse on the rest",
            significant(delta),
            share(f64::midpoint(1.0, delta))
        ),
        _ => significant(delta),
    }
}

/// What the verdict says about the long run.
fn describe_long_run(
    comparison: &Comparison,
    compared: &CandidateResult,
    Names { who, .. }: &Names,
) -> Option<String> {
    let sure = format!("{} % sure", format_fixed(100.0 * (1.0 - comparison.risks.alpha), 0));
    match &compared.effect {
        Effect::Rivals { long_run: Some(lead), interval: Some(interval), .. } => {
            let Interval { low, high } = *interval;
            Some(match comparison.scale {
                EloScale::Logistic => {
                    let share = |points: f64| format_fixed(100.0 * elo::expected_score(points), 1);
                    let (lead, low, high) = (share(*lead), share(low), share(high));
                    format!(
                        "In the long run {who} takes about {lead} % of them ({low} to {high} %, \
                         {sure})."
                    )
                }
                EloScale::Normalised => {
                    let [lead, low, high] = [*lead, low, high].map(|one| format_signed(one, 1));
                    format!("In the long run that is about {lead} nElo ({low} to {high}, {sure}).")
                }
            })
        }
        Effect::Scores { measure: Measure::Chance, long_run, interval, .. } => {
            let percent = |chance: f64| format_fixed(50.0 * (1.0 + chance), 0);
            let interval = (*interval)?;
            let (low, high) = (percent(interval.low), percent(interval.high));
            let chance = percent((*long_run)?);
            Some(format!(
                "{}; in the long run {who} does better on about {chance} of 100 seeds ({low} to \
                 {high}, {sure}).",
                describe_points(comparison, compared, &sure)?
            ))
        }
        Effect::Scores { measure, long_run, interval, .. } => {
            let what = match measure {
                Measure::Median => "median difference",
                Measure::Clipped => "mean of the clipped differences",
                _ => "mean difference",
            };
            let (Some(value), Some(Interval { low, high })) = (*long_run, *interval) else {
                return None;
            };
            let [value, low, high] = [value, low, high].map(|one| format_signed(one, 1));
            Some(format!("The {what} is about {value} ({low} to {high}, {sure})."))
        }
        Effect::Rivals { .. } | Effect::Unknown => None,
    }
}

/// How many points more a candidate scores a game. The interval is only given where it says the
/// same as the verdict, which is about another quantity.
fn describe_points(
    comparison: &Comparison,
    compared: &CandidateResult,
    sure: &str,
) -> Option<String> {
    let Effect::Scores { difference, difference_interval, .. } = compared.effect else {
        return None;
    };
    let word = if difference < 0.0 { "less" } else { "more" };
    let lower = match comparison.objective {
        Objective::Minimize => ", where less is better",
        Objective::Maximize => "",
    };
    let size = format_fixed(difference.abs(), 1);
    let agrees = |interval: &Interval| interval.low > 0.0 || interval.high < 0.0;
    Some(match difference_interval.filter(agrees) {
        Some(Interval { low, high }) => {
            let (least, most) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
            let (least, most) = (format_fixed(least, 1), format_fixed(most, 1));
            format!("It scores {size} points {word} a game ({least} to {most}, {sure}){lower}")
        }
        None => format!("Here it scored {size} points {word} a game{lower}"),
    })
}

/// By how much the mean is better, where most seeds say the opposite.
fn opposed_gain(comparison: &Comparison, compared: &CandidateResult) -> Option<f64> {
    let Effect::Scores { measure, mean, reference_mean, .. } = &compared.effect else {
        return None;
    };
    let gain = comparison.objective.gain(*mean) - comparison.objective.gain(*reference_mean);
    let is_opposed = match compared.verdict? {
        Verdict::Better => gain < 0.0,
        Verdict::Worse => gain > 0.0,
        Verdict::NoDifference => false,
    };
    (is_opposed && !matches!(measure, Measure::Mean { .. })).then_some(gain)
}

/// The answer where most seeds say one thing and the mean another.
fn describe_disagreement(
    comparison: &Comparison,
    compared: &CandidateResult,
    Names { player, references, .. }: &Names,
    medium: Medium,
) -> Option<Vec<String>> {
    let Effect::Scores { seeds, mean, reference_mean, .. } = &compared.effect else {
        return None;
    };
    let gain = opposed_gain(comparison, compared)?;
    let (often, average) = match gain < 0.0 {
        true => ("more", "worse"),
        false => ("fewer", "better"),
    };
    let lower = match comparison.objective {
        Objective::Minimize => "lower is better",
        Objective::Maximize => "higher is better",
    };
    let all = seeds.wins + seeds.draws + seeds.losses;
    let (mean, reference_mean) = (format_fixed(*mean, 1), format_fixed(*reference_mean, 1));
    let cut_off = describe_cut_off(comparison, compared);
    let cut_off = cut_off.map_or(String::new(), |line| format!("{line} "));
    Some(vec![
        format!(
            "It depends on what counts: {player} does better than {references} on {often} seeds \
             ({} of {}, worse on {}), but {average} on average ({mean} against {reference_mean}; \
             {lower}).",
            count(seeds.wins),
            count(all),
            count(seeds.losses)
        ),
        match medium {
            Medium::Terminal => format!(
                "{cut_off}Which counts? --measure chance asks how often, --measure mean and \
                 --measure clipped ask by how much."
            ),
            Medium::Page => format!("{cut_off}Which counts: how often, or by how much?"),
        },
    ])
}

/// The matches that a limit ended, whose final scores nobody knows.
fn describe_cut_off(comparison: &Comparison, compared: &CandidateResult) -> Option<String> {
    let (own, theirs) = (compared.cut_off, compared.reference_cut_off);
    if own + theirs == 0 {
        return None;
    }
    let references = Names::of(comparison, compared).references;
    Some(match comparison.scoring {
        Scoring::Adversarial => {
            format!("{} cut off by a limit.", were(own, compared.matches))
        }
        Scoring::Independent => format!(
            "A limit cut off {} of {}'s {}, and {} of {references}'s, so their true scores are not \
             known.",
            count(own),
            compared.player,
            count_of(compared.rounds, "match"),
            count(theirs)
        ),
    })
}

fn were(some: u64, all: u64) -> String {
    let verb = if some == 1 { "was" } else { "were" };
    format!("{} of {} {verb}", count(some), count_of(all, "match"))
}

/// That one of both forfeited every match, or both did between them, if so.
fn describe_forfeits(compared: &CandidateResult, names: &Names, what: &str) -> Option<Vec<String>> {
    let Names { player, references, who } = names;
    if compared.both_only_forfeit() {
        return Some(vec![
            format!(
                "Cannot tell whether {player} is better than {references}: every match was \
                 forfeited by one of them, so nothing is known about their play."
            ),
            format!("{who} {what}."),
        ]);
    }
    let faults = [(player, compared.faults), (references, compared.reference_faults)];
    let all = |faults: u64| faults > 0 && faults == compared.matches;
    let (failed, _) = faults.into_iter().find(|(_, faults)| all(*faults))?;
    Some(vec![
        format!("{failed} forfeited every match, so nothing is known about its play."),
        format!("{who} {what}."),
    ])
}

/// What to say where further rounds would only repeat what was played.
fn describe_repeats(
    compared: &CandidateResult,
    Names { player, references, who }: &Names,
    what: &str,
) -> Vec<String> {
    let first = match compared.different <= 2 {
        true => format!(
            "{player} and {references}: the seed changes nothing here, every round was the same."
        ),
        false => format!(
            "{player} and {references}: the seed changes little here, and all {} that there are \
             were played.",
            count_of(compared.different, "match")
        ),
    };
    vec![
        first,
        format!(
            "{who} {what}; that is all there is to see, so name scenarios with a random start."
        ),
    ]
}

/// What would bring a verdict, where there is none yet.
fn describe_what_would_tell(
    comparison: &Comparison,
    compared: &CandidateResult,
    medium: Medium,
) -> String {
    if comparison.references == [compared.player.clone()] {
        return "Both are the same player, so no number of matches tells them apart.".to_owned();
    }
    let more = match compared.likely_matches() {
        Some(likely) => {
            let option = match medium {
                Medium::Terminal => format!(": --matches {likely}"),
                Medium::Page => String::new(),
            };
            format!(
                "If it continues like this, about {} more matches settle it in half of all \
                 cases{option}.",
                count(likely.saturating_sub(compared.matches))
            )
        }
        None => {
            let option = match medium {
                Medium::Terminal => {
                    let most = 10 * comparison.most_matches;
                    format!("; --matches {most} plays ten times as many")
                }
                Medium::Page => String::new(),
            };
            format!("That does not say how many more it takes{option}.")
        }
    };
    match describe_smallest_lead(comparison, compared) {
        Some(lead) => {
            let played = count_of(compared.matches, "match");
            format!("{more} The {played} so far can only show {lead} or more.")
        }
        None => more,
    }
}

/// The smallest lead that so many matches tell, in words; `None` where nothing varies, it is as
/// large as any, or the lead so far is larger: the test is stricter than the plan where matches are
/// few, and would seem to contradict it.
fn describe_smallest_lead(comparison: &Comparison, compared: &CandidateResult) -> Option<String> {
    let risks = risks_of_one(comparison);
    let (delta, largest) = match &compared.effect {
        Effect::Rivals { rounds, .. } => {
            let pairs = Pairs::from_counts(rounds.clone());
            let (mean, variance) = pairs.mean_and_variance()?;
            let lead = Plan::of_rivals(risks).smallest_lead(pairs.len(), variance);
            if (mean - 0.5).abs() >= lead {
                return None;
            }
            let lead = match comparison.scale {
                EloScale::Logistic => elo::difference_at_score((0.5 + lead).min(1.0)),
                EloScale::Normalised => {
                    let games = (pairs.games_of_one() as f64).sqrt();
                    lead / variance.sqrt() * pairs::NORMALISED_POINTS / games
                }
            };
            (lead, 800.0)
        }
        Effect::Scores { measure: Measure::Chance, seeds, estimate, .. } => {
            let all = (seeds.wins + seeds.draws + seeds.losses) as f64;
            let decided = (seeds.wins + seeds.losses) as f64 / all;
            let observed = (*estimate)?;
            let variance = decided - observed.powi(2);
            let lead = Plan::of_scores(risks).smallest_lead(compared.rounds, variance);
            if observed.abs() >= lead {
                return None;
            }
            (lead, 1.0)
        }
        Effect::Scores { .. } | Effect::Unknown => return None,
    };
    if !(delta > 0.0 && delta < largest) {
        return None;
    }
    let unit = 10_f64.powf(delta.log10().floor() - 1.0);
    let lead = significant((delta / unit).ceil() * unit);
    let share = match compared.effect {
        Effect::Rivals { .. } => elo::expected_score(delta),
        _ => f64::midpoint(1.0, delta),
    };
    let percent = (100.0 * share).ceil();
    if percent >= 100.0 {
        return None;
    }
    let percent = format_fixed(percent, 0);
    Some(match (&compared.effect, comparison.scale) {
        (Effect::Rivals { .. }, EloScale::Logistic) => {
            format!("a lead of {lead} Elo ({percent} % of the points)")
        }
        (Effect::Rivals { .. }, EloScale::Normalised) => format!("a lead of {lead} nElo"),
        _ => format!("a lead on {percent} of 100 seeds"),
    })
}

/// The number of characters between the ends of the bar.
const BAR: usize = 41;

/// The share of points, or of seeds, that is sure, on a line from 0 to 100 %.
pub(super) fn bar(comparison: &Comparison, compared: &CandidateResult) -> Vec<String> {
    let is_certain = compared.unvarying || compared.alike;
    if is_certain || opposed_gain(comparison, compared).is_some() {
        return Vec::new();
    }
    let (share, Interval { low, high }) = match &compared.effect {
        Effect::Rivals { long_run: Some(lead), interval: Some(interval), .. }
            if comparison.scale == EloScale::Logistic =>
        {
            let share = elo::expected_score;
            (share(*lead), Interval { low: share(interval.low), high: share(interval.high) })
        }
        Effect::Scores {
            measure: Measure::Chance,
            long_run: Some(chance),
            interval: Some(interval),
            ..
        } => {
            let share = |chance: f64| (1.0 + chance) / 2.0;
            (share(*chance), Interval { low: share(interval.low), high: share(interval.high) })
        }
        _ => return Vec::new(),
    };
    let at = |share: f64| ((BAR - 1) as f64 * share.clamp(0.0, 1.0)).round() as usize;
    let (low_at, high_at, share_at) = (at(low), at(high), at(share));
    let cells = (0..BAR).map(|cell| match cell {
        cell if cell == share_at => '●',
        cell if (low_at..=high_at).contains(&cell) => '━',
        cell if cell == BAR / 2 => '┼',
        _ => '─',
    });
    let percent = |share: f64| format_fixed(100.0 * share, 0);
    let bar = format!("0 % {} 100 %", cells.collect::<String>());
    let of = match comparison.scoring {
        Scoring::Adversarial => "of the points",
        Scoring::Independent => "of the seeds",
    };
    let sure = format_fixed(100.0 * (1.0 - comparison.risks.alpha), 0);
    match compared.verdict {
        // The sentence has said it.
        Some(Verdict::Better | Verdict::Worse) => vec![bar],
        _ => vec![bar, format!("{} to {} % {of}, {sure} % sure", percent(low), percent(high))],
    }
}

/// What qualifies the answer: matches that were cut off or forfeited, and seeds that are not
/// independent.
pub(super) fn reservations(comparison: &Comparison, compared: &CandidateResult) -> Vec<String> {
    let is_said = opposed_gain(comparison, compared).is_some();
    let cut_off = describe_cut_off(comparison, compared).filter(|_| !is_said);
    let correlated = compared.correlation.map(|correlation| {
        format!(
            "Successive seeds gave similar results (correlation {}), as under a changing load: the \
             verdict may be wrong more often than it says.",
            format_fixed(correlation, 1)
        )
    });
    cut_off.into_iter().chain(correlated).chain(forfeits(comparison, compared)).collect()
}

/// How the two sides lost matches by faults, and what tells a program's author why: a line each.
fn forfeits(comparison: &Comparison, compared: &CandidateResult) -> Vec<String> {
    let line = |player: &str, kinds: &BTreeMap<String, u64>| {
        let why = match player.strip_prefix("bot:") {
            Some(_) => format!("; to see what is wrong with it: quintain bot check {player}"),
            None => String::new(),
        };
        let faults = describe_faults(kinds);
        (!faults.is_empty()).then(|| format!("{player} forfeited: {faults}{why}"))
    };
    let references = match comparison.references.as_slice() {
        [one] => one,
        _ => "the references",
    };
    let own = line(&compared.player, &compared.fault_kinds);
    own.into_iter().chain(line(references, &compared.reference_fault_kinds)).collect()
}

/// Where the matches were played.
pub(super) fn describe_place(comparison: &Comparison) -> String {
    let scenarios = comparison.scenarios.iter();
    let named: Vec<String> =
        scenarios.map(|scenario| format!("{}:{scenario}", comparison.game)).collect();
    let rounds = comparison.candidates.iter().map(|one| one.rounds).max().unwrap_or(0);
    let seeds = rounds / (comparison.scenarios.len() as u64).max(1);
    // A seed that was drawn is repeated by its number only.
    let first = comparison.first_seed;
    let again =
        if first > 1 { format!("; --seed {first} plays them again") } else { String::new() };
    format!("Played on {}, {} from {first} on{again}.", named.join(", "), count_of(seeds, "seed"))
}
