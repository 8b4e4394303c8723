//! A comparison as text for people: the verdicts in words, then the figures in a table. Nothing is
//! computed here except what pairing saved.

use std::collections::BTreeMap;

use quintain_arena::compare::{CandidateResult, Comparison, Effect};
use quintain_core::{Objective, Scoring};
use quintain_standings::describe_faults;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Interval, Measure, PlusMinus, Verdict, elo};

use crate::grid::{Column, for_terminal, list_heads, wrap};
use crate::numbers::{NOTHING, count, count_of, format_fixed, significant};
use crate::plots;

/// The evidence of every candidate, round by round, as an SVG. Above the upper line there is a
/// verdict that the candidate is better, below the lower one that it is worse.
pub fn plot_comparison(comparison: &Comparison) -> String {
    let candidates = comparison.candidates.iter().map(|one| {
        let points = one.history.iter();
        // The larger evidence of the two; the other is then close to nothing.
        let points = points.map(|&(round, better, worse)| {
            (round as f64, if better >= worse { better.max(0.0) } else { -worse.max(0.0) })
        });
        (one.player.as_str(), points.collect())
    });
    let decisive = comparison.candidates.first().map_or(0.0, |one| one.decisive);
    plots::lines(
        "ln of the evidence: above, that it is better; below, that it is worse",
        "rounds",
        &[decisive, -decisive],
        &candidates.collect::<Vec<_>>(),
    )
}

/// The verdicts and the figures, for a terminal of this width.
pub fn render_comparison(comparison: &Comparison, width: Option<usize>) -> String {
    let mut text = format!(
        "{}, against {}, seeds from {}\n\n",
        places(comparison),
        comparison.references.join(" and "),
        comparison.first_seed
    );
    for compared in &comparison.candidates {
        let forfeits = describe_forfeits(comparison, compared);
        for line in std::iter::once(sentence(comparison, compared)).chain(forfeits) {
            text += &width.map_or(format!("{line}\n"), |width| wrap(&line, width));
        }
    }
    let (table, left_out) = for_terminal(columns(comparison), width);
    text += "\n";
    text += &table;
    let mut notes = notes(comparison, &left_out);
    if !left_out.is_empty() {
        notes.insert(
            0,
            format!(
                "Too narrow for: {}. A wider terminal shows them, and so does --format json.",
                list_heads(&left_out)
            ),
        );
    }
    for note in notes {
        text += &match width {
            Some(width) => wrap(&note, width),
            None => note + "\n",
        };
    }
    text
}

fn places(comparison: &Comparison) -> String {
    let scenarios = comparison.scenarios.iter();
    let named: Vec<String> =
        scenarios.map(|scenario| format!("{}:{scenario}", comparison.game)).collect();
    named.join(", ")
}

/// The unit of the difference asked about, among rivals.
fn elo_unit(comparison: &Comparison) -> &'static str {
    match comparison.scale {
        EloScale::Logistic => " Elo",
        EloScale::Normalised => " nElo",
    }
}

/// The unit of a difference.
fn unit(comparison: &Comparison, compared: &CandidateResult) -> &'static str {
    match (comparison.scoring, &compared.effect) {
        (Scoring::Adversarial, _) => elo_unit(comparison),
        (_, Effect::Scores { measure: Measure::Chance, .. }) => " in P(better) - P(worse)",
        _ => "",
    }
}

