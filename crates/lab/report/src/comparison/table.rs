//! The figures of a comparison in a table, with notes on its columns.

use quintain_arena::compare::{CandidateResult, Comparison, Effect};
use quintain_core::{Objective, Scoring};
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Interval, Measure, PlusMinus, Risks, Verdict, WinDrawLoss, elo};

use crate::grid::{Column, for_terminal, list_heads};
use crate::numbers::{NOTHING, count, format_fixed, significant};

/// How much of a comparison is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// The answer; with several candidates also a table of them.
    Answer,
    /// The figures behind it, too.
    Everything,
}

/// Draws the table for a terminal of this width; also returns notes on it.
pub(super) fn render(
    comparison: &Comparison,
    detail: Detail,
    width: Option<usize>,
) -> (String, Vec<String>) {
    let mut columns = columns(comparison);
    if detail == Detail::Answer {
        columns.retain(|column| column.weight.is_none_or(|weight| weight >= PLAIN));
    }
    if comparison.candidates.len() == 1 && detail == Detail::Everything {
        return (stand_upright(columns), notes(comparison, &[]));
    }
    let (table, left_out) = for_terminal(columns, width);
    let mut notes = match detail {
        Detail::Answer => Vec::new(),
        Detail::Everything => notes(comparison, &left_out),
    };
    if !left_out.is_empty() {
        notes.insert(
            0,
            format!(
                "Too narrow for: {}. A wider terminal shows them, and so does --format json.",
                list_heads(&left_out)
            ),
        );
    }
    (table, notes)
}

/// Writes a table of one row with a line for each of its columns: so many fit no terminal.
fn stand_upright(columns: Vec<Column>) -> String {
    let longest = columns.iter().map(|column| column.head.chars().count()).max().unwrap_or(0);
    let line = |column: &Column| format!("{:longest$}  {}\n", column.head, column.cells.concat());
    columns.iter().map(line).collect()
}

/// The risks of each candidate: together they share that of calling equals different.
pub(super) fn risks_of_one(comparison: &Comparison) -> Risks {
    let Risks { alpha, beta } = comparison.risks;
    Risks { alpha: alpha / comparison.candidates.len() as f64, beta }
}

/// Columns with at least this weight are shown without details.
const PLAIN: u8 = 70;

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
    let unit = match comparison.scale {
        EloScale::Logistic => "Elo",
        EloScale::Normalised => "nElo",
    };
    let together = if comparison.candidates.len() > 1 { ", jointly" } else { "" };
    let level = match comparison.scoring {
        Scoring::Adversarial => format!("{unit}, {level} % sure{together}"),
        Scoring::Independent => format!("{level} % sure{together}"),
    };
    match comparison.scoring {
        Scoring::Adversarial => {
            columns.push(column("points %", None, each(&points)));
            columns.push(column(unit, Some(65), each(&long_run)));
            columns.push(column(&level, Some(80), each(&|one| interval(one, 1))));
            columns.push(column(WinDrawLoss::TITLE, Some(70), each(&games)));
            if comparison.candidates.iter().any(|one| pentanomial(one) != NOTHING) {
                columns.push(column("LL-LD-WL-DD-WD-WW", Some(60), each(&pentanomial)));
            }
            columns.push(column(FIXED, Some(50), each(&|one| format_fixed_effects(one).0)));
            columns.push(column(NORMALISED, Some(40), each(&|one| format_fixed_effects(one).1)));
        }
        Scoring::Independent => {
            let head = measure(comparison).map_or("difference", head);
            columns.push(column(head, None, each(&|one| scores(one)[0].clone())));
            columns.push(column(&level, Some(80), each(&|one| interval(one, 3))));
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
    if comparison.candidates.iter().any(|one| one.different < one.matches) {
        columns.push(column("different", Some(85), each(&|one| count(one.different))));
    }
    if comparison.candidates.iter().any(|one| one.cut_off + one.reference_cut_off > 0) {
        let cut_off = |one: &CandidateResult| match comparison.scoring {
            Scoring::Adversarial => count(one.cut_off),
            Scoring::Independent => format!("{}:{}", one.cut_off, one.reference_cut_off),
        };
        columns.push(column("cut off", Some(95), each(&cut_off)));
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
        None if compared.alike => "alike",
        None => "undecided",
    };
    word.to_owned()
}

pub(super) fn format_signed(value: f64, decimals: usize) -> String {
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

fn long_run(compared: &CandidateResult) -> String {
    match compared.effect {
        Effect::Rivals { long_run: Some(lead), .. } => format_signed(lead, 1),
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
        Effect::Rivals { games, .. } => games.to_string(),
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
            seeds.to_string(),
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

/// The notes on a table from which these columns were left out.
fn notes(comparison: &Comparison, left_out: &[String]) -> Vec<String> {
    let has = |head: &str| !left_out.iter().any(|out| out == head);
    let mut notes = Vec::new();
    if comparison.objective == Objective::Minimize {
        notes.push("Lower scores are better.".to_owned());
    }
    notes.extend(describe_tests(comparison, has(MEAN)));
    if comparison.candidates.len() > 1 {
        notes.push("The candidates share the risk of calling equals different.".to_owned());
    }
    if comparison.scoring == Scoring::Adversarial {
        let normalised = match has(NORMALISED) {
            true => "; nElo measures the difference against how much pairs of matches vary",
            false => "",
        };
        let unit = match comparison.scale {
            EloScale::Logistic => "Elo",
            EloScale::Normalised => "nElo",
        };
        notes.push(format!(
            "{unit} is the lead to expect in the long run, {unit} ± 95 % the lead seen. Elo 0 is \
             level; +100 takes 64 % of the points, +200 takes 76 %, +400 takes 91 \
             %{normalised}."
        ));
        if has(FIXED) || has(NORMALISED) {
            notes.push(
                "± 95 % would hold if the number of rounds had been fixed beforehand; the other \
                 interval holds although it was not."
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
