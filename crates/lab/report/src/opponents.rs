//! One player and several opponents, each met in a separate comparison: one row each, in points
//! rather than Elo, for people who work on the player.

use std::collections::BTreeMap;

use quintain_arena::compare::{CandidateResult, Comparison};
use quintain_core::Scoring;
use quintain_standings::describe_faults;
use quintain_stats::{Verdict, WinDrawLoss, elo};

use crate::comparison::{games, interval, points, points_interval, scores, verdict};
use crate::grid::{Column, for_terminal, list_heads, wrap};
use crate::numbers::{count, count_of, format_fixed, significant};

/// Renders the first candidate of every comparison against its references, for a terminal of this
/// width.
pub fn render_opponents(comparisons: &[Comparison], width: Option<usize>) -> String {
    let rows: Vec<(&Comparison, &CandidateResult)> = comparisons
        .iter()
        .filter_map(|comparison| Some((comparison, comparison.candidates.first()?)))
        .collect();
    let each = |cell: &dyn Fn(&(&Comparison, &CandidateResult)) -> String| {
        rows.iter().map(cell).collect::<Vec<String>>()
    };
    let column = |head: &str, weight: Option<u8>, cells: Vec<String>| Column {
        head: head.to_owned(),
        cells,
        text: false,
        weight,
    };
    let text = |head: &str, cells: Vec<String>| Column { text: true, ..column(head, None, cells) };
    let rivals = rows.first().is_none_or(|(all, _)| all.scoring == Scoring::Adversarial);
    let level = rows.first().map_or(0.95, |(all, _)| 1.0 - all.risks.alpha);
    let level = format!("{} % sure", format_fixed(100.0 * level, 0));
    // What is tried is a version of a program, whose name is enough here.
    let name = rows.first().map_or("", |(_, one)| &one.player);
    let name = name.strip_prefix("bot:").unwrap_or(name);
    let name = name.split(['@', '?']).next().unwrap_or(name);
    let mut columns = vec![
        text("against", each(&|(all, _)| all.references.join(" and "))),
        text(&format!("{name} is"), each(&|(_, one)| verdict(one))),
    ];
    if rivals {
        columns.push(column("points %", None, each(&|(_, one)| points(one))));
        columns.push(column(&level, Some(90), each(&|(_, one)| points_interval(one))));
        columns.push(column(WinDrawLoss::TITLE, Some(70), each(&|(_, one)| games(one))));
    } else {
        columns.push(column("mean", None, each(&|(_, one)| scores(one)[2].clone())));
        columns.push(column("theirs", None, each(&|(_, one)| scores(one)[3].clone())));
        columns.push(column(
            "better-same-worse",
            Some(90),
            each(&|(_, one)| scores(one)[1].clone()),
        ));
        let head = format!("P(better) - P(worse), {level}");
        columns.push(column(&head, Some(70), each(&|(_, one)| interval(one, 2))));
    }
    columns.push(column("matches", Some(60), each(&|(_, one)| count(one.matches))));
    if rows.iter().any(|(_, one)| one.faults > 0) {
        columns.push(column("faults", None, each(&|(_, one)| count(one.faults))));
    }
    let (mut text, left_out) = for_terminal(columns, width);
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        let heads = list_heads(&left_out);
        notes.push(format!("Too narrow for: {heads}. A wider terminal shows them."));
    }
    notes.extend(smallest(&rows));
    notes.extend(used_up(&rows));
    notes.extend(forfeits(&rows));
    for note in notes {
        text += &width.map_or(format!("{note}\n"), |width| wrap(&note, width));
    }
    text
}

/// What “no difference” means: the smallest difference that would have been found.
fn smallest(rows: &[(&Comparison, &CandidateResult)]) -> Option<String> {
    let is_equal =
        |(_, one): &&(&Comparison, &CandidateResult)| one.verdict == Some(Verdict::NoDifference);
    let (all, _) = rows.iter().find(is_equal)?;
    let delta = all.delta?;
    let small = match all.scoring {
        Scoring::Adversarial => format!(
            "{} Elo, which is {} % of the points where equals have 50",
            significant(delta),
            format_fixed(100.0 * elo::expected_score(delta), 1)
        ),
        Scoring::Independent => format!("{} in P(better) - P(worse)", significant(delta)),
    };
    Some(format!("“no difference” means none as large as {small}; --delta sets another limit."))
}

/// The faults by which the player lost matches.
fn forfeits(rows: &[(&Comparison, &CandidateResult)]) -> Option<String> {
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for (kind, count) in rows.iter().flat_map(|(_, one)| &one.fault_kinds) {
        *kinds.entry(kind.clone()).or_default() += count;
    }
    let faults = describe_faults(&kinds);
    (!faults.is_empty()).then(|| format!("It forfeited: {faults}."))
}

/// What to say if the matches were used up before everybody had a verdict.
fn used_up(rows: &[(&Comparison, &CandidateResult)]) -> Option<String> {
    let is_open = |(all, one): &&(&Comparison, &CandidateResult)| {
        one.verdict.is_none() && !one.unvarying && !one.alike && !all.stopped
    };
    let open: Vec<_> = rows.iter().filter(is_open).collect();
    let most = open.iter().map(|(all, _)| all.most_matches).max()?;
    let needed: Option<Vec<u64>> = open.iter().map(|(_, one)| one.likely_matches()).collect();
    let more = match needed.and_then(|needed| needed.into_iter().max()) {
        Some(needed) => {
            format!("if it continues like this, --matches {needed} settles it in half of all cases")
        }
        None => format!(
            "so far there is little difference; --matches {} plays ten times as many",
            10 * most
        ),
    };
    let who = if open.len() == rows.len() { "Undecided" } else { "Where it is undecided" };
    Some(format!(
        "{who}: the {} that --matches allows are used up; {more}.",
        count_of(most, "match")
    ))
}