fn sentence(comparison: &Comparison, compared: &CandidateResult) -> String {
    let player = &compared.player;
    let references = match comparison.references.as_slice() {
        [one] => one.clone(),
        several => format!("the {} references", several.len()),
    };
    let said = match compared.verdict {
        None if compared.unvarying => format!(
            "{player} and {references}: the seed changes nothing here, every round was the same; \
             name scenarios with a random start"
        ),
        Some(Verdict::Better) => format!("{player} is better than {references}"),
        Some(Verdict::Worse) => format!("{player} is worse than {references}"),
        Some(Verdict::NoDifference) => format!(
            "{player} and {references}: no difference as large as {}{}",
            significant(comparison.delta.unwrap_or(0.0)),
            unit(comparison, compared)
        ),
        None if comparison.stopped => {
            format!("{player} and {references}: undecided, stopped by request")
        }
        None => format!("{player} and {references}: undecided, all matches are used up"),
    };
    let saved = match compared.unpaired {
        // Such a large ratio is itself uncertain; how large it is no longer matters.
        Some(ratio) if ratio > 10.0 => "; pairing saved more than nine matches in ten".to_owned(),
        Some(ratio) if ratio > 1.0 => {
            let saved = compared.matches as f64 * (ratio - 1.0);
            format!("; pairing saved about {}", count(saved.round() as u64))
        }
        Some(_) => "; pairing saved no matches".to_owned(),
        None => String::new(),
    };
    format!(
        "{said} ({} in {}{saved}){}",
        count_of(compared.matches, "match"),
        count_of(compared.rounds, "round"),
        estimate(comparison, compared)
    )
}

/// What was seen and what it says about the long run, to continue a sentence that a verdict begins.
fn estimate(comparison: &Comparison, compared: &CandidateResult) -> String {
    // Where a player is compared with itself, its name would not say which of the two.
    let who = match comparison.references.as_slice() {
        [one] if *one == compared.player => "the first",
        _ => compared.player.as_str(),
    };
    let sure = format!("{} % sure", format_fixed(100.0 * (1.0 - comparison.risks.alpha), 0));
    match &compared.effect {
        _ if compared.unvarying => String::new(),
        Effect::Rivals { interval: Some(_), .. } => {
            let (taken, likely) = (points(compared), points_interval(compared));
            let rest = match compared.verdict {
                Some(Verdict::Better) if is_wider(comparison, compared) => {
                    "; more matches would tell how much better it is".to_owned()
                }
                Some(Verdict::Worse) if is_wider(comparison, compared) => {
                    "; more matches would tell how much worse it is".to_owned()
                }
                Some(Verdict::NoDifference) if is_wider(comparison, compared) => {
                    describe_miss(comparison)
                }
                _ => format!(", and would take {likely} % in the long run ({sure})"),
            };
            format!(": {who} took {taken} % of the points{rest}")
        }
        Effect::Scores { seeds, .. } => {
            let all = seeds.wins + seeds.draws + seeds.losses;
            let (better, worse) = (count(seeds.wins), count(seeds.losses));
            let all = count_of(all, "seed");
            format!(": {who} did better on {better} of {all} and worse on {worse}")
        }
        Effect::Rivals { .. } | Effect::Unknown => String::new(),
    }
}

/// What a verdict of no difference rests on: how rarely there would be one if there was a
/// difference.
fn describe_miss(comparison: &Comparison) -> String {
    let delta = comparison.delta.unwrap_or(0.0);
    let share = match comparison.scale {
        EloScale::Logistic => {
            let share = format_fixed(100.0 * elo::expected_score(delta), 1);
            format!(", which is {share} % of the points")
        }
        EloScale::Normalised => String::new(),
    };
    format!(
        "; if one led by {}{}{share}, at most {} % of comparisons would end like this",
        significant(delta),
        elo_unit(comparison),
        significant(100.0 * comparison.risks.beta)
    )
}

/// How the two sides lost matches by faults, and what tells a program's author why: a line each.
fn describe_forfeits(comparison: &Comparison, compared: &CandidateResult) -> Vec<String> {
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

/// The heads of columns that notes explain.
const FIXED: &str = "Elo ± 95 %";
const NORMALISED: &str = "nElo ± 95 %";
const MEAN: &str = "mean";

fn columns(comparison: &Comparison) -> Vec<Column> {
    let each = |cell: &dyn Fn(&CandidateResult) -> String| {
        comparison.candidates.iter().map(cell).collect::<Vec<_>>()
    };
    let column = |head: &str, weight: Option<u8>, cells: Vec<String>| Column {
        head: head.to_owned(),
        cells,
        text: false,
        weight,
    };
    let mut columns = vec![
        Column { text: true, ..column("player", None, each(&|one| one.player.clone())) },
        Column { text: true, ..column("verdict", None, each(&verdict)) },
    ];
    let level = format_fixed(100.0 * (1.0 - comparison.risks.alpha), 0);
    let together = if comparison.candidates.len() > 1 { ", jointly" } else { "" };
    let level = format!("{level} % at any time{together}");
    match comparison.scoring {
        Scoring::Adversarial => {
            columns.push(column("Elo", None, each(&elo)));
            columns.push(column(&level, None, each(&|one| interval(one, 1))));
            columns.push(column("points %", Some(80), each(&points)));
            columns.push(column("won-drawn-lost", Some(70), each(&games)));
            if comparison.candidates.iter().any(|one| pentanomial(one) != NOTHING) {
                columns.push(column("LL-LD-WL-DD-WD-WW", Some(60), each(&pentanomial)));
            }
            columns.push(column(FIXED, Some(50), each(&|one| format_fixed_effects(one).0)));
            columns.push(column(NORMALISED, Some(40), each(&|one| format_fixed_effects(one).1)));
        }
        Scoring::Independent => {
            let head = measure(comparison).map_or("difference", head);
            columns.push(column(head, None, each(&|one| scores(one)[0].clone())));
            columns.push(column(&level, None, each(&|one| interval(one, 3))));
            columns.push(column(
                "better-same-worse",
                Some(85),
                each(&|one| scores(one)[1].clone()),
            ));
            columns.push(column(MEAN, Some(80), each(&|one| scores(one)[2].clone())));
            columns.push(column("references", Some(80), each(&|one| scores(one)[3].clone())));
        }
    }
    columns.push(column("matches", Some(90), each(&|one| count(one.matches))));
    let ratio = |one: &CandidateResult| {
        one.unpaired.map_or(NOTHING.to_owned(), |ratio| format_fixed(ratio, 2))
    };
    if comparison.candidates.iter().any(|one| one.unpaired.is_some()) {
        columns.push(column("variance ratio", Some(30), each(&ratio)));
    }
    if comparison.candidates.iter().any(|one| one.faults + one.reference_faults > 0) {
        let faults = |one: &CandidateResult| format!("{}:{}", one.faults, one.reference_faults);
        columns.push(column("faults", Some(95), each(&faults)));
    }
    columns
}

pub(crate) fn verdict(compared: &CandidateResult) -> String {
    let word = match compared.verdict {
        Some(Verdict::Better) => "better",
        Some(Verdict::Worse) => "worse",
        Some(Verdict::NoDifference) => "no difference",
        None if compared.unvarying => "always the same",
        None => "undecided",
    };
    word.to_owned()
}

fn format_signed(value: f64, decimals: usize) -> String {
    let text = match value.is_finite() {
        true => format_fixed(value, decimals),
        false => if value > 0.0 { "∞" } else { "-∞" }.to_owned(),
    };
    let plus = value > 0.0 && text.chars().any(|digit| matches!(digit, '1'..='9' | '∞'));
    format!("{}{text}", if plus { "+" } else { "" })
}

pub(crate) fn interval(compared: &CandidateResult, decimals: usize) -> String {
    let interval = match compared.effect {
        // One match is not a sample.
        _ if compared.unvarying => None,
        Effect::Rivals { interval, .. } | Effect::Scores { interval, .. } => interval,
        Effect::Unknown => None,
    };
    interval.map_or(NOTHING.to_owned(), |Interval { low, high }| {
        format!("{} to {}", format_signed(low, decimals), format_signed(high, decimals))
    })
}

fn elo(compared: &CandidateResult) -> String {
    match compared.effect {
        Effect::Rivals { elo: Some(elo), .. } => format_signed(elo, 1),
        _ => NOTHING.to_owned(),
    }
}

pub(crate) fn points(compared: &CandidateResult) -> String {
    match compared.effect {
        Effect::Rivals { games, .. } => {
            games.share().map_or(NOTHING.to_owned(), |share| format_fixed(100.0 * share, 1))
        }
        _ => NOTHING.to_owned(),
    }
}

pub(crate) fn games(compared: &CandidateResult) -> String {
    match compared.effect {
        Effect::Rivals { games, .. } => {
            format!("{}-{}-{}", games.wins, games.draws, games.losses)
        }
        _ => NOTHING.to_owned(),
    }
}

/// The interval of the difference, in points out of a hundred.
pub(crate) fn points_interval(one: &CandidateResult) -> String {
    match one.effect {
        Effect::Rivals { interval: Some(Interval { low, high }), .. } if !one.unvarying => {
            let percent = |difference| format_fixed(100.0 * elo::expected_score(difference), 1);
            format!("{} to {}", percent(low), percent(high))
        }
        _ => NOTHING.to_owned(),
    }
}

/// Whether the interval holds differences that the verdict excludes: it is the answer to another
/// question, which takes more matches.
pub(crate) fn is_wider(comparison: &Comparison, one: &CandidateResult) -> bool {
    let (Effect::Rivals { interval, .. } | Effect::Scores { interval, .. }) = one.effect else {
        return false;
    };
    let Some(Interval { low, high }) = interval else { return false };
    match one.verdict {
        Some(Verdict::Better | Verdict::Worse) => low < 0.0 && high > 0.0,
        // An interval in Elo cannot be held against a difference in normalised Elo.
        Some(Verdict::NoDifference) => comparison.delta.is_some_and(|delta| {
            comparison.scale == EloScale::Normalised || low < -delta || high > delta
        }),
        None => false,
    }
}

fn pentanomial(compared: &CandidateResult) -> String {
    match compared.effect {
        Effect::Rivals { pentanomial: Some(counts), .. } => {
            counts.map(|count| count.to_string()).join("-")
        }
        _ => NOTHING.to_owned(),
    }
}

fn format_fixed_effects(compared: &CandidateResult) -> (String, String) {
    let format_plus_minus = |value: Option<PlusMinus>| {
        value.map_or(NOTHING.to_owned(), |PlusMinus { value, error }| {
            format!("{} ± {}", format_signed(value, 2), format_fixed(error, 2))
        })
    };
    match compared.effect {
        Effect::Rivals { elo_fixed, normalised_fixed, .. } => {
            (format_plus_minus(elo_fixed), format_plus_minus(normalised_fixed))
        }
        _ => (NOTHING.to_owned(), NOTHING.to_owned()),
    }
}

/// The measure by which scores were tested.
fn measure(comparison: &Comparison) -> Option<Measure> {
    comparison.candidates.iter().find_map(|one| match one.effect {
        Effect::Scores { measure, .. } => Some(measure),
        _ => None,
    })
}

fn head(measure: Measure) -> &'static str {
    match measure {
        Measure::Chance => "P(better) - P(worse)",
        Measure::Clipped => "clipped difference",
        Measure::Median => "median difference",
        Measure::Mean { .. } => "mean difference",
    }
}

/// Estimate, seeds by which side was better, mean, and mean of the references.
pub(crate) fn scores(compared: &CandidateResult) -> [String; 4] {
    match &compared.effect {
        Effect::Scores { estimate, seeds, mean, reference_mean, .. } => [
            estimate.map_or(NOTHING.to_owned(), |value| format_signed(value, 3)),
            format!("{}-{}-{}", seeds.wins, seeds.draws, seeds.losses),
            format_fixed(*mean, 3),
            format_fixed(*reference_mean, 3),
        ],
        _ => [(); 4].map(|()| NOTHING.to_owned()),
    }
}

/// What the verdicts are about and what the interval is, in a sentence or two.
fn describe_tests(comparison: &Comparison, has_means: bool) -> Option<String> {
    let bounds = comparison.candidates.iter().filter_map(|one| match one.effect {
        Effect::Scores { bound, .. } => bound,
        _ => None,
    });
    let bounds: Vec<String> = bounds.map(significant).collect();
    let untested = if has_means { "; the means are not tested" } else { "" };
    Some(match measure(comparison)? {
        Measure::Chance => format!(
            "Tested: the probability of a better score on a seed, minus that of a worse \
             one{untested}."
        ),
        Measure::Clipped if bounds.is_empty() => {
            "The first pairs set the bound at which differences are clipped; here they set none."
                .to_owned()
        }
        Measure::Clipped => format!(
            "Tested: the mean of the differences, clipped at {} (set by the first pairs, which are \
             not counted){untested}.",
            bounds.join(", ")
        ),
        Measure::Median => format!("Tested: the median of the differences{untested}."),
        Measure::Mean { limit } => format!(
            "Tested: the mean difference; the rules allow one of at most {}.",
            significant(limit)
        ),
    })
}

/// Why an interval may contradict a verdict: the two answer different questions.
fn interval_against_verdict(comparison: &Comparison) -> String {
    let percent = |risk: f64| significant(100.0 * risk);
    let equals = percent(comparison.risks.alpha);
    let equals = format!("equals are called different in at most {equals} % of comparisons");
    let (question, risks, beyond) = match comparison.delta {
        Some(delta) => {
            let unit = match comparison.scoring {
                Scoring::Adversarial => elo_unit(comparison),
                Scoring::Independent => "",
            };
            let delta = format!("{}{unit}", significant(delta));
            let missed = percent(comparison.risks.beta);
            (
                format!("“equal, or better or worse by {delta} or more?”"),
                format!("{equals}, and players that differ by {delta} equal in at most {missed} %"),
                format!("include 0, reach beyond {delta} or be unbounded"),
            )
        }
        None => {
            ("“equal, better or worse?”".to_owned(), equals, "include 0 or be unbounded".to_owned())
        }
    };
    format!(
        "The verdict only answers {question} ({risks}). The interval at any time holds every \
         difference that is not ruled out yet; ruling one out takes more matches, so the interval \
         may still {beyond}."
    )
}

/// The notes on a table from which these columns were left out.
fn notes(comparison: &Comparison, left_out: &[String]) -> Vec<String> {
    let has = |head: &str| !left_out.iter().any(|out| out == head);
    let mut notes = Vec::new();
    if comparison.objective == Objective::Minimize {
        notes.push("Lower scores are better.".to_owned());
    }
    notes.extend(describe_tests(comparison, has(MEAN)));
    if comparison.candidates.iter().any(|one| one.verdict.is_some()) {
        notes.push(interval_against_verdict(comparison));
    }
    if comparison.candidates.len() > 1 {
        notes.push("The candidates share the risk of calling equals different.".to_owned());
    }
    if comparison.scoring == Scoring::Adversarial {
        let normalised = match has(NORMALISED) {
            true => "; nElo measures the difference against how much pairs of matches vary",
            false => "",
        };
        notes.push(format!(
            "Elo 0 is level; +100 takes 64 % of the points, +200 takes 76 %, +400 takes 91 \
             %{normalised}."
        ));
        if has(FIXED) || has(NORMALISED) {
            notes.push(
                "± 95 % would hold if the number of rounds had been fixed beforehand; the interval \
                 at any time holds although it was not."
                    .to_owned(),
            );
        }
    }
    if comparison.delta.is_none() {
        notes.push(
            "Without --delta, equality is not tested: equal players stay undecided.".to_owned(),
        );
    }
    notes
}
